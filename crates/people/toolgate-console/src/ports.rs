//! The console's dependencies on the gateway: the API on behalf of a user, and logins.

use axum::body::Body;
use toolgate_core::PrincipalId;
use toolgate_core::governance::StoreDown;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::Credential;

pub type ApiResponse = http::Response<Body>;

/// The REST API, on behalf of a known user.
pub trait Backend: Send + Sync {
    fn ask(&self, credential: Credential, request: http::Request<Body>) -> BoxFuture<'static, ApiResponse>;
}

/// The logins. Secrets are shown once and stored as hashes.
pub trait Logins: Send + Sync {
    /// With a token of the gateway.
    fn with_token(&self, token: String) -> BoxFuture<'_, Result<NewLogin, LoginError>>;
    /// With a link that works once.
    fn with_link(&self, link: String) -> BoxFuture<'_, Result<NewLogin, LoginError>>;
    /// `None` if the login has ended or its token was revoked.
    fn who(&self, secret: String) -> BoxFuture<'_, Result<Option<Login>, StoreDown>>;
    fn end(&self, secret: String) -> BoxFuture<'_, Result<(), StoreDown>>;
    /// Ends every login of a person, on each of their devices. Returns how many there were.
    fn end_all(&self, who: PrincipalId) -> BoxFuture<'_, Result<u64, StoreDown>>;
    /// The name of the identity provider, if people log in by one.
    fn provider(&self) -> Option<String>;
    /// Where the browser goes to log in there. `origin` is that of the console, as the browser sees it.
    fn to_provider(&self, origin: String) -> BoxFuture<'_, Result<ProviderTrip, LoginError>>;
    fn back_from_provider(&self, back: ProviderReturn) -> BoxFuture<'_, Result<NewLogin, LoginError>>;
}

/// The page that browsers come back to from the identity provider.
pub const PROVIDER_RETURN: &str = "/console/provider/return";

/// A login that begins at the identity provider.
#[derive(Clone, Debug)]
pub struct ProviderTrip {
    pub address: String,
    /// What only this browser may have, until it comes back.
    pub ticket: String,
}

/// What a browser brings back from the identity provider.
#[derive(Clone, Debug, Default)]
pub struct ProviderReturn {
    pub code: Option<String>,
    pub state: Option<String>,
    pub issuer: Option<String>,
    pub error: Option<String>,
    pub ticket: String,
    pub origin: String,
}

/// A login at the one moment its secret is known.
#[derive(Clone)]
pub struct NewLogin {
    pub secret: String,
    pub seconds: u64,
}

#[derive(Clone, Debug)]
pub struct Login {
    pub credential: Credential,
    pub ends_at_ms: i64,
}

/// The reason of a failed login.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoginError {
    /// The token is not one of ours, or was revoked.
    UnknownToken,
    /// A token of this role opens no pages.
    Role(&'static str),
    /// The link was used, or has expired.
    UnknownLink,
    /// The identity provider did not say who it is, or the person may not come in. Words for the person.
    Provider(String),
    Down,
}
