//! The token endpoint of an authorization server: one request, and what its answer means. No redirect is followed, and no
//! word of the answer repeats the client's secret.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use http::{HeaderValue, Method, Request, Response};
use serde_json::{Value, json};
use toolgate_core::server::ClientAuth;
use url::form_urlencoded;

use crate::outbound::OutboundClient;

const SAID_CHARS_MAX: usize = 200;
const MASK: &str = "••••";

/// The addresses of an authorization server, written down because the API publishes none. They are kept with
/// the sign-in.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct OAuthEndpoints {
    pub authorization_url: String,
    pub token_url: String,
    #[serde(default)]
    pub client_auth: ClientAuth,
}

/// The client of a token request.
#[derive(Clone, Copy)]
pub(crate) struct TokenClient<'c> {
    pub(crate) id: &'c str,
    pub(crate) secret: Option<&'c str>,
    pub(crate) auth: ClientAuth,
}

pub(crate) struct TokenEndpoint<'e> {
    pub(crate) outbound: &'e OutboundClient,
    pub(crate) url: &'e str,
    pub(crate) client: TokenClient<'e>,
}

/// The reason why there is no token, in words.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum TokenRefusal {
    /// The authorization server refused, with a code of RFC 6749.
    #[error("the authorization server says {said}")]
    Refused { code: String, said: String },
    /// It may be otherwise a moment later.
    #[error("{0}")]
    Later(String),
    /// Nothing at this address gives tokens.
    #[error("{0}")]
    Unusable(String),
}

impl TokenRefusal {
    pub(crate) fn is(&self, wanted: &str) -> bool {
        matches!(self, Self::Refused { code, .. } if code == wanted)
    }
}

impl TokenEndpoint<'_> {
    /// The members of the token answer. There is an `access_token` in it.
    pub(crate) async fn ask(&self, form: &[(&str, &str)]) -> Result<Value, TokenRefusal> {
        let answer = self.outbound.send(self.request(form)?).await;
        let answer = answer.map_err(|error| {
            TokenRefusal::Later(format!("the token endpoint {} could not be asked: {error}", self.place()))
        })?;
        self.read(&answer)
    }

    fn request(&self, form: &[(&str, &str)]) -> Result<Request<Bytes>, TokenRefusal> {
        let TokenClient { id, secret, auth } = self.client;
        let mut body = form_urlencoded::Serializer::new(String::new());
        body.extend_pairs(form);
        let in_header = secret.filter(|_| auth == ClientAuth::Header);
        if in_header.is_none() {
            body.append_pair("client_id", id).extend_pairs(secret.map(|secret| ("client_secret", secret)));
        }
        let mut request = Request::new(Bytes::from(body.finish()));
        *request.method_mut() = Method::POST;
        let bad = |_| TokenRefusal::Unusable(format!("{:?} is not an address", self.place()));
        *request.uri_mut() = self.url.parse().map_err(bad)?;
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(secret) = in_header {
            // RFC 6749, 2.3.1: both are encoded as in forms first.
            let encoded = |part: &str| form_urlencoded::byte_serialize(part.as_bytes()).collect::<String>();
            let pair = BASE64_STANDARD.encode(format!("{}:{}", encoded(id), encoded(secret)));
            let mut value =
                HeaderValue::from_str(&format!("Basic {pair}")).expect("Base64 fits into headers");
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Ok(request)
    }

    fn read(&self, answer: &Response<Bytes>) -> Result<Value, TokenRefusal> {
        let (status, place) = (answer.status(), self.place());
        if status.is_redirection() {
            let to = answer.headers().get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or_default();
            let to = self.told(to.split(['?', '#']).next().unwrap_or_default());
            return Err(TokenRefusal::Unusable(format!(
                "the token endpoint {place} answered HTTP {} with a redirect to {to}, which was not followed: the client's secret goes to no other address",
                status.as_u16()
            )));
        }
        let parsed: Option<Value> = serde_json::from_slice(answer.body()).ok().filter(Value::is_object);
        // Some refuse with 200.
        if let Some(code) = parsed.as_ref().and_then(|members| members["error"].as_str()) {
            let members = parsed.as_ref().expect("it has a code");
            let description = members["error_description"].as_str().unwrap_or_default();
            let said = self.told(format!("{code} {description}").trim());
            return Err(match code {
                "temporarily_unavailable" | "server_error" | "slow_down" => TokenRefusal::Later(said),
                code => TokenRefusal::Refused { code: code.to_owned(), said },
            });
        }
        if status.is_server_error() || matches!(status.as_u16(), 408 | 429) {
            let after = answer.headers().get(RETRY_AFTER).and_then(|after| after.to_str().ok());
            let after = after.map(|after| format!("; it says `Retry-After: {}`", self.told(after)));
            return Err(TokenRefusal::Later(format!(
                "the token endpoint {place} answered HTTP {}{}",
                status.as_u16(),
                after.unwrap_or_default()
            )));
        }
        match parsed.filter(|_| status.is_success()) {
            Some(members) if members["access_token"].as_str().is_some_and(|token| !token.is_empty()) => {
                Ok(normal(members))
            }
            Some(_) => {
                Err(TokenRefusal::Unusable(format!("the token endpoint {place} answered without a token")))
            }
            None => Err(TokenRefusal::Unusable(format!(
                "the token endpoint {place} answered HTTP {} with {} instead of a token as JSON",
                status.as_u16(),
                self.kind(answer)
            ))),
        }
    }

    fn kind(&self, answer: &Response<Bytes>) -> String {
        let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        kind.map_or("a body of no type".to_owned(), |kind| self.told(kind))
    }

    /// The address without a query.
    fn place(&self) -> &str {
        self.url.split(['?', '#']).next().unwrap_or_default()
    }

    /// Foreign text without the client's secret, made safe for logs and terminals.
    fn told(&self, text: &str) -> String {
        let masked = match self.client.secret.filter(|secret| !secret.is_empty()) {
            Some(secret) => text.replace(secret, MASK),
            None => text.to_owned(),
        };
        masked.chars().filter(|c| !c.is_control()).take(SAID_CHARS_MAX).collect()
    }
}

/// Lifetimes are numbers in some answers and texts in others, and the type of a token is left out by some.
fn normal(mut members: Value) -> Value {
    if let Some(seconds) = members["expires_in"].as_str().map(|text| text.trim().parse::<u64>().ok()) {
        members["expires_in"] = json!(seconds);
    }
    if let Some(seconds) = members["expires_in"].as_f64().filter(|_| !members["expires_in"].is_u64()) {
        // Not every server counts in whole seconds.
        members["expires_in"] = json!(seconds.max(0.0) as u64);
    }
    if !members["token_type"].is_string() {
        members["token_type"] = json!("bearer");
    }
    if !members["scope"].is_string() {
        members.as_object_mut().expect("it is one").remove("scope");
    }
    if !members["refresh_token"].is_string() {
        members.as_object_mut().expect("it is one").remove("refresh_token");
    }
    members
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use toolgate_core::address::Reach;
    use toolgate_core::egress::Egress;

    use super::*;

    fn answered(status: u16, kind: &str, body: &str) -> Result<Value, TokenRefusal> {
        let mut answer = Response::new(Bytes::from(body.to_owned()));
        *answer.status_mut() = StatusCode::from_u16(status).unwrap();
        answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_str(kind).unwrap());
        answer.headers_mut().insert(LOCATION, HeaderValue::from_static("http://10.0.0.1/token?s3cret-of-it"));
        with_endpoint(|endpoint| endpoint.read(&answer))
    }

    fn with_endpoint<T>(act: impl FnOnce(&TokenEndpoint<'_>) -> T) -> T {
        let outbound = OutboundClient::new(Reach::Anywhere, &std::sync::Arc::new(Egress::default()));
        let client = TokenClient { id: "a b", secret: Some("s3cret-of-it"), auth: ClientAuth::Header };
        act(&TokenEndpoint { outbound: &outbound, url: "https://id.example/token?tenant=1", client })
    }

    #[tokio::test]
    async fn every_answer_is_a_token_or_a_reason() {
        let told = |status, kind: &str, body: &str| answered(status, kind, body).unwrap_err().to_string();
        let json = "application/json";
        let refused = told(401, json, r#"{"error":"invalid_client","error_description":"bad s3cret-of-it"}"#);
        assert_eq!(refused, "the authorization server says invalid_client bad ••••");
        assert!(answered(200, json, r#"{"error":"bad_code"}"#).unwrap_err().is("bad_code"));
        assert!(told(200, "text/html", "<html>sign in</html>").contains("text/html instead of a token"));
        assert!(told(200, json, "{}").contains("without a token"));
        let redirect = told(302, "text/html", "");
        assert!(redirect.contains("redirect to http://10.0.0.1/token, which was not followed"), "{redirect}");
        assert!(matches!(answered(503, "text/html", "busy"), Err(TokenRefusal::Later(_))));
        assert!(matches!(
            answered(400, json, r#"{"error":"temporarily_unavailable"}"#),
            Err(TokenRefusal::Later(_))
        ));
        for said in [&refused, &redirect] {
            assert!(!said.contains("s3cret-of-it") && !said.contains("tenant"), "{said}");
        }
    }

    #[tokio::test]
    async fn lifetimes_are_numbers() {
        let read = |body: &str| answered(200, "application/json", body).unwrap()["expires_in"].clone();
        assert_eq!(read(r#"{"access_token":"a","expires_in":"3600"}"#), json!(3600));
        assert_eq!(read(r#"{"access_token":"a","expires_in":59.9}"#), json!(59));
        assert_eq!(read(r#"{"access_token":"a","expires_in":"soon"}"#), json!(null));
    }

    #[tokio::test]
    async fn the_client_stands_in_a_header_or_in_the_form() {
        with_endpoint(|endpoint| {
            let request = endpoint.request(&[("grant_type", "client_credentials")]).unwrap();
            let basic = BASE64_STANDARD.encode("a+b:s3cret-of-it");
            assert_eq!(request.headers()[AUTHORIZATION], format!("Basic {basic}"));
            assert_eq!(request.body(), "grant_type=client_credentials");
            let client = TokenClient { auth: ClientAuth::Body, ..endpoint.client };
            let request = TokenEndpoint { client, ..*endpoint }.request(&[]).unwrap();
            assert_eq!(request.body(), "client_id=a+b&client_secret=s3cret-of-it");
            assert!(!request.headers().contains_key(AUTHORIZATION));
        });
    }
}
