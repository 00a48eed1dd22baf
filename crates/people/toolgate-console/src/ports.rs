//! What the console needs of the gateway: the API as somebody, and who somebody is.

use axum::body::Body;
use toolgate_core::governance::StoreDown;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::Credential;

pub type Answer = http::Response<Body>;

/// The REST API, asked by somebody who is known.
pub trait Backend: Send + Sync {
    fn ask(&self, credential: Credential, request: http::Request<Body>) -> BoxFuture<'static, Answer>;
}

/// Who is logged in. Secrets are shown once and kept as hashes.
pub trait Logins: Send + Sync {
    /// With a token of the gateway.
    fn with_token(&self, token: String) -> BoxFuture<'_, Result<NewLogin, NotLoggedIn>>;
    /// With a link that works once.
    fn with_link(&self, link: String) -> BoxFuture<'_, Result<NewLogin, NotLoggedIn>>;
    /// Nobody, where the login has ended or its token was revoked.
    fn who(&self, secret: String) -> BoxFuture<'_, Result<Option<Login>, StoreDown>>;
    fn end(&self, secret: String) -> BoxFuture<'_, Result<(), StoreDown>>;
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

/// Why somebody was not let in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotLoggedIn {
    /// The token is not one of ours, or was revoked.
    UnknownToken,
    /// A token of this role opens no pages.
    Role(&'static str),
    /// The link was used, or its time is over.
    UnknownLink,
    Down,
}
