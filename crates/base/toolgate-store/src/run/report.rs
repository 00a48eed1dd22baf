//! The reports of an agent about its own work, as values: steps, calls of tools, saved states.

use serde_json::Value;
use toolgate_core::Digest;
use toolgate_core::event::EventKind;
use toolgate_core::id::CallId;

/// The subject of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoteSubject {
    Step,
    ToolCall,
}

impl NoteSubject {
    pub(super) fn kind(self) -> EventKind {
        match self {
            NoteSubject::Step => EventKind::RunStep,
            NoteSubject::ToolCall => EventKind::RunToolCall,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotePhase {
    Start,
    Complete,
}

impl NotePhase {
    pub fn as_str(self) -> &'static str {
        match self {
            NotePhase::Start => "start",
            NotePhase::Complete => "complete",
        }
    }
}

/// One report.
#[derive(Clone, PartialEq, Debug)]
pub struct RunNote {
    pub subject: NoteSubject,
    /// The name of the step or of the tool.
    pub name: String,
    pub phase: NotePhase,
    /// Set at the end.
    pub success: Option<bool>,
    pub duration_ms: Option<u64>,
    pub data: Option<Value>,
    /// The call that reports it.
    pub call: Option<CallId>,
}

/// A state that is about to be saved; its bytes are stored already.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewCheckpoint {
    pub id: String,
    pub digest: Digest,
    pub bytes: u64,
    pub media_type: String,
    /// The call that saves it.
    pub call: Option<CallId>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunCheckpoint {
    pub id: String,
    /// That of its event.
    pub number: u64,
    pub digest: Digest,
    pub bytes: u64,
    pub media_type: String,
    pub at_ms: i64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SavedCheckpoint {
    New(RunCheckpoint),
    /// The same state had been saved under the same id.
    Same(RunCheckpoint),
}
