//! The protected MCP server: small, of the older era, and closed to clients without a token of its own
//! issuer.

use bytes::Bytes;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use serde_json::{Map, Value, json};

use super::{Inner, json_answer, now_seconds, plain};

type ResourceResponse = Response<Full<Bytes>>;

impl Inner {
    pub(super) fn protected(&self, request: &Request<Bytes>) -> ResourceResponse {
        if self.lock().behaviour.hides_metadata && request.method() != Method::POST {
            return plain(StatusCode::METHOD_NOT_ALLOWED, "");
        }
        let Some(claims) = self.claims(request) else { return self.unauthorized() };
        if request.method() != Method::POST {
            return plain(StatusCode::METHOD_NOT_ALLOWED, "");
        }
        let message: Value = serde_json::from_slice(request.body()).unwrap_or_default();
        if message.get("id").is_none() {
            return plain(StatusCode::ACCEPTED, "");
        }
        match self.lacking(&message, &claims) {
            Some(scopes) => self.forbidden(&scopes),
            None => json_answer(StatusCode::OK, &reply(&message, &claims)),
        }
    }

    pub(super) fn metadata_path(&self) -> &'static str {
        match self.lock().behaviour.hides_metadata {
            true => "/elsewhere/metadata.json",
            false => "/.well-known/oauth-protected-resource/mcp",
        }
    }

    pub(super) fn resource_metadata(&self) -> ResourceResponse {
        let issuer = self.issuer(&self.lock());
        let metadata = json!({ "resource": self.resource(), "authorization_servers": [issuer] });
        json_answer(StatusCode::OK, &metadata)
    }

    /// The claims of a token that opens this server: signed here, for here, and not over yet.
    fn claims(&self, request: &Request<Bytes>) -> Option<Map<String, Value>> {
        let header = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
        let token = header.strip_prefix("Bearer ")?;
        let state = self.lock();
        let claims = state.keys.iter().find_map(|key| key.verified(token))?;
        let good = claims.get("aud") == Some(&json!(self.resource()))
            && claims.get("exp").and_then(Value::as_i64).is_some_and(|expires| expires > now_seconds())
            && !state.behaviour.refuses_tokens;
        good.then_some(claims)
    }

    fn unauthorized(&self) -> ResourceResponse {
        let mut challenge = self.challenge();
        if let Some(scope) = &self.lock().behaviour.challenge_scope {
            challenge.push_str(&format!(", scope=\"{scope}\""));
        }
        refused(StatusCode::UNAUTHORIZED, &challenge)
    }

    fn forbidden(&self, scopes: &[String]) -> ResourceResponse {
        let scopes = scopes.join(" ");
        let challenge = format!("{}, error=\"insufficient_scope\", scope=\"{scopes}\"", self.challenge());
        refused(StatusCode::FORBIDDEN, &challenge)
    }

    fn challenge(&self) -> String {
        format!("Bearer resource_metadata=\"{}{}\"", self.origin(), self.metadata_path())
    }

    fn lacking(&self, message: &Value, claims: &Map<String, Value>) -> Option<Vec<String>> {
        if message["method"] != "tools/call" || message["params"]["name"] != "write" {
            return None;
        }
        let wanted = self.lock().behaviour.write_scopes.clone();
        let granted = claims.get("scope").and_then(Value::as_str).unwrap_or_default();
        let has = |scope: &String| granted.split_ascii_whitespace().any(|one| one == scope);
        (!wanted.iter().all(has)).then_some(wanted)
    }
}

fn refused(status: StatusCode, challenge: &str) -> ResourceResponse {
    let mut answer = plain(status, "");
    let challenge = HeaderValue::from_str(challenge).expect("a challenge is a header value");
    answer.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    answer
}

fn reply(message: &Value, claims: &Map<String, Value>) -> Value {
    let id = &message["id"];
    let schema = json!({ "type": "object" });
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "protected", "version": "1" },
        }),
        "ping" => json!({}),
        "tools/list" => json!({ "tools": [
            { "name": "whoami", "description": "Who the token is for", "inputSchema": schema,
              "annotations": { "readOnlyHint": true, "openWorldHint": false } },
            { "name": "write", "description": "Needs more scopes", "inputSchema": schema },
        ] }),
        "tools/call" => {
            let told =
                json!({ "sub": claims.get("sub"), "scope": claims.get("scope"), "jti": claims.get("jti") });
            json!({ "content": [{ "type": "text", "text": told.to_string() }] })
        }
        _ => {
            let error = json!({ "code": -32601, "message": "unknown method" });
            return json!({ "jsonrpc": "2.0", "id": id, "error": error });
        }
    };
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}
