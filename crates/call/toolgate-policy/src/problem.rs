//! The errors of a policy or a policy test, always printed in one form:
//!
//! ```text
//! policy/gates.cedar:12:1: what is wrong
//! hint: what to do
//! ```

use std::fmt;

/// One error, and its position.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
pub struct PolicyProblem {
    pub file: String,
    /// Absent if the file or folder as a whole is meant.
    #[serde(flatten)]
    pub place: Option<TextPosition>,
    pub what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A place in a text, counted from one; columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
pub struct TextPosition {
    pub line: usize,
    pub column: usize,
}

impl TextPosition {
    /// The place of a byte in a text. A byte past the end is the end.
    pub fn of(text: &str, byte: usize) -> TextPosition {
        let before = &text[..text.floor_char_boundary(byte)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        TextPosition {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl PolicyProblem {
    pub(crate) fn of_file(file: impl Into<String>, what: impl Into<String>) -> Self {
        Self { file: file.into(), place: None, what: what.into(), hint: None }
    }

    pub(crate) fn at(file: &str, text: &str, byte: usize, what: impl Into<String>) -> Self {
        Self { file: file.into(), place: Some(TextPosition::of(text, byte)), what: what.into(), hint: None }
    }

    #[must_use]
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    #[must_use]
    pub(crate) fn maybe_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }
}

impl fmt::Display for PolicyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(TextPosition { line, column }) => write!(f, "{}:{line}:{column}: {}", self.file, self.what)?,
            None => write!(f, "{}: {}", self.file, self.what)?,
        }
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

/// Policies or policy tests that were refused: every problem that was found, by file and line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, serde::Serialize)]
#[error("{}", listed(.problems))]
pub struct PolicyError {
    pub problems: Vec<PolicyProblem>,
}

impl PolicyError {
    /// An error, if there are any problems.
    pub(crate) fn unless_empty(mut problems: Vec<PolicyProblem>) -> Result<(), PolicyError> {
        if problems.is_empty() {
            return Ok(());
        }
        problems.sort();
        problems.dedup();
        Err(PolicyError { problems })
    }
}

fn listed(problems: &[PolicyProblem]) -> String {
    problems.iter().map(PolicyProblem::to_string).collect::<Vec<_>>().join("\n")
}

/// "did you mean …?" for the nearest of `known`, if one is near enough.
pub(crate) fn did_you_mean<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(written, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= NEAR_ENOUGH)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| format!("did you mean `{candidate}`?"))
}

/// Found by trial: catches swapped, missing and doubled letters and not another word of the same length.
const NEAR_ENOUGH: f64 = 0.82;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters_from_one() {
        let text = "ab\nçé x\n";
        assert_eq!(TextPosition::of(text, 0), TextPosition { line: 1, column: 1 });
        assert_eq!(TextPosition::of(text, 3), TextPosition { line: 2, column: 1 });
        assert_eq!(TextPosition::of(text, text.find('x').unwrap()), TextPosition { line: 2, column: 4 });
        assert_eq!(TextPosition::of(text, 99), TextPosition { line: 3, column: 1 });
        // A byte inside a character is that character's place.
        assert_eq!(TextPosition::of(text, 4), TextPosition { line: 2, column: 1 });
    }

    #[test]
    fn problems_are_listed_by_file_and_line_once_each() {
        let problem =
            |file: &str, byte| PolicyProblem::at(file, "a\nb\nc", byte, "wrong").hint("do it right");
        let problems = vec![problem("b", 0), problem("a", 4), problem("a", 0), problem("a", 4)];
        let error = PolicyError::unless_empty(problems).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a:1:1: wrong\nhint: do it right\na:3:1: wrong\nhint: do it right\nb:1:1: wrong\nhint: do it right"
        );
    }

    #[test]
    fn only_what_is_near_is_suggested() {
        let known = ["approvers", "quorum", "timeout"];
        assert_eq!(did_you_mean("aprovers", known), Some("did you mean `approvers`?".into()));
        assert_eq!(did_you_mean("qourum", known), Some("did you mean `quorum`?".into()));
        assert_eq!(did_you_mean("owner", known), None);
    }
}
