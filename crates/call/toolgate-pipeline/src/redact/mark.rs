//! The replacements for removed values, and the facts that are known about them.

use std::fmt;

use serde_json::Value;

use super::look::CARD;

/// The replacement for a removed value.
pub const MARKER: &str = "[redacted]";
/// For people who decide, it also says what was removed and how long it is.
const TOLD_START: &str = "[redacted: ";
/// The beginning of every mark, wherever it occurs in a text.
pub(super) const MARK_START: &str = "[redacted";
/// The number of digits of a card number that may be shown, by the rules of card issuers.
const CARD_DIGITS_SHOWN: (usize, usize) = (6, 4);
/// Shorter secrets may occur in a result by chance.
const ECHO_CHARS_MIN: usize = 6;

/// The form of a mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarkStyle {
    /// The bare fact: stored data reveals nothing, not even a length.
    Plain,
    /// The kind and the length: a person decides on the rest.
    Told,
}

/// A removed value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HiddenValue {
    /// A JSON pointer to the argument that contains it.
    pub path: String,
    pub kind: HiddenKind,
    /// True if people may agree to a call without having seen it: its place shows what it is, or enough of it
    /// is shown. If only its look does, the caller chose it and could hide anything.
    pub may_stay_unseen: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HiddenKind {
    /// By the name of its key.
    Secret,
    /// By a rule of the operator.
    Rule,
    /// By its look: which kind of credential.
    Look(&'static str),
    Binary,
    /// JSON within a text that is nested too deeply to be searched.
    Nested,
}

impl fmt::Display for HiddenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HiddenKind::Secret => "secret",
            HiddenKind::Rule => "by rule",
            HiddenKind::Look(kind) => kind,
            HiddenKind::Binary => "binary content",
            HiddenKind::Nested => "deeply nested JSON",
        })
    }
}

/// The values that a walk removed, and the form of their marks.
#[derive(Debug)]
pub(super) struct RemovedValues {
    marks: MarkStyle,
    pub(super) hidden: Vec<HiddenValue>,
    /// The secrets themselves: a server may repeat them in its own words.
    pub(super) secrets: Vec<String>,
}

impl RemovedValues {
    pub(super) fn new(marks: MarkStyle) -> Self {
        Self { marks, hidden: Vec::new(), secrets: Vec::new() }
    }

    /// Takes note of a value that is taken out as a whole because of its place.
    pub(super) fn take_value(&mut self, kind: HiddenKind, value: &Value) -> String {
        leaves(value, &mut |text| self.remember(text));
        self.hide(kind, true);
        match value {
            Value::String(text) => self.mark(kind, text),
            other => self.mark(kind, &other.to_string()),
        }
    }

    /// The same for a stretch of text.
    pub(super) fn take_text(&mut self, kind: HiddenKind, text: &str) -> String {
        self.remember(text);
        self.hide(kind, kind == HiddenKind::Look(CARD));
        self.mark(kind, text)
    }

    pub(super) fn hide(&mut self, kind: HiddenKind, may_stay_unseen: bool) {
        self.hidden.push(HiddenValue { path: String::new(), kind, may_stay_unseen });
    }

    /// Prefixes everything that was removed since then with this step.
    pub(super) fn below(&mut self, since: usize, step: &str) {
        for hidden in &mut self.hidden[since..] {
            hidden.path.insert_str(0, step);
            hidden.path.insert(0, '/');
        }
    }

    fn remember(&mut self, secret: &str) {
        if secret.chars().count() >= ECHO_CHARS_MIN {
            self.secrets.push(secret.to_owned());
        }
    }

    fn mark(&self, kind: HiddenKind, text: &str) -> String {
        match (self.marks, kind) {
            (MarkStyle::Plain, _) => MARKER.to_owned(),
            (MarkStyle::Told, HiddenKind::Look(CARD)) => told_card(text),
            (MarkStyle::Told, kind) => {
                let count = text.chars().count();
                let plural = if count == 1 { "" } else { "s" };
                format!("{TOLD_START}{kind}, {count} character{plural}]")
            }
        }
    }
}

fn told_card(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let (first, last) = CARD_DIGITS_SHOWN;
    format!(
        "{TOLD_START}{CARD}, {} digits, {}…{}]",
        digits.len(),
        &digits[..first],
        &digits[digits.len() - last..]
    )
}

fn leaves(value: &Value, see: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => see(text),
        Value::Number(number) => see(&number.to_string()),
        Value::Array(all) => all.iter().for_each(|one| leaves(one, see)),
        Value::Object(all) => all.values().for_each(|one| leaves(one, see)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// True if a mark occurs in a text.
pub(crate) fn is_marked(text: &str) -> bool {
    text.contains(MARK_START)
}

/// True if the whole text is a mark.
pub(super) fn is_mark(text: &str) -> bool {
    text == MARKER || (text.starts_with(TOLD_START) && text.ends_with(']'))
}
