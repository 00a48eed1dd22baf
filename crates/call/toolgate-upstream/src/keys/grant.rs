//! The client-credentials flow as it is configured, with places for the client's secrets.

use toolgate_core::ServerName;
use toolgate_core::port::{ClientGrant, Keyring, NoKey, SecretViewer};
use toolgate_core::server::ClientAuth;

use super::template::{SecretTemplate, SecretUser};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GrantTemplate {
    pub(crate) token_url: String,
    pub(crate) client_id: SecretTemplate,
    pub(crate) client_secret: SecretTemplate,
    pub(crate) scopes: Vec<String>,
    pub(crate) client_auth: ClientAuth,
}

impl GrantTemplate {
    /// The token is for the server at `url`. So both that address and the token's own must be allowed to have the secrets.
    pub(super) async fn filled(
        &self,
        keyring: &dyn Keyring,
        server: &ServerName,
        who: SecretUser<'_>,
        url: &str,
    ) -> Result<ClientGrant, NoKey> {
        let used_at = SecretViewer::Address(url);
        self.client_secret.filled(keyring, server, who, used_at).await?;
        let viewer = SecretViewer::Address(&self.token_url);
        Ok(ClientGrant {
            token_url: self.token_url.clone(),
            client_id: self.client_id.filled(keyring, server, who, viewer).await?,
            client_secret: self.client_secret.filled(keyring, server, who, viewer).await?,
            scopes: self.scopes.clone(),
            client_auth: self.client_auth,
        })
    }
}
