//! A test identity provider: an authorization server that agrees to everything at once, a protected MCP server beside it, and
//! switches for every way in which the real ones misbehave. One address for all of it.

mod endpoints;
mod resource;
mod signing;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use signing::KeyKind;
use signing::SigningKey;

const BODY_BYTES_MAX: usize = 64 << 10;

/// Its behaviour from now on. Over HTTP: `POST /control` with the members that change.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Behaviour {
    /// The lifetime of the token endpoint's tokens, in seconds.
    pub expires_in: u64,
    /// Refresh tokens come with access tokens.
    pub gives_refresh_tokens: bool,
    /// Refresh tokens are no longer accepted.
    pub refresh_revoked: bool,
    /// An outage: every request gets a 503, including those for its keys.
    pub outage: bool,
    /// The `iss` of the redirect, if not the true one.
    pub callback_issuer: Option<String>,
    /// The redirect has no `iss`, though the metadata promises one.
    pub omits_callback_issuer: bool,
    /// The redirect has this error instead of a code.
    pub denies: Option<String>,
    /// The metadata declares PKCE.
    pub advertises_pkce: bool,
    /// There is a registration endpoint.
    pub registers: bool,
    /// Registered clients get a secret and must present it.
    pub gives_secrets: bool,
    /// Client ids may be addresses of metadata documents.
    pub reads_metadata_documents: bool,
    /// The issuer that the metadata and the tokens name, if not the truth.
    pub issuer: Option<String>,
    /// The protected server refuses every token as invalid.
    pub refuses_tokens: bool,
    /// The protected server requires these scopes for the tool `write`.
    pub write_scopes: Vec<String>,
    /// The scopes in the protected server's first challenge.
    pub challenge_scope: Option<String>,
    /// Only the challenge of a refused POST names the protected server's metadata.
    pub hides_metadata: bool,
    /// Further claims of ID tokens, or other values for usual ones.
    pub id_claims: Map<String, Value>,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            expires_in: 3_600,
            gives_refresh_tokens: true,
            refresh_revoked: false,
            outage: false,
            callback_issuer: None,
            omits_callback_issuer: false,
            denies: None,
            advertises_pkce: true,
            registers: true,
            gives_secrets: false,
            reads_metadata_documents: false,
            issuer: None,
            refuses_tokens: false,
            write_scopes: vec!["write".into()],
            challenge_scope: Some("read".into()),
            hides_metadata: false,
            id_claims: Map::new(),
        }
    }
}

/// An access token to be made by hand. Over HTTP: `POST /mint` with the members that are not as usual; the answer is the
/// token.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(default)]
pub struct Mint {
    pub subject: String,
    pub audience: Value,
    pub scope: String,
    /// Seconds from now; negative is in the past.
    pub expires_in: i64,
    /// The issuer's own if `None`.
    pub issuer: Option<String>,
    pub typ: Option<String>,
    /// Claims beyond these, or instead of them; `null` leaves one out.
    pub claims: Map<String, Value>,
}

impl Default for Mint {
    fn default() -> Self {
        Self::new("", "")
    }
}

impl Mint {
    pub fn new(audience: &str, scope: &str) -> Self {
        Self {
            subject: "ann".into(),
            audience: json!(audience),
            scope: scope.into(),
            expires_in: 600,
            issuer: None,
            typ: Some("at+jwt".into()),
            claims: Map::new(),
        }
    }

    #[must_use]
    pub fn with(mut self, claim: &str, value: Value) -> Self {
        self.claims.insert(claim.to_owned(), value);
        self
    }
}

/// Runs until it is dropped. Clones share it.
#[derive(Clone)]
pub struct Idp {
    inner: Arc<Inner>,
    /// Ends the server with the last clone.
    _end: Arc<DropGuard>,
}

pub(crate) struct Inner {
    address: SocketAddr,
    state: Mutex<State>,
}

struct State {
    behaviour: Behaviour,
    keys: Vec<SigningKey>,
    clients: BTreeMap<String, IdpClient>,
    codes: BTreeMap<String, Grant>,
    refresh_tokens: BTreeMap<String, Grant>,
    /// The requested paths, in order, with their form or query.
    requests: Vec<Seen>,
}

#[derive(Clone, Default)]
struct IdpClient {
    secret: Option<String>,
    redirect_uris: Vec<String>,
}

/// A granted consent.
#[derive(Clone)]
struct Grant {
    client: String,
    redirect_uri: String,
    challenge: String,
    scope: String,
    resource: Option<String>,
    nonce: Option<String>,
}

/// A received request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    pub path: String,
    pub parameters: BTreeMap<String, String>,
}

impl Idp {
    /// On a free loopback port, with an ES256 key.
    pub async fn start() -> std::io::Result<Self> {
        Self::start_at("127.0.0.1:0".parse().expect("an address"), KeyKind::Es256).await
    }

    pub async fn start_at(address: SocketAddr, kind: KeyKind) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let state = State {
            behaviour: Behaviour::default(),
            keys: vec![SigningKey::make(kind)],
            clients: BTreeMap::new(),
            codes: BTreeMap::new(),
            refresh_tokens: BTreeMap::new(),
            requests: Vec::new(),
        };
        let inner = Arc::new(Inner { address: listener.local_addr()?, state: Mutex::new(state) });
        let end = CancellationToken::new();
        tokio::spawn(end.clone().run_until_cancelled_owned(serve(listener, Arc::clone(&inner))));
        Ok(Self { inner, _end: Arc::new(end.drop_guard()) })
    }

    pub fn issuer(&self) -> String {
        self.inner.origin()
    }

    /// The protected MCP server.
    pub fn resource(&self) -> String {
        self.inner.resource()
    }

    pub fn jwks_url(&self) -> String {
        format!("{}/jwks", self.inner.origin())
    }

    pub fn behave(&self, change: impl FnOnce(&mut Behaviour)) {
        change(&mut self.inner.lock().behaviour);
    }

    /// Registers a client as if by hand.
    pub fn register(&self, id: &str, secret: Option<&str>) {
        let client = IdpClient { secret: secret.map(str::to_owned), redirect_uris: Vec::new() };
        self.inner.lock().clients.insert(id.to_owned(), client);
    }

    /// A new key signs from now on. The old ones are no longer published.
    pub fn rotate_keys(&self, kind: KeyKind) {
        self.inner.lock().keys = vec![SigningKey::make(kind)];
    }

    pub fn mint(&self, mint: &Mint) -> String {
        self.inner.mint(mint)
    }

    /// The claims of a token that was signed here and is not over yet, whoever it is for.
    pub fn claims_of(&self, token: &str) -> Option<Map<String, Value>> {
        let state = self.inner.lock();
        let claims = state.keys.iter().find_map(|key| key.verified(token))?;
        let is_good =
            claims.get("exp").and_then(Value::as_i64).is_some_and(|expires| expires > now_seconds());
        is_good.then_some(claims)
    }

    /// The same with only the algorithm in the header changed.
    pub fn mint_as(&self, mint: &Mint, algorithm: &str) -> String {
        let state = self.inner.lock();
        let (header, claims) = self.inner.parts(&state, mint);
        let header = header.with_algorithm(algorithm);
        state.keys[0].sign(&header, &claims)
    }

    /// Plays the person and their browser: where the authorization endpoint sends them.
    pub async fn consent(&self, authorization_url: &str) -> anyhow::Result<String> {
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
        let answer = client.get(authorization_url).send().await?;
        let location = answer.headers().get(http::header::LOCATION).cloned();
        let location = location.ok_or_else(|| anyhow::anyhow!("no redirect but {}", answer.status()))?;
        Ok(location.to_str()?.to_owned())
    }

    /// The requests to a path, in order.
    pub fn seen(&self, path: &str) -> Vec<Seen> {
        self.inner.lock().requests.iter().filter(|seen| seen.path == path).cloned().collect()
    }
}

async fn serve(listener: TcpListener, inner: Arc<Inner>) {
    while let Ok((stream, _)) = listener.accept().await {
        let inner = Arc::clone(&inner);
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let inner = Arc::clone(&inner);
                async move { Ok::<_, Infallible>(answer(&inner, request).await) }
            });
            // A broken connection concerns only its two ends.
            drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
        });
    }
}

async fn answer(inner: &Inner, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    match Limited::new(body, BODY_BYTES_MAX).collect().await {
        Ok(body) => inner.answer(&Request::from_parts(parts, body.to_bytes())),
        Err(_) => plain(StatusCode::PAYLOAD_TOO_LARGE, "too large"),
    }
}

impl Inner {
    fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    fn resource(&self) -> String {
        format!("{}/mcp", self.origin())
    }

    fn issuer(&self, state: &State) -> String {
        state.behaviour.issuer.clone().unwrap_or_else(|| self.origin())
    }

    fn mint(&self, mint: &Mint) -> String {
        let state = self.lock();
        let (header, claims) = self.parts(&state, mint);
        state.keys[0].sign(&header, &claims)
    }

    fn parts(&self, state: &State, mint: &Mint) -> (signing::Header, Value) {
        let now = now_seconds();
        let issuer = mint.issuer.clone().unwrap_or_else(|| self.issuer(state));
        let mut claims = json!({
            "iss": issuer, "sub": mint.subject, "aud": mint.audience, "scope": mint.scope,
            "iat": now, "exp": now + mint.expires_in, "jti": random_text(),
        });
        let object = claims.as_object_mut().expect("it was written as one");
        object.extend(mint.claims.clone());
        object.retain(|_, value| !value.is_null());
        (state.keys[0].header(mint.typ.as_deref()), claims)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

fn now_seconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).expect("the year is not that late")
}

fn random_text() -> String {
    let number = || getrandom::u64().expect("the operating system has random numbers");
    format!("{:016x}{:016x}", number(), number())
}

fn plain(status: StatusCode, text: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text.to_owned())));
    *response.status_mut() = status;
    response
}

fn json_answer(status: StatusCode, value: &Value) -> Response<Full<Bytes>> {
    let mut response = plain(status, &value.to_string());
    let json = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(http::header::CONTENT_TYPE, json);
    response
}
