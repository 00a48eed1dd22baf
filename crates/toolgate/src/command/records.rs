//! The common needs of commands that read or change the registry and the vault: they work on the store
//! itself, with or without a running gateway. A running one notices.

use std::sync::Arc;

use toolgate_core::PrincipalId;
use toolgate_credentials::Vault;
use toolgate_registry::{Records, Refusal};
use toolgate_store::{Books, Store};

use super::context::Context;
use crate::config::Config;
use crate::governance::{COMMAND_STREAM, SystemClock, books_settings};
use crate::keyring;
use crate::local::open_store;

/// The store and its writers.
pub(super) struct RecordsContext {
    pub(super) config: Config,
    pub(super) store: Store,
    pub(super) records: Records,
    books: Arc<Books>,
}

impl RecordsContext {
    /// With the configuration as written.
    pub(super) async fn open(context: &Context) -> anyhow::Result<Self> {
        Self::of(context.config_as_written()?).await
    }

    pub(super) async fn of(config: Config) -> anyhow::Result<Self> {
        let store = open_store(&config).await?;
        let books = Arc::new(store.books(books_settings(&config, COMMAND_STREAM)).await?);
        let records = Records::new(store.clone(), books.clone(), Arc::new(SystemClock::default()));
        Ok(Self { config, store, records, books })
    }

    /// The vault, with its key; the first time a key is made, unless the configuration names one.
    pub(super) fn vault(&self) -> anyhow::Result<Vault> {
        let key = keyring::key(&self.config)?;
        Ok(Vault::new(self.store.clone(), self.books.clone(), key))
    }

    pub(super) async fn close(self) {
        self.books.writer().close().await;
        self.store.close().await;
    }
}

/// The author: the user who can read the data folder.
pub(super) fn person() -> PrincipalId {
    PrincipalId::local()
}

/// A refusal as commands tell it.
pub(super) fn told(refusal: Refusal) -> anyhow::Error {
    let Refusal { message, hint, field, .. } = refusal;
    let place = field.map(|field| format!("`{field}`: ")).unwrap_or_default();
    match hint.is_empty() {
        true => anyhow::anyhow!("{place}{message}"),
        false => anyhow::anyhow!("{place}{message}\nhint: {hint}"),
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::codes;

    use super::*;

    #[test]
    fn a_refusal_names_the_place_and_what_to_do() {
        let refusal = Refusal::new(&codes::INVALID_SETTING, "this is not a URL");
        assert_eq!(told(refusal.clone()).to_string(), "this is not a URL");
        let refusal = refusal.field("value[0].url").hint("start with https");
        assert_eq!(told(refusal).to_string(), "`value[0].url`: this is not a URL\nhint: start with https");
    }
}
