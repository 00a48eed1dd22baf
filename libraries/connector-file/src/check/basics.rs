//! Checks that all parts of a file share.

use toml::Spanned;

use crate::error::BadConnectorFile;
use crate::pointer::is_pointer;
use crate::words::Marked;

const NAME_MAX: usize = 48;

pub(super) type Checked = Result<(), BadConnectorFile>;

pub(super) fn is_secret_header(name: &str) -> bool {
    ["authorization", "cookie", "proxy-authorization"].iter().any(|one| name.eq_ignore_ascii_case(one))
}

pub(super) fn is_header(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// Names become parts of names of tools.
pub(super) fn name(text: &str, name: &Marked, what: &str) -> Checked {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    let first = name.get_ref().chars().next();
    if first.is_some_and(|c| c.is_ascii_lowercase())
        && name.get_ref().len() <= NAME_MAX
        && name.get_ref().chars().all(is_part)
    {
        return Ok(());
    }
    let says = format!("the name of {what} has 1 to {NAME_MAX} of `a-z`, `0-9`, `_` and `-`, a letter first");
    Err(BadConnectorFile::of(text, name, says))
}

pub(super) fn pointer(text: &str, pointer: &Marked) -> Checked {
    match is_pointer(pointer.get_ref()) {
        true => Ok(()),
        false => Err(BadConnectorFile::of(text, pointer, "a pointer is empty or begins with `/`")),
    }
}

pub(super) fn must<T>(holds: bool, text: &str, mark: &Spanned<T>, says: &str) -> Checked {
    if holds { Ok(()) } else { Err(BadConnectorFile::of(text, mark, says)) }
}
