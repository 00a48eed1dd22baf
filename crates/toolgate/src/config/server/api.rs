//! A server that is an HTTP API: the description that its tools are made of, its address, and what every request carries.

use std::collections::BTreeMap;

use toolgate_core::server::{ApiOAuth, ApiSpec, TransportSpec, is_web_address};

use super::super::problem::ConfigProblems;
use super::super::reference::VaultReferences;
use super::super::section::Located;
use super::super::value::{OwnHeaders, UrlForm};
use super::ServerReader;
use super::transport::joined;

/// A document or a connector file makes a server of an API.
pub(super) const DESCRIPTIONS: [&str; 2] = ["openapi", "connector"];
/// Keys that belong to APIs alone.
pub(super) const KEYS: &[&str] = &["base_url", "query"];

const DOCUMENT: UrlForm = UrlForm {
    expected: "the path or the address of an OpenAPI document, such as `https://example.com/openapi.json`",
    instead_of_password: "download the document and give its path",
};

const BASE_URL: UrlForm = UrlForm {
    expected: "the address of the API, such as `https://api.example.com/v1`",
    instead_of_password: "put the credentials into `headers.Authorization`",
};

/// Headers that belong to the connection and to bodies.
const OWN_HEADERS_OF_HTTP: OwnHeaders = OwnHeaders {
    names: &["connection", "content-length", "content-type", "host", "transfer-encoding", "upgrade"],
    expected: "a header that does not belong to the connection",
    vault: VaultReferences::Kept,
};

impl ServerReader<'_> {
    pub(super) fn api(&self, problems: &mut ConfigProblems) -> Option<TransportSpec> {
        let document = self.section.string("openapi", problems).map(|text| self.document(&text, problems));
        let connector =
            self.section.string("connector", problems).map(|text| self.connector(&text, problems));
        let base_url = self.section.string("base_url", problems).map(|text| self.base_url(&text, problems));
        let headers = self.values.headers(&OWN_HEADERS_OF_HTTP, problems);
        let query = self.query(problems);
        // A key that stands there and is wrong leaves nothing to run.
        Some(TransportSpec::Api(ApiSpec {
            document: document.map_or(Some(None), |read| read.map(Some))?,
            connector: connector.map_or(Some(None), |read| read.map(Some))?,
            base_url: base_url.map_or(Some(None), |read| read.map(Some))?,
            headers,
            query,
            oauth: ApiOAuth::default(),
        }))
    }

    fn document(&self, text: &Located<&str>, problems: &mut ConfigProblems) -> Option<String> {
        if is_web_address(text.value) {
            return self.values.checked_url("openapi", text, &DOCUMENT, problems);
        }
        let path = self.values.path_text("openapi", text, problems)?;
        if path.trim().is_empty() {
            let what = format!("`openapi` in {} is empty", self.section.title());
            problems.add(text.span.clone(), what, DOCUMENT.expected, "for example `openapi = \"api.yaml\"`");
            return None;
        }
        Some(if self.values.is_kept(text.value) { path } else { joined(self.folder, &path) })
    }

    /// A bare word names a connector that ships with Toolgate; anything with a slash or an ending is a path.
    fn connector(&self, text: &Located<&str>, problems: &mut ConfigProblems) -> Option<String> {
        let named = self.values.path_text("connector", text, problems)?;
        if named.contains('/') || named.ends_with(".toml") {
            return Some(if self.values.is_kept(text.value) { named } else { joined(self.folder, &named) });
        }
        let shipped: Vec<&str> = connector_file::SHIPPED.iter().map(|(name, _)| *name).collect();
        if self.values.is_kept(text.value) || shipped.contains(&named.as_str()) {
            return Some(named);
        }
        let what =
            format!("`connector` in {} names no connector that ships: {named:?}", self.section.title());
        let expected = format!("one of {}, or the path of a connector file", shipped.join(", "));
        problems.add(
            text.span.clone(),
            what,
            expected,
            "a path has a slash in it: `connector = \"./crm.toml\"`",
        );
        None
    }

    fn base_url(&self, text: &Located<&str>, problems: &mut ConfigProblems) -> Option<String> {
        let url = self.values.checked_url("base_url", text, &BASE_URL, problems)?;
        if !url.contains('?') || self.values.is_kept(text.value) {
            return Some(url);
        }
        let what = format!("`base_url` in {} has a query", self.section.title());
        let hint =
            "write what every request has in its query into `query`: `query = { key = \"${vault:KEY}\" }`";
        problems.add(text.span.clone(), what, BASE_URL.expected, hint);
        None
    }

    fn query(&self, problems: &mut ConfigProblems) -> BTreeMap<String, String> {
        let mut query = BTreeMap::new();
        for (name, value) in self.section.string_map("query", problems) {
            let key = format!("query.{}", name.value);
            if name.value.is_empty() {
                let what = format!("a parameter in `query` of {} has no name", self.section.title());
                problems.add(name.span, what, "a name such as `api_key`", "write `NAME = \"value\"`");
                continue;
            }
            if let Some(text) = self.values.plain_beside(&key, &value, VaultReferences::Kept, problems) {
                query.insert(name.value.to_owned(), text);
            }
        }
        query
    }
}
