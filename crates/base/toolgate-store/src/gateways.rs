//! The assignment of ledger streams to gateways. Two gateways on the same stream would close each other's
//! calls as left over, so a gateway claims a stream before it writes to it, and keeps the claim alive.
//!
//! Clocks of different machines are not compared: a gateway that finds a stream claimed watches for a sign of
//! life.

use std::time::{Duration, Instant};

use crate::db::Dialect;
use crate::error::{doing, random_bytes};
use crate::row::row;
use crate::{Store, StoreError, now_ms};

/// The interval between signs of life of a claim.
const BEAT: Duration = Duration::from_secs(3);
/// A claim without a sign of life for this long has ended.
pub const CLAIM_SILENCE_MAX: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(500);

const READ: &str =
    "SELECT stream, holder, place, shown, since_ms, seen_ms, beat FROM gateways WHERE tenant = $1
    ORDER BY stream";
const READ_ONE: &str = "SELECT stream, holder, place, shown, since_ms, seen_ms, beat FROM gateways
    WHERE tenant = $1 AND stream = $2";
const ADD: &str = "INSERT INTO gateways (tenant, stream, holder, place, shown, since_ms, seen_ms, beat)
    VALUES ($1, $2, $3, $4, $5, $6, $6, 1) ON CONFLICT DO NOTHING";
/// Only if the claim is unchanged since it was read.
const TAKE_OVER: &str =
    "UPDATE gateways SET holder = $3, place = $4, shown = $5, since_ms = $6, seen_ms = $6, beat = 1
    WHERE tenant = $1 AND stream = $2 AND holder = $7 AND beat = $8";
const BEAT_ONCE: &str =
    "UPDATE gateways SET beat = beat + 1, seen_ms = $4 WHERE tenant = $1 AND stream = $2 AND holder = $3";
const RELEASE: &str = "DELETE FROM gateways WHERE tenant = $1 AND stream = $2 AND holder = $3";

const CLAIMING: &str = "claim a stream of the ledger";

row! {
    /// A gateway that writes, or wrote, a stream.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct StoredGateway {
        pub stream: String,
        /// The path of its data folder; no other gateway runs on the same one.
        pub place: String,
        /// Its name for people.
        pub shown: String,
        pub since_ms: i64,
        pub seen_ms: i64,
        holder: String,
        beat: i64,
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    #[error("the stream {:?} is written by another gateway: {}", .0.stream, .0.shown)]
    Taken(Box<StoredGateway>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Held while a gateway writes a stream.
pub struct StreamClaim {
    store: Store,
    stream: String,
    holder: String,
}

impl Store {
    /// True if other machines may use the same database.
    pub fn is_shared(&self) -> bool {
        self.db.dialect() == Dialect::Postgres
    }

    /// The gateways that claim a stream, by its name.
    pub async fn read_gateways(&self) -> Result<Vec<StoredGateway>, StoreError> {
        self.db.sql(READ).bind(self.tenant).fetch_all().await.map_err(doing("read the gateways"))
    }

    /// Claims a stream for the gateway that holds the lock of the data folder at `place`. If another gateway
    /// has claimed it, this waits for a sign of life from that one.
    pub async fn claim_stream(
        &self,
        stream: &str,
        place: &str,
        shown: &str,
    ) -> Result<StreamClaim, ClaimError> {
        let holder = format!("{:032x}", u128::from_be_bytes(random_bytes()?));
        let claim = StreamClaim { store: self.clone(), stream: stream.to_owned(), holder };
        let mut watched: Option<(StoredGateway, Instant)> = None;
        while !claim.added(place, shown).await? {
            let Some(there) = claim.there().await? else { continue };
            let since = match &watched {
                // The same claim with another beat is alive.
                Some((before, _)) if before.holder == there.holder && before.beat != there.beat => {
                    return Err(ClaimError::Taken(Box::new(there)));
                }
                Some((before, since)) if before.holder == there.holder => *since,
                _ => Instant::now(),
            };
            // The holder of a data folder's lock is the successor of the previous holder.
            let is_over = there.place == place || since.elapsed() >= CLAIM_SILENCE_MAX;
            if is_over && claim.took_over(&there, place, shown).await? {
                break;
            }
            watched = Some((there, since));
            tokio::time::sleep(LOOK).await;
        }
        Ok(claim)
    }
}

impl StreamClaim {
    async fn added(&self, place: &str, shown: &str) -> Result<bool, StoreError> {
        let add = self.store.db.sql(ADD).bind(self.store.tenant).bind(&*self.stream).bind(&*self.holder);
        let added = add.bind(place).bind(shown).bind(now_ms()).execute().await.map_err(doing(CLAIMING))?;
        Ok(added == 1)
    }

    async fn there(&self) -> Result<Option<StoredGateway>, StoreError> {
        let read = self.store.db.sql(READ_ONE).bind(self.store.tenant).bind(&*self.stream);
        read.fetch_optional().await.map_err(doing(CLAIMING))
    }

    async fn took_over(&self, from: &StoredGateway, place: &str, shown: &str) -> Result<bool, StoreError> {
        let take =
            self.store.db.sql(TAKE_OVER).bind(self.store.tenant).bind(&*self.stream).bind(&*self.holder);
        let take = take.bind(place).bind(shown).bind(now_ms()).bind(&*from.holder).bind(from.beat);
        Ok(take.execute().await.map_err(doing(CLAIMING))? == 1)
    }

    /// Shows signs of life until the claim is lost to another gateway, which took this one for dead.
    pub async fn keep(&self) {
        let mut every = tokio::time::interval(BEAT);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            every.tick().await;
            let beat =
                self.store.db.sql(BEAT_ONCE).bind(self.store.tenant).bind(&*self.stream).bind(&*self.holder);
            match beat.bind(now_ms()).execute().await {
                Ok(0) => {
                    tracing::error!(
                        stream = self.stream,
                        "another gateway took over this stream of the ledger while this one was silent; stop one of them, or give each a `stream` of its own in `[store]`"
                    );
                    return;
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::debug!(%error, "no sign of life for the claim of this gateway's stream")
                }
            }
        }
    }

    /// Lets others have the stream at once.
    pub async fn release(&self) {
        let release =
            self.store.db.sql(RELEASE).bind(self.store.tenant).bind(&*self.stream).bind(&*self.holder);
        if let Err(error) = release.execute().await {
            tracing::debug!(%error, "the claim of this gateway's stream ends by itself");
        }
    }
}
