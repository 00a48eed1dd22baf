//! The desk of language models, as the registry and the keyring have them.

use std::sync::Arc;

use toolgate_api::ModelPort;
use toolgate_core::model::{KnownModel, ModelName, ModelReport};
use toolgate_core::platform::OWN_SERVER;
use toolgate_core::port::{BoxFuture, Keyring as _, NoKey, SecretViewer};
use toolgate_core::{Refusal, ServerName};
use toolgate_credentials::Keys;
use toolgate_models::{ModelDesk, ModelDeskSetup, ModelKeys, ModelSource};
use toolgate_registry::Registry;

/// The desk over the models in force. A change of the file or of the setting counts with the next request.
pub(crate) fn desk(registry: Arc<Registry>, keys: Keys) -> Arc<ModelDesk> {
    ModelDesk::new(ModelDeskSetup {
        source: Arc::new(RegistryModels(registry)),
        keys: Arc::new(VaultModelKeys(keys)),
    })
}

/// The server whose secrets are the gateway's own. No other server can have its name, and so its secrets.
pub(crate) fn own_server() -> ServerName {
    ServerName::new(OWN_SERVER).expect("the gateway's own name is one")
}

struct RegistryModels(Arc<Registry>);

impl ModelSource for RegistryModels {
    fn models(&self) -> Vec<KnownModel> {
        self.0.models()
    }
}

struct VaultModelKeys(Keys);

impl ModelKeys for VaultModelKeys {
    fn key<'a>(&'a self, model: &'a KnownModel, name: &'a str) -> BoxFuture<'a, Result<String, NoKey>> {
        // The operator's file may send a secret anywhere; a setting needs a permission for the address.
        let viewer = match model.is_of_file() {
            true => SecretViewer::Program,
            false => SecretViewer::Address(&model.definition.url),
        };
        self.0.secret(&own_server(), None, name, viewer)
    }

    fn refused(&self) -> BoxFuture<'_, bool> {
        self.0.secrets_refused(&own_server())
    }
}

/// The desk behind the API.
pub(crate) struct DeskModels(pub(crate) Arc<ModelDesk>);

impl ModelPort for DeskModels {
    fn models(&self) -> Vec<KnownModel> {
        self.0.known()
    }

    fn test(&self, name: &ModelName) -> BoxFuture<'static, Result<ModelReport, Refusal>> {
        let (desk, name) = (self.0.clone(), name.clone());
        Box::pin(async move { desk.test(&name).await })
    }
}
