//! Making up for instants that started no run.

use toolgate_core::automation::Fire;
use toolgate_core::{PrincipalId, Refusal, codes};
use toolgate_store::{BusyFires, FireOutcome, FireRetake, FireVerdict, NewFire};

use super::Tasks;
use crate::refusal::{bad_schedule, refusal};
use crate::schedule::Schedule;

/// Instants that are made up for at once.
const BACKFILL_MAX: usize = 100;

impl Tasks {
    /// Starts a run for every instant from one moment on and before another that has had none: those before the automation was
    /// made, missed, skipped and failed ones. The rule for overlapping runs does not count here: whoever asks for these runs wants all
    /// of them.
    pub async fn backfill(
        &self,
        id_or_name: &str,
        from_ms: i64,
        until_ms: i64,
        by: &PrincipalId,
    ) -> Result<Vec<Fire>, Refusal> {
        let automation = self.automation(id_or_name).await?;
        let schedule = Schedule::read(&automation.trigger).map_err(|error| bad_schedule(&error))?;
        let schedule = schedule.ok_or_else(|| {
            bad(format!("the automation {:?} has no instants of its own", automation.name))
                .hint("`toolgate run` starts its task once")
        })?;
        let desk = &self.desk;
        if from_ms >= until_ms || until_ms > desk.clock.now_ms() {
            return Err(bad("the range is empty, or ends before it begins or in the future".to_owned())
                .hint("name two moments in the past, the earlier one first"));
        }
        let instants = schedule.between(from_ms.saturating_sub(1), until_ms - 1, BACKFILL_MAX + 1);
        if instants.len() > BACKFILL_MAX {
            return Err(bad(format!("the range has more than {BACKFILL_MAX} instants"))
                .hint("name a shorter range, and make up for the rest afterwards"));
        }
        let mut fires = Vec::new();
        for instant in instants {
            let new =
                NewFire { cause: instant.to_string(), data: None, depth: 1, retake: FireRetake::Unstarted };
            let start = |_: &BusyFires| FireVerdict::Start { cancel: Vec::new() };
            let claimed =
                desk.books.claim_fire(&automation.id, new, desk.holder(), start, desk.act(by)).await;
            fires.push(match claimed.map_err(refusal)? {
                FireOutcome::Claimed(claim) => desk.begin(&automation, claim).await,
                FireOutcome::Settled(fire) | FireOutcome::Before(fire) => fire,
            });
        }
        Ok(fires)
    }
}

fn bad(message: String) -> Refusal {
    Refusal::new(&codes::BAD_BACKFILL, message)
}
