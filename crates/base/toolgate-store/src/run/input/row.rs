//! One question as columns.

use toolgate_core::id::{CallId, InputId, RunId, SessionId};
use toolgate_core::run::{InputRequest, InputSlot, InputState};
use toolgate_core::{Digest, PrincipalId};

use super::super::row::json;
use crate::StoreError;
use crate::db::{SqlStatement, without_nul};
use crate::registry::{read_raw, unreadable};
use crate::row::row;

/// A key for the id of a slot, which may be too long for an index.
pub(super) fn key(slot: &InputSlot) -> Vec<u8> {
    Digest::of(&slot.slot_id).as_bytes().to_vec()
}

/// In the order of `INSERT`.
pub(super) fn push_new(tenant: &'static str, input: &InputRequest, to: &mut SqlStatement<'_>) {
    to.push(tenant);
    to.push(without_nul(input.id.as_str()));
    to.push(without_nul(input.run.as_str()));
    to.push(input.session.as_ref().map(|session| without_nul(session.as_str())));
    to.push(input.call.as_ref().map(|call| without_nul(call.as_str())));
    to.push(without_nul(input.principal.as_str()));
    to.push(json(&input.slot));
    to.push(key(&input.slot));
    to.push(input.created_at_ms);
}

row! {
    pub(super) struct InputRow {
        id: String,
        run: String,
        session: Option<String>,
        call: Option<String>,
        principal: String,
        slot: String,
        state: String,
        answer: Option<String>,
        answered_by: Option<String>,
        via: Option<String>,
        created_at_ms: i64,
        resolved_at_ms: Option<i64>,
    }
}

impl InputRow {
    pub(super) fn read(self, doing: &'static str) -> Result<InputRequest, StoreError> {
        let answer = self.answer.map(|answer| read_raw(answer, doing, "answer to a question"));
        Ok(InputRequest {
            id: InputId::new(self.id),
            run: RunId::new(self.run),
            session: self.session.map(SessionId::new),
            call: self.call.map(CallId::new),
            principal: PrincipalId::new(&self.principal),
            slot: serde_json::from_str(&self.slot).map_err(|_| unreadable(doing, "question"))?,
            state: InputState::parse(&self.state).ok_or(unreadable(doing, "state of a question"))?,
            answer: answer.transpose()?,
            answered_by: self.answered_by.as_deref().map(PrincipalId::new),
            via: self.via,
            created_at_ms: self.created_at_ms,
            resolved_at_ms: self.resolved_at_ms,
        })
    }
}
