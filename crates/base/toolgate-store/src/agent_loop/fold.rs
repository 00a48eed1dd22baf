//! Lines that the gateway adds, and messages that stand for earlier ones. Nothing is removed: a folded message is no longer sent.

use std::collections::BTreeSet;

use serde_json::json;
use toolgate_core::event::EventKind;
use toolgate_core::model::ModelMessage;
use toolgate_core::{Refusal, codes};

use super::error::LoopError;
use super::held_loop::HeldLoop;
use super::lease::LoopLease;
use super::message::{FOLDABLE, MessageRow};
use super::write::{Folding, NewMessage};
use crate::books::Books;
use crate::db::without_nul;
use crate::error::doing;
use crate::registry::{read_count, stored_count};
use crate::run::{ActionStamp, RunError};

/// Those that are still sent, and those that stand for folded ones among them.
const FOLD: &str = "UPDATE run_messages SET folded_into = $5
    WHERE tenant = $1 AND run = $2 AND folded_into IS NULL AND number <> $5
        AND (number BETWEEN $3 AND $4 OR number IN (SELECT folded_into FROM run_messages
            WHERE tenant = $1 AND run = $2 AND number BETWEEN $3 AND $4 AND folded_into IS NOT NULL))";
const FAULT: &str = "UPDATE run_loops SET fold_faults = fold_faults + 1
    WHERE tenant = $1 AND run = $2 AND owner = $3 AND fence = $4 RETURNING fold_faults";

impl Books {
    /// Adds a line of the gateway. `nudged` says that it tells the model that it repeats itself.
    pub async fn add_loop_line(
        &self,
        lease: &LoopLease,
        line: NewMessage,
        nudged: bool,
        act: ActionStamp<'_>,
    ) -> Result<(), LoopError> {
        let mut held = HeldLoop::take(self, lease, act, "add a line to a run").await?;
        held.kept.nudged |= nudged;
        let turn = held.kept.turn;
        let added = held.add(&line, turn).await?;
        held.log(EventKind::RunMessages, json!({ "turn": turn, "messages": [added] })).await?;
        held.commit().await.map(drop)
    }

    /// Lets a message stand for others. A call and its result stay together, or nothing is folded.
    pub async fn fold_loop(
        &self,
        lease: &LoopLease,
        folding: Folding,
        act: ActionStamp<'_>,
    ) -> Result<(), LoopError> {
        let mut held = HeldLoop::take(self, lease, act, "fold the messages of a run").await?;
        check_pairs(&mut held, &folding).await?;
        let Folding { from, to, stands_for } = folding;
        let turn = held.kept.turn;
        let added = held.add(&stands_for, turn).await?;
        let (failed, run) = (held.held.failed(), without_nul(held.kept.run.as_str()));
        let fold = held.held.tx.sql(FOLD).bind(held.held.tenant).bind(run).bind(stored_count(from));
        let fold = fold.bind(stored_count(to)).bind(stored_count(added.number));
        fold.execute().await.map_err(failed)?;
        held.kept.fold_faults = 0;
        let detail = json!({ "turn": turn, "messages": [added], "folded": { "from": from, "to": to } });
        held.log(EventKind::RunMessages, detail).await?;
        held.commit().await.map(drop)
    }

    /// Counts a fold that did not succeed, and returns how many there were in a row.
    pub async fn note_fold_fault(&self, lease: &LoopLease) -> Result<u64, LoopError> {
        let store = self.store();
        let note = store.db.sql(FAULT).bind(store.tenant).bind(without_nul(lease.run.as_str()));
        let note = note.bind(&*lease.stream).bind(stored_count(lease.fence));
        let rows: Vec<(i64,)> = note.fetch_all().await.map_err(doing("note the fault of a fold"))?;
        let (faults,) = rows.first().ok_or(LoopError::Lost)?;
        Ok(read_count(*faults))
    }
}

/// The calls whose results are elsewhere, and the results whose calls are elsewhere, must be in the message that stands for all.
async fn check_pairs(held: &mut HeldLoop<'_>, folding: &Folding) -> Result<(), LoopError> {
    let (failed, doing, run) = (held.held.failed(), held.held.doing, held.kept.run.clone());
    let read = held.held.tx.sql(FOLDABLE).bind(held.held.tenant).bind(without_nul(run.as_str()));
    let read = read.bind(stored_count(folding.from)).bind(stored_count(folding.to));
    let rows: Vec<MessageRow> = read.fetch_all().await.map_err(failed)?;
    let mut folded = Vec::with_capacity(rows.len());
    for row in rows {
        folded.push(row.read(&run, doing)?.message);
    }
    if folded.is_empty() {
        return Err(refused(folding, "there is nothing between them"));
    }
    match unpaired(&folded) == unpaired(std::slice::from_ref(&folding.stands_for.message)) {
        true => Ok(()),
        false => Err(refused(folding, "a call would lose its result")),
    }
}

/// Calls without results, and results without calls.
fn unpaired(messages: &[ModelMessage]) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let calls = messages.iter().flat_map(|message| message.calls().map(|call| call.id.as_str()));
    let results = messages.iter().flat_map(|message| message.results().map(|result| result.id.as_str()));
    let (calls, results): (BTreeSet<&str>, BTreeSet<&str>) = (calls.collect(), results.collect());
    (calls.difference(&results).copied().collect(), results.difference(&calls).copied().collect())
}

fn refused(folding: &Folding, why: &str) -> LoopError {
    let message = format!("messages {} to {} cannot be folded: {why}", folding.from, folding.to);
    let refusal = Refusal::new(&codes::RUN_STATE, message).hint("cut between turns");
    RunError::from(refusal).into()
}

#[cfg(test)]
mod tests {
    use toolgate_core::RawJson;
    use toolgate_core::model::{CallArguments, MessagePart, MessageRole, ModelCall, ModelCallResult};

    use super::*;

    fn call(id: &str) -> ModelMessage {
        let arguments = CallArguments::Object(RawJson::EMPTY);
        let call = ModelCall { id: id.to_owned(), name: "a".to_owned(), arguments, raw: None };
        ModelMessage { role: MessageRole::Assistant, parts: vec![MessagePart::Call(call)] }
    }

    fn result(id: &str) -> ModelMessage {
        let result = ModelCallResult {
            id: id.to_owned(),
            name: "a".to_owned(),
            text: "b".to_owned(),
            is_error: false,
        };
        ModelMessage { role: MessageRole::Tool, parts: vec![MessagePart::Result(result)] }
    }

    #[test]
    fn only_halves_of_pairs_are_unpaired() {
        let whole = [ModelMessage::user("go"), call("1.0"), result("1.0")];
        assert_eq!(unpaired(&whole), (BTreeSet::new(), BTreeSet::new()));
        let halves = [result("1.0"), call("2.0")];
        assert_eq!(unpaired(&halves), (BTreeSet::from(["2.0"]), BTreeSet::from(["1.0"])));
    }
}
