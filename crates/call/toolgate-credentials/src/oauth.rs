//! The gateway as an OAuth client: signing in at a server once, by a person, and keeping the token fresh ever after. The
//! protocol itself is rmcp's; what is kept, where it is kept and which addresses are dialled is ours.

mod challenge;
mod client;
mod kept;
mod login;
mod renewal;

pub use login::{Login, LoginError, LoginOptions, SignedIn};

pub(crate) use kept::{Kept, KeptError, Owner, SignIn, Token};
pub(crate) use renewal::{Renewal, RenewalError};

use crate::secret::Secret;

/// What the operator says about signing in at one server. All of it may be left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OAuthSpec {
    /// Of a client that was registered by hand. It goes before all other ways.
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
    /// Empty means what the server asks for.
    pub scopes: Vec<String>,
    /// Where this gateway's client-ID metadata document is, if it has one; https.
    pub client_metadata_url: Option<String>,
}
