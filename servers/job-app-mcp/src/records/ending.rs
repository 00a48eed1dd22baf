//! The word of people: taking an application back, and saying what became of one whose outcome is unknown.

use capability_kit::{Trouble, TroubleCode};

use super::application::{EvidenceFields, illegal};
use super::caller::CallerTransaction;
use super::outcome::{StatusUpdate, UpdateOutcome};
use crate::state::{ApplicationState, MoveCause};

impl CallerTransaction {
    /// A second time it changes nothing.
    pub(crate) async fn withdraw(
        &mut self,
        application: &str,
        expected_version: Option<i64>,
        reason: Option<String>,
    ) -> Result<UpdateOutcome, Trouble> {
        let mut row = self.application(application).await?;
        let from = row.state()?;
        if from == ApplicationState::Withdrawn {
            return Ok(UpdateOutcome { row, changed: false });
        }
        if let Some(expected) = expected_version.filter(|expected| *expected != row.version) {
            let message =
                format!("{application} is {from} at version {}, not at version {expected}", row.version);
            return Err(Trouble::new(TroubleCode::Conflict, message)
                .hint("look at it with list_applications before you withdraw it"));
        }
        if !from.may_become(ApplicationState::Withdrawn, MoveCause::Withdraw) {
            return Err(illegal(&row, ApplicationState::Withdrawn, MoveCause::Withdraw));
        }
        row.reason = reason;
        let nothing = EvidenceFields::default();
        let row = self.change(row, ApplicationState::Withdrawn, MoveCause::Withdraw, &nothing).await?;
        Ok(UpdateOutcome { row, changed: true })
    }

    /// Runs of agents may not: they would make pending again what they have sent.
    pub(crate) async fn resolve(&mut self, update: StatusUpdate) -> Result<UpdateOutcome, Trouble> {
        if self.caller.run.is_some() {
            return Err(Trouble::new(
                TroubleCode::Conflict,
                "resolve_application is for people, not for runs of agents",
            )
            .hint("set the status needs_person and say in reason what a person has to look at"));
        }
        self.update(update, MoveCause::Resolve).await
    }
}
