//! Redaction: the removal of secrets and binary content from arguments and results before they are stored or
//! shown. Secrets are found by the name of their key, by their look or by an operator's rule. Data on its way
//! to servers and agents stays untouched.
//!
//! Of a text only the credential is removed, and of JSON in a text only the secret: a person who decides on
//! the rest, or inspects it later, must see everything else.

mod binary;
pub(crate) mod echo;
mod embedded;
mod look;
mod mark;
mod pattern;
mod restore;
mod scan;
mod secret;
mod sent;
#[cfg(test)]
mod tests;
mod walk;

use std::borrow::Cow;

use serde_json::Value;
use toolgate_core::RawJson;
use wildmatch::WildMatch;

pub(crate) use binary::is_binary_text;
#[cfg(test)]
pub(crate) use look::look_kinds;
pub(crate) use look::{CARD, credentials, holds_credential};
pub(crate) use mark::is_marked;
pub use mark::{HiddenKind, HiddenValue, MARKER, MarkStyle};
pub use pattern::BadPattern;
pub use restore::{Unrestorable, mentions_marker, restore};
pub(crate) use secret::is_secret_key;
pub use sent::SecretMask;

use mark::RemovedValues;
use pattern::PathPattern;
use scan::QuickScan;
use walk::{RedactedSide, RedactionWalk};

/// The maximum number of rules.
pub const RULES_MAX: usize = 1_000;

/// Additional values to redact in the calls of some tools.
///
/// A path is a JSON pointer in which `*` is any one step and `**` any number of them: `/password`,
/// `/users/*/token`, `/**/secret`. Case does not matter. Paths of results start at the result, at its
/// `structuredContent` and at JSON inside a text, so the same value is found wherever the server repeats it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedactRule {
    /// Canonical names, with `*` and `?`.
    pub tools: String,
    #[serde(default)]
    pub input: Vec<String>,
    #[serde(default)]
    pub output: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRule {
    #[error("a redaction rule names no tools\nhint: `*` stands for all of them")]
    NoTools,
    #[error("a redaction rule for {tools:?} has a path that means nothing: {pattern:?}: {problem}")]
    Path { tools: String, pattern: String, problem: BadPattern },
    #[error("there are {0} redaction rules; at most {RULES_MAX} are taken")]
    TooMany(usize),
}

/// All rules, compiled.
#[derive(Debug)]
pub struct Redactor {
    rules: Vec<RedactionRule>,
    scan: QuickScan,
}

#[derive(Debug)]
struct RedactionRule {
    tools: WildMatch,
    input: Vec<PathPattern>,
    output: Vec<PathPattern>,
}

/// Arguments without their secrets.
#[derive(Clone, Debug, PartialEq)]
pub struct Redacted<'a> {
    /// Borrowed if nothing was removed.
    pub value: Cow<'a, Value>,
    /// True if nothing was removed.
    pub complete: bool,
    /// The removed values.
    pub hidden: Vec<HiddenValue>,
    /// The secrets themselves, as far as they are long enough to be recognised.
    pub secrets: Vec<String>,
}

/// A result without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactedOutput {
    /// The original text, unless something was removed.
    pub json: RawJson,
    /// True if nothing was removed.
    pub complete: bool,
}

impl Redactor {
    pub fn new(rules: Vec<RedactRule>) -> Result<Redactor, BadRule> {
        if rules.len() > RULES_MAX {
            return Err(BadRule::TooMany(rules.len()));
        }
        let rules = rules.iter().map(RedactionRule::new).collect::<Result<Vec<_>, _>>()?;
        let scan = QuickScan::new(rules.iter().flat_map(|rule| &rule.output));
        Ok(Redactor { rules, scan })
    }

    /// Removes values that must not be stored from the arguments for `tool` (its canonical name).
    pub fn redact_input<'a>(&self, tool: &str, arguments: &'a Value, marks: MarkStyle) -> Redacted<'a> {
        let patterns: Vec<&PathPattern> = self.of(tool).flat_map(|rule| &rule.input).collect();
        let mut found = RemovedValues::new(marks);
        let redacted = RedactionWalk::new(&patterns, RedactedSide::Arguments).start(arguments, &mut found);
        let complete = redacted.is_none();
        let value = redacted.map_or(Cow::Borrowed(arguments), Cow::Owned);
        Redacted { value, complete, hidden: found.hidden, secrets: found.secrets }
    }

    /// Removes values that must not be stored from a result of `tool`. Most results pass without being
    /// parsed.
    pub fn redact_output(&self, tool: &str, raw: &RawJson) -> RedactedOutput {
        if !self.scan.may_match(raw.as_str()) {
            return RedactedOutput { json: raw.clone(), complete: true };
        }
        let patterns: Vec<&PathPattern> = self.of(tool).flat_map(|rule| &rule.output).collect();
        // Unreadable data cannot be searched, so nothing of it is stored.
        let redacted = match raw.decode::<Value>() {
            Ok(value) => RedactionWalk::new(&patterns, RedactedSide::Result)
                .start(&value, &mut RemovedValues::new(MarkStyle::Plain)),
            Err(_) => Some(Value::from(MARKER)),
        };
        match redacted {
            Some(value) => RedactedOutput { json: RawJson::from(value), complete: false },
            None => RedactedOutput { json: raw.clone(), complete: true },
        }
    }

    fn of(&self, tool: &str) -> impl Iterator<Item = &RedactionRule> {
        self.rules.iter().filter(move |rule| rule.tools.matches(tool))
    }
}

impl RedactionRule {
    fn new(rule: &RedactRule) -> Result<RedactionRule, BadRule> {
        if rule.tools.is_empty() {
            return Err(BadRule::NoTools);
        }
        let tools = WildMatch::new(&rule.tools);
        Ok(RedactionRule {
            tools,
            input: patterns(rule, &rule.input)?,
            output: patterns(rule, &rule.output)?,
        })
    }
}

fn patterns(rule: &RedactRule, paths: &[String]) -> Result<Vec<PathPattern>, BadRule> {
    let pattern = |path: &String| {
        let (tools, pattern) = (rule.tools.clone(), path.clone());
        PathPattern::new(path).map_err(|problem| BadRule::Path { tools, pattern, problem })
    };
    paths.iter().map(pattern).collect()
}
