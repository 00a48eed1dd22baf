//! `[servers.oauth]`: the operator's arrangement with a server whose tools need a person's consent.

use toolgate_credentials::{OAuthSpec, Secret};

use super::super::problem::ConfigProblems;
use super::super::section::ConfigSection;
use super::super::value::{TableValues, UrlForm};
use super::ServerReader;

pub(in super::super) const KEYS: &[&str] = &["client_id", "client_secret", "scopes", "client_metadata_url"];

const METADATA_URL: UrlForm = UrlForm {
    expected: "an address with `https` at which the client's metadata document can be read",
    instead_of_password: "the document is public",
};

impl ServerReader<'_> {
    pub(super) fn oauth(&self, problems: &mut ConfigProblems) -> Option<OAuthSpec> {
        let title = format!("`oauth` of {}", self.section.title());
        let section = self.section.section("oauth", &title, problems)?;
        section.refuse_unknown_keys(KEYS, &[], problems);
        let values = TableValues { section: &section, ..self.values };
        let mut text = |key: &str| {
            let written = section.string(key, problems)?;
            let expanded = values.plain(key, &written, problems)?;
            if expanded.is_empty() {
                let what = format!("`{key}` in {title} is empty");
                problems.add(written.span, what, "what the server's operator gave you", "remove the line");
                return None;
            }
            Some(expanded)
        };
        let client_id = text("client_id");
        let client_secret = text("client_secret").map(Secret::new);
        let client_metadata_url = metadata_url(&values, problems);
        refuse_lonely_secret(&section, problems);
        refuse_two_identities(&section, problems);
        let scopes = scopes(&section, problems);
        Some(OAuthSpec { client_id, client_secret, scopes, client_metadata_url })
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
