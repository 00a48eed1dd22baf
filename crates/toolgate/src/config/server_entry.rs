//! A configured server.

use toolgate_catalog::HintTrust;
use toolgate_core::server::{AskPermissions, ServerSpec};
use toolgate_credentials::OAuthSpec;
use toolgate_registry::{Drift, NewTools, PublishedOrigin};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServerEntry {
    pub(crate) spec: ServerSpec,
    /// True if its instances register; then `spec` has no address.
    pub(crate) registered: bool,
    /// The gateway's OAuth client for signing in there.
    pub(crate) oauth: Option<OAuthSpec>,
    /// True if its tools have its name as a prefix on the wire.
    pub(crate) prefix: bool,
    pub(crate) filter: ToolFilter,
    /// The degree of trust in its statements about its tools; unknown effects count as all.
    pub(crate) hints: HintTrust,
    /// The requests that it may send to clients.
    pub(crate) asks: AskPermissions,
    /// The server's own rule, if it differs from the general one.
    pub(crate) drift: Option<Drift>,
    pub(crate) new_tools: Option<NewTools>,
    /// The entry of a registry that it was made from: its address came over the network.
    pub(crate) published: Option<PublishedOrigin>,
    pub(crate) enabled: bool,
}

/// Patterns over a server's own tool names. No `allow` allows all; `deny` beats `allow`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolFilter {
    pub(crate) allow: Vec<String>,
    pub(crate) deny: Vec<String>,
}
