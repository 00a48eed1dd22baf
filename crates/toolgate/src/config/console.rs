//! `[console]`: the pages for people.

use std::collections::BTreeMap;
use std::time::Duration;

use toolgate_core::Role;
use toolgate_credentials::{PersonSettings, Secret};

use super::access;
use super::problem::ConfigProblems;
use super::section::{ConfigSection, SecondsRange, require};
use super::value::ReadContext;

pub(super) const KEYS: &[&str] = &["enabled", "login_seconds", "oidc"];
pub(super) const OIDC_KEYS: &[&str] = &[
    "issuer",
    "client_id",
    "client_secret",
    "scopes",
    "roles",
    "roles_claim",
    "groups_claim",
    "principal_claim",
];
const USUAL_SCOPES: [&str; 3] = ["openid", "profile", "email"];
const OPENID: &str = "openid";
const OIDC_NEEDS: [(&str, &str); 3] = [
    ("issuer", "\"https://id.example.com\""),
    ("client_id", "\"toolgate\""),
    ("roles", "{ \"platform-team\" = \"operator\" }"),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConsoleSettings {
    /// True if there are pages at all.
    pub(crate) enabled: bool,
    /// The lifetime of a login.
    pub(crate) login: Duration,
    /// The identity provider by which people log in.
    pub(crate) people: Option<PersonSettings>,
}

impl Default for ConsoleSettings {
    fn default() -> Self {
        Self { enabled: true, login: Duration::from_secs(12 * 60 * 60), people: None }
    }
}

pub(super) fn read(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> ConsoleSettings {
    section.refuse_unknown_keys(KEYS, &[], problems);
    let usual = ConsoleSettings::default();
    ConsoleSettings {
        enabled: section.boolean("enabled", problems).map_or(usual.enabled, |enabled| enabled.value),
        login: section.seconds("login_seconds", SecondsRange::Positive, problems).unwrap_or(usual.login),
        people: section
            .section("oidc", "`[console.oidc]`", problems)
            .and_then(|oidc| read_oidc(&oidc, ctx, problems)),
    }
}

/// `None` if a problem was added.
fn read_oidc(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<PersonSettings> {
    section.refuse_unknown_keys(OIDC_KEYS, &[], problems);
    for (key, example) in OIDC_NEEDS {
        require(section, key, example, problems);
    }
    let issuer = access::address(section, ctx, "issuer", problems);
    let mut text = |key| access::text(section, ctx, key, problems);
    let (client_id, client_secret) = (text("client_id"), text("client_secret"));
    let (roles_claim, groups_claim) = (text("roles_claim"), text("groups_claim"));
    let principal_claim = text("principal_claim");
    let roles = access::roles(section, "roles", problems);
    Some(PersonSettings {
        issuer: issuer?,
        client_id: client_id?,
        client_secret: client_secret.map(Secret::new),
        scopes: scopes(section, problems),
        principal_claim: principal_claim.unwrap_or_else(|| "sub".to_owned()),
        roles_claim: roles_claim.unwrap_or_else(|| "groups".to_owned()),
        roles: opening(section, roles?, problems)?,
        groups_claim,
    })
}

/// Without `openid` there is no token that says who it is.
fn scopes(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Vec<String> {
    let written: Vec<String> =
        section.strings("scopes", problems).into_iter().map(|scope| scope.value.to_owned()).collect();
    let Some(span) = section.key_span("scopes") else { return USUAL_SCOPES.map(str::to_owned).to_vec() };
    if !written.iter().any(|scope| scope == OPENID) {
        let what = "`scopes` in `[console.oidc]` has no `openid`";
        problems.add(span, what, "`openid`, and what your provider wants for the claims", "add `\"openid\"`");
    }
    written
}

/// Roles that open no page help nobody to log in.
fn opening(
    section: &ConfigSection<'_>,
    roles: BTreeMap<String, Role>,
    problems: &mut ConfigProblems,
) -> Option<BTreeMap<String, Role>> {
    let Some(closed) = roles.values().find(|role| matches!(role, Role::Agent | Role::Server)) else {
        return Some(roles);
    };
    let what = format!("`roles` in `[console.oidc]` gives the role {}", closed.as_str());
    let expected = "`admin`, `operator`, `approver` or `auditor`";
    problems.add(section.key_span("roles")?, what, expected, "agents and servers have tokens; people log in");
    None
}
