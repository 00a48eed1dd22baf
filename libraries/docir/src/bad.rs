//! The reasons why bytes are no DocIR.

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadDocIr {
    #[error("the DocIR cannot be read as JSON: {0}")]
    Malformed(String),
    #[error("the document is {schema:?} of version {version:?}, not a DoclingDocument 1.0 to 1.10")]
    Version { schema: String, version: String },
    #[error("the item at {at} calls itself {claimed:?}")]
    Misnamed { at: String, claimed: String },
    #[error("{from} refers to {to:?}, which is not there")]
    Dangling { from: String, to: String },
    #[error("{pointer} has more than one place in the tree")]
    Repeated { pointer: String },
    #[error("{pointer} does not name {parent} as its parent")]
    Orphan { pointer: String, parent: String },
    #[error("{pointer} has a span that is not in its text")]
    Span { pointer: String },
    #[error("{pointer} has a cell outside of its rows and columns, or more than {max} of them")]
    TableShape { pointer: String, max: usize },
}
