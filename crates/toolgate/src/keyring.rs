//! The vault and the keyring over it, as the configuration has them, and the vault as the API uses it.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_api::{InstanceToken, SecretIdentity, SecretKeeper, SecretSource, StoredSecret};
use toolgate_core::codes;
use toolgate_core::egress::Egress;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Principal, Role, ServerName};
use toolgate_credentials::{
    ExternalSecrets, Keys, OpenBaoCredential, OpenBaoLogin, OpenBaoSettings, OutsideSecret, Secret,
    SecretInfo, Vault, VaultError, VaultKey, origin_of,
};
use toolgate_registry::{KnownServer, Refusal, Registry, ServerSource};
use toolgate_store::{Books, SecretOrigin, SecretOwner, Store};

use crate::config::{Config, CredentialSource, OpenBao, OpenBaoBy, VaultSettings};
use crate::environment;
use crate::models;

const KEY_FILE: &str = "vault.key";

/// The vault, with the key that the configuration names.
pub(crate) fn vault(config: &Config, store: &Store, books: &Arc<Books>) -> anyhow::Result<Vault> {
    Ok(Vault::new(store.clone(), books.clone(), key(config)?))
}

/// The configured key; without one, a key that is created the first time.
pub(crate) fn key(config: &Config) -> anyhow::Result<VaultKey> {
    Ok(match &config.vault {
        VaultSettings::Generated => VaultKey::from_file_or_new(&generated_key(config))?,
        VaultSettings::File(path) => VaultKey::from_file(path)?,
        VaultSettings::Environment(name) => {
            let value = environment::filled(name).with_context(|| {
                format!("the variable {name} is not set\nhint: `[vault] key_env` says that it holds the key of the vault")
            })?;
            VaultKey::from_environment(name, &value)?
        }
    })
}

/// The secrets of the configuration that are kept elsewhere.
pub(crate) fn outside(config: &Config) -> anyhow::Result<ExternalSecrets> {
    let openbao = config.openbao.as_ref().map(|settings| openbao(settings, &config.egress)).transpose()?;
    Ok(ExternalSecrets::new(config.secrets.clone(), openbao))
}

fn openbao(settings: &OpenBao, egress: &Arc<Egress>) -> anyhow::Result<OpenBaoSettings> {
    let OpenBao { address, mount, namespace, by } = settings.clone();
    let login = match by {
        OpenBaoBy::Token(token) => OpenBaoLogin::Token(given(token)?),
        OpenBaoBy::AppRole { role_id, secret_id } => {
            OpenBaoLogin::AppRole { role_id, secret_id: given(secret_id)? }
        }
    };
    Ok(OpenBaoSettings { address, mount, namespace, login, egress: egress.clone() })
}

fn given(credential: CredentialSource) -> anyhow::Result<OpenBaoCredential> {
    Ok(match credential {
        CredentialSource::File(path) => OpenBaoCredential::File(path),
        CredentialSource::Environment(name) => {
            let value = environment::filled(&name).with_context(|| {
                format!("the variable {name} is not set\nhint: `[openbao]` says that it holds a credential")
            })?;
            OpenBaoCredential::Value(Secret::new(value))
        }
    })
}

/// The path of the key that the gateway creates for itself.
pub(crate) fn generated_key(config: &Config) -> PathBuf {
    config.data.join(KEY_FILE)
}

/// Opens the keyring and keeps it up to date.
pub(crate) async fn open(
    vault: Vault,
    outside: ExternalSecrets,
    tasks: &TaskTracker,
    shutdown: &CancellationToken,
) -> anyhow::Result<Keys> {
    vault.check_key().await?;
    let keys = Keys::open(vault, outside).await?;
    tasks.spawn(shutdown.clone().run_until_cancelled_owned(follow(keys.clone())));
    let (elsewhere, shutdown) = (keys.clone(), shutdown.clone());
    tasks.spawn(async move { shutdown.run_until_cancelled(elsewhere.follow_outside()).await });
    Ok(keys)
}

async fn follow(keys: Keys) {
    let mut failing = false;
    loop {
        tokio::time::sleep(keys.until_next_look()).await;
        match keys.look().await {
            Ok(()) => failing = false,
            Err(error) if failing => tracing::debug!(%error, "the vault still cannot be read"),
            Err(error) => {
                failing = true;
                tracing::warn!(%error, "the vault could not be read; what is known of it is used");
            }
        }
    }
}

/// The vault behind the API.
#[derive(Clone)]
pub(crate) struct VaultSecrets {
    pub(crate) vault: Vault,
    pub(crate) outside: ExternalSecrets,
    pub(crate) registry: Arc<Registry>,
}

impl VaultSecrets {
    async fn listed(&self, server: &ServerName) -> Result<Vec<StoredSecret>, VaultError> {
        let origins = self.vault.origins().await?;
        let stored = self.vault.list(Some(server)).await?.into_iter().map(|one: SecretInfo| {
            let place = SecretIdentity { server: server.clone(), principal: one.principal, name: one.name };
            let source = SecretSource::Vault { updated_at_ms: one.updated_at_ms };
            StoredSecret { origins: origins_of(&origins, &place), place, source }
        });
        let mut listed: Vec<StoredSecret> = stored.collect();
        let outside = self.outside.list().filter(|one| one.server == *server);
        listed.extend(outside.map(|one| kept_elsewhere(one, &origins)));
        Ok(listed)
    }

    /// A person who stores a value knows it, and may allow sending it to its server's address. If the address
    /// came from someone else, an admin's permission is needed too.
    fn origins_for(&self, by: &Principal, server: &ServerName, name: &str) -> Vec<String> {
        if by.role == Role::Admin {
            return Vec::new();
        }
        if *server == models::own_server() {
            return self.origins_of_models(name);
        }
        let known = self.registry.servers();
        let is_sent = |known: &&KnownServer| known.name == *server && known.source != ServerSource::File;
        let instances = known.iter().filter(is_sent).flat_map(|known| &known.instances);
        instances.filter_map(|instance| origin_of(&instance.url)).collect()
    }

    /// The addresses of models of the settings that name this secret as their key.
    fn origins_of_models(&self, name: &str) -> Vec<String> {
        let models = self.registry.models().into_iter().filter(|known| !known.is_of_file());
        let with_key = models.filter(|known| known.definition.key.as_deref() == Some(name));
        with_key.filter_map(|known| origin_of(&known.definition.url)).collect()
    }
}

/// The addresses that a secret may be sent to besides those in the file.
pub(crate) fn origins_of(origins: &[SecretOrigin], place: &SecretIdentity) -> Vec<String> {
    let SecretIdentity { server, principal, name } = place;
    let allowed = origins.iter().filter(|one| one.allows(server, principal.as_ref(), name, &one.origin));
    allowed.map(|one| one.origin.clone()).collect()
}

fn kept_elsewhere(secret: &OutsideSecret, origins: &[SecretOrigin]) -> StoredSecret {
    let place = SecretIdentity { server: secret.server.clone(), principal: None, name: secret.name.clone() };
    // A value stored under the same name, with its own origins, is another value.
    let by_admin: Vec<SecretOrigin> =
        origins.iter().filter(|one| one.whose == SecretOwner::All).cloned().collect();
    let mut allowed = secret.origins.clone();
    allowed.extend(origins_of(&by_admin, &place));
    StoredSecret { place, source: SecretSource::Outside(secret.source.kind()), origins: allowed }
}

impl SecretKeeper for VaultSecrets {
    fn list(&self, server: &ServerName) -> BoxFuture<'static, Result<Vec<StoredSecret>, Refusal>> {
        let (desk, server) = (self.clone(), server.clone());
        Box::pin(async move { desk.listed(&server).await.map_err(refused) })
    }

    fn store(
        &self,
        by: &Principal,
        place: SecretIdentity,
        value: String,
    ) -> BoxFuture<'static, Result<(), Refusal>> {
        let origins = self.origins_for(by, &place.server, &place.name);
        let (vault, by) = (self.vault.clone(), by.id.clone());
        Box::pin(async move {
            let SecretIdentity { server, principal, name } = place;
            let value = Secret::new(value);
            vault.set(&by, &server, principal.as_ref(), &name, &value, &origins).await.map_err(refused)
        })
    }

    fn keep_token(&self, by: &Principal, token: InstanceToken) -> BoxFuture<'static, Result<(), Refusal>> {
        let (vault, by) = (self.vault.clone(), by.id.clone());
        Box::pin(async move {
            let InstanceToken { server, instance, url, token } = token;
            vault.keep_token(&by, &server, &instance, &url, &Secret::new(token)).await.map_err(refused)
        })
    }

    fn allow(
        &self,
        by: &Principal,
        server: ServerName,
        name: String,
        origins: Vec<String>,
    ) -> BoxFuture<'static, Result<Vec<String>, Refusal>> {
        let (vault, by) = (self.vault.clone(), by.id.clone());
        Box::pin(async move { vault.allow(&by, &server, &name, &origins).await.map_err(refused) })
    }

    fn remove(&self, by: &Principal, place: SecretIdentity) -> BoxFuture<'static, Result<bool, Refusal>> {
        let (vault, by) = (self.vault.clone(), by.id.clone());
        Box::pin(async move {
            let SecretIdentity { server, principal, name } = place;
            vault.remove(&by, &server, principal.as_ref(), &name).await.map_err(refused)
        })
    }
}

fn refused(error: VaultError) -> Refusal {
    let code =
        if matches!(error, VaultError::Store(_)) { &codes::STORE_DOWN } else { &codes::SECRET_INVALID };
    Refusal::new(code, error.to_string())
}
