//! The memory of a model for its conversations: a request continues one that was made before, with the answer that was
//! given to it, and with the same tools. Nothing of it needs to know which run a request belongs to.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::asked::{AskedCall, AskedModel, HistoryItem};
use super::exchange::signature;
use super::format::WireFormat;
use super::script::{ScriptedAnswer, ScriptedPart};

#[derive(Default)]
pub(super) struct KnownHistory {
    /// The answers to requests, by the digest of a request's items.
    requests: BTreeMap<String, Vec<KnownAnswer>>,
}

struct KnownAnswer {
    answer: ScriptedAnswer,
    tools: String,
}

impl KnownHistory {
    /// Checks that a request continues what was asked and answered before. `is_folded` lets it begin anew.
    pub(super) fn check(&self, asked: &AskedModel, is_folded: bool, problems: &mut Vec<String>) {
        let Some(last) = asked.items.iter().rposition(HistoryItem::is_the_models) else { return };
        let others_before = asked.items[..last].iter().rposition(|item| !item.is_the_models());
        let first = others_before.map_or(0, |at| at + 1);
        let Some(known) = self.before(asked, first) else {
            if !is_folded {
                problems.push("what stands before the last answer was never asked in this form".to_owned());
            }
            return;
        };
        let given: Vec<&KnownAnswer> =
            known.iter().filter(|one| fits(&one.answer, &asked.items[first..=last], asked.format)).collect();
        if given.is_empty() {
            let shown = &asked.items[first..=last];
            problems.push(format!("the last answer is none that was given: {shown:?}"));
        } else if !given.iter().any(|one| are_same_tools(&one.tools, &asked.tools_text)) {
            problems.push("the tools are not byte for byte those of the request before".to_owned());
        }
    }

    /// The answers to the request that ended before this item. Lines of the gateway may have come after it.
    fn before(&self, asked: &AskedModel, first: usize) -> Option<&Vec<KnownAnswer>> {
        let digests = digests(asked);
        let mut end = first;
        loop {
            if let Some(known) = self.requests.get(&digests[end]) {
                return Some(known);
            }
            match end.checked_sub(1).map(|at| &asked.items[at]) {
                Some(HistoryItem::User(_)) => end -= 1,
                _ => return None,
            }
        }
    }

    /// The bytes of a request that an earlier one began with too, as the cache of a provider has them.
    pub(super) fn cached_bytes(&self, asked: &AskedModel) -> usize {
        let known = digests(asked).iter().rposition(|digest| self.requests.contains_key(digest));
        known.map_or(0, |count| prompt_bytes(asked, count))
    }

    pub(super) fn remember(&mut self, asked: &AskedModel, answer: Option<&ScriptedAnswer>) {
        let digest = digests(asked).pop().expect("there is a digest before all items");
        let known = self.requests.entry(digest).or_default();
        if let Some(answer) = answer {
            known.push(KnownAnswer { answer: answer.clone(), tools: asked.tools_text.clone() });
        }
    }
}

/// The size of the instructions, the tools and the first items.
pub(super) fn prompt_bytes(asked: &AskedModel, items: usize) -> usize {
    let items: usize = asked.items[..items].iter().map(HistoryItem::bytes).sum();
    asked.system.len() + asked.tools_text.len() + items
}

/// The digests of the request without items, with one, with two, and so on.
fn digests(asked: &AskedModel) -> Vec<String> {
    let start = format!("{:?} {} {}", asked.format, asked.model, asked.system);
    let mut digests = vec![hex(start.as_bytes())];
    for item in &asked.items {
        let last = digests.last().expect("there is one before");
        digests.push(hex(format!("{last} {item:?}").as_bytes()));
    }
    digests
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A request without tools is one in which none may be called.
fn are_same_tools(one: &str, other: &str) -> bool {
    one.is_empty() || other.is_empty() || one == other
}

/// True if these items are what the answer said.
fn fits(answer: &ScriptedAnswer, items: &[HistoryItem], format: WireFormat) -> bool {
    let is_silent = answer.text().trim().is_empty() && answer.calls().next().is_none();
    if is_silent {
        // Providers refuse a message without words, so that some stand in for it.
        return items.iter().all(|item| matches!(item, HistoryItem::Said(_) | HistoryItem::Opaque(_)));
    }
    let said = items.iter().map(|item| match item {
        HistoryItem::Said(text) => text.as_str(),
        _ => "",
    });
    let calls: Vec<&AskedCall> = items
        .iter()
        .filter_map(|item| match item {
            HistoryItem::Call(call) => Some(call),
            _ => None,
        })
        .collect();
    let are_calls = answer.calls().count() == calls.len()
        && answer.calls().zip(&calls).all(|(said, back)| {
            // Arguments that were no object cannot go back in every format.
            said.name == back.name && said.object().is_none_or(|object| object == back.arguments)
        });
    said.collect::<String>() == answer.text() && are_calls && is_signed(answer, items, &calls, format)
}

/// Thoughts before calls come back with their signatures, where the provider signs them.
fn is_signed(
    answer: &ScriptedAnswer,
    items: &[HistoryItem],
    calls: &[&AskedCall],
    format: WireFormat,
) -> bool {
    let Some(first) = calls.first() else { return true };
    let has = |text: &str| items.contains(&HistoryItem::Opaque(signature(text)));
    match format {
        WireFormat::Anthropic | WireFormat::Responses => answer.parts.iter().all(|part| match part {
            ScriptedPart::Thinking(text) => has(text),
            ScriptedPart::Text(_) | ScriptedPart::Call(_) => true,
        }),
        WireFormat::Gemini => {
            let thinking = answer.thinking();
            thinking.is_empty() || first.signature == Some(signature(&thinking))
        }
        WireFormat::Chat | WireFormat::Ollama => true,
    }
}
