//! The port through which calls reach bytes: what their arguments name, what the server gets instead, and what of a result
//! is kept out of the context.

use serde_json::Value;

use crate::file::FileName;
use crate::id::{CallId, RunId, SessionId};
use crate::port::{BoxFuture, Insert};
use crate::scope::Seat;
use crate::{Digest, Principal, PrincipalId, RawJson, Refusal, ServerName, Tool};

/// On whose behalf bytes are touched. An id is a name, never a permission: this is held against it on every use.
#[derive(Clone, PartialEq, Debug)]
pub struct Holder {
    pub principal: Principal,
    pub session: SessionId,
    /// Who opened the session, where somebody did: what is theirs may be used in it.
    pub opened_by: Option<PrincipalId>,
    pub run: Option<RunId>,
    pub call: Option<CallId>,
}

impl Holder {
    pub fn of(seat: &Seat) -> Self {
        Self {
            principal: seat.principal.clone(),
            session: seat.session.clone(),
            opened_by: seat.opened_by.clone(),
            run: seat.run.clone(),
            call: None,
        }
    }
}

/// A file or a ref that arguments name, as it was before anybody decided on the call.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Attachment {
    /// Where the id stands in the arguments, as a JSON pointer.
    pub place: String,
    /// As the caller wrote it.
    pub id: String,
    pub digest: Digest,
    pub bytes: u64,
    pub media_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<FileName>,
}

/// Something that is said beside a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    pub code: &'static str,
    pub message: String,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Attached {
    /// In the order of their places.
    pub attachments: Vec<Attachment>,
    pub notices: Vec<Notice>,
}

/// Arguments as the server gets them.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// The object of arguments, with an empty string where something is inserted.
    pub arguments: String,
    /// Their places count from the start of `arguments`.
    pub inserts: Vec<Insert>,
    /// What must not come back in a result.
    pub secrets: Vec<Sent>,
}

/// Something that a server got and that does not belong into the context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sent {
    /// An address that opens a file by itself.
    Address(String),
    /// A file in Base64, where that is too short to be known for one wherever it stands.
    Content { id: String, encoded: String },
}

/// A result without what is too big or too binary for the context.
#[derive(Clone, PartialEq, Debug)]
pub struct TakenOut {
    pub result: RawJson,
    /// Objects with `ref_id`, `media_type`, `size`, `digest` and `preview`.
    pub refs: Vec<RawJson>,
    pub notices: Vec<Notice>,
}

pub trait Contents: Send + Sync {
    /// Whether looking at these arguments is worth the time. Most calls have nothing to do with files.
    fn concerns(&self, tool: &Tool, arguments: &RawJson) -> bool;

    /// Looks up what the arguments name. Nothing is opened for the server yet.
    fn attach<'a>(
        &'a self,
        holder: &'a Holder,
        tool: &'a Tool,
        arguments: &'a Value,
    ) -> BoxFuture<'a, Result<Attached, Refusal>>;

    /// Makes what the server gets, once the call may be sent. What is not as it was when it was looked up is refused.
    fn expand<'a>(
        &'a self,
        holder: &'a Holder,
        tool: &'a Tool,
        arguments: &'a Value,
        attachments: &'a [Attachment],
    ) -> BoxFuture<'a, Result<Expanded, Refusal>>;

    /// Whether there may be anything in a result that must be taken out.
    fn must_look(&self, result: &RawJson) -> bool;

    /// Takes out of a result what does not belong into the context, and remembers what the server calls by ids of its own.
    fn take_out<'a>(
        &'a self,
        holder: &'a Holder,
        tool: &'a Tool,
        result: RawJson,
        secrets: &'a [Sent],
    ) -> BoxFuture<'a, TakenOut>;

    /// The result of `resources/read` for a `toolgate://` address. Nothing for addresses that are not ours.
    fn read<'a>(
        &'a self,
        holder: &'a Holder,
        uri: &'a str,
    ) -> Option<BoxFuture<'a, Result<RawJson, Refusal>>>;
}

/// What contents themselves have to ask others for.
pub trait Suppliers: Send + Sync {
    /// The text of a file, by a tool that reads documents. `tool` is its name as the operator wrote it.
    fn extract<'a>(
        &'a self,
        holder: &'a Holder,
        tool: &'a str,
        file: &'a Attachment,
    ) -> BoxFuture<'a, Result<String, Refusal>>;

    /// What a version of the extractor's text is kept under: the version of the tool, if there is one.
    fn extractor_version(&self, tool: &str) -> Option<Digest>;

    /// The result of `resources/read` of a server, for something that it calls by an id of its own.
    fn fetch<'a>(
        &'a self,
        holder: &'a Holder,
        server: &'a ServerName,
        own: &'a str,
        uri: Option<&'a str>,
    ) -> BoxFuture<'a, Result<RawJson, Refusal>>;
}
