//! What stands where something was taken out, and what is known of it.

use std::fmt;

use serde_json::Value;

use super::look::CARD;

/// What stands where something was taken out.
pub const MARKER: &str = "[redacted]";
/// Where people decide, it says what was taken out and how long that is.
const TOLD_START: &str = "[redacted: ";
/// What every mark begins with, wherever in a text it stands.
pub(super) const MARK_START: &str = "[redacted";
/// How many digits of a card's number may be shown, by the rules of those who issue them.
const CARD_DIGITS_SHOWN: (usize, usize) = (6, 4);
/// Shorter secrets may stand in a result by chance.
const ECHO_CHARS_MIN: usize = 6;

/// How it is said that something was taken out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Marks {
    /// That it was: what is kept gives nothing away, not even a length.
    Plain,
    /// What it was and how long: somebody decides on the rest.
    Told,
}

/// Something that was taken out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hidden {
    /// A JSON pointer to the argument that holds it.
    pub path: String,
    pub kind: HiddenKind,
    /// Whether people may agree to a call without having seen it: its place says what it is, or enough of it is shown.
    /// Where only its look says so, whoever makes the call chose it, and could hide anything.
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
    /// JSON within a text that goes too deep to be searched.
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

/// What a walk took out, and how it says so.
#[derive(Debug)]
pub(super) struct Found {
    marks: Marks,
    pub(super) hidden: Vec<Hidden>,
    /// The secrets themselves: a server may repeat them in its own words.
    pub(super) secrets: Vec<String>,
}

impl Found {
    pub(super) fn new(marks: Marks) -> Self {
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
        self.hidden.push(Hidden { path: String::new(), kind, may_stay_unseen });
    }

    /// What was taken out since stands below this step.
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
            (Marks::Plain, _) => MARKER.to_owned(),
            (Marks::Told, HiddenKind::Look(CARD)) => told_card(text),
            (Marks::Told, kind) => {
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

/// Whether a whole text stands in for something.
pub(super) fn is_mark(text: &str) -> bool {
    text == MARKER || (text.starts_with(TOLD_START) && text.ends_with(']'))
}
