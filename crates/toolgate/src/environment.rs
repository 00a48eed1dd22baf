//! The environment of this process. Only the program reads it; the crates are given what they need.
#![expect(clippy::disallowed_methods, reason = "the one place of the gateway that reads its environment")]

use std::path::PathBuf;

/// A variable, if it is set.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A variable, if it is set to something.
pub(crate) fn filled(name: &str) -> Option<String> {
    variable(name).filter(|value| !value.is_empty())
}

/// A folder of the user. According to the XDG specification, an empty or relative value counts as missing.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// True if the user disabled colours.
pub(crate) fn refuses_colours() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|refused| !refused.is_empty())
}

/// Every variable.
pub(crate) fn all() -> impl Iterator<Item = (String, String)> {
    std::env::vars()
}
