//! The refusals of a change of an automation.

use crate::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum AutomationError {
    /// No automation has this id or name.
    #[error("there is no automation {0:?}")]
    Unknown(String),
    #[error("there is an automation {0:?} already")]
    NameTaken(String),
    #[error("there are {max} automations, and no more are kept")]
    TooMany { max: u64 },
    #[error("it is at version {current} now")]
    Stale { current: u64 },
    /// It starts nothing.
    #[error("the automation {name:?} is paused: {note}")]
    Paused { name: String, note: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}
