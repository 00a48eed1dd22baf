//! Notices an agent that does the same again and again. All calls of one answer count as one step.

use serde_json::{Value, json};
use toolgate_core::Digest;
use toolgate_core::model::{CallArguments, MessageRole, ModelMessage, unframed};

use crate::history::History;

const SAME_RESULT_MAX: usize = 4;
const SAME_ERROR_MAX: usize = 3;
const ALTERNATIONS_MAX: usize = 6;
const MONOLOGUE_MAX: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Repetition {
    SameResult,
    SameError,
    Alternation,
    Monologue,
}

impl Repetition {
    /// In words for the model and for people.
    pub(crate) fn told(self) -> &'static str {
        match self {
            Repetition::SameResult => "the same call had the same result 4 times",
            Repetition::SameError => "the same call failed in the same way 3 times",
            Repetition::Alternation => "two calls took turns with the same results 6 times",
            Repetition::Monologue => "3 answers in a row had no call and no end",
        }
    }
}

/// One answer with its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct StepPrint {
    calls: Digest,
    results: Digest,
    failed: bool,
}

/// The repetition at the end of a conversation, if there is one. A line of the gateway or of a person begins the count anew.
pub(crate) fn find(history: &History) -> Option<Repetition> {
    let live: Vec<&ModelMessage> = history.live().into_iter().map(|one| &one.message).collect();
    if monologue(&live) >= MONOLOGUE_MAX {
        return Some(Repetition::Monologue);
    }
    let steps = steps(&live);
    let last = steps.last()?;
    let same = steps.iter().rev().take_while(|step| *step == last).count();
    match () {
        () if last.failed && same >= SAME_ERROR_MAX => Some(Repetition::SameError),
        () if same >= SAME_RESULT_MAX => Some(Repetition::SameResult),
        () if alternates(&steps) => Some(Repetition::Alternation),
        () => None,
    }
}

/// The number of answers without a call at the end.
fn monologue(live: &[&ModelMessage]) -> usize {
    let ending = live.iter().rev().take_while(|one| match one.role {
        MessageRole::User => true,
        MessageRole::Assistant => one.calls().next().is_none(),
        MessageRole::Tool => false,
    });
    ending.filter(|one| one.role == MessageRole::Assistant).count()
}

/// The last six steps are two that take turns, three times each.
fn alternates(steps: &[StepPrint]) -> bool {
    let Some(start) = steps.len().checked_sub(ALTERNATIONS_MAX) else { return false };
    let last = &steps[start..];
    last[0] != last[1] && last.iter().zip(last.iter().skip(2)).all(|(one, other)| one == other)
}

/// The steps since the last line, oldest first.
fn steps(live: &[&ModelMessage]) -> Vec<StepPrint> {
    let since = live.iter().rposition(|one| one.role == MessageRole::User).map_or(0, |at| at + 1);
    let pairs = live[since..].windows(2).filter(|pair| pair[1].role == MessageRole::Tool);
    pairs.map(|pair| print(pair[0], pair[1])).collect()
}

fn print(answer: &ModelMessage, results: &ModelMessage) -> StepPrint {
    let calls: Vec<Value> =
        answer.calls().map(|call| json!([call.name, canonical(&call.arguments)])).collect();
    let failed = results.results().all(|one| one.is_error);
    let results: Vec<Value> =
        results.results().map(|one| json!([unframed(&one.text), one.is_error])).collect();
    StepPrint {
        calls: Digest::of(Value::from(calls).to_string()),
        results: Digest::of(Value::from(results).to_string()),
        failed,
    }
}

/// Equal arguments have equal texts, however their members are ordered.
fn canonical(arguments: &CallArguments) -> String {
    match arguments {
        CallArguments::Broken(text) => text.clone(),
        CallArguments::Object(object) => match object.decode::<Value>() {
            Ok(mut value) => {
                value.sort_all_objects();
                value.to_string()
            }
            Err(_) => object.as_str().to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::fixture::Talk;

    const READ: (&str, &str, &str) = ("read", r#"{"a":1,"b":2}"#, "x");
    const READ_OTHERWISE: (&str, &str, &str) = ("read", r#"{"b": 2, "a": 1}"#, "x");
    const LIST: (&str, &str, &str) = ("list", "{}", "y");

    fn times(mut talk: Talk, count: usize, calls: &[(&str, &str, &str)], is_error: bool) -> Talk {
        for _ in 0..count {
            talk = talk.calls(calls, is_error);
        }
        talk
    }

    #[test]
    fn the_same_call_and_result_is_noticed_the_fourth_time() {
        assert_eq!(find(&times(Talk::new(), 3, &[READ], false).done()), None);
        let talk = times(Talk::new(), 3, &[READ], false).calls(&[READ_OTHERWISE], false);
        assert_eq!(find(&talk.done()), Some(Repetition::SameResult), "the order of members does not matter");
    }

    #[test]
    fn the_same_error_is_noticed_the_third_time() {
        assert_eq!(find(&times(Talk::new(), 2, &[READ], true).done()), None);
        assert_eq!(find(&times(Talk::new(), 3, &[READ], true).done()), Some(Repetition::SameError));
    }

    #[test]
    fn another_result_or_another_call_in_between_is_progress() {
        let talk = times(Talk::new(), 3, &[READ], false);
        assert_eq!(find(&talk.calls(&[("read", r#"{"a":1,"b":2}"#, "z")], false).done()), None);
        let talk = times(Talk::new(), 3, &[READ], false).calls(&[LIST], false);
        assert_eq!(find(&talk.calls(&[READ], false).done()), None);
    }

    #[test]
    fn siblings_of_one_answer_are_one_step() {
        assert_eq!(find(&Talk::new().calls(&[READ, READ, READ, READ], false).done()), None);
        let talk = times(Talk::new(), 4, &[READ, LIST], false);
        assert_eq!(find(&talk.done()), Some(Repetition::SameResult));
    }

    #[test]
    fn two_calls_that_take_turns_are_noticed_after_six_steps() {
        let mut talk = Talk::new();
        for step in 0..6 {
            talk = talk.calls(&[if step % 2 == 0 { READ } else { LIST }], false);
        }
        assert_eq!(find(&talk.done()), Some(Repetition::Alternation));
        let mut talk = Talk::new();
        for step in 0..5 {
            talk = talk.calls(&[if step % 2 == 0 { READ } else { LIST }], false);
        }
        assert_eq!(find(&talk.done()), None);
    }

    #[test]
    fn a_monologue_is_noticed_through_the_lines_of_the_gateway() {
        let talk = Talk::new().says("a").line("[gateway] cut off").says("b").line("[gateway] cut off");
        assert_eq!(find(&Talk::new().says("a").says("b").done()), None);
        assert_eq!(find(&talk.says("c").done()), Some(Repetition::Monologue));
    }

    #[test]
    fn a_line_begins_the_count_anew() {
        let talk = times(Talk::new(), 4, &[READ], false).line("[gateway] you repeat yourself");
        assert_eq!(find(&talk.done()), None);
        let talk = times(Talk::new(), 4, &[READ], false).line("[gateway] you repeat yourself");
        assert_eq!(find(&times(talk, 4, &[READ], false).done()), Some(Repetition::SameResult));
    }
}
