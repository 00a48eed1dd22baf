//! The port to the agents that the gateway runs itself. A process that lives as long as one command runs none.

use futures_util::stream::BoxStream;
use toolgate_core::id::RunId;
use toolgate_core::model::ModelPiece;
use toolgate_core::port::BoxFuture;
use toolgate_core::run::NewLoop;
use toolgate_core::{PrincipalId, Refusal};

pub trait DrivenRuns: Send + Sync {
    /// Checks that this process runs agents.
    fn check(&self) -> Result<(), Refusal>;

    /// Creates the loop of a run, and lets it begin.
    fn begin<'a>(&'a self, new: NewLoop, by: &'a PrincipalId) -> BoxFuture<'a, Result<(), Refusal>>;

    /// Creates the loop of a run that goes on from the end of a turn of another one, and lets it begin.
    fn retry<'a>(
        &'a self,
        from: &'a RunId,
        turn: u64,
        new: NewLoop,
        by: &'a PrincipalId,
    ) -> BoxFuture<'a, Result<(), Refusal>>;

    /// Ends now the request to the model of a run that was paused or has ended, and the calls of one that has ended.
    fn interrupt<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()>;

    /// The pieces of answers as they arrive; none while another gateway drives the run.
    fn watch(&self, run: &RunId) -> Option<BoxStream<'static, RunPiece>>;
}

/// A piece of an answer that is under way in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunPiece {
    pub turn: u64,
    pub piece: ModelPiece,
}
