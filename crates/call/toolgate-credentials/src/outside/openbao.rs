//! OpenBao and HashiCorp Vault over their HTTP API: the KV engine of version 2, with a token or an AppRole login.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use toolgate_core::address::Reach;
use toolgate_core::egress::Egress;

use super::file::read_all;
use super::unanswered::SecretSourceError;
use crate::outbound::OutboundClient;
use crate::secret::Secret;

const TOKEN: HeaderName = HeaderName::from_static("x-vault-token");
const NAMESPACE: HeaderName = HeaderName::from_static("x-vault-namespace");
/// Browsers cannot set it on their own; some proxies in front of it require it.
const REQUEST: HeaderName = HeaderName::from_static("x-vault-request");
/// The characters that a path cannot contain unescaped.
const PATH: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'\\');

/// Its address, and the gateway's credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenBaoSettings {
    /// Without a `/` at its end.
    pub address: String,
    /// The mount of the KV engine.
    pub mount: String,
    pub namespace: Option<String>,
    pub login: OpenBaoLogin,
    /// The connection settings.
    pub egress: Arc<Egress>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenBaoLogin {
    Token(OpenBaoCredential),
    AppRole { role_id: String, secret_id: OpenBaoCredential },
}

/// A credential that was given to the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenBaoCredential {
    /// Read each time it is needed, so that a new one is taken up.
    File(PathBuf),
    Value(Secret),
}

impl OpenBaoCredential {
    async fn read(&self) -> Result<Secret, SecretSourceError> {
        match self {
            OpenBaoCredential::Value(secret) => Ok(secret.clone()),
            OpenBaoCredential::File(path) => {
                let unread = |error| said(format!("its credential cannot be read: {error}"));
                let file = tokio::fs::File::open(path).await.map_err(unread)?;
                let text = read_all(file).await.map_err(unread)??;
                Ok(Secret::new(text.expose().trim()))
            }
        }
    }
}

pub(super) struct OpenBao {
    settings: OpenBaoSettings,
    outbound: OutboundClient,
    /// The result of an AppRole login. Locked during a login.
    login: Mutex<Option<LoggedIn>>,
}

#[derive(Clone)]
struct LoggedIn {
    token: Secret,
    /// The time of the next login; `None` is never.
    until: Option<Instant>,
}

impl OpenBao {
    pub(super) fn new(settings: OpenBaoSettings) -> Self {
        // The operator's file has the address.
        let outbound = OutboundClient::new(Reach::Anywhere, &settings.egress);
        Self { settings, outbound, login: Mutex::default() }
    }

    pub(super) async fn read(&self, path: &str, field: &str) -> Result<Secret, SecretSourceError> {
        let token = self.token().await?;
        let mut answer = self.look_up(path, &token).await?;
        if answer.status() == StatusCode::FORBIDDEN && self.forget(&token).await {
            answer = self.look_up(path, &self.token().await?).await?;
        }
        match answer.status() {
            StatusCode::OK => field_of(answer.body(), field),
            StatusCode::NOT_FOUND => Err(said("it has no such secret")),
            StatusCode::FORBIDDEN => Err(said("it does not let the gateway read the secret")),
            other => Err(said(format!("it answered HTTP {}", other.as_u16()))),
        }
    }

    async fn look_up(&self, path: &str, token: &Secret) -> Result<Response<Bytes>, SecretSourceError> {
        let mount = utf8_percent_encode(&self.settings.mount, PATH);
        let path = utf8_percent_encode(path, PATH);
        let mut request = self.request(Method::GET, &format!("{mount}/data/{path}"), Bytes::new())?;
        request.headers_mut().insert(TOKEN, sensitive(token)?);
        self.send(request).await
    }

    async fn token(&self) -> Result<Secret, SecretSourceError> {
        let (role_id, secret_id) = match &self.settings.login {
            OpenBaoLogin::Token(given) => return given.read().await,
            OpenBaoLogin::AppRole { role_id, secret_id } => (role_id, secret_id),
        };
        let mut login = self.login.lock().await;
        let is_good = |known: &&LoggedIn| known.until.is_none_or(|until| Instant::now() < until);
        if let Some(known) = login.as_ref().filter(is_good) {
            return Ok(known.token.clone());
        }
        let secret_id = secret_id.read().await?;
        let body = json!({ "role_id": role_id, "secret_id": secret_id.expose() }).to_string();
        let request = self.request(Method::POST, "auth/approle/login", body.into())?;
        let answer = self.send(request).await?;
        if !answer.status().is_success() {
            return Err(said(format!(
                "it did not let the gateway log in: HTTP {}",
                answer.status().as_u16()
            )));
        }
        let fresh =
            LoggedIn::read(answer.body()).ok_or_else(|| said("its answer to the login has no token"))?;
        let token = fresh.token.clone();
        *login = Some(fresh);
        Ok(token)
    }

    /// Another login may help where a token did not. `false` if there is none.
    async fn forget(&self, token: &Secret) -> bool {
        if matches!(self.settings.login, OpenBaoLogin::Token(_)) {
            return false;
        }
        let mut login = self.login.lock().await;
        if login.as_ref().is_some_and(|known| known.token == *token) {
            *login = None;
        }
        true
    }

    fn request(&self, method: Method, path: &str, body: Bytes) -> Result<Request<Bytes>, SecretSourceError> {
        let uri = format!("{}/v1/{path}", self.settings.address);
        let request = Request::builder().method(method).uri(uri).header(REQUEST, "true");
        let request = request.header(header::CONTENT_TYPE, "application/json");
        let request = match &self.settings.namespace {
            Some(namespace) => request.header(NAMESPACE, namespace),
            None => request,
        };
        request.body(body).map_err(|_| said("its address, namespace or path cannot be asked for"))
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, SecretSourceError> {
        self.outbound.send(request).await.map_err(|error| said(error.to_string()))
    }
}

impl LoggedIn {
    fn read(body: &[u8]) -> Option<Self> {
        let answer: Value = serde_json::from_slice(body).ok()?;
        let auth = answer.get("auth")?;
        let token = Secret::new(auth.get("client_token")?.as_str()?);
        let seconds = auth.get("lease_duration").and_then(Value::as_u64).filter(|seconds| *seconds > 0);
        // A little early: it must not run out on the way.
        let until =
            seconds.and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds) / 10 * 9));
        Some(Self { token, until })
    }
}

fn field_of(body: &[u8], field: &str) -> Result<Secret, SecretSourceError> {
    let answer: Value = serde_json::from_slice(body).map_err(|_| said("its answer is not JSON"))?;
    match answer.pointer("/data/data").and_then(|data| data.get(field)) {
        Some(Value::String(text)) => Ok(Secret::new(text.as_str())),
        Some(_) => Err(said("the field is not a text")),
        None => Err(said("the secret has no such field")),
    }
}

fn sensitive(token: &Secret) -> Result<HeaderValue, SecretSourceError> {
    let value = HeaderValue::from_str(token.expose());
    let mut value = value.map_err(|_| said("its credential has characters that no header allows"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn said(text: impl Into<String>) -> SecretSourceError {
    SecretSourceError::OpenBao(text.into())
}
