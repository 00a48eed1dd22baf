//! The reasons why a document could not be read, in sentences for its sender.

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DocumentError {
    #[error("the file is empty")]
    Empty,
    #[error("this is {found}, which cannot be read as a document")]
    Unsupported { found: String },
    #[error("the {format} is damaged: {why}")]
    Damaged { format: &'static str, why: String },
    #[error("the {format} is protected by a password")]
    Locked { format: &'static str },
    #[error("the {format} is too large: {what} of more than {limit}")]
    TooLarge { format: &'static str, what: &'static str, limit: u64 },
    #[error("there is no page {asked}: the document has {pages}")]
    NoSuchPage { asked: u32, pages: usize },
}
