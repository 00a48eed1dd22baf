//! Addresses and schemes of security of Swagger 2.0.

use serde_json::{Map, Value, json};

/// One address for each scheme of the host. Without a host, the path is relative to the document.
pub(super) fn servers(root: &Value) -> Value {
    let text = |key: &str| root.get(key).and_then(Value::as_str).unwrap_or_default();
    let path = text("basePath");
    if text("host").is_empty() {
        return json!([{ "url": if path.is_empty() { "/" } else { path } }]);
    }
    let said = root.get("schemes").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut schemes: Vec<&str> = said.filter(|scheme| matches!(*scheme, "https" | "http")).collect();
    // What can be sent encrypted is.
    schemes.sort_by_key(|scheme| *scheme != "https");
    if schemes.is_empty() {
        schemes.push("https");
    }
    let urls = schemes.iter().map(|scheme| json!({ "url": format!("{scheme}://{}{path}", text("host")) }));
    Value::Array(urls.collect())
}

pub(super) fn security(root: &Value) -> Value {
    let declared = root.get("securityDefinitions").and_then(Value::as_object).into_iter().flatten();
    let of = |(name, scheme): (&String, &Value)| (name.clone(), converted(scheme));
    Value::Object(declared.map(of).collect::<Map<String, Value>>())
}

fn converted(scheme: &Value) -> Value {
    match scheme.get("type").and_then(Value::as_str) {
        Some("basic") => json!({ "type": "http", "scheme": "basic" }),
        Some("oauth2") => {
            let flow = match scheme.get("flow").and_then(Value::as_str) {
                Some("accessCode") => "authorizationCode",
                Some("application") => "clientCredentials",
                Some("password") => "password",
                _ => "implicit",
            };
            json!({ "type": "oauth2", "flows": { flow: scheme } })
        }
        _ => scheme.clone(),
    }
}
