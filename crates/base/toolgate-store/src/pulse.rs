//! The availability of the database. A dedicated connection probes it constantly, so that no other code finds
//! out by waiting: while there is no answer, every statement fails at once, including those in progress. A
//! slow database counts as available: as long as any statement gets an answer, it answers.
//!
//! Only Postgres is probed. SQLite is a file on this machine.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, Executor as _, PgConnection};
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use crate::cut_off::is_cut_off;

/// The pause between probes.
const EVERY: Duration = Duration::from_millis(250);
/// The time after which the held connection is no longer trusted alone.
const DOUBT: Duration = Duration::from_millis(500);
/// The time that it and a fresh connection have from then on. All three together are less than two seconds, the
/// maximum time until a gateway notices that nothing comes back.
const PATIENCE: Duration = Duration::from_millis(900);
/// The unit in which a probe counts time.
const TICK: Duration = Duration::from_millis(50);
const RECENT_MS: u64 = 600;

/// A statement, since a pooler answers for itself to everything else, whether it has a server or not.
const PROBE: &str = "SELECT 1";

const AWAY: &str = "the database does not answer";

pub(crate) struct DbPulse {
    answers: watch::Sender<bool>,
    began: Instant,
    /// The time of the last answered statement, in milliseconds since then.
    answered_ms: AtomicU64,
    probing: TaskTracker,
}

impl Default for DbPulse {
    fn default() -> Self {
        Self {
            answers: watch::Sender::new(true),
            began: Instant::now(),
            answered_ms: AtomicU64::new(0),
            probing: TaskTracker::new(),
        }
    }
}

impl DbPulse {
    /// Probes until the last owner of the pulse is gone.
    pub(crate) fn feel(self: &Arc<Self>, options: PgConnectOptions) {
        self.probing.spawn(beat(options, Arc::downgrade(self)));
    }

    pub(crate) fn is_there(&self) -> bool {
        *self.answers.borrow()
    }

    pub(crate) fn check(&self) -> Result<(), sqlx::Error> {
        if self.is_there() { Ok(()) } else { Err(away()) }
    }

    /// Runs something that ends when the database goes down. Statements that were sent by then may have taken
    /// effect, as with every lost connection.
    pub(crate) async fn during<T>(
        &self,
        work: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, sqlx::Error> {
        self.check()?;
        let mut answers = self.answers.subscribe();
        tokio::select! {
            biased;
            done = work => {
                if done.is_ok() {
                    self.answered_ms.store(self.now_ms(), Ordering::Relaxed);
                }
                done
            }
            // The sender is this pulse itself, which is there.
            _ = answers.wait_for(|answers| !answers) => Err(away()),
        }
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// True if a statement was answered a moment ago.
    fn answered_recently(&self) -> bool {
        self.now_ms().saturating_sub(self.answered_ms.load(Ordering::Relaxed)) < RECENT_MS
    }

    fn note(&self, answers: bool) {
        let changed = self.answers.send_if_modified(|known| std::mem::replace(known, answers) != answers);
        match (changed, answers) {
            (true, false) => tracing::error!("{AWAY}: everything that needs it is refused until it does"),
            (true, true) => tracing::info!("the database answers again"),
            (false, _) => {}
        }
    }
}

async fn beat(options: PgConnectOptions, pulse: Weak<DbPulse>) {
    let mut held = None;
    loop {
        tokio::time::sleep(EVERY).await;
        let felt = probe(&options, &mut held).await;
        let Some(pulse) = pulse.upgrade() else { return };
        match felt {
            Felt::Answers => pulse.note(true),
            Felt::Refuses => pulse.note(false),
            Felt::Silent if pulse.answered_recently() => {}
            Felt::Silent => pulse.note(false),
        }
    }
}

enum Felt {
    Answers,
    Refuses,
    Silent,
}

/// Asks on the held connection. One that the server cut is replaced at once, and beside one that says nothing a
/// fresh one is opened: a single connection does not show that the database is down.
async fn probe(options: &PgConnectOptions, held: &mut Option<PgConnection>) -> Felt {
    let ping = ping(held.take());
    tokio::pin!(ping);
    match within(DOUBT, &mut ping).await {
        Some(Some(connection)) => {
            *held = Some(connection);
            return Felt::Answers;
        }
        Some(None) => return connect(options, held).await,
        None => {}
    }
    let mut fresh = None;
    let felt = tokio::select! {
        Some(connection) = &mut ping => {
            *held = Some(connection);
            return Felt::Answers;
        }
        felt = connect(options, &mut fresh) => felt,
    };
    *held = fresh;
    felt
}

/// The connection, if it still answers.
async fn ping(connection: Option<PgConnection>) -> Option<PgConnection> {
    let mut connection = connection?;
    connection.execute(PROBE).await.ok().map(|_| connection)
}

async fn open(options: &PgConnectOptions) -> Result<PgConnection, sqlx::Error> {
    let mut connection = PgConnection::connect_with(options).await?;
    connection.execute(PROBE).await?;
    Ok(connection)
}

async fn connect(options: &PgConnectOptions, held: &mut Option<PgConnection>) -> Felt {
    match within(PATIENCE, open(options)).await {
        Some(Ok(connection)) => {
            *held = Some(connection);
            Felt::Answers
        }
        // A server that returns an error is up.
        Some(Err(error)) if matches!(error, sqlx::Error::Database(_)) && !is_cut_off(&error) => Felt::Answers,
        Some(Err(_)) => Felt::Refuses,
        None => Felt::Silent,
    }
}

/// A limit in time that this task was awake for: a machine that stands still for a while makes nothing silent.
async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    tokio::pin!(work);
    let mut awake = Duration::ZERO;
    while awake < limit {
        match tokio::time::timeout(TICK, &mut work).await {
            Ok(done) => return Some(done),
            Err(_) => awake += TICK,
        }
    }
    None
}

fn away() -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::NotConnected, AWAY))
}
