//! A request to the model in one form, whatever format it came in.

use serde_json::Value;

use super::format::WireFormat;

/// A request that arrived.
#[derive(Clone, PartialEq, Debug)]
pub struct AskedModel {
    pub format: WireFormat,
    /// The provider's name of the model.
    pub model: String,
    pub system: String,
    pub items: Vec<HistoryItem>,
    pub tools: Vec<AskedTool>,
    /// The member `tools` byte for byte; empty without one.
    pub tools_text: String,
    /// False if the request says that no tool may be called, or has none.
    pub may_call: bool,
    /// The key of its header.
    pub key: Option<String>,
    pub body: Value,
}

/// The messages of a request, taken apart in their order.
#[derive(Clone, PartialEq, Debug)]
pub enum HistoryItem {
    User(String),
    Said(String),
    /// A part of the model's own that it wants back unchanged.
    Opaque(String),
    Call(AskedCall),
    Result {
        id: String,
        text: String,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct AskedCall {
    pub id: String,
    pub name: String,
    pub arguments: Value,
    /// The signature that came with the call and goes back with it.
    pub signature: Option<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct AskedTool {
    pub name: String,
    pub schema: Value,
}

impl AskedModel {
    /// The number of this turn, from 1: one more than there are answers of the model.
    pub fn turn(&self) -> usize {
        let mut turns = 1;
        let mut speaks = false;
        for item in &self.items {
            let spoke = std::mem::replace(&mut speaks, item.is_the_models());
            turns += usize::from(speaks && !spoke);
        }
        turns
    }

    /// The first message, which tells runs apart.
    pub fn goal(&self) -> &str {
        let first = self.items.iter().find_map(|item| match item {
            HistoryItem::User(text) => Some(text.as_str()),
            _ => None,
        });
        first.unwrap_or_default()
    }

    /// The text of the last result, if a call has been answered.
    pub fn last_result(&self) -> Option<&str> {
        self.results().next_back()
    }

    /// The texts of all results, in their order.
    pub fn results(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.items.iter().filter_map(|item| match item {
            HistoryItem::Result { text, .. } => Some(text.as_str()),
            _ => None,
        })
    }

    /// All that was said by others than the model, joined: the goal, results, and lines of the gateway.
    pub fn told(&self) -> String {
        let texts = self.items.iter().map(|item| match item {
            HistoryItem::User(text) | HistoryItem::Result { text, .. } => text.as_str(),
            HistoryItem::Said(_) | HistoryItem::Opaque(_) | HistoryItem::Call(_) => "",
        });
        texts.collect::<Vec<&str>>().join("\n")
    }

    pub fn offers(&self, tool: &str) -> bool {
        self.tools.iter().any(|offered| offered.name == tool)
    }

    pub fn calls(&self) -> impl Iterator<Item = &AskedCall> {
        self.items.iter().filter_map(|item| match item {
            HistoryItem::Call(call) => Some(call),
            _ => None,
        })
    }
}

impl HistoryItem {
    /// True for items of the model's own messages.
    pub fn is_the_models(&self) -> bool {
        matches!(self, HistoryItem::Said(_) | HistoryItem::Opaque(_) | HistoryItem::Call(_))
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            HistoryItem::User(text) | HistoryItem::Said(text) | HistoryItem::Opaque(text) => text.len(),
            HistoryItem::Call(call) => call.name.len() + call.arguments.to_string().len(),
            HistoryItem::Result { text, .. } => text.len(),
        }
    }
}
