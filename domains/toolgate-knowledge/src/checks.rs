//! Checks of input about knowledge bases.

use std::collections::HashSet;

use toolgate_core::id::KnowledgeBaseId;
use toolgate_core::pointer::PointerPath;
use toolgate_core::{Refusal, codes};
use toolgate_store::PageCursor;

use crate::manner::AnswerManner;
use crate::refusal::{invalid, unknown_manner};

const NAME_BYTES_MAX: usize = 128;
const TITLE_CHARS_MAX: usize = 200;
const DESCRIPTION_CHARS_MAX: usize = 2_000;
const PROFILE_BYTES_MAX: usize = 64;
pub(crate) const POINTERS_MAX: usize = 64;
/// A longer query is cut here, and the answer says so.
const QUERY_CHARS_MAX: usize = 4_000;
const SHOWN_CHARS_MAX: usize = 60;

/// A query as it is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CheckedQuery {
    pub(crate) text: String,
    pub(crate) warning: Option<String>,
}

/// Letters, digits, `.`, `_` and `-`. What looks like an id is no name.
pub(crate) fn name(text: &str) -> Result<(), Refusal> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let is_plain = (1..=NAME_BYTES_MAX).contains(&text.len()) && text.bytes().all(is_letter);
    match is_plain && !text.starts_with(KnowledgeBaseId::PREFIX) {
        true => Ok(()),
        false => Err(invalid(format!("{:?} is no name of a knowledge base", shortened(text)), "name").hint(
            format!(
                "use letters, digits, `.`, `_` and `-`, {NAME_BYTES_MAX} at most, not beginning with `{}`",
                KnowledgeBaseId::PREFIX
            ),
        )),
    }
}

pub(crate) fn title(text: &str) -> Result<(), Refusal> {
    long(text, "title", TITLE_CHARS_MAX)
}

pub(crate) fn description(text: &str) -> Result<(), Refusal> {
    long(text, "description", DESCRIPTION_CHARS_MAX)
}

/// The name of a profile by its form; the index knows which there are.
pub(crate) fn profile(text: &str) -> Result<(), Refusal> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    match (1..=PROFILE_BYTES_MAX).contains(&text.len()) && text.bytes().all(is_letter) {
        true => Ok(()),
        false => Err(invalid(format!("{:?} is no name of a profile", shortened(text)), "profile")
            .hint("such as docs.default")),
    }
}

pub(crate) fn manner(text: &str) -> Result<AnswerManner, Refusal> {
    AnswerManner::parse(text).ok_or_else(|| unknown_manner(&shortened(text)))
}

pub(crate) fn pointer(namespace: &str, name: &str) -> Result<PointerPath, Refusal> {
    PointerPath::new(namespace, name)
        .map_err(|error| Refusal::new(&codes::BAD_POINTER, error.to_string()).field("pointers"))
}

/// Pointers of a base: some, each once, in their order.
pub(crate) fn pointers(mut all: Vec<PointerPath>) -> Result<Vec<PointerPath>, Refusal> {
    let mut before = HashSet::new();
    all.retain(|one| before.insert(one.clone()));
    match all.len() {
        0 => Err(invalid("no pointer is named", "pointers").hint("name at least one pointer")),
        1..=POINTERS_MAX => Ok(all),
        count => Err(invalid(
            format!("{count} pointers are named, and at most {POINTERS_MAX} are taken"),
            "pointers",
        )
        .hint("make two knowledge bases of it")),
    }
}

/// The text of a query or topic; it has letters or digits.
pub(crate) fn query(text: &str, field: &'static str) -> Result<CheckedQuery, Refusal> {
    if !text.chars().any(char::is_alphanumeric) {
        return Err(invalid(format!("the {field} has no words"), field).hint("ask in words"));
    }
    Ok(match text.char_indices().nth(QUERY_CHARS_MAX) {
        None => CheckedQuery { text: text.trim().to_owned(), warning: None },
        Some((end, _)) => CheckedQuery {
            text: text[..end].trim().to_owned(),
            warning: Some(format!("Only the first {QUERY_CHARS_MAX} characters of the {field} were used.")),
        },
    })
}

pub(crate) fn cursor(text: Option<&str>) -> Result<Option<PageCursor>, Refusal> {
    text.map(str::parse).transpose().map_err(|_| {
        let message = format!("{:?} is not a cursor of an earlier page", shortened(text.unwrap_or_default()));
        Refusal::new(&codes::INVALID_CURSOR, message).field("cursor")
    })
}

fn long(text: &str, field: &'static str, chars_max: usize) -> Result<(), Refusal> {
    match text.chars().nth(chars_max) {
        None => Ok(()),
        Some(_) => Err(invalid(format!("the {field} has more than {chars_max} characters"), field)
            .hint("say it in fewer words")),
    }
}

pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(SHOWN_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_no_ids() {
        for good in ["contracts", "hr.policies-2026", "A_1"] {
            assert_eq!(name(good), Ok(()), "{good}");
        }
        for bad in ["", "a b", "ä", "kb_01", "a/b", &"x".repeat(200)] {
            assert!(name(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_query_has_words_and_an_end() {
        for empty in ["", "  \n", "?!", "---"] {
            assert!(query(empty, "query").is_err(), "{empty:?}");
        }
        assert_eq!(query(" the of ", "query").expect("words, if empty ones").text, "the of");
        let long = query(&"wörter ".repeat(20_000), "query").expect("it is cut");
        assert!(long.text.chars().count() <= QUERY_CHARS_MAX && long.warning.is_some());
    }

    #[test]
    fn a_base_has_each_of_its_pointers_once() {
        let path = |name: &str| pointer("legal", name).expect("a pointer");
        assert_eq!(pointers(vec![path("a"), path("b"), path("a")]), Ok(vec![path("a"), path("b")]));
        assert!(pointers(Vec::new()).is_err());
        assert!(pointers((0..65).map(|number| path(&format!("p{number}"))).collect()).is_err());
        assert!(pointer("legal", "../x").is_err());
    }
}
