//! The files in a call's arguments, the server's version of the arguments, and the parts of a result that are
//! kept out of the context.
//!
//! On the way in: `scan` finds ids, `finding` looks them up, `plan` decides the use of each, `check` and
//! `attach` verify that they fit, `expand` and `compose` write the server's arguments. On the way out:
//! `clean` takes a result apart, `take_out` stores the parts that do not belong in the context, `render`
//! writes the rest, `minted` remembers contents that the server keeps.

mod attach;
pub(crate) mod base64_run;
mod base64_source;
mod check;
mod clean;
mod compose;
mod expand;
pub(crate) mod extract;
pub(crate) mod extractions;
mod finding;
mod kind;
mod minted;
mod plan;
mod read;
mod render;
mod scan;
mod secrets;
mod strings;
mod take_out;

use serde_json::Value;
use toolgate_core::content::{
    AttachedContents, Attachment, ContentHolder, Contents, ExpandedArguments, SentContent, TrimmedResult,
};
use toolgate_core::port::BoxFuture;
use toolgate_core::{RawJson, Refusal, Tool};

pub(crate) use check::not_text;
pub(crate) use kind::is_text;

use crate::files::Files;
use crate::shown_change::ShownChange;

/// A request to outside, as people see it. It is made of all arguments.
const REQUEST: ShownChange = ShownChange { kind: "outgoing request", place: "/" };

impl Contents for Files {
    fn concerns(&self, tool: &Tool, arguments: &RawJson) -> bool {
        !tool.handling.files.is_empty() || scan::may_mention(arguments.as_bytes())
    }

    fn attach<'a>(
        &'a self,
        holder: &'a ContentHolder,
        tool: &'a Tool,
        arguments: &'a Value,
    ) -> BoxFuture<'a, Result<AttachedContents, Refusal>> {
        Box::pin(self.attached(holder, tool, arguments))
    }

    fn keep_request<'a>(
        &'a self,
        holder: &'a ContentHolder,
        text: String,
    ) -> BoxFuture<'a, Result<AttachedContents, Refusal>> {
        Box::pin(self.attach_change(holder, REQUEST, text))
    }

    fn expand<'a>(
        &'a self,
        holder: &'a ContentHolder,
        tool: &'a Tool,
        arguments: &'a Value,
        attachments: &'a [Attachment],
    ) -> BoxFuture<'a, Result<ExpandedArguments, Refusal>> {
        Box::pin(self.expanded(holder, tool, arguments, attachments))
    }

    fn must_look(&self, result: &RawJson) -> bool {
        self.may_hold_something(result)
    }

    fn take_out<'a>(
        &'a self,
        holder: &'a ContentHolder,
        tool: &'a Tool,
        result: RawJson,
        secrets: &'a [SentContent],
    ) -> BoxFuture<'a, TrimmedResult> {
        Box::pin(self.taken_out(holder, tool, result, secrets))
    }

    fn read<'a>(
        &'a self,
        holder: &'a ContentHolder,
        uri: &'a str,
    ) -> Option<BoxFuture<'a, Result<RawJson, Refusal>>> {
        let id = read::ref_of(uri)?;
        Some(Box::pin(self.resource(holder, uri, id)))
    }
}

#[cfg(test)]
mod tests;
