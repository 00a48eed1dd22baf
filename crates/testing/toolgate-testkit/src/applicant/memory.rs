//! The calls of a conversation with their results, oldest first.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::{AskedCall, AskedModel, HistoryItem};

/// A call that was answered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct DoneCall<'a> {
    /// The tool without its server.
    pub(super) tool: &'a str,
    pub(super) arguments: &'a Value,
    /// The answer, without its frame.
    pub(super) text: &'a str,
}

pub(super) fn done(asked: &AskedModel) -> Vec<DoneCall<'_>> {
    let mut open: BTreeMap<&str, &AskedCall> = BTreeMap::new();
    let mut done = Vec::new();
    for item in &asked.items {
        match item {
            HistoryItem::Call(call) => drop(open.insert(&call.id, call)),
            HistoryItem::Result { id, text } => {
                let call = open.remove(id.as_str());
                done.extend(call.map(|call| DoneCall {
                    tool: short(&call.name),
                    arguments: &call.arguments,
                    text: unframed(text),
                }));
            }
            HistoryItem::User(_) | HistoryItem::Said(_) | HistoryItem::Opaque(_) => {}
        }
    }
    done
}

impl<'a> DoneCall<'a> {
    /// True if the answer is one that the tool gives when it did what it was asked for.
    pub(super) fn went_well(&self) -> bool {
        let starts = |words: &str| self.text.starts_with(words);
        match self.tool {
            "navigate" => starts("Opened"),
            "snapshot" => self.text.contains("Page: "),
            "click" => starts("Clicked"),
            "fill_form" => starts("Filled"),
            "upload" => starts("Put "),
            "screenshot" => starts("A picture"),
            "wait_for" => starts("After"),
            "request_user_input" => !self.text.contains("\nhint: "),
            _ => self.data().is_some(),
        }
    }

    /// The data of an answer, where it is JSON.
    pub(super) fn data(&self) -> Option<Value> {
        let start = self.text.find('{')?;
        let mut values = serde_json::Deserializer::from_str(&self.text[start..]).into_iter::<Value>();
        values.next()?.ok()
    }

    /// The first ref that the answer links to.
    pub(super) fn reference(&self) -> Option<&'a str> {
        let (_, rest) = self.text.split_once("toolgate://refs/")?;
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        Some(&rest[..end])
    }

    /// True if it may have led to another page.
    pub(super) fn turns_the_page(&self) -> bool {
        matches!(self.tool, "navigate" | "click" | "wait_for")
    }

    pub(super) fn argument(&self, name: &str) -> &'a str {
        self.arguments[name].as_str().unwrap_or_default()
    }
}

/// `browser__click` is `click`.
fn short(name: &str) -> &str {
    name.rsplit_once("__").map_or(name, |(_, tool)| tool)
}

/// The text between the marks of a result.
fn unframed(text: &str) -> &str {
    let inner = text.strip_prefix("<tool_result ").and_then(|rest| rest.split_once('\n'));
    let Some((_, inner)) = inner else { return text };
    inner.rsplit_once('\n').map_or("", |(inner, _)| inner)
}
