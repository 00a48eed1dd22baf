//! The errors of a configuration file, always printed in one form:
//!
//! ```text
//! toolgate.toml:12:8: what is wrong
//! 12 | the source line
//!    |        ^^^^^^
//! expected: what would be right
//! hint: what to do
//! ```
//!
//! Messages quote the file, never the value of an environment variable: that may be a secret.

use std::fmt;
use std::ops::Range;

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigProblem {
    /// Byte range in the source; absent if the file as a whole is meant.
    pub(crate) span: Option<Range<usize>>,
    pub(crate) what: String,
    pub(crate) expected: String,
    pub(crate) hint: String,
}

/// Collects problems, so that one run names them all.
#[derive(Default)]
pub(super) struct ConfigProblems(Vec<ConfigProblem>);

impl ConfigProblems {
    pub(super) fn add(
        &mut self,
        span: Range<usize>,
        what: impl Into<String>,
        expected: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let (what, expected, hint) = (what.into(), expected.into(), hint.into());
        self.0.push(ConfigProblem { span: Some(span), what, expected, hint });
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The refusal of a whole file, in the order of its lines.
    pub(super) fn into_error(mut self, file: &str, source: &str) -> ConfigError {
        self.0.sort_by_key(|problem| problem.span.as_ref().map_or(0, |span| span.start));
        ConfigError { file: file.into(), source: source.into(), problems: self.0 }
    }
}

/// A configuration that was refused: every problem that was found.
#[derive(Debug)]
pub(crate) struct ConfigError {
    file: String,
    source: String,
    problems: Vec<ConfigProblem>,
}

impl ConfigError {
    /// A problem of the file as a whole.
    pub(super) fn of_file(file: &str, what: String, expected: &str, hint: &str) -> Self {
        let problem = ConfigProblem { span: None, what, expected: expected.into(), hint: hint.into() };
        Self { file: file.into(), source: String::new(), problems: vec![problem] }
    }

    pub(crate) fn problems(&self) -> &[ConfigProblem] {
        &self.problems
    }

    /// The positions alone. For logs and records: an invalid line may contain a secret.
    pub(crate) fn places(&self) -> String {
        let place = |problem: &ConfigProblem| match &problem.span {
            Some(span) => {
                let SourcePosition { line, column, .. } = SourcePosition::of(&self.source, span);
                format!("{}:{line}:{column}", self.file)
            }
            None => self.file.clone(),
        };
        self.problems.iter().map(place).collect::<Vec<_>>().join(", ")
    }
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            self.write_problem(f, problem)?;
        }
        match self.problems.len() {
            0 | 1 => Ok(()),
            count => write!(f, "\n\n{count} problems in {}", self.file),
        }
    }
}

impl ConfigError {
    fn write_problem(&self, f: &mut fmt::Formatter<'_>, problem: &ConfigProblem) -> fmt::Result {
        let ConfigProblem { span, what, expected, hint } = problem;
        match span {
            Some(span) => {
                let place = SourcePosition::of(&self.source, span);
                writeln!(f, "{}:{}:{}: {what}", self.file, place.line, place.column)?;
                place.write_excerpt(f)?;
            }
            None => writeln!(f, "{}: {what}", self.file)?,
        }
        write!(f, "expected: {expected}\nhint: {hint}")
    }
}

/// A span as a person finds it: line and column from 1, columns counted in characters.
struct SourcePosition<'s> {
    line: usize,
    column: usize,
    text: &'s str,
    before: &'s str,
    marked: &'s str,
}

impl<'s> SourcePosition<'s> {
    fn of(source: &'s str, span: &Range<usize>) -> Self {
        let start = source.floor_char_boundary(span.start);
        let line_start = source[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = source[start..].find('\n').map_or(source.len(), |at| start + at);
        let text = source[line_start..line_end].trim_end_matches('\r');
        let start = start.min(line_start + text.len());
        let end = source.ceil_char_boundary(span.end).clamp(start, line_start + text.len());
        Self {
            line: source[..line_start].matches('\n').count() + 1,
            column: source[line_start..start].chars().count() + 1,
            text,
            before: &source[line_start..start],
            marked: &source[start..end],
        }
    }

    fn write_excerpt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        // A tab stays a tab, so that the caret is below its column at any tab width.
        let indent: String = self.before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let carets = "^".repeat(self.marked.chars().count().max(1));
        writeln!(f, "{number} | {}", self.text)?;
        writeln!(f, "{gutter} | {indent}{carets}")
    }
}

/// "did you mean …?" for the nearest of `known`, if one is near enough.
pub(super) fn did_you_mean(written: &str, known: &[&str]) -> Option<String> {
    let lower = written.to_lowercase();
    known
        .iter()
        .map(|candidate| (strsim::jaro_winkler(&lower, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= NEAR_ENOUGH)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| format!("did you mean `{candidate}`?"))
}

/// Found by trial: catches swapped, missing and doubled letters, `timeout` for `timeout_seconds`, and not `port` for `prefix`.
const NEAR_ENOUGH: f64 = 0.8;

/// "`a`, `b` or `c`"
pub(super) fn one_of(known: &[&str]) -> String {
    let quoted: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "nothing".into(),
    }
}
