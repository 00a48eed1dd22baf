//! From the claims of a correctly signed token to a principal, or a reason for refusal. Pure.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolgate_core::{Principal, PrincipalId, PrincipalKind, Role};

use super::refusal::BearerRefused;
use super::settings::BearerSettings;

/// The maximum difference between clocks.
pub(super) const LEEWAY_SECONDS: f64 = 60.0;
/// Names that would be ambiguous in the ledger.
const RESERVED: [&str; 3] = ["gateway", "local", "stdio"];
/// Tokens of the gateway's own are named so.
const TOKEN_PREFIX: &str = "tok_";
const NAME_CHARS_MAX: usize = 256;
const GROUPS_MAX: usize = 64;
/// From the most powerful down.
const BY_POWER: [Role; 6] =
    [Role::Admin, Role::Operator, Role::Approver, Role::Auditor, Role::Agent, Role::Server];

/// The owner of a token, and its expiry.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct VerifiedToken {
    pub(super) principal: Principal,
    pub(super) expires: f64,
}

pub(super) fn judge(
    settings: &BearerSettings,
    claims: &Map<String, Value>,
    now: f64,
) -> Result<VerifiedToken, BearerRefused> {
    let expires = check_times(claims, now)?;
    if claims.get("iss").and_then(Value::as_str) != Some(&settings.issuer) {
        return Err(BearerRefused::invalid("the token is from another issuer"));
    }
    if !texts(claims.get("aud")).any(|audience| audience == settings.audience) {
        return Err(BearerRefused::invalid("the token is for another audience"));
    }
    // Such a token is invalid without a proof, which is not supported here.
    if claims.contains_key("cnf") {
        return Err(BearerRefused::invalid(
            "the token is bound to a key and cannot be used as a bearer token",
        ));
    }
    let id = principal_id(settings.principal_claim(), claims)?;
    let role = role(settings, claims)?;
    let principal = Principal {
        id,
        kind: kind(claims, role),
        role,
        groups: groups(settings.groups_claim.as_deref(), claims)?,
    };
    Ok(VerifiedToken { principal, expires })
}

pub(crate) fn check_times(claims: &Map<String, Value>, now: f64) -> Result<f64, BearerRefused> {
    let time = |name: &str| claims.get(name).map(|value| value.as_f64().ok_or(name.to_owned()));
    let garbled = |name| BearerRefused::invalid(format!("the claim {name} of the token is not a time"));
    let expires = time("exp").transpose().map_err(garbled)?;
    let expires = expires.ok_or_else(|| BearerRefused::invalid("the token does not say when it expires"))?;
    if has_expired(expires, now) {
        return Err(BearerRefused::invalid("the token has expired"));
    }
    let not_before = time("nbf").transpose().map_err(garbled)?;
    if not_before.is_some_and(|start| start - LEEWAY_SECONDS > now) {
        return Err(BearerRefused::invalid("the token is not valid yet"));
    }
    Ok(expires)
}

pub(super) fn has_expired(expires: f64, now: f64) -> bool {
    now >= expires + LEEWAY_SECONDS
}

pub(crate) fn principal_id(claim: &str, claims: &Map<String, Value>) -> Result<PrincipalId, BearerRefused> {
    let Some(id) = claims.get(claim).and_then(Value::as_str) else {
        return Err(BearerRefused::invalid(format!("the token has no claim {claim} that says whose it is")));
    };
    if !is_name(id) {
        return Err(BearerRefused::invalid(format!("the claim {claim} of the token is not a name")));
    }
    if RESERVED.contains(&id) || id.starts_with(TOKEN_PREFIX) {
        let mistaken = format!("the claim {claim} of the token is a reserved name");
        return Err(BearerRefused::invalid(mistaken));
    }
    Ok(PrincipalId::new(id))
}

fn role(settings: &BearerSettings, claims: &Map<String, Value>) -> Result<Role, BearerRefused> {
    let of_token = claims.get("scope").or_else(|| claims.get("scp"));
    let scopes = texts(of_token).flat_map(str::split_ascii_whitespace);
    let granted: Vec<Role> = scopes.filter_map(|scope| settings.scopes.get(scope).copied()).collect();
    let best = BY_POWER.into_iter().find(|role| granted.contains(role));
    best.ok_or_else(|| BearerRefused::scope("the token has no scope that this gateway knows"))
}

/// Only people count towards a quorum, and a client that signed in as itself is not a person.
fn kind(claims: &Map<String, Value>, role: Role) -> PrincipalKind {
    let text = |name: &str| claims.get(name).and_then(Value::as_str);
    let client = text("client_id").or_else(|| text("azp"));
    match role.usual_kind() {
        PrincipalKind::Human if client.is_some() && client == text("sub") => PrincipalKind::Service,
        usual => usual,
    }
}

pub(crate) fn groups(
    claim: Option<&str>,
    claims: &Map<String, Value>,
) -> Result<Arc<[String]>, BearerRefused> {
    let Some(claim) = claim else { return Ok(Arc::default()) };
    let groups: Vec<String> = texts(claims.get(claim)).map(str::to_owned).collect();
    if groups.len() > GROUPS_MAX || !groups.iter().all(|group| is_name(group)) {
        let limit = format!(
            "the claim {claim} of the token has more than {GROUPS_MAX} groups or one that is no name"
        );
        return Err(BearerRefused::invalid(limit));
    }
    Ok(groups.into())
}

fn is_name(text: &str) -> bool {
    let chars = text.chars().count();
    (1..=NAME_CHARS_MAX).contains(&chars) && !text.chars().any(char::is_control)
}

/// One text, or the texts of a list.
pub(crate) fn texts(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let (one, many) = match value {
        Some(Value::String(text)) => (Some(text.as_str()), &[][..]),
        Some(Value::Array(list)) => (None, &list[..]),
        _ => (None, &[][..]),
    };
    one.into_iter().chain(many.iter().filter_map(Value::as_str))
}
