//! The port through which calls reach bytes: the files that their arguments name, the values that the server
//! gets instead, and the parts of a result that are kept out of the context.

use serde_json::Value;

use crate::codes::Code;
use crate::credential::CredentialUse;
use crate::decision::ApprovalRequirement;
use crate::file::FileName;
use crate::id::{CallId, RunId, SessionId};
use crate::port::{BoxFuture, TextInsert};
use crate::scope::Seat;
use crate::{Digest, Principal, PrincipalId, RawJson, Refusal, ServerName, Tool};

/// The principal behind an access to bytes. An id is a name, never a permission: every use is checked against
/// this.
#[derive(Clone, PartialEq, Debug)]
pub struct ContentHolder {
    pub principal: Principal,
    pub session: SessionId,
    /// The principal that opened the session, if any: its files may be used in it.
    pub opened_by: Option<PrincipalId>,
    pub run: Option<RunId>,
    pub call: Option<CallId>,
}

impl ContentHolder {
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

/// A file or a ref that arguments name, as it was before the decision on the call.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Attachment {
    /// The position of the id in the arguments, as a JSON pointer.
    pub place: String,
    /// The id as the caller wrote it.
    pub id: String,
    pub digest: Digest,
    pub bytes: u64,
    pub media_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<FileName>,
}

/// A notice that accompanies a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    pub code: &'static Code,
    pub message: String,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct AttachedContents {
    /// In the order of their places.
    pub attachments: Vec<Attachment>,
    /// The credentials that the arguments name, in the order of their places.
    pub credentials: Vec<CredentialUse>,
    pub notices: Vec<Notice>,
    /// The approval that what they name requires, beside that of policy. A tool of the platform may ask for one.
    pub asks: Option<Box<ApprovalRequirement>>,
    /// Those whose own work the call judges: their yes does not count, whoever asks.
    pub excluded: Vec<PrincipalId>,
}

/// Arguments as the server gets them.
#[derive(Clone, Debug)]
pub struct ExpandedArguments {
    /// The object of arguments, with an empty string where something is inserted.
    pub arguments: String,
    /// Their places count from the start of `arguments`.
    pub inserts: Vec<TextInsert>,
    /// Values that must not come back in a result.
    pub secrets: Vec<SentContent>,
}

/// A value that a server received and that does not belong in the context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SentContent {
    /// An address that opens a file by itself.
    Address(String),
    /// A file in Base64 that is too short to be recognised by its content alone.
    Content { id: String, encoded: String },
}

/// A result without the parts that are too large or too binary for the context.
#[derive(Clone, PartialEq, Debug)]
pub struct TrimmedResult {
    pub result: RawJson,
    /// Objects with `ref_id`, `media_type`, `size`, `digest` and `preview`.
    pub refs: Vec<RawJson>,
    pub notices: Vec<Notice>,
}

pub trait Contents: Send + Sync {
    /// A quick check whether these arguments may name files. Most calls do not.
    fn concerns(&self, tool: &Tool, arguments: &RawJson) -> bool;

    /// Looks up the files that the arguments name. Nothing is opened for the server yet.
    fn attach<'a>(
        &'a self,
        holder: &'a ContentHolder,
        tool: &'a Tool,
        arguments: &'a Value,
    ) -> BoxFuture<'a, Result<AttachedContents, Refusal>>;

    /// Keeps the text of a request that people are shown before they agree to it, as a file of the caller.
    fn keep_request<'a>(
        &'a self,
        holder: &'a ContentHolder,
        text: String,
    ) -> BoxFuture<'a, Result<AttachedContents, Refusal>>;

    /// Builds the server's arguments once the call may be sent. A file that has changed since the lookup is
    /// refused.
    fn expand<'a>(
        &'a self,
        holder: &'a ContentHolder,
        tool: &'a Tool,
        arguments: &'a Value,
        attachments: &'a [Attachment],
    ) -> BoxFuture<'a, Result<ExpandedArguments, Refusal>>;

    /// A quick check whether a result may have parts that must be taken out.
    fn must_look(&self, result: &RawJson) -> bool;

    /// Removes the parts of a result that do not belong in the context, and remembers contents that the
    /// server names by its own ids.
    fn take_out<'a>(
        &'a self,
        holder: &'a ContentHolder,
        tool: &'a Tool,
        result: RawJson,
        secrets: &'a [SentContent],
    ) -> BoxFuture<'a, TrimmedResult>;

    /// The result of `resources/read` for a `toolgate://` address. Nothing for addresses that are not ours.
    fn read<'a>(
        &'a self,
        holder: &'a ContentHolder,
        uri: &'a str,
    ) -> Option<BoxFuture<'a, Result<RawJson, Refusal>>>;
}

/// The services that contents need from others.
pub trait Suppliers: Send + Sync {
    /// The text of a file, by a tool that reads documents. `tool` is its name as the operator wrote it.
    fn extract<'a>(
        &'a self,
        holder: &'a ContentHolder,
        tool: &'a str,
        file: &'a Attachment,
    ) -> BoxFuture<'a, Result<String, Refusal>>;

    /// The key under which an extractor's text is cached: the version of the tool, if it exists.
    fn extractor_version(&self, tool: &str) -> Option<Digest>;

    /// The result of a server's `resources/read`, for content under its own id.
    fn fetch<'a>(
        &'a self,
        holder: &'a ContentHolder,
        server: &'a ServerName,
        own: &'a str,
        uri: Option<&'a str>,
    ) -> BoxFuture<'a, Result<RawJson, Refusal>>;
}
