//! Reasons why a document is not read, and why arguments make no request.

/// The reason why bytes are no document that tools can be made of.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadDocument {
    #[error("the document has {bytes} bytes, and at most {max} are read")]
    TooLarge { bytes: usize, max: usize },
    #[error("the document has more than {max} values, counted with all that its aliases repeat")]
    TooManyValues { max: usize },
    #[error("the document nests deeper than {max} levels")]
    TooDeep { max: usize },
    #[error("the document is not UTF-8")]
    NotText,
    #[error("the document is empty")]
    Empty,
    #[error("the document is not JSON: {says}")]
    Json { says: String },
    #[error("the document is not YAML: line {line}: {says}")]
    Yaml { line: usize, says: String },
    #[error("the document is {found}, and an OpenAPI document is an object")]
    NoObject { found: &'static str },
    #[error("the document says neither `openapi` nor `swagger`, so it is no OpenAPI document")]
    NoVersion,
    #[error("the document is written for version {version:?}, and 2.0, 3.0, 3.1 and 3.2 are read")]
    OtherVersion { version: String },
    #[error("the document has no `paths`, so it describes no operation")]
    NoPaths,
    #[error("more than {max} other documents are named")]
    TooManyDocuments { max: usize },
    #[error("no reference of the document names {reference:?}")]
    NotReferenced { reference: String },
}

/// The reason why arguments make no request.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadArguments {
    #[error("the argument {name:?} is missing")]
    Missing { name: String },
    #[error("there is no argument {name:?}")]
    Unknown { name: String },
    #[error("the argument {name:?} {says}")]
    Value { name: String, says: &'static str },
    #[error("the address {url:?} {says}")]
    Address { url: String, says: &'static str },
}
