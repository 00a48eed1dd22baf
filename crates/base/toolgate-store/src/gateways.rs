//! The assignment of ledger streams to gateways. Two gateways on the same stream would close each other's
//! calls as left over, so a gateway claims a stream before it writes to it, and keeps the claim alive.
//!
//! Clocks of different machines are not compared: a gateway that finds a stream claimed watches for a sign of
//! life. Gateways that run watch each other: a claim that stays silent is taken over, the calls that its
//! gateway had sent are closed, and the claim ends. A gateway that returns after that claims its stream again;
//! its writer notices the new tenure and does not write the ends of the calls that were closed.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::clock::now_ms;
use crate::db::{Dialect, Lane, Transaction};
use crate::error::{doing, random_bytes};
use crate::row::row;
use crate::{Store, StoreError};

/// The interval between signs of life of a claim.
const BEAT: Duration = Duration::from_secs(3);
/// A claim without a sign of life for this long has ended.
pub const CLAIM_SILENCE_MAX: Duration = Duration::from_secs(10);
/// The same, as the gateways that go on see it: longer than a statement may take, since the calls of a
/// gateway that was only slow are closed as unknown.
pub const GATEWAY_SILENCE_MAX: Duration = Duration::from_secs(20);
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
pub(crate) const IS_HELD: &str =
    "SELECT beat FROM gateways WHERE tenant = $1 AND stream = $2 AND holder = $3";
/// Streams with calls that were sent, and without a gateway.
const UNCLAIMED: &str = "SELECT DISTINCT stream FROM open_calls WHERE tenant = $1 AND paused_at_ms IS NULL
    AND NOT EXISTS (SELECT 1 FROM gateways WHERE gateways.tenant = open_calls.tenant
        AND gateways.stream = open_calls.stream)";

const CLAIMING: &str = "claim a stream of the ledger";
const WATCHING: &str = "watch the other gateways";

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
    place: String,
    shown: String,
    tenure: Mutex<Tenure>,
    is_lost: AtomicBool,
    /// The other claim of this stream, as it was seen last, after this one was lost.
    watched: tokio::sync::Mutex<Watched>,
}

/// The time for which a claim was held without interruption.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tenure {
    pub(crate) number: u64,
    holder: Arc<str>,
}

/// A claim of another gateway, and since when it shows no sign of life.
type Watched = Option<(StoredGateway, Instant)>;

/// The end of one attempt to claim a stream.
enum Attempt {
    Claimed,
    /// Another gateway shows signs of life.
    Taken(Box<StoredGateway>),
    /// Another gateway has it, and is silent for now.
    Waiting,
}

impl Tenure {
    fn fresh(number: u64) -> Result<Self, StoreError> {
        let holder = format!("{:032x}", u128::from_be_bytes(random_bytes()?));
        Ok(Self { number, holder: holder.into() })
    }

    /// Its name in the table of claims.
    pub(crate) fn holder(&self) -> &str {
        &self.holder
    }

    /// True if it has not ended. Asked after the head of the stream was locked, it holds until the end of the
    /// transaction: a gateway that takes a stream over waits for the head before it closes calls.
    pub(crate) async fn is_held(
        &self,
        tx: &mut Transaction,
        tenant: &str,
        stream: &str,
    ) -> Result<bool, sqlx::Error> {
        let look = tx.sql(IS_HELD).bind(tenant).bind(stream).bind(&*self.holder);
        Ok(look.fetch_optional::<(i64,)>().await?.is_some())
    }
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
        let claim = StreamClaim::new(self, stream, place, shown)?;
        let (tenure, mut watched) = (claim.tenure(), None);
        loop {
            match claim.attempt(&tenure, &mut watched).await? {
                Attempt::Claimed => return Ok(claim),
                Attempt::Taken(there) => return Err(ClaimError::Taken(there)),
                Attempt::Waiting => tokio::time::sleep(LOOK).await,
            }
        }
    }
}

impl StreamClaim {
    fn new(store: &Store, stream: &str, place: &str, shown: &str) -> Result<Self, StoreError> {
        Ok(Self {
            store: store.clone(),
            stream: stream.to_owned(),
            place: place.to_owned(),
            shown: shown.to_owned(),
            tenure: Mutex::new(Tenure::fresh(1)?),
            is_lost: AtomicBool::new(false),
            watched: tokio::sync::Mutex::default(),
        })
    }

    pub fn stream(&self) -> &str {
        &self.stream
    }

    /// The store that it is a claim in.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// False while another gateway has the stream, as far as this one knows.
    pub fn is_held(&self) -> bool {
        !self.is_lost.load(Ordering::Relaxed)
    }

    pub(crate) fn tenure(&self) -> Tenure {
        self.tenure.lock().clone()
    }

    async fn attempt(&self, tenure: &Tenure, watched: &mut Watched) -> Result<Attempt, StoreError> {
        if self.added(tenure).await? {
            return Ok(Attempt::Claimed);
        }
        let Some(there) = self.there().await? else { return Ok(Attempt::Waiting) };
        let since = match watched.take() {
            // The same claim with another beat is alive.
            Some((before, _)) if before.holder == there.holder && before.beat != there.beat => {
                return Ok(Attempt::Taken(Box::new(there)));
            }
            Some((before, since)) if before.holder == there.holder => since,
            _ => Instant::now(),
        };
        // The holder of a data folder's lock is the successor of the previous holder.
        let is_over = there.place == self.place || since.elapsed() >= CLAIM_SILENCE_MAX;
        if is_over && self.took_over(tenure, &there).await? {
            return Ok(Attempt::Claimed);
        }
        *watched = Some((there, since));
        Ok(Attempt::Waiting)
    }

    async fn added(&self, tenure: &Tenure) -> Result<bool, StoreError> {
        let add = self.store.db.sql(ADD).bind(self.store.tenant).bind(&*self.stream).bind(&*tenure.holder);
        let add = add.bind(&*self.place).bind(&*self.shown).bind(now_ms());
        Ok(add.execute().await.map_err(doing(CLAIMING))? == 1)
    }

    async fn there(&self) -> Result<Option<StoredGateway>, StoreError> {
        let read = self.store.db.sql(READ_ONE).bind(self.store.tenant).bind(&*self.stream);
        read.fetch_optional().await.map_err(doing(CLAIMING))
    }

    async fn took_over(&self, tenure: &Tenure, from: &StoredGateway) -> Result<bool, StoreError> {
        let take =
            self.store.db.sql(TAKE_OVER).bind(self.store.tenant).bind(&*self.stream).bind(&*tenure.holder);
        let take = take.bind(&*self.place).bind(&*self.shown).bind(now_ms());
        let take = take.bind(&*from.holder).bind(from.beat);
        Ok(take.execute().await.map_err(doing(CLAIMING))? == 1)
    }

    /// Shows signs of life, and claims the stream again where another gateway took this one for dead.
    pub async fn keep(&self) {
        let mut every = tokio::time::interval(BEAT);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            every.tick().await;
            if let Err(error) = self.beat().await {
                tracing::debug!(%error, "no sign of life for the claim of this gateway's stream");
            }
        }
    }

    /// One sign of life. A claim that was lost is taken up again once the other gateway has let go of the
    /// stream; until then this is `false`, and nothing is written to the stream.
    pub async fn beat(&self) -> Result<bool, StoreError> {
        let tenure = self.tenure();
        let beat = self.store.db.sql_on(Lane::Writer, BEAT_ONCE).bind(self.store.tenant).bind(&*self.stream);
        let beat = beat.bind(&*tenure.holder).bind(now_ms());
        if beat.execute().await.map_err(doing(CLAIMING))? == 1 {
            return Ok(true);
        }
        if !self.is_lost.swap(true, Ordering::Relaxed) {
            tracing::error!(
                stream = self.stream,
                "another gateway took over this stream of the ledger while this one was silent: calls that were under way count as unknown, and others are refused until the stream is free"
            );
        }
        let next = Tenure::fresh(tenure.number + 1)?;
        let mut watched = self.watched.lock().await;
        if !matches!(self.attempt(&next, &mut watched).await?, Attempt::Claimed) {
            return Ok(false);
        }
        // Before the writer learns of the new tenure: what is open by now was sent in the old one.
        let closed = self.store.sweep(&self.stream).await?.len();
        *self.tenure.lock() = next;
        self.is_lost.store(false, Ordering::Relaxed);
        tracing::info!(stream = self.stream, closed, "this gateway writes its stream of the ledger again");
        Ok(true)
    }

    /// Lets others have the stream at once.
    pub async fn release(&self) {
        let tenure = self.tenure();
        let release =
            self.store.db.sql(RELEASE).bind(self.store.tenant).bind(&*self.stream).bind(&*tenure.holder);
        if let Err(error) = release.execute().await {
            tracing::debug!(%error, "the claim of this gateway's stream ends by itself");
        }
    }
}

/// Watches the streams of other gateways for those that died for good.
pub struct StreamWatch {
    store: Store,
    /// Streams that are not watched: the gateway's own, and those that are never claimed.
    except: Vec<String>,
    place: String,
    shown: String,
    silence_max: Duration,
    /// The last sign of life of each stream, and when it was first seen. An unclaimed stream has none.
    seen: HashMap<String, (Option<(String, i64)>, Instant)>,
    looked: Instant,
}

impl StreamWatch {
    pub fn new(store: &Store, except: Vec<String>, place: &str, shown: &str, silence_max: Duration) -> Self {
        let (place, shown) = (place.to_owned(), shown.to_owned());
        let (store, seen, looked) = (store.clone(), HashMap::new(), Instant::now());
        Self { store, except, place, shown, silence_max, seen, looked }
    }

    /// Looks once, and takes over the streams whose gateways have been silent for too long. The caller closes
    /// what is open in them and then releases them. Of several gateways that watch, one gets each.
    pub async fn look(&mut self) -> Result<Vec<StreamClaim>, StoreError> {
        // Silence counts only while this process runs and the database can be asked: all of them may have been
        // stopped together.
        let before = std::mem::replace(&mut self.looked, Instant::now());
        if before.elapsed() > self.silence_max / 2 {
            self.seen.clear();
        }
        let signs = match self.signs().await {
            Ok(signs) => signs,
            Err(error) => {
                self.seen.clear();
                return Err(error);
            }
        };
        self.seen.retain(|stream, _| signs.iter().any(|(there, _)| there == stream));
        let mut taken = Vec::new();
        for (stream, claimed) in signs {
            let sign = claimed.as_ref().map(|there| (there.holder.clone(), there.beat));
            let silent_since = match self.seen.get(&stream) {
                Some((before, since)) if *before == sign => *since,
                _ => Instant::now(),
            };
            self.seen.insert(stream.clone(), (sign, silent_since));
            if silent_since.elapsed() >= self.silence_max {
                taken.extend(self.take(&stream, claimed).await?);
            }
        }
        Ok(taken)
    }

    async fn signs(&self) -> Result<Vec<(String, Option<StoredGateway>)>, StoreError> {
        let unclaimed = self.store.db.sql(UNCLAIMED).bind(self.store.tenant);
        let unclaimed: Vec<(String,)> = unclaimed.fetch_all().await.map_err(doing(WATCHING))?;
        let claimed = self.store.read_gateways().await?;
        let claimed = claimed.into_iter().map(|there| (there.stream.clone(), Some(there)));
        let all = claimed.chain(unclaimed.into_iter().map(|(stream,)| (stream, None)));
        Ok(all.filter(|(stream, _)| !self.except.contains(stream)).collect())
    }

    async fn take(
        &self,
        stream: &str,
        from: Option<StoredGateway>,
    ) -> Result<Option<StreamClaim>, StoreError> {
        let claim = StreamClaim::new(&self.store, stream, &self.place, &self.shown)?;
        let tenure = claim.tenure();
        let is_taken = match from {
            Some(from) => claim.took_over(&tenure, &from).await?,
            None => claim.added(&tenure).await?,
        };
        Ok(is_taken.then_some(claim))
    }
}
