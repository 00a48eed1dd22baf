//! Pieces of answers, for those who watch a run.

use toolgate_core::model::ModelPiece;

/// A piece of an answer that is under way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopPiece {
    pub turn: u64,
    pub piece: ModelPiece,
}
