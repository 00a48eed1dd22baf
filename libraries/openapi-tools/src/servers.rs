//! Addresses of an API.

use serde_json::Value;
use url::Url;

use crate::bad::BadArguments;

/// An address of the API.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiServer {
    /// The address with the defaults of its variables; relative if the document has it so.
    pub url: String,
    pub description: Option<String>,
}

/// The servers that a document, a path or an operation lists.
pub(crate) fn listed(owner: &Value) -> Vec<ApiServer> {
    let servers = owner.get("servers").and_then(Value::as_array).into_iter().flatten();
    servers.filter_map(server).collect()
}

fn server(server: &Value) -> Option<ApiServer> {
    let url = filled(server.get("url")?.as_str()?.trim(), server.get("variables"));
    let description = server.get("description").and_then(Value::as_str).map(str::to_owned);
    Some(ApiServer { url, description })
}

/// The address with each variable's default, or else its first value. A variable that has neither stays in braces, and
/// `join_base` refuses it.
fn filled(template: &str, variables: Option<&Value>) -> String {
    let mut url = template.to_owned();
    for (name, variable) in variables.and_then(Value::as_object).into_iter().flatten() {
        let first = || variable.get("enum").and_then(|values| values.get(0));
        let value = variable.get("default").or_else(first);
        let value = match value {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => continue,
        };
        url = url.replace(&format!("{{{name}}}"), &value);
    }
    url
}

/// The address of a request: a server, which may be relative to the document's own address, and what follows it.
pub fn join_base(
    document_url: Option<&str>,
    server: &str,
    path_and_query: &str,
) -> Result<String, BadArguments> {
    let bad = |says| BadArguments::Address { url: server.to_owned(), says };
    if server.contains(['{', '}']) {
        return Err(bad("has a variable that nothing fills in"));
    }
    if !path_and_query.starts_with('/') {
        return Err(BadArguments::Address {
            url: path_and_query.to_owned(),
            says: "does not begin with a slash",
        });
    }
    // No address at all means the root, as no list of servers does.
    let server = if server.is_empty() { "/" } else { server };
    let base = match (Url::parse(server), document_url) {
        (Ok(url), _) => url,
        (Err(_), Some(document)) => {
            let document = Url::parse(document).map_err(|_| bad("is relative to what is no address"))?;
            document.join(server).map_err(|_| bad("is no address"))?
        }
        (Err(_), None) => return Err(bad("is relative, and the document's own address is not known")),
    };
    if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
        return Err(bad("is neither http nor https"));
    }
    if !base.username().is_empty() || base.password().is_some() {
        return Err(bad("has a name or a password in it"));
    }
    let path = base.path().trim_end_matches('/');
    Ok(format!("{}{path}{path_and_query}", base.origin().ascii_serialization()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn variables_are_filled_in_and_relative_servers_stay_relative() {
        let document = json!({ "servers": [
            { "url": "https://{region}.example.com:{port}/v{version}", "description": "main", "variables": {
                "region": { "default": "eu" }, "port": { "enum": ["8443", "443"] }, "version": { "default": 2 } } },
            { "url": "/v1" },
            { "url": "https://{unknown}.example.com" },
            { "description": "nothing" },
        ] });
        let urls: Vec<String> = listed(&document).into_iter().map(|server| server.url).collect();
        assert_eq!(urls, ["https://eu.example.com:8443/v2", "/v1", "https://{unknown}.example.com"]);
    }

    #[test]
    fn a_relative_server_is_joined_with_the_documents_address() {
        let document = Some("https://api.example.com/docs/openapi.json");
        for (server, expected) in [
            ("https://other.example.com/base/", "https://other.example.com/base/users?a=1"),
            ("https://other.example.com", "https://other.example.com/users?a=1"),
            ("/v1", "https://api.example.com/v1/users?a=1"),
            ("../v2/", "https://api.example.com/v2/users?a=1"),
            ("//cdn.example.com/x", "https://cdn.example.com/x/users?a=1"),
            ("", "https://api.example.com/users?a=1"),
            ("/", "https://api.example.com/users?a=1"),
        ] {
            assert_eq!(join_base(document, server, "/users?a=1").as_deref(), Ok(expected), "{server}");
        }
    }

    #[test]
    fn addresses_that_no_request_can_have_are_refused() {
        for (server, says) in [
            ("/v1", "is relative, and the document's own address is not known"),
            ("https://{host}/v1", "has a variable that nothing fills in"),
            ("file:///etc/passwd", "is neither http nor https"),
            ("https://me:secret@example.com", "has a name or a password in it"),
        ] {
            let expected = BadArguments::Address { url: server.to_owned(), says };
            assert_eq!(join_base(None, server, "/users"), Err(expected));
        }
        assert!(join_base(None, "https://example.com", "@evil.example.com").is_err());
    }
}
