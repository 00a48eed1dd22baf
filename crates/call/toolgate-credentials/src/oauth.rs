//! The gateway as an OAuth client: a person signs in at a server once, and the gateway keeps the token fresh.
//! The protocol itself is rmcp's; the storage and the allowed addresses are ours.

mod challenge;
mod client;
mod kept;
mod login;
mod renewal;

pub use login::{LoginError, LoginOptions, PendingLogin, SignedIn};

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
}
