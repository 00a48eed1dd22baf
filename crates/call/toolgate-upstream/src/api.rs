//! An HTTP API that does not speak MCP, as a server: its description becomes tools, and their calls become requests.
//!
//! `open` has the sources read (`source`, `document`) and makes a book of them (`book`, `definition`). The `link` answers the
//! gateway's requests from the book: a call is an `operation` of the document or an action of a connector file
//! (`connector`), goes out by `exchange`, and comes back as a `result`; what it says of the rate that is left is `heard`. `sign_in` says
//! where a person signs in for it.

mod address;
mod arguments;
mod book;
mod call_time;
mod connector;
mod definition;
mod document;
mod exchange;
mod heard;
pub(crate) mod link;
mod masks;
mod next_page;
pub(crate) mod open;
mod opened;
mod operation;
mod origin;
mod preview;
mod result;
pub(crate) mod sign_in;
mod source;
mod stream;
