//! The authorization server: metadata, keys, authorize, token, register.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{AUTHORIZATION, LOCATION};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::signing::encode;
use super::{Behaviour, Grant, IdpClient, Inner, Mint, Seen, State, json_answer, plain, random_text};

type IdpResponse = Response<Full<Bytes>>;
type Parameters = BTreeMap<String, String>;

const PERSON: &str = "ann";
const METADATA: [&str; 2] = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];

impl Inner {
    pub(super) fn answer(&self, request: &Request<Bytes>) -> IdpResponse {
        let path = request.uri().path();
        match path {
            "/control" => return self.control(request.body()),
            "/mint" => return self.minted(request.body()),
            _ => {}
        }
        let parameters = parameters(request);
        let outage = {
            let mut state = self.lock();
            state.requests.push(Seen { path: path.to_owned(), parameters: parameters.clone() });
            state.behaviour.outage
        };
        match (request.method(), path) {
            _ if outage => plain(StatusCode::SERVICE_UNAVAILABLE, "out of order"),
            (&Method::GET, path) if METADATA.contains(&path) => self.metadata(),
            (&Method::GET, "/jwks") => self.jwks(),
            (&Method::GET, "/authorize") => self.authorize(&parameters),
            (&Method::POST, "/token") => self.token(request, &parameters),
            (&Method::POST, "/register") => self.register(request.body()),
            (_, "/mcp") => self.protected(request),
            (_, path) if path == self.metadata_path() => self.resource_metadata(),
            _ => plain(StatusCode::NOT_FOUND, "nothing here"),
        }
    }

    fn control(&self, body: &[u8]) -> IdpResponse {
        let mut state = self.lock();
        let mut now = serde_json::to_value(&state.behaviour).expect("it is plain data");
        let changes: Option<serde_json::Map<String, Value>> = serde_json::from_slice(body).ok();
        now.as_object_mut().expect("a struct is an object").extend(changes.unwrap_or_default());
        match serde_json::from_value(now) {
            Ok(changed) => {
                state.behaviour = changed;
                plain(StatusCode::NO_CONTENT, "")
            }
            Err(error) => plain(StatusCode::BAD_REQUEST, &error.to_string()),
        }
    }

    fn minted(&self, body: &[u8]) -> IdpResponse {
        match serde_json::from_slice(body) {
            Ok(mint) => plain(StatusCode::OK, &self.mint(&mint)),
            Err(error) => plain(StatusCode::BAD_REQUEST, &error.to_string()),
        }
    }

    fn metadata(&self) -> IdpResponse {
        let (state, origin) = (self.lock(), self.origin());
        let behaviour = &state.behaviour;
        let mut metadata = json!({
            "issuer": self.issuer(&state),
            "authorization_endpoint": format!("{origin}/authorize"),
            "token_endpoint": format!("{origin}/token"),
            "jwks_uri": format!("{origin}/jwks"),
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
            "authorization_response_iss_parameter_supported": true,
            "client_id_metadata_document_supported": behaviour.reads_metadata_documents,
        });
        if behaviour.advertises_pkce {
            metadata["code_challenge_methods_supported"] = json!(["S256"]);
        }
        if behaviour.registers {
            metadata["registration_endpoint"] = json!(format!("{origin}/register"));
        }
        json_answer(StatusCode::OK, &metadata)
    }

    fn jwks(&self) -> IdpResponse {
        let state = self.lock();
        let keys: Vec<Value> = state.keys.iter().map(super::SigningKey::jwk).collect();
        json_answer(StatusCode::OK, &json!({ "keys": keys }))
    }

    fn register(&self, body: &[u8]) -> IdpResponse {
        let asked: Value = serde_json::from_slice(body).unwrap_or_default();
        let Some(uris) = asked["redirect_uris"].as_array() else {
            return refusal("invalid_redirect_uri");
        };
        let redirect_uris: Vec<String> =
            uris.iter().filter_map(|uri| uri.as_str().map(str::to_owned)).collect();
        let mut state = self.lock();
        let secret = state.behaviour.gives_secrets.then(random_text);
        let id = format!("client-{}", state.clients.len() + 1);
        let answer = json!({ "client_id": id, "client_secret": secret, "redirect_uris": redirect_uris });
        state.clients.insert(id, IdpClient { secret, redirect_uris });
        json_answer(StatusCode::CREATED, &answer)
    }

    /// Agrees at once.
    fn authorize(&self, parameters: &Parameters) -> IdpResponse {
        let mut state = self.lock();
        let grant = match grant(&state, parameters) {
            Ok(grant) => grant,
            Err(why) => return plain(StatusCode::BAD_REQUEST, why),
        };
        let mut back = url::Url::parse(&grant.redirect_uri).expect("it was checked");
        if let Some(given) = parameters.get("state") {
            back.query_pairs_mut().append_pair("state", given);
        }
        let issuer = state.behaviour.callback_issuer.clone().unwrap_or_else(|| self.issuer(&state));
        if !state.behaviour.omits_callback_issuer {
            back.query_pairs_mut().append_pair("iss", &issuer);
        }
        if let Some(error) = &state.behaviour.denies {
            back.query_pairs_mut().append_pair("error", error);
        } else {
            let code = random_text();
            back.query_pairs_mut().append_pair("code", &code);
            state.codes.insert(code, grant);
        }
        let mut answer = plain(StatusCode::FOUND, "");
        let back = HeaderValue::from_str(back.as_str()).expect("an address is a header value");
        answer.headers_mut().insert(LOCATION, back);
        answer
    }

    fn token(&self, request: &Request<Bytes>, parameters: &Parameters) -> IdpResponse {
        let Some(client) = self.client(request, parameters) else {
            return json_answer(StatusCode::UNAUTHORIZED, &json!({ "error": "invalid_client" }));
        };
        let grant = match parameters.get("grant_type").map(String::as_str) {
            Some("authorization_code") => self.by_code(parameters),
            Some("refresh_token") => self.by_refresh_token(parameters),
            Some("client_credentials") => return self.by_client(&client, parameters),
            _ => return refusal("unsupported_grant_type"),
        };
        match grant.filter(|grant| grant.client == client) {
            Some(grant) => self.give(grant, parameters),
            None => refusal("invalid_grant"),
        }
    }

    /// A code is valid once, for the holder of its verifier.
    fn by_code(&self, parameters: &Parameters) -> Option<Grant> {
        let grant = self.lock().codes.remove(parameters.get("code")?)?;
        let proof = encode(Sha256::digest(parameters.get("code_verifier")?));
        let same = proof == grant.challenge && parameters.get("redirect_uri") == Some(&grant.redirect_uri);
        same.then_some(grant)
    }

    /// Each is good once: the answer has the next one.
    fn by_refresh_token(&self, parameters: &Parameters) -> Option<Grant> {
        let mut state = self.lock();
        if state.behaviour.refresh_revoked {
            return None;
        }
        state.refresh_tokens.remove(parameters.get("refresh_token")?)
    }

    /// A client with a secret gets tokens on its own account, and nothing to renew them with.
    fn by_client(&self, client: &str, parameters: &Parameters) -> IdpResponse {
        let (known, expires_in) = {
            let state = self.lock();
            (state.clients.get(client).cloned(), state.behaviour.expires_in)
        };
        if known.is_none_or(|known| known.secret.is_none()) {
            return refusal("unauthorized_client");
        }
        let scope = parameters.get("scope").cloned().unwrap_or_default();
        let mut mint = Mint::new("", &scope);
        mint.subject = client.to_owned();
        mint.expires_in = i64::try_from(expires_in).unwrap_or(i64::MAX);
        let token = self.mint(&mint);
        let answer = json!({ "access_token": token, "token_type": "Bearer", "expires_in": expires_in });
        json_answer(StatusCode::OK, &answer)
    }

    fn give(&self, grant: Grant, parameters: &Parameters) -> IdpResponse {
        if parameters.get("resource") != grant.resource.as_ref() {
            return refusal("invalid_target");
        }
        let behaviour = self.lock().behaviour.clone();
        let audience = grant.resource.clone().unwrap_or_default();
        let mut mint = Mint::new(&audience, &grant.scope).with("client_id", json!(grant.client));
        mint.subject = PERSON.into();
        mint.expires_in = i64::try_from(behaviour.expires_in).unwrap_or(i64::MAX);
        let mut answer = json!({
            "access_token": self.mint(&mint), "token_type": "Bearer",
            "expires_in": behaviour.expires_in, "scope": grant.scope,
        });
        if grant.scope.split(' ').any(|scope| scope == "openid") {
            answer["id_token"] = json!(self.id_token(&grant, &behaviour));
        }
        if behaviour.gives_refresh_tokens {
            let token = random_text();
            answer["refresh_token"] = json!(token);
            self.lock().refresh_tokens.insert(token, grant);
        }
        json_answer(StatusCode::OK, &answer)
    }

    /// Says who the person is, to the client alone.
    fn id_token(&self, grant: &Grant, behaviour: &Behaviour) -> String {
        let mut mint =
            Mint::new(&grant.client, "").with("scope", Value::Null).with("nonce", json!(grant.nonce));
        mint.typ = Some("JWT".into());
        mint.subject = PERSON.into();
        mint.claims.extend(behaviour.id_claims.clone());
        self.mint(&mint)
    }

    /// The client of a token request, if it authenticates.
    fn client(&self, request: &Request<Bytes>, parameters: &Parameters) -> Option<String> {
        let (id, secret) = match request.headers().get(AUTHORIZATION) {
            Some(basic) => read_basic(basic)?,
            None => (parameters.get("client_id")?.clone(), parameters.get("client_secret").cloned()),
        };
        let state = self.lock();
        let known = state.clients.get(&id);
        let document = state.behaviour.reads_metadata_documents && id.starts_with("https://");
        let fits = known.map_or(document, |client| client.secret == secret);
        fits.then_some(id)
    }
}

fn grant(state: &State, parameters: &Parameters) -> Result<Grant, &'static str> {
    let get = |name: &str| parameters.get(name).cloned();
    let client = get("client_id").ok_or("no client_id")?;
    let redirect_uri =
        get("redirect_uri").filter(|uri| url::Url::parse(uri).is_ok()).ok_or("no redirect_uri")?;
    let document = state.behaviour.reads_metadata_documents && client.starts_with("https://");
    let registered = state.clients.get(&client);
    if registered.is_none() && !document {
        return Err("unknown client");
    }
    let uris = registered.map(|client| &client.redirect_uris[..]).unwrap_or_default();
    if !uris.is_empty() && !uris.contains(&redirect_uri) {
        return Err("another redirect_uri than the registered one");
    }
    if get("code_challenge_method").as_deref() != Some("S256") {
        return Err("no PKCE");
    }
    let challenge = get("code_challenge").ok_or("no code_challenge")?;
    let scope = get("scope").unwrap_or_default();
    Ok(Grant { client, redirect_uri, challenge, scope, resource: get("resource"), nonce: get("nonce") })
}

fn read_basic(header: &HeaderValue) -> Option<(String, Option<String>)> {
    let encoded = header.to_str().ok()?.strip_prefix("Basic ")?;
    let text = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    let (id, secret) = text.split_once(':')?;
    let decoded = |part: &str| {
        let mut pairs = url::form_urlencoded::parse(part.as_bytes());
        pairs.next().map(|(name, _)| name.into_owned())
    };
    Some((decoded(id)?, decoded(secret)))
}

fn parameters(request: &Request<Bytes>) -> Parameters {
    let query = request.uri().query().unwrap_or_default().as_bytes();
    let form = if request.uri().path() == "/token" { &request.body()[..] } else { &[] };
    let pairs = url::form_urlencoded::parse(query).chain(url::form_urlencoded::parse(form));
    pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

fn refusal(error: &str) -> IdpResponse {
    json_answer(StatusCode::BAD_REQUEST, &json!({ "error": error }))
}
