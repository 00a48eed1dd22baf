//! Schemes of security, and parameters that carry secrets.
//!
//! A secret is what lets the caller in: a key, a token or a client's secret, by its name, or by its description where the name
//! often means something else. What an operation makes or changes is data, whatever it protects: the password of a person who is
//! created, the public key that is added, the token of a next page. In a body, only its own members are looked at, since those of
//! objects within describe what is made; and names of headers mean nothing there (a `subscription_key` names a subscription).

use serde_json::Value;

use crate::reference::{DocumentSet, Spot};

/// A scheme that the document declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SecurityScheme {
    pub name: String,
    pub kind: SecurityKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SecurityKind {
    ApiKey {
        place: SecretPlace,
        parameter: String,
    },
    Basic,
    Bearer,
    /// Of several flows, the addresses of the first that has them, and the scopes of all.
    OAuth2 {
        authorization_url: Option<String>,
        token_url: Option<String>,
        scopes: Vec<String>,
    },
    OpenIdConnect {
        url: String,
    },
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SecretPlace {
    Header,
    Query,
    Cookie,
    /// A member of the body. No scheme names one.
    Body,
}

/// A parameter that holds a secret and is therefore no argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SecretParameter {
    pub place: SecretPlace,
    pub name: String,
    pub required: bool,
}

pub(crate) fn schemes(set: &DocumentSet) -> Vec<SecurityScheme> {
    let declared = set.root().pointer("/components/securitySchemes").and_then(Value::as_object);
    let declared = declared.into_iter().flatten();
    declared
        .filter_map(|(name, value)| {
            let spot = set.follow(Spot { part: 0, value })?;
            Some(SecurityScheme { name: name.clone(), kind: kind(spot.value) })
        })
        .collect()
}

fn kind(scheme: &Value) -> SecurityKind {
    let text = |key: &str| scheme.get(key).and_then(Value::as_str);
    match text("type") {
        Some("apiKey") => api_key(text("in"), text("name")).unwrap_or(SecurityKind::Other),
        Some("http") => match text("scheme").map(str::to_ascii_lowercase).as_deref() {
            Some("basic") => SecurityKind::Basic,
            Some("bearer") => SecurityKind::Bearer,
            _ => SecurityKind::Other,
        },
        Some("oauth2") => oauth2(&scheme["flows"]),
        Some("openIdConnect") => {
            SecurityKind::OpenIdConnect { url: text("openIdConnectUrl").unwrap_or_default().to_owned() }
        }
        _ => SecurityKind::Other,
    }
}

fn api_key(place: Option<&str>, name: Option<&str>) -> Option<SecurityKind> {
    let place = match place? {
        "header" => SecretPlace::Header,
        "query" => SecretPlace::Query,
        "cookie" => SecretPlace::Cookie,
        _ => return None,
    };
    Some(SecurityKind::ApiKey { place, parameter: name?.to_owned() })
}

/// Flows in the order in which a gateway would rather use them.
const FLOWS: [&str; 4] = ["authorizationCode", "clientCredentials", "password", "implicit"];

fn oauth2(flows: &Value) -> SecurityKind {
    let flows: Vec<&Value> = FLOWS.into_iter().filter_map(|name| flows.get(name)).collect();
    let address = |key: &str| {
        let mut found = flows.iter().filter_map(|flow| flow.get(key)?.as_str());
        found.find(|url| !url.is_empty()).map(str::to_owned)
    };
    let mut scopes: Vec<String> = Vec::new();
    for (scope, _) in flows.iter().filter_map(|flow| flow.get("scopes")?.as_object()).flatten() {
        if !scopes.contains(scope) {
            scopes.push(scope.clone());
        }
    }
    SecurityKind::OAuth2 {
        authorization_url: address("authorizationUrl"),
        token_url: address("tokenUrl"),
        scopes,
    }
}

/// Names that mean a secret wherever a request carries them, without `-` and `_`.
const SECRET_NAMES: [&str; 21] = [
    "authorization",
    "proxyauthorization",
    "accesstoken",
    "oauthtoken",
    "authtoken",
    "bearertoken",
    "apikey",
    "apitoken",
    "xapikey",
    "xapitoken",
    "xaccesstoken",
    "xauthtoken",
    "xauthkey",
    "privatetoken",
    "clientsecret",
    "apisecret",
    "subscriptionkey",
    "ocpapimsubscriptionkey",
    "xamzcredential",
    "xamzsecuritytoken",
    "xamzsignature",
];
/// Those of them that mean a secret as a member of a body.
const BODY_NAMES: [&str; 9] = [
    "accesstoken",
    "oauthtoken",
    "authtoken",
    "bearertoken",
    "apikey",
    "apitoken",
    "privatetoken",
    "clientsecret",
    "apisecret",
];
/// Names that often mean something else. The description decides.
const SHORT_NAMES: [&str; 4] = ["token", "key", "auth", "secret"];
const SECRET_WORDS: [&str; 6] =
    ["authentication", "authorization", "api key", "api_key", "access token", "oauth"];

/// The same for a body, in the first sentence: longer texts tell of everything.
const BODY_WORDS: [&str; 4] = ["authentication token", "access token", "api key", "api_key"];

/// True for a parameter that a scheme names, and for one that is a secret by its name.
pub(crate) fn is_secret(
    schemes: &[SecurityScheme],
    place: SecretPlace,
    name: &str,
    description: &str,
) -> bool {
    let named = schemes.iter().any(|scheme| {
        matches!(&scheme.kind, SecurityKind::ApiKey { place: at, parameter }
            if *at == place && parameter.eq_ignore_ascii_case(name))
    });
    let plain: String = name.chars().filter(|c| !matches!(c, '-' | '_')).collect();
    let plain = plain.to_ascii_lowercase();
    let names: &[&str] = if place == SecretPlace::Body { &BODY_NAMES } else { &SECRET_NAMES };
    named
        || names.contains(&plain.as_str())
        || (SHORT_NAMES.contains(&plain.as_str()) && says_so(place, description))
}

fn says_so(place: SecretPlace, description: &str) -> bool {
    let description = description.to_ascii_lowercase();
    match place {
        SecretPlace::Body => {
            let first = description.split(['.', '\n']).next().unwrap_or_default();
            BODY_WORDS.iter().any(|word| first.contains(word))
        }
        SecretPlace::Header | SecretPlace::Query | SecretPlace::Cookie => {
            SECRET_WORDS.iter().any(|word| description.contains(word))
        }
    }
}
