//! An API that is added by its OpenAPI document: the name, the address and the credentials that the document tells.

use std::collections::BTreeMap;

use openapi_tools::{ApiDocument, SecretPlace, SecurityKind, join_base};
use url::Url;

use super::{ImportedServer, ImportedServers, ImportedTransport};
use crate::config::server::legal_name;

/// The wishes of the person who adds it.
pub(crate) struct DocumentWishes<'a> {
    /// The absolute path or the address, as the configuration will have it.
    pub(crate) openapi: &'a str,
    pub(crate) name: Option<&'a str>,
    pub(crate) base_url: Option<&'a str>,
}

/// The server that a document makes. Credentials are named and not asked for: they belong into the vault.
pub(crate) fn of_document(document: &ApiDocument, wishes: &DocumentWishes<'_>) -> ImportedServers {
    let name = wishes.name.map_or_else(|| legal_name(&document.title().to_lowercase()), str::to_owned);
    let tools = document.tools();
    let mut notes = vec![match tools.tools.len() {
        1 => "one operation becomes a tool".to_owned(),
        count => format!("{count} operations become tools"),
    }];
    if let [first, ..] = &tools.left_out[..] {
        let (method, path) = (first.method.to_ascii_uppercase(), &first.path);
        notes.push(format!("{} do not, such as {method} {path}: {}", tools.left_out.len(), first.reason));
    }
    let base_url = base_url(document, wishes, &mut notes);
    let credentials = ApiCredentials::of(document, &name, &mut notes);
    let transport = ImportedTransport::Api {
        openapi: wishes.openapi.to_owned(),
        base_url,
        headers: credentials.headers,
        query: credentials.query,
    };
    let server =
        ImportedServer { name, transport, enabled: true, notes, secrets: Vec::new(), published: None };
    ImportedServers { servers: vec![server], skipped: Vec::new() }
}

/// The address, where the document's own origin does not tell it.
fn base_url(document: &ApiDocument, wishes: &DocumentWishes<'_>, notes: &mut Vec<String>) -> Option<String> {
    if let Some(given) = wishes.base_url {
        return Some(given.to_owned());
    }
    let own = Url::parse(wishes.openapi).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let servers = document.servers();
    let server = servers.first().map_or("/", |server| server.url.as_str());
    let joined = join_base(own.as_ref().map(Url::as_str), server, "/").ok();
    match joined.and_then(|joined| Url::parse(joined.trim_end_matches('/')).ok()) {
        Some(base) if own.is_some_and(|own| own.origin() == base.origin()) => None,
        Some(base) => Some(base.into()),
        None => {
            notes.push("the document does not tell the address of its API: set `base_url`".to_owned());
            None
        }
    }
}

/// Headers and parameters with places for secrets.
#[derive(Default)]
struct ApiCredentials {
    headers: BTreeMap<String, String>,
    query: BTreeMap<String, String>,
}

impl ApiCredentials {
    /// The first scheme that can be met with a secret of the vault.
    fn of(document: &ApiDocument, server: &str, notes: &mut Vec<String>) -> Self {
        let mut credentials = Self::default();
        for scheme in document.security() {
            let secret = match &scheme.kind {
                SecurityKind::ApiKey { place, parameter } => credentials.key(*place, parameter),
                SecurityKind::Bearer => credentials.authorization("Bearer ", "TOKEN"),
                SecurityKind::Basic => {
                    notes.push("BASIC is user, colon and password, as Base64".to_owned());
                    credentials.authorization("Basic ", "BASIC")
                }
                SecurityKind::OAuth2 { authorization_url, token_url, .. } => {
                    notes.push(oauth_note(server, authorization_url.as_deref(), token_url.as_deref()));
                    continue;
                }
                SecurityKind::OpenIdConnect { .. } => {
                    notes.push(format!("it takes OAuth: `toolgate servers login {server}`"));
                    continue;
                }
                SecurityKind::Other => continue,
            };
            notes.push(format!("it wants a credential: `toolgate secrets set {server} {secret}`"));
            break;
        }
        credentials
    }

    fn key(&mut self, place: SecretPlace, parameter: &str) -> &'static str {
        const SECRET: &str = "API_KEY";
        let value = format!("${{vault:{SECRET}}}");
        match place {
            SecretPlace::Header => self.headers.insert(parameter.to_owned(), value),
            SecretPlace::Query => self.query.insert(parameter.to_owned(), value),
            SecretPlace::Cookie => self.headers.insert("Cookie".to_owned(), format!("{parameter}={value}")),
            // No scheme names a member of a body.
            SecretPlace::Body => None,
        };
        SECRET
    }

    fn authorization(&mut self, scheme: &str, secret: &'static str) -> &'static str {
        self.headers.insert("Authorization".to_owned(), format!("{scheme}${{vault:{secret}}}"));
        secret
    }
}

/// The client's secret goes to the addresses, so a person writes them down: a document does not choose them.
fn oauth_note(server: &str, authorization_url: Option<&str>, token_url: Option<&str>) -> String {
    let login = format!("it takes OAuth: `toolgate servers login {server}`");
    match (authorization_url, token_url) {
        (Some(authorization), Some(token)) => format!(
            "{login}, after `oauth = {{ authorization_url = {authorization:?}, token_url = {token:?}, client_id = \"…\" }}` if these addresses are right"
        ),
        (None, Some(token)) => format!(
            "it takes OAuth without a person: `oauth = {{ flow = \"client_credentials\", token_url = {token:?}, client_id = \"…\", client_secret = \"…\" }}` if this address is right"
        ),
        _ => login,
    }
}

#[cfg(test)]
mod tests {
    use openapi_tools::{ReadLimits, read};
    use serde_json::json;

    use super::*;

    fn imported(document: serde_json::Value, openapi: &str) -> ImportedServer {
        let document = read(document.to_string().as_bytes(), &ReadLimits::default()).expect("a document");
        let wishes = DocumentWishes { openapi, name: None, base_url: None };
        of_document(&document, &wishes).servers.remove(0)
    }

    #[test]
    fn a_document_tells_name_address_and_credential() {
        let server = imported(
            json!({
                "openapi": "3.0.3", "info": { "title": "Pet Store", "version": "1" },
                "servers": [{ "url": "https://pets.example/v1" }],
                "paths": { "/pets": { "get": { "operationId": "listPets", "responses": {} } } },
                "components": { "securitySchemes": { "key": { "type": "apiKey", "in": "query", "name": "api_key" } } },
            }),
            "https://docs.example/openapi.json",
        );
        assert_eq!(server.name, "pet-store");
        let ImportedTransport::Api { base_url, query, headers, .. } = &server.transport else {
            panic!("an API: {server:?}")
        };
        assert_eq!(base_url.as_deref(), Some("https://pets.example/v1"));
        assert_eq!(query.get("api_key").map(String::as_str), Some("${vault:API_KEY}"));
        assert!(headers.is_empty());
        assert!(server.notes.iter().any(|note| note.contains("secrets set pet-store API_KEY")), "{server:?}");
    }

    #[test]
    fn an_address_on_the_documents_own_origin_is_not_repeated() {
        let document = |url: &str| json!({ "openapi": "3.1.0", "info": { "title": "A", "version": "1" }, "servers": [{ "url": url }], "paths": {} });
        for url in ["/v2", "https://docs.example/v2"] {
            let server = imported(document(url), "https://docs.example/openapi.json");
            assert!(matches!(&server.transport, ImportedTransport::Api { base_url: None, .. }), "{url}");
        }
        let server = imported(document("/v2"), "/srv/openapi.json");
        assert!(server.notes.iter().any(|note| note.contains("set `base_url`")), "{server:?}");
    }
}
