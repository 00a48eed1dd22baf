//! The end of work, as its row and its run keep it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolgate_core::{Refusal, codes};
use toolgate_runs::WorkCompletion;

use crate::worker::WorkEnd;

/// The problems that are named. All are counted.
pub const PROBLEMS_NAMED_MAX: usize = 100;
/// The problems that a run names, which has little room.
const PROBLEMS_OF_RUN_MAX: usize = 10;
const PROBLEM_CHARS_MAX: usize = 300;
/// A run's own result has at most this many bytes.
const RUN_RESULT_BYTES_MAX: usize = 6 << 10;

/// The refusal that ended work.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WorkFault {
    pub code: String,
    pub message: String,
    pub hint: String,
}

impl WorkFault {
    /// The same as a refusal. A code of another version of the gateway is not known here.
    pub fn refusal(&self) -> Refusal {
        let code = codes::find(&self.code).unwrap_or(&codes::WORK_GIVEN_UP);
        Refusal::new(code, self.message.clone()).hint(self.hint.clone())
    }
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct WorkOutcome {
    #[serde(default)]
    pub(crate) result: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) problems: Vec<String>,
    #[serde(default)]
    pub(crate) problem_count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<WorkFault>,
}

impl WorkOutcome {
    pub(crate) fn done(end: &WorkEnd) -> Self {
        let named = end.problems.iter().take(PROBLEMS_NAMED_MAX);
        Self {
            result: end.result.clone(),
            problems: named.map(|problem| problem.chars().take(PROBLEM_CHARS_MAX).collect()).collect(),
            problem_count: u64::try_from(end.problems.len()).unwrap_or(u64::MAX),
            error: None,
        }
    }

    pub(crate) fn failed(refusal: &Refusal) -> Self {
        let error = WorkFault {
            code: refusal.code.name.to_owned(),
            message: refusal.message.clone(),
            hint: refusal.hint.clone(),
        };
        Self { error: Some(error), ..Self::default() }
    }

    /// One that a row or a run has kept.
    pub(crate) fn read(kept: Option<&Value>) -> Self {
        kept.and_then(|kept| serde_json::from_value(kept.clone()).ok()).unwrap_or_default()
    }

    pub(crate) fn value(&self) -> Value {
        serde_json::to_value(self).expect("our own types serialise: string keys, no failing impls")
    }

    /// The end of the run. A result that a run has no room for stays with the work alone.
    pub(crate) fn completion(&self, kind: &str, end: &WorkEnd) -> WorkCompletion {
        let problems: Vec<String> = self.problems.iter().take(PROBLEMS_OF_RUN_MAX).cloned().collect();
        let short = Self { problems, ..self.clone() }.value();
        let result = match short.to_string().len() <= RUN_RESULT_BYTES_MAX {
            true => short,
            false => json!({ "problem_count": self.problem_count }),
        };
        let summary = match self.problem_count {
            0 => format!("{kind}: done"),
            count => format!("{kind}: done, but for {count} that were left out"),
        };
        WorkCompletion {
            summary,
            result,
            manifest: end.output_manifest.map(|manifest| manifest.digest()),
            is_partial: self.problem_count > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_comes_back_as_it_was_kept() {
        let end = WorkEnd {
            result: json!({ "documents": 3 }),
            problems: vec!["a.pdf: damaged".to_owned()],
            output_manifest: None,
        };
        let outcome = WorkOutcome::done(&end);
        assert_eq!(WorkOutcome::read(Some(&outcome.value())), outcome);
        let completion = outcome.completion("parse", &end);
        assert!(completion.is_partial && completion.summary.contains("1 that"), "{completion:?}");
        assert_eq!(WorkOutcome::read(Some(&completion.result)), outcome);
    }

    #[test]
    fn a_run_gets_no_more_than_it_has_room_for() {
        let end = WorkEnd {
            result: json!("x".repeat(RUN_RESULT_BYTES_MAX)),
            problems: vec!["y".repeat(9_000); PROBLEMS_NAMED_MAX + 5],
            output_manifest: None,
        };
        let outcome = WorkOutcome::done(&end);
        assert_eq!((outcome.problems.len(), outcome.problem_count), (PROBLEMS_NAMED_MAX, 105));
        assert_eq!(outcome.completion("parse", &end).result, json!({ "problem_count": 105 }));
    }

    #[test]
    fn a_failure_is_told_as_it_happened() {
        let refusal = Refusal::new(&codes::STORE_DOWN, "gone").hint("wait");
        let kept = WorkOutcome::read(Some(&WorkOutcome::failed(&refusal).value()));
        assert_eq!(kept.error.expect("an error").refusal(), refusal);
    }
}
