//! The console behind the gateway's door: the API on behalf of the user, and the logins.

use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use toolgate_api::{Api, RequestDoor};
use toolgate_console::{
    ApiResponse, Backend, Body, Console, ConsoleSetup, Cookies, Login, LoginError, Logins, NewLogin,
    PROVIDER_RETURN, ProviderReturn, ProviderTrip,
};
use toolgate_core::governance::{Clock, StoreDown};
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::Credential;
use toolgate_core::{Principal, PrincipalId, Role};
use toolgate_credentials::{PersonAnswer, PersonLogin, PersonRefused};
use toolgate_store::{NewTokenSpec, Store, StoreError, login_label};

use crate::config::Config;
use crate::governance::SystemClock;

/// The lifetime of a printed login link.
pub(crate) const LINK_TIME: Duration = Duration::from_secs(60 * 60);
const OPENING: [Role; 4] = [Role::Admin, Role::Operator, Role::Approver, Role::Auditor];

/// The pages, if enabled.
pub(crate) fn console(
    config: &Config,
    store: &Store,
    stream: &str,
    api: &Api,
    key: &[u8; 32],
) -> Option<Console> {
    let cookies = Cookies::new(&instance(key), config.files.public_url.as_deref());
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    config.console.enabled.then(|| {
        Console::new(ConsoleSetup {
            backend: Arc::new(ApiBackend(api.clone())),
            logins: Arc::new(StoreLogins {
                store: store.clone(),
                time: config.console.login,
                stream: stream.to_owned(),
                people: config
                    .console
                    .people
                    .clone()
                    .map(|people| PersonLogin::new(people, &config.egress, clock.clone())),
                public_url: config.files.public_url.clone(),
            }),
            clock,
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
    /// This gateway's ledger stream.
    stream: String,
    /// The identity provider, if people log in by one.
    people: Option<PersonLogin>,
    public_url: Option<String>,
}

impl StoreLogins {
    fn made(&self, secret: String) -> NewLogin {
        NewLogin { secret, seconds: self.time.as_secs().max(1) }
    }

    /// The console's address, as the provider was told it.
    fn return_address(&self, origin: &str) -> String {
        let origin = self.public_url.as_deref().unwrap_or(origin).trim_end_matches('/');
        format!("{origin}{PROVIDER_RETURN}")
    }

    /// A token of the person, which nobody holds: it says what the login may do, and ends with it. Revoking it ends the login.
    async fn log_person_in(&self, person: Principal, provider: &str) -> Result<NewLogin, LoginError> {
        let time = i64::try_from(self.time.as_millis()).unwrap_or(i64::MAX);
        let spec = NewTokenSpec {
            label: Some(login_label(provider)),
            principal: Some(person.id.as_str().to_owned()),
            kind: Some(person.kind),
            groups: person.groups.to_vec(),
            expires_at_ms: Some(SystemClock::default().now_ms().saturating_add(time)),
            created_by: Some(person.id.clone()),
            ..NewTokenSpec::of(person.role)
        };
        let token = self.store.create_token(&self.stream, spec).await.map_err(|error| down(&error))?;
        self.with_token(token.secret).await
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

    fn end_all(&self, who: PrincipalId) -> BoxFuture<'_, Result<u64, StoreDown>> {
        Box::pin(async move { self.store.log_out_everywhere(&who).await.map_err(|error| away(&error)) })
    }

    fn provider(&self) -> Option<String> {
        self.people.as_ref().map(PersonLogin::provider)
    }

    fn to_provider(&self, origin: String) -> BoxFuture<'_, Result<ProviderTrip, LoginError>> {
        Box::pin(async move {
            let people = self.people.as_ref().ok_or_else(no_provider)?;
            let begun = people.begin(&self.return_address(&origin)).await.map_err(|why| outside(&why))?;
            Ok(ProviderTrip { address: begun.address, ticket: begun.ticket })
        })
    }

    fn back_from_provider(&self, back: ProviderReturn) -> BoxFuture<'_, Result<NewLogin, LoginError>> {
        Box::pin(async move {
            let people = self.people.as_ref().ok_or_else(no_provider)?;
            let ProviderReturn { code, state, issuer, error, ticket, origin } = back;
            let answer = PersonAnswer { code, state, issuer, error };
            let person = people.finish(answer, &ticket, &self.return_address(&origin)).await;
            self.log_person_in(person.map_err(|why| outside(&why))?, &people.provider()).await
        })
    }
}

fn no_provider() -> LoginError {
    LoginError::Provider("This gateway has no identity provider. Log in with a token.".to_owned())
}

/// The words for the person. Why exactly is for the operator.
fn outside(why: &PersonRefused) -> LoginError {
    tracing::warn!(%why, "nobody was logged in by the identity provider");
    LoginError::Provider(match why {
        PersonRefused::Stray => {
            "This login was not begun in this browser, or it took too long. Try again.".to_owned()
        }
        PersonRefused::NoRole(words) => {
            format!("{words}. Ask an admin to add you to a group of [console.oidc] roles.")
        }
        PersonRefused::Provider(_) | PersonRefused::Token(_) => format!("You could not be logged in: {why}."),
        PersonRefused::Away(_) => {
            "The identity provider does not answer. Try again in a moment, or log in with a token.".to_owned()
        }
    })
}

fn down(error: &StoreError) -> LoginError {
    tracing::error!(%error, "a person could not be logged in");
    LoginError::Down
}

fn away(error: &StoreError) -> StoreDown {
    tracing::error!(%error, "a login could not be looked up");
    StoreDown(error.to_string())
}
