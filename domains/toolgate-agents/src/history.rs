//! The stored messages of a run, and those of them that are still sent, in the order of the conversation.

use std::collections::BTreeMap;

use toolgate_core::model::MessageRole;
use toolgate_core::run::StoredMessage;

use crate::lines::LineKind;

/// In the order of their numbers. A message that stands for folded ones was written later than they were, and takes their place.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct History {
    messages: Vec<StoredMessage>,
}

impl History {
    /// Messages that were written since.
    pub(crate) fn extend(&mut self, messages: Vec<StoredMessage>) {
        self.messages.extend(messages);
    }

    /// 0 if there is none.
    pub(crate) fn last_number(&self) -> u64 {
        self.messages.last().map_or(0, |message| message.number)
    }

    pub(crate) fn last(&self) -> Option<&StoredMessage> {
        self.messages.last()
    }

    /// True if a line of this kind was ever added, folded or not.
    pub(crate) fn has(&self, kind: LineKind) -> bool {
        self.messages.iter().any(|one| kind.is(&one.message))
    }

    /// True if a line of this kind stands at the end, after all answers and results.
    pub(crate) fn ends_with(&self, kind: LineKind) -> bool {
        lines_before(&self.messages).any(|one| kind.is(&one.message))
    }

    /// True if the next answer is the last one, without tools.
    pub(crate) fn is_closing(&self) -> bool {
        are_closing(&self.messages)
    }

    /// True if the answer of a turn was asked for as the last one, without tools.
    pub(crate) fn closes(&self, turn: u64) -> bool {
        let Some(answer) = self.answer_of(turn) else { return false };
        let before = self.messages.partition_point(|one| one.number < answer.number);
        are_closing(&self.messages[..before])
    }

    /// The answer of a turn.
    pub(crate) fn answer_of(&self, turn: u64) -> Option<&StoredMessage> {
        let mut newest_first = self.messages.iter().rev();
        newest_first.find(|one| one.turn == turn && one.message.role == MessageRole::Assistant)
    }

    /// The messages that are sent, each in its place.
    pub(crate) fn live(&self) -> Vec<&StoredMessage> {
        let mut places: BTreeMap<u64, u64> = BTreeMap::new();
        for message in &self.messages {
            // Messages come in the order of their numbers: the first one has the smallest.
            places.entry(self.stand_in(message)).or_insert(message.number);
        }
        let mut live: Vec<&StoredMessage> =
            self.messages.iter().filter(|one| one.folded_into.is_none()).collect();
        live.sort_by_key(|one| (places.get(&one.number).copied().unwrap_or(one.number), one.number));
        live
    }

    /// True if a message stands for folded ones.
    pub(crate) fn is_stand_in(&self, number: u64) -> bool {
        self.messages.iter().any(|one| one.folded_into == Some(number))
    }

    /// The number of the message that is sent for this one: its own, if it was not folded.
    fn stand_in(&self, message: &StoredMessage) -> u64 {
        let mut number = message.number;
        let mut next = message.folded_into;
        // Each one stands for earlier ones, so this ends.
        while let Some(later) = next.filter(|later| *later > number) {
            number = later;
            next = self.find(later).and_then(|found| found.folded_into);
        }
        number
    }

    fn find(&self, number: u64) -> Option<&StoredMessage> {
        let place = self.messages.binary_search_by_key(&number, |one| one.number).ok()?;
        self.messages.get(place)
    }
}

/// The lines at the end of some messages, newest first.
fn lines_before(messages: &[StoredMessage]) -> impl Iterator<Item = &StoredMessage> {
    messages.iter().rev().take_while(|one| one.message.role == MessageRole::User)
}

fn are_closing(messages: &[StoredMessage]) -> bool {
    let is_word =
        |one: &&StoredMessage| LineKind::Closing.is(&one.message) || LineKind::Reopened.is(&one.message);
    // The newest one counts.
    lines_before(messages).find(is_word).is_some_and(|one| LineKind::Closing.is(&one.message))
}

#[cfg(test)]
pub(crate) mod fixture {
    //! Histories for tests, message by message.

    use toolgate_core::model::{
        CallArguments, MessagePart, MessageRole, ModelCall, ModelCallResult, ModelMessage,
    };
    use toolgate_core::run::StoredMessage;
    use toolgate_core::{Digest, RawJson};

    use super::History;
    use crate::framing::framed;
    use crate::tokens;

    #[derive(Default)]
    pub(crate) struct Talk {
        messages: Vec<StoredMessage>,
        turn: u64,
    }

    impl Talk {
        pub(crate) fn new() -> Self {
            Self::default().line("the goal")
        }

        pub(crate) fn line(self, text: &str) -> Self {
            self.add(ModelMessage::user(text))
        }

        pub(crate) fn says(mut self, text: &str) -> Self {
            self.turn += 1;
            let parts = vec![MessagePart::Text(text.to_owned())];
            self.add(ModelMessage { role: MessageRole::Assistant, parts })
        }

        /// One turn: calls as name and arguments, with their results.
        pub(crate) fn calls(mut self, calls: &[(&str, &str, &str)], is_error: bool) -> Self {
            self.turn += 1;
            let turn = self.turn;
            let id = move |place: usize| format!("{turn}.{}", place + 1);
            let planned = calls.iter().enumerate().map(|(place, (name, arguments, _))| {
                let arguments = CallArguments::Object(RawJson::from_composed((*arguments).to_owned()));
                MessagePart::Call(ModelCall { id: id(place), name: (*name).to_owned(), arguments, raw: None })
            });
            let planned = planned.collect();
            let results = calls.iter().enumerate().map(|(place, (name, _, text))| {
                let text = framed(&toolgate_core::id::RunId::new("run_1"), &id(place), name, text);
                MessagePart::Result(ModelCallResult {
                    id: id(place),
                    name: (*name).to_owned(),
                    text,
                    is_error,
                })
            });
            let results = results.collect();
            self.add(ModelMessage { role: MessageRole::Assistant, parts: planned })
                .add(ModelMessage { role: MessageRole::Tool, parts: results })
        }

        /// Folds messages by their numbers, as the store does.
        pub(crate) fn fold(mut self, from: u64, to: u64, text: &str) -> Self {
            let stands = self.messages.len() as u64 + 1;
            for one in &mut self.messages {
                if (from..=to).contains(&one.number) && one.folded_into.is_none() {
                    one.folded_into = Some(stands);
                }
            }
            self.line(text)
        }

        pub(crate) fn done(self) -> History {
            History { messages: self.messages }
        }

        fn add(mut self, message: ModelMessage) -> Self {
            self.messages.push(StoredMessage {
                number: self.messages.len() as u64 + 1,
                turn: self.turn,
                tokens: tokens::of_message(&message),
                message,
                folded_into: None,
                digest: Digest::of(""),
                created_at_ms: 0,
            });
            self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fixture::Talk;
    use super::*;

    fn numbers(history: &History) -> Vec<u64> {
        history.live().iter().map(|one| one.number).collect()
    }

    #[test]
    fn a_stand_in_takes_the_place_of_what_it_stands_for() {
        let talk = Talk::new().says("a").says("b").says("c").fold(2, 3, "a and b");
        let history = talk.done();
        assert_eq!(numbers(&history), [1, 5, 4]);
        assert_eq!(history.last_number(), 5);
    }

    #[test]
    fn stand_ins_are_folded_in_their_turn() {
        let talk = Talk::new().says("a").says("b").says("c").fold(2, 3, "a and b").says("d").says("e");
        assert_eq!(numbers(&talk.fold(2, 6, "all until d").done()), [1, 8, 7]);
        let alone = Talk::new().says("a").says("b").says("c").fold(2, 3, "a and b").fold(5, 5, "shorter");
        assert_eq!(numbers(&alone.done()), [1, 6, 4]);
    }

    #[test]
    fn a_closing_answer_is_one_that_was_asked_for_as_such() {
        let closing = crate::lines::closing("turns").text();
        let history = Talk::new().says("a").line(&closing).says("b").done();
        assert!(history.closes(2) && !history.closes(1) && !history.closes(3));
        assert!(!history.is_closing(), "an answer followed");
        assert!(Talk::new().says("a").line(&closing).line("x").done().is_closing());
        let again = Talk::new().says("a").line(&closing).line(&crate::lines::reopened().text());
        assert!(!again.done().is_closing(), "there is budget again");
        assert!(!history.has(LineKind::Budget) && history.has(LineKind::Closing));
    }

    #[test]
    fn the_answer_of_a_turn_is_found() {
        let history = Talk::new().says("a").calls(&[("x", "{}", "y")], false).done();
        assert_eq!(history.answer_of(1).expect("there").message.text(), "a");
        assert_eq!(history.answer_of(2).expect("there").message.calls().count(), 1);
        assert_eq!(history.answer_of(3), None);
    }
}
