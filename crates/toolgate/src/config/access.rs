//! `[vault]` and `[oauth]`: the key to stored secrets, and the issuer of accepted access tokens besides the
//! gateway's own.

use std::collections::BTreeMap;
use std::path::PathBuf;

use toolgate_core::Role;
use toolgate_credentials::{BearerAlgorithm, BearerSettings};
use url::{Host, Url};

use super::problem::ConfigProblems;
use super::reference::is_variable_name;
use super::section::{ConfigSection, Located, require};
use super::value::ReadContext;

pub(super) const VAULT_KEYS: &[&str] = &["key_file", "key_env"];
pub(super) const OAUTH_KEYS: &[&str] =
    &["issuer", "audience", "jwks_url", "algorithms", "scopes", "groups_claim", "principal_claim"];

/// The source of the vault's key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum VaultSettings {
    /// Made at first use and kept in the data folder.
    #[default]
    Generated,
    /// Absolute.
    File(PathBuf),
    /// The name of a variable of the environment.
    Environment(String),
}

pub(super) fn read_vault(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> VaultSettings {
    section.refuse_unknown_keys(VAULT_KEYS, &[], problems);
    let file = ctx.places(section).path("key_file", ctx.folder, problems).map(|file| file.value);
    let variable = section.string("key_env", problems).and_then(|name| checked_variable(name, problems));
    if let (Some(_), Some(span)) = (section.key_span("key_file"), section.key_span("key_env")) {
        let what = "`[vault]` has both `key_file` and `key_env`";
        problems.add(span, what, "one of the two", "there is one key; remove the line that is not meant");
    }
    match (file, variable) {
        (Some(file), _) => VaultSettings::File(file),
        (None, Some(variable)) => VaultSettings::Environment(variable),
        (None, None) => VaultSettings::Generated,
    }
}

fn checked_variable(name: Located<&str>, problems: &mut ConfigProblems) -> Option<String> {
    if is_variable_name(name.value) {
        return Some(name.value.to_owned());
    }
    let what = "`key_env` in `[vault]` is not the name of a variable";
    let hint = "write `key_env = \"TOOLGATE_VAULT_KEY\"` and keep the key in that variable";
    problems.add(name.span, what, "letters, digits and `_` only", hint);
    None
}

/// `None` if a problem was added.
pub(super) fn read_oauth(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<BearerSettings> {
    section.refuse_unknown_keys(OAUTH_KEYS, &[], problems);
    for (key, example) in OAUTH_NEEDS {
        require(section, key, example, problems);
    }
    let issuer = address(section, ctx, "issuer", problems);
    let audience = text(section, ctx, "audience", problems);
    let jwks_url = address(section, ctx, "jwks_url", problems);
    let known = BearerAlgorithm::ALL.map(|algorithm| (algorithm.as_str(), algorithm));
    let hint = "use an asymmetric algorithm: with a shared secret, every verifier could sign tokens";
    let algorithms = section.words("algorithms", &known, hint, problems);
    let scopes = roles(section, "scopes", problems);
    let groups_claim = text(section, ctx, "groups_claim", problems);
    let principal_claim = text(section, ctx, "principal_claim", problems);
    Some(BearerSettings {
        issuer: issuer?,
        audience: audience?,
        jwks_url,
        algorithms: algorithms.unwrap_or_default(),
        scopes: scopes?,
        groups_claim,
        principal_claim,
    })
}

const OAUTH_NEEDS: [(&str, &str); 3] = [
    ("issuer", "\"https://id.example.com\""),
    ("audience", "\"https://gate.example.com/mcp\""),
    ("scopes", "{ \"toolgate:call\" = \"agent\" }"),
];

pub(super) fn text(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    key: &str,
    problems: &mut ConfigProblems,
) -> Option<String> {
    let written = section.string(key, problems)?;
    let values = ctx.values(section);
    let expanded = values.plain(key, &written, problems)?;
    if expanded.trim().is_empty() {
        let what = format!("`{key}` in {} is empty", section.title());
        problems.add(written.span, what, "the text that stands in the tokens", "remove the line");
        return None;
    }
    Some(expanded)
}

/// An address whose keys are trusted: they must not be replaceable in transit. It stays as written, since
/// tokens repeat it literally.
pub(super) fn address(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    key: &str,
    problems: &mut ConfigProblems,
) -> Option<String> {
    let expanded = text(section, ctx, key, problems)?;
    let written = section.string(key, problems)?;
    if ctx.values(section).is_kept(written.value) {
        return Some(expanded);
    }
    let (what, hint) = match Url::parse(&expanded) {
        Err(error) => (format!("is not a URL: {error}"), "start with `https://`"),
        Ok(url) if url.query().is_some() || url.fragment().is_some() => {
            ("has a query or a fragment".to_owned(), "leave out everything from `?` or `#` on")
        }
        Ok(url) if url.scheme() == "https" || (url.scheme() == "http" && is_here(&url)) => {
            return Some(expanded);
        }
        Ok(_) => {
            ("is not safe from others on the way".to_owned(), "use `https`; `http` only on this machine")
        }
    };
    let what = format!("`{key}` in {} {what}", section.title());
    problems.add(written.span, what, "an address such as `https://id.example.com`", hint);
    None
}

fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The roles that words of a claim give.
pub(super) fn roles(
    section: &ConfigSection<'_>,
    key: &'static str,
    problems: &mut ConfigProblems,
) -> Option<BTreeMap<String, Role>> {
    let span = section.key_span(key)?;
    let known = Role::ALL.map(|role| (role.as_str(), role));
    let hint = "`toolgate token create --help` says what each role may do";
    let mut scopes = BTreeMap::new();
    let is_scope = key == "scopes";
    for (scope, role) in section.string_map(key, problems) {
        let key = format!("{key}.{:?}", scope.value);
        if scope.value.is_empty() || (is_scope && scope.value.contains(char::is_whitespace)) {
            let what = format!("{:?} in {} gives no role", scope.value, section.title());
            problems.add(scope.span, what, "one word of the claim", "make one line for each word");
        } else if let Some(role) = section.known_word(&key, &role, &known, hint, problems) {
            scopes.insert(scope.value.to_owned(), role);
        }
    }
    if scopes.is_empty() && problems.is_empty() {
        let what = format!("`{key}` in {} is empty", section.title());
        let hint = match is_scope {
            true => "for example `scopes = { \"toolgate:call\" = \"agent\" }`",
            false => "for example `roles = { \"platform-team\" = \"operator\" }`",
        };
        problems.add(span, what, "a role for at least one word: without one, nobody is let in", hint);
        return None;
    }
    Some(scopes)
}
