//! The vault and the keyring over it, as the configuration has them, and the vault as the API uses it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio_util::sync::CancellationToken;
use toolgate_api::{SecretKeeper, SecretPlace, SecretRefused, StoredSecret};
use toolgate_core::port::BoxFuture;
use toolgate_core::{Principal, ServerName};
use toolgate_credentials::{Keys, Secret, Stored, Vault, VaultError, VaultKey};
use toolgate_registry::{Refusal, RefusalKind};
use toolgate_store::{Books, Store};

use crate::config::{Config, VaultSettings};

const KEY_FILE: &str = "vault.key";
/// How often the keyring looks whether another process has changed the vault.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The vault, with the key that the configuration names.
pub(crate) fn vault(config: &Config, store: &Store, books: &Arc<Books>) -> anyhow::Result<Vault> {
    Ok(Vault::new(store.clone(), books.clone(), key(config)?))
}

/// The key that the configuration names; made the first time, if it names none.
pub(crate) fn key(config: &Config) -> anyhow::Result<VaultKey> {
    Ok(match &config.vault {
        VaultSettings::Generated => VaultKey::from_file_or_new(&generated_key(config))?,
        VaultSettings::File(path) => VaultKey::from_file(path)?,
        VaultSettings::Environment(name) => {
            let value = std::env::var(name).ok().filter(|value| !value.is_empty());
            let value = value.with_context(|| {
                format!("the variable {name} is not set\nhint: `[vault] key_env` says that it holds the key of the vault")
            })?;
            VaultKey::from_environment(name, &value)?
        }
    })
}

/// Where the key is that the gateway makes for itself.
pub(crate) fn generated_key(config: &Config) -> PathBuf {
    config.data.join(KEY_FILE)
}

/// Opens the keyring and keeps it up to date.
pub(crate) async fn open(vault: Vault, shutdown: &CancellationToken) -> anyhow::Result<Keys> {
    vault.check_key().await?;
    let keys = Keys::open(vault).await?;
    tokio::spawn(shutdown.clone().run_until_cancelled_owned(follow(keys.clone())));
    Ok(keys)
}

async fn follow(keys: Keys) {
    let mut tick = tokio::time::interval(LOOK_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut failing = false;
    loop {
        tick.tick().await;
        match keys.refresh().await {
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
pub(crate) struct VaultDesk(pub(crate) Vault);

impl SecretKeeper for VaultDesk {
    fn list(&self, server: &ServerName) -> BoxFuture<'static, Result<Vec<StoredSecret>, SecretRefused>> {
        let (vault, server) = (self.0.clone(), server.clone());
        Box::pin(async move {
            let stored = vault.list(Some(&server)).await.map_err(refused)?.into_iter();
            let told = |one: Stored| {
                let place = SecretPlace { server: server.clone(), principal: one.principal, name: one.name };
                StoredSecret { place, updated_at_ms: one.updated_at_ms }
            };
            Ok(stored.map(told).collect())
        })
    }

    fn store(
        &self,
        by: &Principal,
        place: SecretPlace,
        value: String,
    ) -> BoxFuture<'static, Result<(), SecretRefused>> {
        let (vault, by) = (self.0.clone(), by.id.clone());
        Box::pin(async move {
            let SecretPlace { server, principal, name } = place;
            let value = Secret::new(value);
            vault.set(&by, &server, principal.as_ref(), &name, &value).await.map_err(refused)
        })
    }

    fn remove(&self, by: &Principal, place: SecretPlace) -> BoxFuture<'static, Result<bool, SecretRefused>> {
        let (vault, by) = (self.0.clone(), by.id.clone());
        Box::pin(async move {
            let SecretPlace { server, principal, name } = place;
            vault.remove(&by, &server, principal.as_ref(), &name).await.map_err(refused)
        })
    }
}

fn refused(error: VaultError) -> Refusal {
    let (kind, code) = match &error {
        VaultError::Store(_) => (RefusalKind::Down, "store_down"),
        _ => (RefusalKind::Invalid, "secret_refused"),
    };
    Refusal::new(kind, code, error.to_string())
}
