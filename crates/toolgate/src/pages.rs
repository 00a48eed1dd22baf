//! The console behind the gateway's door: the API on behalf of the user, and the logins.

use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use toolgate_api::{Api, RequestDoor};
use toolgate_console::{
    ApiResponse, Backend, Body, Console, ConsoleSetup, Cookies, Login, LoginError, Logins, NewLogin,
};
use toolgate_core::Role;
use toolgate_core::governance::StoreDown;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::Credential;
use toolgate_store::{Store, StoreError};

use crate::config::Config;
use crate::governance::SystemClock;

/// The lifetime of a printed login link.
pub(crate) const LINK_TIME: Duration = Duration::from_secs(60 * 60);
const OPENING: [Role; 4] = [Role::Admin, Role::Operator, Role::Approver, Role::Auditor];

/// The pages, if enabled.
pub(crate) fn console(config: &Config, store: &Store, api: &Api, key: &[u8; 32]) -> Option<Console> {
    let cookies = Cookies::new(&instance(key), config.files.public_url.as_deref());
    config.console.enabled.then(|| {
        Console::new(ConsoleSetup {
            backend: Arc::new(ApiBackend(api.clone())),
            logins: Arc::new(StoreLogins { store: store.clone(), time: config.console.login }),
            clock: Arc::new(SystemClock::default()),
            cookies,
            form_bytes_max: config.limits.request_bytes_max,
        })
    })
}

/// Distinguishes this gateway's cookie from that of another on the same host. Replicas have one store, and so
/// one name.
fn instance(key: &[u8; 32]) -> String {
    const BYTES: usize = 8;
    let digest = Sha256::new().chain_update(b"toolgate console cookie\0").chain_update(key).finalize();
    digest[..BYTES].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The address of a login link.
pub(crate) fn link_address(endpoint: &str, link: &str) -> String {
    let gateway = endpoint.strip_suffix("/mcp").unwrap_or(endpoint);
    format!("{gateway}/console/enter/{link}")
}

/// Everything that the API checks, it checks here too: a page is a client like any other.
struct ApiBackend(Api);

impl Backend for ApiBackend {
    fn ask(
        &self,
        credential: Credential,
        mut request: http::Request<Body>,
    ) -> BoxFuture<'static, ApiResponse> {
        let api = self.0.clone();
        request.extensions_mut().insert(credential.principal.clone());
        request.extensions_mut().insert(credential);
        request.extensions_mut().insert(RequestDoor("console"));
        Box::pin(async move { api.serve(request).await.map(Body::new) })
    }
}

struct StoreLogins {
    store: Store,
    time: Duration,
}

impl StoreLogins {
    fn made(&self, secret: String) -> NewLogin {
        NewLogin { secret, seconds: self.time.as_secs().max(1) }
    }
}

impl Logins for StoreLogins {
    fn with_token(&self, token: String) -> BoxFuture<'_, Result<NewLogin, LoginError>> {
        Box::pin(async move {
            let found = self.store.token_of_secret(&token).await.map_err(|error| down(&error))?;
            let token = found.ok_or(LoginError::UnknownToken)?;
            if !OPENING.contains(&token.role) || token.session.is_some() {
                return Err(LoginError::Role(token.role.as_str()));
            }
            let secret = self.store.log_in(&token, self.time).await.map_err(|error| down(&error))?;
            Ok(self.made(secret))
        })
    }

    fn with_link(&self, link: String) -> BoxFuture<'_, Result<NewLogin, LoginError>> {
        Box::pin(async move {
            let used = self.store.use_login_link(&link, self.time).await.map_err(|error| down(&error))?;
            used.map(|secret| self.made(secret)).ok_or(LoginError::UnknownLink)
        })
    }

    fn who(&self, secret: String) -> BoxFuture<'_, Result<Option<Login>, StoreDown>> {
        Box::pin(async move {
            let found = self.store.login(&secret).await.map_err(|error| away(&error))?;
            Ok(found.map(|login| Login { credential: login.credential, ends_at_ms: login.ends_at_ms }))
        })
    }

    fn end(&self, secret: String) -> BoxFuture<'_, Result<(), StoreDown>> {
        Box::pin(async move { self.store.log_out(&secret).await.map_err(|error| away(&error)) })
    }
}

fn down(error: &StoreError) -> LoginError {
    tracing::error!(%error, "a person could not be logged in");
    LoginError::Down
}

fn away(error: &StoreError) -> StoreDown {
    tracing::error!(%error, "a login could not be looked up");
    StoreDown(error.to_string())
}
