//! One application: its row, the way to find it, and the one function that changes its state and writes the event.

use capability_kit::{Trouble, TroubleCode};
use serde_json::json;

use super::caller::CallerTransaction;
use crate::db::Locking;
use crate::db::row::row;
use crate::state::{ApplicationState, MoveCause};

const BY_ID: &str = "SELECT a.* FROM applications a WHERE a.id = $1";
const BY_JOB: &str = "SELECT a.* FROM applications a WHERE a.user_id = $1 AND a.job = $2";
const MOVE: &str =
    "UPDATE applications SET state = $3, version = version + 1, holder = $4, lease_until_ms = $5,
    reason = $6, recorded_status = $7, evidence_url = $8, evidence_text = $9, evidence_screenshot = $10,
    record_key = $11, updated_at_ms = $12 WHERE id = $1 AND version = $2";
const EVENT: &str = "INSERT INTO events
    (application, version, at_ms, kind, from_state, to_state, session, run, reason, evidence)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

row! {
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub(crate) struct ApplicationRow {
        pub(crate) id: String,
        pub(crate) user_id: String,
        pub(crate) job: String,
        pub(super) state: String,
        pub(crate) version: i64,
        pub(super) holder: Option<String>,
        pub(super) lease_until_ms: i64,
        pub(super) reason: Option<String>,
        pub(super) recorded_status: Option<String>,
        pub(super) evidence_url: Option<String>,
        pub(super) evidence_text: Option<String>,
        pub(super) evidence_screenshot: Option<String>,
        pub(super) record_key: Option<String>,
    }
}

/// Signs that an application was sent, or was not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct EvidenceFields {
    pub(crate) url: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) screenshot_ref: Option<String>,
}

impl EvidenceFields {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn written(&self) -> Option<String> {
        let evidence = json!({ "url": self.url, "text": self.text, "screenshot_ref": self.screenshot_ref });
        (!self.is_empty()).then(|| evidence.to_string())
    }
}

impl ApplicationRow {
    /// The table allows no other words.
    pub(crate) fn state(&self) -> Result<ApplicationState, Trouble> {
        ApplicationState::parse(&self.state)
            .ok_or_else(|| Trouble::internal(format!("{} is in the unknown state {:?}", self.id, self.state)))
    }

    pub(super) fn evidence(&self) -> EvidenceFields {
        EvidenceFields {
            url: self.evidence_url.clone(),
            text: self.evidence_text.clone(),
            screenshot_ref: self.evidence_screenshot.clone(),
        }
    }

    pub(super) fn keep_evidence(&mut self, evidence: &EvidenceFields) {
        if !evidence.is_empty() {
            let EvidenceFields { url, text, screenshot_ref } = evidence.clone();
            (self.evidence_url, self.evidence_text, self.evidence_screenshot) = (url, text, screenshot_ref);
        }
    }
}

impl CallerTransaction {
    /// Reads an application to change it, with a lease that ran out taken away.
    pub(super) async fn application(&mut self, id: &str) -> Result<ApplicationRow, Trouble> {
        let found = self.tx.sql_locking(BY_ID, Locking::Wait).bind(id).fetch_optional().await?;
        let row = found.ok_or_else(|| {
            Trouble::bad_arguments(format!("there is no application {id:?}"))
                .hint("get_pending_jobs and list_applications have the ids")
        })?;
        self.without_lapsed_lease(row).await
    }

    /// The same for a person and a job.
    pub(super) async fn application_of(&mut self, user: &str, job: &str) -> Result<ApplicationRow, Trouble> {
        let found = self.tx.sql_locking(BY_JOB, Locking::Wait).bind(user).bind(job).fetch_optional().await?;
        let row = found.ok_or_else(|| {
            Trouble::bad_arguments(format!("{user:?} has no job {job:?}"))
                .hint("get_pending_jobs has the ids of jobs; import_jobs adds jobs for a person")
        })?;
        self.without_lapsed_lease(row).await
    }

    /// Changes the state and writes the event, as one. `row` is what it will be, but for state, version and holder.
    pub(super) async fn change(
        &mut self,
        mut row: ApplicationRow,
        to: ApplicationState,
        by: MoveCause,
        evidence: &EvidenceFields,
    ) -> Result<ApplicationRow, Trouble> {
        let from = row.state()?;
        debug_assert!(from.may_become(to, by), "{from} to {to} by {by:?}");
        let before = row.version;
        match to {
            ApplicationState::Leased => {
                (row.holder, row.lease_until_ms) = (Some(self.holder.clone()), self.lease_until_ms);
            }
            // Whoever sends it may come back late with the outcome.
            ApplicationState::Submitting => row.lease_until_ms = self.lease_until_ms,
            ApplicationState::NeedsPerson => {}
            _ => row.holder = None,
        }
        if to == ApplicationState::Pending {
            row.recorded_status = None;
            row.record_key = None;
            (row.evidence_url, row.evidence_text, row.evidence_screenshot) = (None, None, None);
        }
        (row.state, row.version) = (to.as_str().to_owned(), before + 1);
        self.write(&row, before).await?;
        self.write_event(&row, Some(from), by.as_str(), evidence).await?;
        Ok(row)
    }

    async fn write(&mut self, row: &ApplicationRow, before: i64) -> Result<(), Trouble> {
        let moved = self.tx.sql(MOVE).bind(&row.id).bind(before).bind(&row.state).bind(&row.holder);
        let moved = moved.bind(row.lease_until_ms).bind(&row.reason).bind(&row.recorded_status);
        let moved = moved.bind(&row.evidence_url).bind(&row.evidence_text).bind(&row.evidence_screenshot);
        match moved.bind(&row.record_key).bind(self.now_ms).execute().await? {
            1 => Ok(()),
            // The row was locked when it was read.
            _ => Err(Trouble::internal(format!("{} changed in the middle of a change", row.id))),
        }
    }

    pub(super) async fn write_event(
        &mut self,
        row: &ApplicationRow,
        from: Option<ApplicationState>,
        kind: &str,
        evidence: &EvidenceFields,
    ) -> Result<(), Trouble> {
        // Whoever notices that a lease is over has not ended it.
        let caller = Some(&self.caller).filter(|_| kind != MoveCause::LeaseEnd.as_str());
        let session = caller.and_then(|caller| caller.session.as_deref());
        let run = caller.and_then(|caller| caller.run.as_deref());
        let event = self.tx.sql(EVENT).bind(&row.id).bind(row.version).bind(self.now_ms).bind(kind);
        let event = event.bind(from.map(ApplicationState::as_str)).bind(&row.state).bind(session).bind(run);
        event.bind(&row.reason).bind(evidence.written()).execute().await.map(drop)
    }
}

/// A move that is not allowed, with those that are.
pub(super) fn illegal(row: &ApplicationRow, to: ApplicationState, by: MoveCause) -> Trouble {
    let from = match row.state() {
        Ok(from) => from,
        Err(trouble) => return trouble,
    };
    let message = format!("{} is {from} and cannot become {to}", row.id);
    let legal: Vec<&str> = from.next(by).iter().map(|state| state.as_str()).collect();
    let hint = match (from, legal.as_slice()) {
        (ApplicationState::Pending, []) => {
            "nobody has it: call get_pending_jobs first; a lease that ran out went back".to_owned()
        }
        (ApplicationState::NeedsPerson, []) => {
            "a person looks what happened and calls resolve_application".to_owned()
        }
        (ApplicationState::Submitting, []) => {
            "it may have been sent: say first what became of it with record_application".to_owned()
        }
        (_, []) => "this is its last state".to_owned(),
        (_, legal) => format!("from {from} it can become {}", legal.join(", ")),
    };
    Trouble::new(TroubleCode::Conflict, message).hint(hint)
}

/// The application is another run's.
pub(super) fn held_by_another(row: &ApplicationRow) -> Trouble {
    Trouble::new(TroubleCode::Conflict, format!("{} belongs to another run, which is {}", row.id, row.state))
        .hint("work only on jobs that get_pending_jobs gave to this run")
}
