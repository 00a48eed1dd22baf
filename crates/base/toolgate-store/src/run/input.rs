//! Questions to people. A run waits for one at a time: it is paused exactly as long as the question is pending.

mod row;

use toolgate_core::RawJson;
use toolgate_core::event::Durability;
use toolgate_core::id::{InputId, RunId};
use toolgate_core::run::{InputFile, InputRequest, InputSlot, InputState, Run, RunState, ended};

use super::error::RunError;
use super::held::{ActionStamp, HeldRun};
use super::row::StoredRun;
use super::{call, events};
use crate::books::Books;
use crate::cursor::PageCursor;
use crate::db::without_nul;
use crate::error::doing;
use crate::page::{PageQuery, RUN_PAGE_MAX};
use crate::{Store, StoreError};
use row::{InputRow, key, push_new};

macro_rules! select {
    ($conditions:literal) => {
        concat!(
            "SELECT id, run, session, call, principal, slot, state, answer, answered_by, via, created_at_ms, \
             resolved_at_ms FROM inputs",
            $conditions
        )
    };
}

const SELECT: &str = select!("");
const READ: &str = select!(" WHERE tenant = $1 AND id = $2");
const READ_PENDING: &str = select!(" WHERE tenant = $1 AND run = $2 AND state = 'pending'");
const READ_SLOT: &str = select!(" WHERE tenant = $1 AND run = $2 AND slot_key = $3 AND state <> 'cancelled'");
const INSERT: &str =
    "INSERT INTO inputs (tenant, id, run, session, call, principal, slot, slot_key, state, created_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', $9)";
const RESOLVE: &str =
    "UPDATE inputs SET state = $3, answer = $4, answered_by = $5, via = $6, resolved_at_ms = $7
    WHERE tenant = $1 AND id = $2";

/// The reason of a run that waits for an answer.
const FOR_INPUT: &str = "input";

/// A filter for questions. `None` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InputFilter {
    pub state: Option<InputState>,
    pub run: Option<RunId>,
}

/// An answer to a question.
#[derive(Clone, PartialEq, Debug)]
pub struct InputAnswer {
    pub value: serde_json::Value,
    /// The channel: `api`, `cli`, `elicitation`.
    pub via: String,
    /// The file that it names, where it names one: the run may use it from then on.
    pub file: Option<InputFile>,
}

impl Books {
    /// Asks a person, and pauses the run; or finds the earlier question under the same id. A minimum number
    /// of calls of data tools must have completed first.
    pub async fn ask_input(
        &self,
        new: &InputRequest,
        calls_before: usize,
        act: ActionStamp<'_>,
    ) -> Result<InputRequest, RunError> {
        let mut held = HeldRun::take(self, &new.run, act, Durability::OnDisk, "ask a person").await?;
        match (held.run().state, find(&mut held, &new.slot).await?) {
            (state, _) if state.is_final() => Err(ended(&new.run, state).into()),
            (RunState::Paused, Some(before)) if before.state == InputState::Pending => {
                attach(before, &new.slot)
            }
            (RunState::Paused, _) => Err(paused(&mut held).await?),
            (_, Some(before)) => attach(before, &new.slot),
            (_, None) => Box::pin(ask(held, new, calls_before)).await,
        }
    }

    /// Takes an answer to an open question, and resumes the run.
    pub async fn answer_input(
        &self,
        id: &InputId,
        answer: &InputAnswer,
        act: ActionStamp<'_>,
    ) -> Result<InputRequest, RunError> {
        const DOING: &str = "answer a question";
        let unknown = || RunError::UnknownInput(id.clone());
        let run = self.store().input(id).await?.ok_or_else(unknown)?.run;
        let mut held = HeldRun::take(self, &run, act, Durability::OnDisk, DOING).await?;
        // Again, now that the row is locked.
        let read = held.tx.sql(READ).bind(held.tenant).bind(without_nul(id.as_str()));
        let row: Option<InputRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        let answered = answered(row.ok_or_else(unknown)?.read(DOING)?, answer, act)?;
        resolve(&mut held, &answered).await?;
        let told = events::input_resolved(&answered, held.run(), act);
        held.tell(told);
        if let Some(file) = answer.file.clone() {
            give(&mut held.kept.run, file, id);
        }
        held.step(RunState::Running, "").await?;
        held.commit().await?;
        Ok(answered)
    }
}

/// Asks for the first time, if the run has looked for itself before.
async fn ask(
    mut held: HeldRun<'_>,
    new: &InputRequest,
    calls_before: usize,
) -> Result<InputRequest, RunError> {
    let completed = call::completed(&mut held, calls_before).await?;
    if completed.len() < calls_before {
        return Err(RunError::TooEarly { completed });
    }
    let (failed, tenant) = (held.failed(), held.tenant);
    let mut insert = held.tx.sql(INSERT);
    push_new(tenant, new, &mut insert);
    insert.execute().await.map_err(failed)?;
    let told = events::input_requested(new, held.run(), held.act());
    held.tell(told);
    held.pause_for(&events::action_of(new), FOR_INPUT, new.call.as_ref()).await?;
    held.commit().await?;
    Ok(new.clone())
}

/// The question with its answer, if it is pending and that fits.
fn answered(
    input: InputRequest,
    answer: &InputAnswer,
    act: ActionStamp<'_>,
) -> Result<InputRequest, RunError> {
    if input.state != InputState::Pending {
        return Err(RunError::Resolved(Box::new(input)));
    }
    input.slot.check_answer(&answer.value)?;
    Ok(InputRequest {
        state: InputState::Answered,
        answer: Some(RawJson::from(answer.value.clone())),
        answered_by: Some(act.by.clone()),
        via: Some(answer.via.clone()),
        resolved_at_ms: Some(act.at_ms),
        ..input
    })
}

impl Store {
    pub async fn input(&self, id: &InputId) -> Result<Option<InputRequest>, StoreError> {
        const DOING: &str = "read a question";
        let read = self.db.sql(READ).bind(self.tenant).bind(without_nul(id.as_str()));
        let row: Option<InputRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// One page, newest first, and the cursor of the next one. A cursor stays valid while rows come and go.
    pub async fn inputs(
        &self,
        filter: &InputFilter,
        cursor: Option<&PageCursor>,
        limit: usize,
    ) -> Result<(Vec<InputRequest>, Option<PageCursor>), StoreError> {
        const DOING: &str = "list the questions";
        let page = PageQuery::new(cursor, limit, RUN_PAGE_MAX)
            .text(" AND state = ?", filter.state.map(InputState::as_str))
            .text(" AND run = ?", filter.run.as_ref().map(RunId::as_str));
        let (rows, more) = page.fetch::<InputRow>(self, SELECT).await.map_err(doing(DOING))?;
        let inputs: Vec<InputRequest> =
            rows.into_iter().map(|row| row.read(DOING)).collect::<Result<_, _>>()?;
        let next = inputs.last().filter(|_| more).map(|last| PageCursor::at(last.created_at_ms, &last.id));
        Ok((inputs, next))
    }

    /// The questions among `ids` that are no longer pending.
    pub async fn resolved_inputs(&self, ids: &[InputId]) -> Result<Vec<InputRequest>, StoreError> {
        const DOING: &str = "watch questions";
        let Some(last) = ids.last() else { return Ok(Vec::new()) };
        // Few different texts, so that they stay prepared.
        let count = ids.len().next_power_of_two();
        let mut statement = self.db.sql(sqlx::AssertSqlSafe(resolved_text(count))).bind(self.tenant);
        for id in ids.iter().chain(std::iter::repeat(last)).take(count) {
            statement.push(without_nul(id.as_str()));
        }
        let rows: Vec<InputRow> = statement.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }
}

/// Gives a run the file of an answer. If the path is taken by another file, the id of the question is added.
fn give(run: &mut Run, mut file: InputFile, answer_to: &InputId) {
    if run.input.iter().any(|given| given.file == file.file) {
        return;
    }
    if run.input.iter().any(|given| given.path == file.path) {
        file.path = format!("{answer_to}/{}", file.path);
    }
    run.input.push(file);
    run.input.sort_by(|one, other| one.path.cmp(&other.path));
}

fn resolved_text(count: usize) -> String {
    let places: Vec<String> = (2..count + 2).map(|place| format!("${place}")).collect();
    format!("{SELECT} WHERE tenant = $1 AND state <> 'pending' AND id IN ({})", places.join(", "))
}

/// True if a run is paused for the answer to a question.
pub(super) fn is_waited_for(run: &Run) -> bool {
    run.state == RunState::Paused && run.reason.as_deref() == Some(FOR_INPUT)
}

/// The refusal of a paused run.
pub(super) async fn paused(held: &mut HeldRun<'_>) -> Result<RunError, StoreError> {
    let run = held.run().id.clone();
    let question = pending(held, &run).await?.map(Box::new);
    Ok(RunError::Paused { run, question })
}

/// Cancels the question that a run of the tree waits for, if there is one.
pub(super) async fn cancel_pending(
    held: &mut HeldRun<'_>,
    kept: &StoredRun,
) -> Result<Option<InputRequest>, StoreError> {
    let Some(input) = pending(held, &kept.run.id).await? else { return Ok(None) };
    let cancelled =
        InputRequest { state: InputState::Cancelled, resolved_at_ms: Some(held.act().at_ms), ..input };
    resolve(held, &cancelled).await?;
    let told = events::input_resolved(&cancelled, &kept.run, held.act());
    held.tell(told);
    Ok(Some(cancelled))
}

async fn pending(held: &mut HeldRun<'_>, run: &RunId) -> Result<Option<InputRequest>, StoreError> {
    let (failed, doing) = (held.failed(), held.doing);
    let read = held.tx.sql(READ_PENDING).bind(held.tenant).bind(without_nul(run.as_str()));
    let row: Option<InputRow> = read.fetch_optional().await.map_err(failed)?;
    row.map(|row| row.read(doing)).transpose()
}

async fn find(held: &mut HeldRun<'_>, slot: &InputSlot) -> Result<Option<InputRequest>, StoreError> {
    let (failed, doing) = (held.failed(), held.doing);
    let run = without_nul(held.run().id.as_str());
    let read = held.tx.sql(READ_SLOT).bind(held.tenant).bind(run).bind(key(slot));
    let row: Option<InputRow> = read.fetch_optional().await.map_err(failed)?;
    row.map(|row| row.read(doing)).transpose()
}

/// A different question under the same id is not the earlier question.
fn attach(before: InputRequest, slot: &InputSlot) -> Result<InputRequest, RunError> {
    fn values(slot: &InputSlot) -> impl Iterator<Item = &String> {
        slot.options.iter().map(|option| &option.value)
    }
    let is_same = before.slot.slot_type == slot.slot_type
        && before.slot.prompt_key == slot.prompt_key
        && values(&before.slot).eq(values(slot));
    match is_same {
        true => Ok(before),
        false => Err(RunError::SlotTaken(Box::new(before))),
    }
}

async fn resolve(held: &mut HeldRun<'_>, input: &InputRequest) -> Result<(), StoreError> {
    let failed = held.failed();
    let resolve = held.tx.sql(RESOLVE).bind(held.tenant).bind(without_nul(input.id.as_str()));
    let resolve = resolve.bind(input.state.as_str());
    let resolve = resolve.bind(input.answer.as_ref().map(|answer| answer.as_str().to_owned()));
    let resolve = resolve.bind(input.answered_by.as_ref().map(|by| without_nul(by.as_str())));
    let resolve = resolve.bind(input.via.as_deref().map(without_nul)).bind(input.resolved_at_ms);
    resolve.execute().await.map(drop).map_err(failed)
}
