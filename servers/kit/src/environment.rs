//! The environment of the program. Options come from the command line; only secrets, and what a server tells
//! its workers, come from here.

use std::ffi::OsString;

/// A variable, if it is set.
#[expect(clippy::disallowed_methods, reason = "the one place of the servers that reads the environment")]
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}
