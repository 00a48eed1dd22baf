//! The transaction of one call: for whom it is, when it is, and the leases that it renews.

use std::time::Duration;

use capability_kit::{Caller, Trouble, TroubleCode};
use tokio::sync::OnceCell;

use crate::clock::JobClock;
use crate::db::open::DatabasePlace;
use crate::db::{JobDatabase, JobTransaction, Locking};

const OWN_LEASES: &str = "SELECT a.id FROM applications a
    WHERE a.holder = $1 AND a.state IN ('leased', 'submitting') AND a.lease_until_ms > $2";
const RENEW: &str = "UPDATE applications SET lease_until_ms = $2 WHERE id = $1";

/// The database behind the tools, opened by the first call.
pub struct JobRecords {
    place: Option<DatabasePlace>,
    database: OnceCell<JobDatabase>,
    clock: JobClock,
    lease: Duration,
    /// The holder of leases of callers that no gateway names.
    local: String,
}

/// One call's transaction.
pub(crate) struct CallerTransaction {
    pub(super) tx: JobTransaction,
    pub(super) now_ms: i64,
    pub(super) lease_until_ms: i64,
    pub(super) caller: Caller,
    pub(super) holder: String,
}

impl JobRecords {
    pub fn new(place: Option<DatabasePlace>, clock: JobClock, lease: Duration) -> Self {
        let local = format!("local:{}", uuid::Uuid::now_v7().simple());
        Self { place, database: OnceCell::new(), clock, lease, local }
    }

    /// Begins the transaction of a call. Leases of the caller's run go on, and those that ran out end.
    pub(crate) async fn begin(&self, caller: &Caller) -> Result<CallerTransaction, Trouble> {
        let mut begun = self.begin_quietly(caller).await?;
        begun.renew().await?;
        begun.end_lapsed().await?;
        Ok(begun)
    }

    /// The same without a look at leases.
    pub(crate) async fn begin_quietly(&self, caller: &Caller) -> Result<CallerTransaction, Trouble> {
        let tx = self.database().await?.begin().await?;
        let now_ms = self.clock.now_ms();
        let lease_ms = i64::try_from(self.lease.as_millis()).unwrap_or(i64::MAX);
        let lease_until_ms = now_ms.saturating_add(lease_ms);
        // Postgres takes no NUL character.
        let clean = |id: &Option<String>| id.as_ref().map(|id| id.replace('\0', ""));
        let caller = Caller { session: clean(&caller.session), run: clean(&caller.run) };
        let holder = self.holder(&caller);
        Ok(CallerTransaction { tx, now_ms, lease_until_ms, caller, holder })
    }

    async fn database(&self) -> Result<&JobDatabase, Trouble> {
        let place = self.place.as_ref().ok_or_else(nowhere)?;
        self.database.get_or_try_init(|| JobDatabase::open(place)).await.map_err(|error| {
            tracing::error!(%error, "the database cannot be opened");
            Trouble::unavailable(error.to_string())
                .hint("the operator of the server names the database with --data or --database")
        })
    }

    /// A run keeps its leases across sessions; without a run, the session has them.
    fn holder(&self, caller: &Caller) -> String {
        match (&caller.run, &caller.session) {
            (Some(run), _) => format!("run:{run}"),
            (None, Some(session)) => format!("session:{session}"),
            (None, None) => self.local.clone(),
        }
    }

    pub(crate) async fn close(&self) {
        if let Some(database) = self.database.get() {
            database.close().await;
        }
    }
}

/// The server was not told where its data are.
pub(crate) fn nowhere() -> Trouble {
    Trouble::unavailable("no database was named, so nothing is kept")
        .hint("start the server with --data FOLDER, or with --database and the URL of a Postgres database of its own")
}

impl CallerTransaction {
    /// Ends it with the call's result. A refusal comes before anything is written, so that only what time has changed is kept; of
    /// a failure nothing is.
    pub(crate) async fn finish<T>(self, result: Result<T, Trouble>) -> Result<T, Trouble> {
        let is_failure =
            |trouble: &Trouble| matches!(trouble.code, TroubleCode::Unavailable | TroubleCode::Internal);
        match result {
            Err(trouble) if is_failure(&trouble) => Err(trouble),
            result => {
                self.tx.commit().await?;
                result
            }
        }
    }

    /// Rows that another call of the same run holds are renewed by that one.
    async fn renew(&mut self) -> Result<(), Trouble> {
        let own = self.tx.sql_locking(OWN_LEASES, Locking::Skip).bind(&self.holder).bind(self.now_ms);
        let own: Vec<(String,)> = own.fetch_all().await?;
        for (id,) in own {
            self.tx.sql(RENEW).bind(id).bind(self.lease_until_ms).execute().await?;
        }
        Ok(())
    }
}
