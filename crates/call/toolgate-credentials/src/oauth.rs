//! The gateway as an OAuth client: a person signs in at a server once, and the gateway keeps the token fresh.
//! Where a server publishes its authorization server, the protocol itself is rmcp's; where the addresses are written down, it is
//! ours (`code`, `endpoint`). The storage and the allowed addresses are ours either way.

mod challenge;
mod client;
mod code;
mod endpoint;
mod kept;
mod login;
mod renewal;

pub use endpoint::OAuthEndpoints;
pub use login::{LoginError, LoginOptions, PendingLogin, SignedIn};

pub(crate) use endpoint::{TokenClient, TokenEndpoint, TokenRefusal};
pub(crate) use kept::{AccessToken, SignIn, SignInOwner, StoredSignIn, StoredSignInError};
pub(crate) use renewal::{RenewalError, TokenRenewal};

use crate::secret::Secret;

/// The operator's settings for signing in at one server. All of them are optional.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OAuthSpec {
    /// The id of a client that was registered by hand. It has precedence over all other ways.
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
    /// Empty means the scopes that the server requests.
    pub scopes: Vec<String>,
    /// The URL of this gateway's client-ID metadata document, if it has one; https.
    pub client_metadata_url: Option<String>,
    /// Where to sign in, if the server does not publish it.
    pub endpoints: Option<OAuthEndpoints>,
}
