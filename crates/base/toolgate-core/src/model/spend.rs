//! The port to the limits of spending.

use super::ModelName;
use crate::Refusal;
use crate::port::BoxFuture;
use crate::run::Run;

/// A limit of spending that is reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReachedSpend {
    /// The holder of the limit, for people: `agent writer`, `model large`.
    pub holder: String,
    /// Millionths of a currency unit, with what turns under way will probably cost.
    pub spent_micros: u64,
    pub max_micros: u64,
    /// The end of the span that is counted, when spending may go on.
    pub until_ms: i64,
}

/// Limits of spending over many runs. The budget of one run is another matter.
pub trait SpendLimit: Send + Sync {
    /// The limit that a run must not go beyond with its next turn; `None` if there is room.
    fn reached<'a>(
        &'a self,
        run: &'a Run,
        model: &'a ModelName,
    ) -> BoxFuture<'a, Result<Option<ReachedSpend>, Refusal>>;
}
