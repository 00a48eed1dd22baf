//! Leases: which run works on which application, and until when.
//!
//! A lease that is over gives a job back only if nothing was sent. Of one that ended while the application was being sent nobody
//! knows the outcome, so it comes before a person.

use capability_kit::{Caller, Trouble};

use super::application::{ApplicationRow, EvidenceFields};
use super::caller::{CallerTransaction, JobRecords};
use crate::db::Locking;
use crate::db::row::row;
use crate::state::{ApplicationState, MoveCause};

/// Leases that one call ends for others.
const LAPSED: &str = "SELECT a.* FROM applications a
    WHERE a.state IN ('leased', 'submitting') AND a.lease_until_ms <= $1 ORDER BY a.lease_until_ms LIMIT 100";
const HELD: &str = "SELECT a.* FROM applications a
    WHERE a.holder = $1 AND a.state IN ('leased', 'submitting') ORDER BY a.id";
const NEXT: &str = "SELECT a.* FROM applications a JOIN jobs j ON j.id = a.job
    WHERE a.user_id = $1 AND a.state = 'pending' AND (j.valid_until_ms IS NULL OR j.valid_until_ms > $2)
    ORDER BY a.id LIMIT $3";
const LEFT: &str = "SELECT COUNT(*) FROM applications a JOIN jobs j ON j.id = a.job
    WHERE a.user_id = $1 AND a.state = 'pending' AND (j.valid_until_ms IS NULL OR j.valid_until_ms > $2)";
const OWN: &str = "SELECT a.id AS application, a.version, a.state, a.lease_until_ms, j.id AS job, j.title, j.company,
        j.place, j.url, j.canonical_key, j.posting
    FROM applications a JOIN jobs j ON j.id = a.job
    WHERE a.user_id = $1 AND a.holder = $2 AND a.state IN ('leased', 'submitting', 'needs_person') ORDER BY a.id";
/// Jobs that one run has of one person at a time.
pub(crate) const LEASES_MAX: usize = 50;

row! {
    /// An application of this run, with its job.
    pub(crate) struct LeasedJob {
        pub(crate) application: String,
        pub(crate) version: i64,
        pub(crate) state: String,
        pub(crate) lease_until_ms: i64,
        pub(crate) job: String,
        pub(crate) title: String,
        pub(crate) company: String,
        pub(crate) place: String,
        pub(crate) url: String,
        pub(crate) canonical_key: String,
        pub(crate) posting: String,
    }
}

impl JobRecords {
    /// A run or a session will not come back. If the database is away, its leases run out by themselves.
    pub(crate) async fn release(&self, caller: &Caller) -> Result<(), Trouble> {
        let mut begun = self.begin_quietly(caller).await?;
        let result = begun.end_own().await;
        begun.finish(result).await
    }
}

impl CallerTransaction {
    /// Leases the next jobs, so that this run has up to `limit`. Those that it has already come first: a call that is repeated has
    /// the same answer.
    pub(crate) async fn lease(&mut self, user: &str, limit: usize) -> Result<Vec<LeasedJob>, Trouble> {
        let is_leased = |job: &&LeasedJob| job.state == ApplicationState::Leased.as_str();
        let leased = self.own(user).await?.iter().filter(is_leased).count();
        let wanted = limit.min(LEASES_MAX).saturating_sub(leased);
        let next = self.tx.sql_locking(NEXT, Locking::Skip).bind(user).bind(self.now_ms);
        let next: Vec<ApplicationRow> = next.bind(i64::try_from(wanted).unwrap_or(0)).fetch_all().await?;
        for mut row in next {
            row.reason = None;
            self.change(row, ApplicationState::Leased, MoveCause::Lease, &EvidenceFields::default()).await?;
        }
        self.own(user).await
    }

    async fn own(&mut self, user: &str) -> Result<Vec<LeasedJob>, Trouble> {
        self.tx.sql(OWN).bind(user).bind(&self.holder).fetch_all().await
    }

    /// Jobs of a person that nobody has.
    pub(crate) async fn pending_left(&mut self, user: &str) -> Result<i64, Trouble> {
        let left: Option<(i64,)> = self.tx.sql(LEFT).bind(user).bind(self.now_ms).fetch_optional().await?;
        Ok(left.map_or(0, |(left,)| left))
    }

    pub(super) async fn end_lapsed(&mut self) -> Result<(), Trouble> {
        let lapsed = self.tx.sql_locking(LAPSED, Locking::Skip).bind(self.now_ms);
        let lapsed: Vec<ApplicationRow> = lapsed.fetch_all().await?;
        for row in lapsed {
            self.end_lease(row, "the lease of").await?;
        }
        Ok(())
    }

    pub(super) async fn without_lapsed_lease(
        &mut self,
        row: ApplicationRow,
    ) -> Result<ApplicationRow, Trouble> {
        if row.state()?.is_held() && row.lease_until_ms <= self.now_ms {
            return self.end_lease(row, "the lease of").await;
        }
        Ok(row)
    }

    async fn end_own(&mut self) -> Result<(), Trouble> {
        let held = self.tx.sql_locking(HELD, Locking::Wait).bind(&self.holder);
        let held: Vec<ApplicationRow> = held.fetch_all().await?;
        for row in held {
            self.end_lease(row, "the work of").await?;
        }
        Ok(())
    }

    async fn end_lease(&mut self, mut row: ApplicationRow, what: &str) -> Result<ApplicationRow, Trouble> {
        let holder = row.holder.as_deref().unwrap_or("a run");
        let (to, reason) = match row.state()? {
            ApplicationState::Submitting => (
                ApplicationState::NeedsPerson,
                format!("{what} {holder} ended while it was being sent: the outcome is unknown"),
            ),
            _ => (ApplicationState::Pending, format!("{what} {holder} ended before anything was sent")),
        };
        row.reason = Some(reason);
        self.change(row, to, MoveCause::LeaseEnd, &EvidenceFields::default()).await
    }
}
