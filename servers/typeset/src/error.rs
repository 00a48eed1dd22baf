//! Why a document could not be made, in sentences for whoever asked for it.

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TypesetError {
    #[error("there is nothing to set: the {what} is empty")]
    Empty { what: &'static str },
    #[error("the document is too large: {what} of more than {limit}")]
    TooLarge { what: &'static str, limit: usize },
    #[error("the JSON of the document is wrong at {place}: {why}")]
    Json { place: String, why: String },
    #[error("the template is wrong at line {line}: {why}")]
    Template { line: usize, why: String },
    #[error("{option} cannot be {given}: {why}")]
    Option { option: &'static str, given: String, why: &'static str },
    #[error("the picture cannot be used: {why}")]
    Picture { why: String },
    #[error("{standard} cannot be kept: {why}")]
    Standard { standard: &'static str, why: String },
    #[error("the document could not be set: {why}")]
    Set { why: String },
}

impl TypesetError {
    /// What to change, for whoever asked.
    pub fn hint(&self) -> &'static str {
        match self {
            TypesetError::Empty { .. } => "give some text",
            TypesetError::TooLarge { .. } => "split the document into parts, or leave some of it out",
            TypesetError::Json { .. } => {
                "a document is {\"title\": …, \"blocks\": [{\"type\": \"paragraph\", \"text\": …}, …]}"
            }
            TypesetError::Template { .. } => {
                "templates are Markdown with {{ name }}, {% for item in items %} … {% endfor %} and {% if name %} … {% endif %}"
            }
            TypesetError::Option { .. } => "choose another value",
            TypesetError::Picture { .. } => "give a PNG or a JPEG in Base64",
            TypesetError::Standard { .. } => "change what is named, or leave the standard out",
            TypesetError::Set { .. } => "try with fewer or simpler blocks",
        }
    }
}
