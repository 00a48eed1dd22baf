//! Lists of names and patterns in `[[agents]]` and `[[capabilities]]`.

use toolgate_core::scope::NamePattern;

use super::super::problem::ConfigProblems;
use super::super::section::ConfigSection;

/// The subject of a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternSubject {
    /// Canonical names.
    Tools,
    Servers,
}

impl PatternSubject {
    fn expected(self) -> &'static str {
        match self {
            PatternSubject::Tools => {
                "canonical names such as `bank:transfer`, with `*` for any characters and `?` for one"
            }
            PatternSubject::Servers => "names of servers, with `*` for any characters and `?` for one",
        }
    }

    /// The error in a well-formed pattern, and the correction.
    fn fault(self, text: &str) -> Option<(&'static str, String)> {
        match self {
            PatternSubject::Tools if !text.contains([':', '.', '*']) => Some((
                "is not a canonical name",
                format!("write `server:{text}`, or `*:{text}` for any server"),
            )),
            PatternSubject::Servers if text.contains(':') => {
                Some(("is not the name of a server", "tools are named in `tools`".to_owned()))
            }
            _ => None,
        }
    }
}

pub(super) fn patterns(
    section: &ConfigSection<'_>,
    key: &str,
    over: PatternSubject,
    problems: &mut ConfigProblems,
) -> Vec<NamePattern> {
    let mut patterns = Vec::new();
    for text in section.strings(key, problems) {
        let (what, hint) = match (NamePattern::new(text.value), over.fault(text.value)) {
            (Ok(pattern), None) => {
                patterns.push(pattern);
                continue;
            }
            (Ok(_), Some(fault)) => fault,
            (Err(_), _) => (
                "is not a pattern",
                "list several patterns instead of `[…]` or `{…}`; `*` stands for all".to_owned(),
            ),
        };
        let what = format!("{:?} in `{key}` of {} {what}", text.value, section.title());
        problems.add(text.span, what, over.expected(), hint);
    }
    patterns
}

/// Names with their own type.
pub(super) fn names<T>(
    section: &ConfigSection<'_>,
    key: &str,
    kind: &str,
    parse: impl Fn(&str) -> Result<T, String>,
    problems: &mut ConfigProblems,
) -> Vec<T> {
    let mut names = Vec::new();
    for text in section.strings(key, problems) {
        match parse(text.value) {
            Ok(name) => names.push(name),
            Err(_) => {
                let what =
                    format!("{:?} in `{key}` of {} is not the name of a {kind}", text.value, section.title());
                let expected = "names of 1 to 64 letters, digits, `-`, `_` and `.`";
                problems.add(text.span, what, expected, format!("each as the {kind} itself is called"));
            }
        }
    }
    names
}

pub(super) fn texts(section: &ConfigSection<'_>, key: &str, problems: &mut ConfigProblems) -> Vec<String> {
    section.strings(key, problems).into_iter().map(|text| text.value.to_owned()).collect()
}
