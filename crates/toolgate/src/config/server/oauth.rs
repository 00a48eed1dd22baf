//! `[servers.oauth]`: the operator's arrangement with a server whose tools need a person's consent.

use toolgate_core::server::{ApiOAuth, ClientAuth, OAuthFlow};
use toolgate_credentials::{OAuthEndpoints, OAuthSpec, Secret};

use super::super::problem::ConfigProblems;
use super::super::reference::VaultReferences;
use super::super::section::ConfigSection;
use super::super::value::{TableValues, UrlForm};
use super::ServerReader;

pub(in super::super) const KEYS: &[&str] = &[
    "flow",
    "client_id",
    "client_secret",
    "client_auth",
    "scopes",
    "client_metadata_url",
    "authorization_url",
    "token_url",
];

const FLOWS: [(&str, OAuthFlow); 2] =
    [("code", OAuthFlow::Code), ("client_credentials", OAuthFlow::ClientCredentials)];
const FLOWS_HINT: &str =
    "`code`: a person signs in once; `client_credentials`: the gateway gets tokens by itself";
const CLIENT_AUTH: [(&str, ClientAuth); 2] = [("header", ClientAuth::Header), ("body", ClientAuth::Body)];
const CLIENT_AUTH_HINT: &str = "`header`: id and secret as Basic; `body`: in the form of the request";

const ENDPOINT: UrlForm = UrlForm {
    expected: "an address of the authorization server, as its documentation has it",
    instead_of_password: "the client's secret is `client_secret`",
};

const METADATA_URL: UrlForm = UrlForm {
    expected: "an address with `https` at which the client's metadata document can be read",
    instead_of_password: "the document is public",
};

/// The table as it is written.
struct OAuthTable {
    api: ApiOAuth,
    client_metadata_url: Option<String>,
}

impl ServerReader<'_> {
    /// The arrangement with an API, whose client may be in the vault, and what only people who sign in need.
    pub(super) fn oauth_of_api(&self, problems: &mut ConfigProblems) -> Option<(ApiOAuth, OAuthSpec)> {
        let OAuthTable { api, client_metadata_url } = self.oauth_table(VaultReferences::Kept, problems)?;
        let is_whole = api.token_url.is_some() && api.client_id.is_some() && api.client_secret.is_some();
        // A connector file may say the rest.
        let says_more = self.section.key_span("connector").is_some();
        if api.flow == Some(OAuthFlow::ClientCredentials) && !is_whole && !says_more {
            let why = "needs `token_url`, `client_id` and `client_secret`";
            self.refuse_oauth_key("flow", why, problems);
        }
        if client_metadata_url.is_some() && api.token_url.is_some() {
            self.refuse_oauth_key(
                "client_metadata_url",
                "is for servers that publish where to sign in",
                problems,
            );
        }
        Some((api, OAuthSpec { client_metadata_url, ..OAuthSpec::default() }))
    }

    pub(super) fn oauth(&self, problems: &mut ConfigProblems) -> Option<OAuthSpec> {
        let OAuthTable { api, client_metadata_url } = self.oauth_table(VaultReferences::Refused, problems)?;
        if api.flow == Some(OAuthFlow::ClientCredentials) {
            self.refuse_oauth_key("flow", "is for servers with `openapi` or `connector`", problems);
        }
        let endpoints = api.authorization_url.zip(api.token_url).map(|(authorization_url, token_url)| {
            OAuthEndpoints { authorization_url, token_url, client_auth: api.client_auth.unwrap_or_default() }
        });
        let client_secret = api.client_secret.map(Secret::new);
        Some(OAuthSpec {
            client_id: api.client_id,
            client_secret,
            scopes: api.scopes,
            client_metadata_url,
            endpoints,
        })
    }

    fn refuse_oauth_key(&self, key: &str, why: &str, problems: &mut ConfigProblems) {
        let title = format!("`oauth` of {}", self.section.title());
        let Some(section) = self.section.section("oauth", &title, &mut ConfigProblems::default()) else {
            return;
        };
        let Some(span) = section.key_span(key) else { return };
        let hint = format!("`docs/how-to/openapi.md` has an example; otherwise remove `{key}`");
        problems.add(span, format!("`{key}` in {title} {why}"), "keys that belong together", hint);
    }

    fn oauth_table(&self, vault: VaultReferences, problems: &mut ConfigProblems) -> Option<OAuthTable> {
        let title = format!("`oauth` of {}", self.section.title());
        let section = self.section.section("oauth", &title, problems)?;
        section.refuse_unknown_keys(KEYS, &[], problems);
        let values = TableValues { section: &section, ..self.values };
        let mut text = |key: &str| {
            let written = section.string(key, problems)?;
            let expanded = values.plain_beside(key, &written, vault, problems)?;
            if expanded.is_empty() {
                let what = format!("`{key}` in {title} is empty");
                problems.add(written.span, what, "what the server's operator gave you", "remove the line");
                return None;
            }
            Some(expanded)
        };
        let client_id = text("client_id");
        let client_secret = text("client_secret");
        let flow = section.word("flow", &FLOWS, FLOWS_HINT, problems);
        let client_auth = section.word("client_auth", &CLIENT_AUTH, CLIENT_AUTH_HINT, problems);
        let authorization_url = values.url("authorization_url", &ENDPOINT, problems);
        let token_url = values.url("token_url", &ENDPOINT, problems);
        let client_metadata_url = metadata_url(&values, problems);
        refuse_lonely_secret(&section, problems);
        refuse_two_identities(&section, problems);
        refuse_half_an_address(&section, flow, problems);
        let scopes = scopes(&section, problems);
        let api =
            ApiOAuth { flow, authorization_url, token_url, scopes, client_id, client_secret, client_auth };
        Some(OAuthTable { api, client_metadata_url })
    }
}

/// A person needs both addresses, and a client on its own account only the one for tokens.
fn refuse_half_an_address(
    section: &ConfigSection<'_>,
    flow: Option<OAuthFlow>,
    problems: &mut ConfigProblems,
) {
    let title = section.title();
    let (authorization, token) = (section.key_span("authorization_url"), section.key_span("token_url"));
    match (flow, authorization, token) {
        (Some(OAuthFlow::ClientCredentials), Some(span), _) => problems.add(
            span,
            format!("`authorization_url` in {title} is for people, and nobody signs in"),
            "`token_url` alone",
            "remove `authorization_url`, or the `flow`",
        ),
        (Some(OAuthFlow::ClientCredentials), ..) => {}
        (_, Some(span), None) | (_, None, Some(span)) => problems.add(
            span,
            format!("{title} has one of `authorization_url` and `token_url`"),
            "both addresses, as the provider's documentation has them",
            "add the other one; `flow = \"client_credentials\"` needs `token_url` alone",
        ),
        _ => {}
    }
}

fn metadata_url(values: &TableValues<'_>, problems: &mut ConfigProblems) -> Option<String> {
    const KEY: &str = "client_metadata_url";
    let written = values.section.string(KEY, problems)?;
    let url = values.checked_url(KEY, &written, &METADATA_URL, problems)?;
    if url.starts_with("https://") || values.is_kept(written.value) {
        return Some(url);
    }
    let what = format!("`{KEY}` in {} does not start with `https://`", values.section.title());
    let hint = "servers read the document there to know who asks";
    problems.add(written.span, what, METADATA_URL.expected, hint);
    None
}

fn refuse_lonely_secret(section: &ConfigSection<'_>, problems: &mut ConfigProblems) {
    if let (Some(span), None) = (section.key_span("client_secret"), section.key_span("client_id")) {
        let what = format!("`client_secret` in {} has no `client_id`", section.title());
        problems.add(span, what, "both, as the server's operator gave them", "add `client_id = \"…\"`");
    }
}

fn refuse_two_identities(section: &ConfigSection<'_>, problems: &mut ConfigProblems) {
    if let (Some(span), Some(_)) = (section.key_span("client_metadata_url"), section.key_span("client_id")) {
        let what = format!("{} has both `client_id` and `client_metadata_url`", section.title());
        let hint = "the address of the document is the id itself";
        problems.add(span, what, "one of the two", hint);
    }
}

fn scopes(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Vec<String> {
    let mut scopes = Vec::new();
    for scope in section.strings("scopes", problems) {
        // RFC 6749: visible ASCII except the quote and the backslash.
        let fits = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
        if !scope.value.is_empty() && scope.value.bytes().all(fits) {
            scopes.push(scope.value.to_owned());
            continue;
        }
        let what = format!("{:?} in `scopes` of {} is not a scope", scope.value, section.title());
        let hint = "give each scope as a text of its own: `[\"read\", \"write\"]`";
        problems.add(scope.span, what, "words without spaces", hint);
    }
    scopes
}
