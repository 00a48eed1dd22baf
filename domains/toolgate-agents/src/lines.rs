//! Lines that the gateway adds to a conversation. Each kind begins with words of its own, so that its presence can be found in the
//! stored messages.

use toolgate_core::ServerName;
use toolgate_core::model::{MessageRole, ModelMessage};

/// The start of every line of the gateway.
pub(crate) const GATEWAY: &str = "[gateway] ";
const BUDGET: &str = "[gateway] Most of the budget is used:";
const CLOSING: &str = "[gateway] The budget is used up:";
const REOPENED: &str = "[gateway] There is budget again:";
const PAUSED: &str = "[gateway] This run was paused:";
const OUTCOME: &str = "[gateway] The result is missing or does not fit:";
const NUDGE: &str = "[gateway] You repeat yourself:";
const PERSON: &str = "[gateway] A person says:";
/// The text of an answer without words and calls. Providers refuse a message without parts.
pub(crate) const NO_WORDS: &str = "(no answer)";

/// The kinds of lines that are looked for later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineKind {
    /// 80 % of a limit is used.
    Budget,
    /// A limit is reached; only a closing answer follows.
    Closing,
    /// The limit no longer holds, for instance in a run that goes on from another one.
    Reopened,
    /// The run waited for a person.
    Paused,
    /// The outcome was asked for again.
    Outcome,
    /// The agent was told that it repeats itself.
    Nudge,
}

impl LineKind {
    fn start(self) -> &'static str {
        match self {
            LineKind::Budget => BUDGET,
            LineKind::Closing => CLOSING,
            LineKind::Reopened => REOPENED,
            LineKind::Paused => PAUSED,
            LineKind::Outcome => OUTCOME,
            LineKind::Nudge => NUDGE,
        }
    }

    /// True if a message is a line of this kind.
    pub(crate) fn is(self, message: &ModelMessage) -> bool {
        message.role == MessageRole::User && message.text().starts_with(self.start())
    }
}

pub(crate) fn budget(used: &str) -> ModelMessage {
    ModelMessage::user(format!(
        "{BUDGET} {used}. Finish the most important part now, store what must be kept, and then end the run."
    ))
}

pub(crate) fn closing(limit: &str) -> ModelMessage {
    ModelMessage::user(format!(
        "{CLOSING} {limit}. No tool can be called any more. Say in a few sentences what is done, what is not, and what would be \
         the next step. Your answer becomes the summary of the run."
    ))
}

pub(crate) fn reopened() -> ModelMessage {
    ModelMessage::user(format!("{REOPENED} tools can be called. Go on with the task."))
}

pub(crate) fn paused(why: &str) -> ModelMessage {
    ModelMessage::user(format!("{PAUSED} {why} A person let it go on."))
}

pub(crate) fn outcome(why: &str) -> ModelMessage {
    ModelMessage::user(format!(
        "{OUTCOME} {why} Answer with the JSON of the result alone, without other words and without a call."
    ))
}

pub(crate) fn person(advice: &str) -> ModelMessage {
    ModelMessage::user(format!("{PERSON} {advice}"))
}

pub(crate) fn nudge(why: &str) -> ModelMessage {
    ModelMessage::user(format!(
        "{NUDGE} {why}. It will not help to do the same again. Try another way, ask a person, or end the run \
         and say what is missing."
    ))
}

pub(crate) fn cut_off() -> ModelMessage {
    ModelMessage::user(format!(
        "{GATEWAY}Your answer was cut off at the limit of its length. Go on in smaller steps, and store long texts as files."
    ))
}

pub(crate) fn no_words() -> ModelMessage {
    ModelMessage::user(format!(
        "{GATEWAY}Your answer had neither words nor a call. Call a tool, or say what was done to end the run."
    ))
}

pub(crate) fn away(servers: &[ServerName]) -> ModelMessage {
    let names: Vec<&str> = servers.iter().map(ServerName::as_str).collect();
    ModelMessage::user(format!(
        "{GATEWAY}These servers are away now, and the run goes on without their tools: {}.",
        names.join(", ")
    ))
}

pub(crate) fn summarise() -> ModelMessage {
    ModelMessage::user(format!(
        "{GATEWAY}The conversation grows too long. Write down what is needed to go on without the earlier messages: what the goal is, \
         what was found out, what was done and with which result, ids of files and refs, what failed, and what comes next. Call \
         no tool."
    ))
}

/// The message that stands for folded ones.
pub(crate) fn folded(text: &str) -> ModelMessage {
    ModelMessage::user(format!("{GATEWAY}Earlier messages, shortened:\n{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_line_is_found_and_no_other() {
        let all = [budget("x"), closing("x"), paused("x"), outcome("x"), nudge("x")];
        let kinds =
            [LineKind::Budget, LineKind::Closing, LineKind::Paused, LineKind::Outcome, LineKind::Nudge];
        for (place, kind) in kinds.into_iter().enumerate() {
            let found: Vec<bool> = all.iter().map(|line| kind.is(line)).collect();
            let expected: Vec<bool> = (0..all.len()).map(|other| other == place).collect();
            assert_eq!(found, expected, "{kind:?}");
        }
    }

    #[test]
    fn an_answer_that_quotes_a_line_is_none() {
        let quoted = ModelMessage { role: MessageRole::Assistant, ..closing("x") };
        assert!(!LineKind::Closing.is(&quoted));
    }
}
