//! One change, and all of them with a summary.

use super::summary;

/// The word for a member of the compared objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SchemaNoun {
    /// Of a tool.
    Argument,
    /// Of any other object.
    Member,
}

impl SchemaNoun {
    pub(super) fn one(self) -> &'static str {
        match self {
            SchemaNoun::Argument => "argument",
            SchemaNoun::Member => "member",
        }
    }

    pub(super) fn many(self) -> &'static str {
        match self {
            SchemaNoun::Argument => "arguments",
            SchemaNoun::Member => "members",
        }
    }
}

/// The meaning of a change for those who knew the old one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeKind {
    /// Something that may be left out is new.
    OptionalAdded,
    /// Something that may not be left out is new.
    RequiredAdded,
    Removed,
    /// More is allowed than before.
    Loosened,
    /// Less is allowed than before.
    Tightened,
    /// Neither, or both, or it cannot be told.
    Altered,
    /// Only a text for readers.
    Wording,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SchemaChange {
    /// The place: `a.b`, `list[]`; empty for the whole.
    pub path: String,
    pub kind: ChangeKind,
    /// One sentence without a full stop.
    pub words: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SchemaDifference {
    /// One sentence about all of it, without a full stop.
    pub summary: String,
    /// In the order of the old schema, then of the new one.
    pub changes: Vec<SchemaChange>,
}

impl SchemaDifference {
    pub(super) fn of(changes: Vec<SchemaChange>, noun: SchemaNoun) -> Self {
        Self { summary: summary::of(&changes, noun), changes }
    }
}
