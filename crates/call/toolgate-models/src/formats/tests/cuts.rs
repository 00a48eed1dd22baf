//! Streams that end too early, wherever that is.

use toolgate_core::model::{ModelFaultKind, ModelProvider};

use super::kit::read;
use super::{chat, gemini, messages, ollama, responses};

const STREAMS: [(ModelProvider, &[&str]); 5] = [
    (ModelProvider::Openai, chat::TWO_CALLS),
    (ModelProvider::OpenaiResponses, responses::TWO_CALLS),
    (ModelProvider::Anthropic, messages::TWO_CALLS),
    (ModelProvider::Gemini, gemini::TWO_CALLS),
    (ModelProvider::Ollama, ollama::TWO_CALLS),
];

#[test]
fn a_stream_that_ends_between_two_events_is_broken_off_or_has_every_part() {
    for (provider, events) in STREAMS {
        let whole = read(provider, events).unwrap();
        let mut broken_off = 0;
        for end in 0..events.len() {
            match read(provider, &events[..end]) {
                Ok(answer) => assert_eq!(answer.parts, whole.parts, "{provider:?} until {end}"),
                Err(fault) => {
                    assert_eq!(fault.kind, ModelFaultKind::Away, "{provider:?} until {end}: {fault}");
                    broken_off += 1;
                }
            }
        }
        assert!(broken_off > events.len() / 2, "{provider:?} took {broken_off} of {} cuts", events.len());
    }
}

#[test]
fn an_event_that_is_cut_in_itself_is_nonsense() {
    for (provider, events) in STREAMS {
        let first = events[0];
        let fault = read(provider, &[&first[..first.len() - 1]]).unwrap_err();
        assert_eq!(fault.kind, ModelFaultKind::Nonsense, "{provider:?}");
    }
}
