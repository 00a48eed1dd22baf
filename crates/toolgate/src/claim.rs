//! The stream of the ledger that this gateway writes, claimed for as long as it runs. On SQLite the lock of
//! the data folder is enough; a shared database is asked. Gateways that died for good are noticed by those that
//! go on, which close the calls that were under way there.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::task::JoinSet;
use toolgate_runs::Runs;
use toolgate_store::{
    CLAIM_SILENCE_MAX, ClaimError, GATEWAY_SILENCE_MAX, Outage, Store, StoreError, StreamClaim, StreamWatch,
};

use crate::config::Config;

/// The interval between looks at the other gateways.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// None where no other machine uses the database.
type Watch = Option<StreamWatch>;

pub(crate) struct StreamClaimGuard(Option<(Arc<StreamClaim>, JoinSet<()>)>);

impl StreamClaimGuard {
    /// Its taker holds the lock of the data folder.
    pub(crate) async fn take(config: &Config, store: &Store, endpoint: &str) -> anyhow::Result<Self> {
        if !store.is_shared() {
            return Ok(Self(None));
        }
        let stream = &config.store.stream;
        let shown = shown(endpoint);
        let claimed = store.claim_stream(stream, &place(&config.data)?, &shown).await;
        let claim = Arc::new(claimed.map_err(|error| told(error, stream))?);
        let kept = claim.clone();
        let mut keeping = JoinSet::new();
        keeping.spawn(async move { kept.keep().await });
        Ok(Self(Some((claim, keeping))))
    }

    /// For the writer of the stream.
    pub(crate) fn of_writer(&self) -> Option<Arc<StreamClaim>> {
        self.0.as_ref().map(|(claim, _)| claim.clone())
    }

    /// Watches the other gateways. `unclaimed` is a stream that has no gateway.
    pub(crate) fn watch(&self, config: &Config, endpoint: &str, unclaimed: &str) -> anyhow::Result<Watch> {
        let Some((claim, _)) = &self.0 else { return Ok(None) };
        let except = vec![claim.stream().to_owned(), unclaimed.to_owned()];
        let (place, shown) = (place(&config.data)?, shown(endpoint));
        Ok(Some(StreamWatch::new(claim.store(), except, &place, &shown, GATEWAY_SILENCE_MAX)))
    }

    pub(crate) async fn release(self) {
        if let Some((claim, mut keeping)) = self.0 {
            keeping.shutdown().await;
            claim.release().await;
        }
    }
}

/// Closes the calls of gateways that died for good, as long as this one runs.
pub(crate) async fn close_left_open(mut watch: StreamWatch, store: Store, runs: Arc<Runs>) {
    let mut outage = Outage::default();
    let mut every = tokio::time::interval(LOOK_EVERY);
    every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        every.tick().await;
        let closed = async {
            for claim in watch.look().await? {
                close(&store, &runs, &claim).await?;
            }
            Ok::<(), StoreError>(())
        };
        outage.note("calls of gateways that died are not closed for now", &closed.await);
    }
}

/// A failure leaves the claim behind: once it is silent for long enough, the stream is taken over again.
async fn close(store: &Store, runs: &Runs, claim: &StreamClaim) -> Result<(), StoreError> {
    let stream = claim.stream();
    let closed = store.sweep(stream).await?;
    runs.close_left_open(stream).await?;
    claim.release().await;
    tracing::warn!(
        stream,
        calls = closed.len(),
        "a gateway on this database died; calls it had sent count as unknown"
    );
    for call in &closed {
        tracing::warn!(%call, stream, "the gateway that sent this call died; whether it took effect is not known");
    }
    Ok(())
}

fn shown(endpoint: &str) -> String {
    format!("{endpoint} on {} (pid {})", host(), std::process::id())
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
