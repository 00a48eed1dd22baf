//! The reasons why a document could not be made, in sentences for the caller.

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TypesetError {
    #[error("there is nothing to lay out: the {what} is empty")]
    Empty { what: &'static str },
    #[error("the document is too large: {what} of more than {limit}")]
    TooLarge { what: &'static str, limit: usize },
    #[error("the JSON of the document is invalid at {place}: {why}")]
    Json { place: String, why: String },
    #[error("the template is invalid at line {line}: {why}")]
    Template { line: usize, why: String },
    #[error("{option} cannot be {given}: {why}")]
    Option { option: &'static str, given: String, why: &'static str },
    #[error("the picture cannot be used: {why}")]
    Picture { why: String },
    #[error("the document cannot conform to {standard}: {why}")]
    Standard { standard: &'static str, why: String },
    #[error("the document could not be laid out: {why}")]
    Set { why: String },
}

impl TypesetError {
    /// The advice for the caller.
    pub fn hint(&self) -> &'static str {
        match self {
            TypesetError::Empty { .. } => "pass some text",
            TypesetError::TooLarge { .. } => "split the document, or shorten it",
            TypesetError::Json { .. } => {
                "a document is {\"title\": …, \"blocks\": [{\"type\": \"paragraph\", \"text\": …}, …]}"
            }
            TypesetError::Template { .. } => {
                "templates are Markdown with {{ name }}, {% for item in items %} … {% endfor %} and {% if name %} … {% endif %}"
            }
            TypesetError::Option { .. } => "choose another value",
            TypesetError::Picture { .. } => "pass a PNG or a JPEG in Base64",
            TypesetError::Standard { .. } => "change the named part, or omit the standard",
            TypesetError::Set { .. } => "try with fewer or simpler blocks",
        }
    }
}
