//! Errors: a file that cannot be used, and arguments that make no request.

use toml::Spanned;

/// A connector file that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {says}")]
pub struct BadConnectorFile {
    /// From 1.
    pub line: usize,
    pub says: String,
}

impl BadConnectorFile {
    /// The fault stands where a byte of the text stands.
    pub(crate) fn at(text: &str, byte: usize, says: impl Into<String>) -> Self {
        let before = text.as_bytes().iter().take(byte);
        Self { line: 1 + before.filter(|one| **one == b'\n').count(), says: says.into() }
    }

    /// The fault is that of a value or a name.
    pub(crate) fn of<T>(text: &str, mark: &Spanned<T>, says: impl Into<String>) -> Self {
        Self::at(text, mark.span().start, says)
    }
}

/// Arguments that make no request.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadActionArguments {
    #[error("the argument `{0}` is missing")]
    Missing(String),
    #[error("the argument `{argument}` {says}")]
    Refused { argument: String, says: String },
    /// The words of the importer, for an action over an operation of a document.
    #[error("{0}")]
    Operation(String),
    #[error("`page` is none that this action gave")]
    ForeignPage,
    /// An answer named an address that the file does not allow.
    #[error(
        "the provider named the address {0:?}, which is neither its own nor one of `hosts` in the connector file"
    )]
    ForeignAddress(String),
    #[error("the base address {0:?} is none: `https://HOST` with an optional path, without query")]
    BadBase(String),
}

impl BadActionArguments {
    pub(crate) fn refused(argument: &str, says: impl Into<String>) -> Self {
        Self::Refused { argument: argument.to_owned(), says: says.into() }
    }
}
