//! What becomes of an application: moves that say which version they are about, and the report of what happened, which may be
//! repeated.

use capability_kit::{Trouble, TroubleCode};

use super::application::{ApplicationRow, EvidenceFields, held_by_another, illegal};
use super::caller::CallerTransaction;
use crate::state::{ApplicationState, MoveCause};

const LAST_EVENT: &str =
    "SELECT session, run FROM events WHERE application = $1 AND version = $2 AND kind = $3";
const OTHER_WITH_KEY: &str =
    "SELECT job FROM applications WHERE user_id = $1 AND record_key = $2 AND id <> $3";
const UNANNOUNCED: &str = "recorded without submitting having been written before";

/// A wish to change a state.
pub(crate) struct StatusUpdate {
    pub(crate) application: String,
    pub(crate) to: ApplicationState,
    pub(crate) expected_version: i64,
    pub(crate) reason: Option<String>,
    pub(crate) evidence: EvidenceFields,
}

pub(crate) struct UpdateOutcome {
    pub(crate) row: ApplicationRow,
    /// False if this had happened before.
    pub(crate) changed: bool,
}

/// A report of what happened.
pub(crate) struct RecordedFacts {
    pub(crate) user: String,
    pub(crate) job: String,
    pub(crate) status: ApplicationState,
    pub(crate) evidence: EvidenceFields,
    pub(crate) key: Option<String>,
}

impl CallerTransaction {
    pub(crate) async fn update(
        &mut self,
        update: StatusUpdate,
        by: MoveCause,
    ) -> Result<UpdateOutcome, Trouble> {
        let row = self.application(&update.application).await?;
        if row.version != update.expected_version {
            return self.repeated(row, &update, by).await;
        }
        let from = row.state()?;
        if !from.may_become(update.to, by) {
            return Err(illegal(&row, update.to, by));
        }
        if from.is_held() && row.holder.as_ref() != Some(&self.holder) {
            return Err(held_by_another(&row));
        }
        if update.to == ApplicationState::Confirmed && update.evidence.is_empty() && row.evidence().is_empty()
        {
            return Err(no_evidence());
        }
        let mut row = row;
        row.reason = update.reason;
        // What was recorded stays as it was told; the event has the new evidence.
        if row.recorded_status.is_none() {
            row.keep_evidence(&update.evidence);
        }
        let row = self.change(row, update.to, by, &update.evidence).await?;
        Ok(UpdateOutcome { row, changed: true })
    }

    /// Another version is fine if this very update made it.
    async fn repeated(
        &mut self,
        row: ApplicationRow,
        update: &StatusUpdate,
        by: MoveCause,
    ) -> Result<UpdateOutcome, Trouble> {
        if row.version == update.expected_version.saturating_add(1) && row.state()? == update.to {
            let last = self.tx.sql(LAST_EVENT).bind(&row.id).bind(row.version).bind(by.as_str());
            let last: Option<(Option<String>, Option<String>)> = last.fetch_optional().await?;
            if last.is_some_and(|(session, run)| self.is_mine(session, run)) {
                return Ok(UpdateOutcome { row, changed: false });
            }
        }
        let message = format!(
            "{} is {} at version {}, not at version {}",
            row.id,
            row.state()?,
            row.version,
            update.expected_version
        );
        Err(Trouble::new(TroubleCode::Conflict, message)
            .hint("somebody changed it meanwhile; look at it with list_applications before you go on"))
    }

    /// A run may come back in another session.
    fn is_mine(&self, session: Option<String>, run: Option<String>) -> bool {
        match &self.caller.run {
            Some(_) => self.caller.run == run,
            None => run.is_none() && self.caller.session == session,
        }
    }

    /// Returns the application, and whether this call recorded it.
    pub(crate) async fn record(&mut self, facts: RecordedFacts) -> Result<(ApplicationRow, bool), Trouble> {
        let row = self.application_of(&facts.user, &facts.job).await?;
        self.refuse_used_key(&row, &facts).await?;
        if row.recorded_status.is_some() {
            return match differing_field(&row, &facts) {
                Some(field) => Err(already_recorded(&row, field)),
                None => Ok((row, false)),
            };
        }
        let from = row.state()?;
        if !from.may_become(facts.status, MoveCause::Record) {
            return Err(illegal(&row, facts.status, MoveCause::Record));
        }
        self.refuse_stranger(&row, facts.status)?;
        if facts.status == ApplicationState::Confirmed && facts.evidence.is_empty() {
            return Err(no_evidence());
        }
        let mut row = row;
        let is_unannounced = matches!(from, ApplicationState::Pending | ApplicationState::Leased);
        row.reason = is_unannounced.then(|| UNANNOUNCED.to_owned());
        row.recorded_status = Some(facts.status.as_str().to_owned());
        row.record_key = facts.key;
        let EvidenceFields { url, text, screenshot_ref } = facts.evidence.clone();
        (row.evidence_url, row.evidence_text, row.evidence_screenshot) = (url, text, screenshot_ref);
        let row = self.change(row, facts.status, MoveCause::Record, &facts.evidence).await?;
        Ok((row, true))
    }

    async fn refuse_used_key(&mut self, row: &ApplicationRow, facts: &RecordedFacts) -> Result<(), Trouble> {
        let Some(key) = &facts.key else { return Ok(()) };
        let other = self.tx.sql(OTHER_WITH_KEY).bind(&row.user_id).bind(key).bind(&row.id);
        let other: Option<(String,)> = other.fetch_optional().await?;
        let Some((job,)) = other else { return Ok(()) };
        let message = format!("idempotency_key {key:?} was used with another job_id: {job}");
        Err(Trouble::new(TroubleCode::Conflict, message).hint("use a key of its own for each application"))
    }

    /// A report that it was sent is taken from anybody before it is being sent: it must not be sent again. Everything else is the
    /// word of the run that has it.
    fn refuse_stranger(&self, row: &ApplicationRow, status: ApplicationState) -> Result<(), Trouble> {
        let says_sent =
            matches!(status, ApplicationState::SubmittedUnconfirmed | ApplicationState::Confirmed);
        let is_open_to_all = match row.state()? {
            ApplicationState::Pending | ApplicationState::Leased => says_sent,
            ApplicationState::Submitting | ApplicationState::NeedsPerson => false,
            _ => true,
        };
        match is_open_to_all || row.holder.as_ref() == Some(&self.holder) {
            true => Ok(()),
            false if row.state()? == ApplicationState::NeedsPerson => {
                Err(Trouble::new(TroubleCode::Conflict, format!("{} waits for a person", row.id))
                    .hint("a person looks what happened and calls resolve_application"))
            }
            false => Err(held_by_another(row)),
        }
    }
}

fn no_evidence() -> Trouble {
    Trouble::bad_arguments(
        "confirmed needs evidence: a url, a text or a screenshot_ref of the site's confirmation",
    )
    .hint("pass evidence, or use submitted_unconfirmed if the site did not confirm it")
}

/// The first fact that is not as it was told before.
fn differing_field(row: &ApplicationRow, facts: &RecordedFacts) -> Option<&'static str> {
    let before = row.evidence();
    let same = [
        ("status", row.recorded_status.as_deref() == Some(facts.status.as_str())),
        ("evidence.url", before.url == facts.evidence.url),
        ("evidence.text", before.text == facts.evidence.text),
        ("evidence.screenshot_ref", before.screenshot_ref == facts.evidence.screenshot_ref),
    ];
    same.into_iter().find(|(_, is_same)| !is_same).map(|(field, _)| field)
}

fn already_recorded(row: &ApplicationRow, field: &str) -> Trouble {
    let before = match field {
        "status" => row.recorded_status.clone(),
        "evidence.url" => row.evidence_url.clone(),
        "evidence.text" => row.evidence_text.clone(),
        _ => row.evidence_screenshot.clone(),
    };
    let before = before.map_or("nothing".to_owned(), |before| format!("{before:?}"));
    let message = format!("{} was recorded before with another {field}: {before}", row.id);
    Trouble::new(TroubleCode::Conflict, message).hint(
        "to say that its status has changed since, call update_application_status with expected_version",
    )
}
