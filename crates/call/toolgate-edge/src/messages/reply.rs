//! An answer on its way to the client: a result, and what the gateway puts in front of it.

use toolgate_core::RawJson;
use toolgate_core::port::ServerReply;
use toolgate_pipeline::{Envelope, META_KEY};
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::{may_say, with_member};

pub(crate) struct EnvelopedReply {
    pub(crate) reply: ServerReply,
    /// Members that stand before the result's own, as text without braces. A large result is not copied for them.
    pub(crate) front: String,
}

impl From<ServerReply> for EnvelopedReply {
    fn from(reply: ServerReply) -> Self {
        Self { reply, front: String::new() }
    }
}

impl EnvelopedReply {
    /// A result with nothing beside it.
    pub(crate) fn complete(result: RawJson) -> Self {
        ServerReply::Complete(result).into()
    }

    /// There is nothing to say but that it was done.
    pub(crate) fn empty() -> Self {
        Self::complete(RawJson::EMPTY)
    }

    /// The result in one piece.
    pub(crate) fn whole(&self) -> RawJson {
        let (ServerReply::Complete(result)
        | ServerReply::Cached(result)
        | ServerReply::Task(result)
        | ServerReply::InputRequired(result)) = &self.reply;
        let own = result.as_str().trim_start().strip_prefix('{');
        match own.filter(|_| !self.front.is_empty()) {
            Some(own) if own.trim_start().starts_with('}') => {
                RawJson::from_composed(format!("{{{}{own}", self.front))
            }
            Some(own) => RawJson::from_composed(format!("{{{},{own}", self.front)),
            None => result.clone(),
        }
    }

    /// A server's result with the gateway's envelope in its `_meta`.
    pub(crate) fn enveloped(result: RawJson, envelope: &Envelope, reply: fn(RawJson) -> ServerReply) -> Self {
        match add_to_own_meta(&result, envelope) {
            Some(merged) => reply(merged).into(),
            None => Self { reply: reply(result), front: envelope.meta_member() },
        }
    }
}

/// The result with the envelope beside what it has in its own `_meta`, if it has one.
fn add_to_own_meta(result: &RawJson, envelope: &Envelope) -> Option<RawJson> {
    may_say(result.as_bytes(), "_meta").then_some(())?;
    let own = ObjectMembers::of(result).ok()?.get("_meta")?;
    let meta = match with_member(own.get(), META_KEY, &envelope.json()) {
        Ok(meta) => meta,
        // What is not an object says nothing that could be kept.
        Err(_) => format!("{{\"{META_KEY}\":{}}}", envelope.json()),
    };
    with_member(result.as_str(), "_meta", &meta).ok().map(RawJson::from_composed)
}
