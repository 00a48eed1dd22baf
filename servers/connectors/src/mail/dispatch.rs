//! The memory of calls that sent something, so that a repetition of the same call sends nothing again. It lasts as long as the
//! process; the id of the message lasts longer, and is the same for the same call.

use std::collections::VecDeque;

use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

const CALLS_MAX: usize = 4_096;
const HEX_CHARS: usize = 40;

/// The calls, oldest first.
#[derive(Default)]
pub(super) struct DispatchLog(Mutex<VecDeque<(String, DispatchState)>>);

/// The state of one call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DispatchState {
    /// It was begun, and its end is not known: it may be under way, or its answer was lost.
    Begun,
    Sent,
}

impl DispatchLog {
    /// Notes the beginning of a call, or returns what became of it before.
    pub(super) fn begin(&self, call: &str) -> Option<DispatchState> {
        let mut calls = self.0.lock();
        if let Some((_, state)) = calls.iter().find(|(known, _)| known == call) {
            return Some(*state);
        }
        if calls.len() == CALLS_MAX {
            calls.pop_front();
        }
        calls.push_back((call.to_owned(), DispatchState::Begun));
        None
    }

    pub(super) fn sent(&self, call: &str) {
        if let Some((_, state)) = self.0.lock().iter_mut().find(|(known, _)| known == call) {
            *state = DispatchState::Sent;
        }
    }

    /// Certainly nothing was sent: the call may be repeated.
    pub(super) fn failed(&self, call: &str) {
        self.0.lock().retain(|(known, _)| known != call);
    }
}

/// The id of the message of a call.
pub(super) fn message_id(call: Option<&str>, domain: &str) -> String {
    let unique = match call {
        Some(call) => {
            let digest = Sha256::digest(call.as_bytes());
            digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()[..HEX_CHARS].to_owned()
        }
        None => uuid::Uuid::now_v7().simple().to_string(),
    };
    format!("<toolgate.{unique}@{domain}>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_has_one_id_and_is_remembered_until_it_certainly_failed() {
        assert_eq!(message_id(Some("call_1"), "a.example"), message_id(Some("call_1"), "a.example"));
        assert_ne!(message_id(Some("call_1"), "a.example"), message_id(Some("call_2"), "a.example"));
        assert_ne!(message_id(None, "a.example"), message_id(None, "a.example"));
        let log = DispatchLog::default();
        assert_eq!(log.begin("call_1"), None);
        assert_eq!(log.begin("call_1"), Some(DispatchState::Begun));
        log.failed("call_1");
        assert_eq!(log.begin("call_1"), None);
        log.sent("call_1");
        assert_eq!(log.begin("call_1"), Some(DispatchState::Sent));
    }

    #[test]
    fn the_oldest_calls_are_forgotten_first() {
        let log = DispatchLog::default();
        for at in 0..=CALLS_MAX {
            assert_eq!(log.begin(&format!("call_{at}")), None);
        }
        assert_eq!(log.begin("call_0"), None);
        assert_eq!(log.begin(&format!("call_{CALLS_MAX}")), Some(DispatchState::Begun));
    }
}
