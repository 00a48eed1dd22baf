//! The stream of the ledger that this gateway writes, claimed for as long as it runs. On SQLite the lock of
//! the data folder is enough; a shared database is asked.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use tokio::task::JoinSet;
use toolgate_store::{CLAIM_SILENCE_MAX, ClaimError, Store, StreamClaim};

use crate::config::Config;

pub(crate) struct Claim(Option<(Arc<StreamClaim>, JoinSet<()>)>);

impl Claim {
    /// Its taker holds the lock of the data folder.
    pub(crate) async fn take(config: &Config, store: &Store, endpoint: &str) -> anyhow::Result<Self> {
        if !store.is_shared() {
            return Ok(Self(None));
        }
        let stream = &config.store.stream;
        let shown = format!("{endpoint} on {} (pid {})", host(), std::process::id());
        let claimed = store.claim_stream(stream, &place(&config.data)?, &shown).await;
        let claim = Arc::new(claimed.map_err(|error| told(error, stream))?);
        let kept = claim.clone();
        let mut keeping = JoinSet::new();
        keeping.spawn(async move { kept.keep().await });
        Ok(Self(Some((claim, keeping))))
    }

    pub(crate) async fn release(self) {
        if let Some((claim, mut keeping)) = self.0 {
            keeping.shutdown().await;
            claim.release().await;
        }
    }
}

fn told(error: ClaimError, stream: &str) -> anyhow::Error {
    let hint = format!(
        "give each gateway on a database a name of its own: `stream` in `[store]`, such as `{stream}-2` or `${{HOSTNAME}}`; one that \
         was killed gives its name back after {} seconds",
        CLAIM_SILENCE_MAX.as_secs()
    );
    match error {
        ClaimError::Taken(_) => anyhow::anyhow!("{error}\nhint: {hint}"),
        ClaimError::Store(error) => error.into(),
    }
}

/// The data folder, distinguished from those of the same path on other machines.
pub(crate) fn place(data: &Path) -> anyhow::Result<String> {
    let told = || format!("could not look at the data folder {}", data.display());
    let real = data.canonicalize().with_context(told)?;
    let folder = real.metadata().with_context(told)?;
    Ok(format!("{}:{}:{}", host(), folder.ino(), real.display()))
}

fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
