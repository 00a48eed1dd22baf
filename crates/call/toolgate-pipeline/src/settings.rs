//! The times and the rules for recording that the operator sets.

use std::sync::Arc;
use std::time::Duration;

use toolgate_core::{AuditLevel, OutputCheck};

#[derive(Clone, Debug)]
pub struct PipelineSettings {
    /// The time that a call waits for people before it answers `pending_approval`.
    pub hold: Duration,
    /// The time that people have to decide, unless a gate sets it.
    pub approval_timeout: Duration,
    pub output_check: OutputCheck,
    pub reads_when_down: WhenDown,
    pub standard: BodyRetention,
    pub detailed: BodyRetention,
    /// The address of an approval for people; `{id}` is replaced by its id.
    pub link: Option<Arc<str>>,
}

/// The treatment of calls that only read while the ledger cannot be written. Calls that may change something
/// are refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenDown {
    Refuse,
    Serve,
}

/// The rules for storing arguments and results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BodyRetention {
    /// Larger bodies are recorded by digest and size only.
    pub body_bytes_max: usize,
    pub time: Duration,
}

impl Default for PipelineSettings {
    fn default() -> Self {
        const DAY: Duration = Duration::from_secs(24 * 3600);
        Self {
            hold: Duration::from_secs(20),
            approval_timeout: Duration::from_secs(3600),
            output_check: OutputCheck::Warn,
            reads_when_down: WhenDown::Refuse,
            standard: BodyRetention { body_bytes_max: 16 << 10, time: 90 * DAY },
            detailed: BodyRetention { body_bytes_max: 1 << 20, time: 365 * DAY },
            link: None,
        }
    }
}

impl PipelineSettings {
    pub(crate) fn keep(&self, level: AuditLevel) -> BodyRetention {
        match level {
            AuditLevel::Detailed => self.detailed,
            AuditLevel::None | AuditLevel::Standard => self.standard,
        }
    }
}
