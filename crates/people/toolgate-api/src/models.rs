//! Language models, from the view of the API: those in force, and a test. No key leaves.

use toolgate_core::Refusal;
use toolgate_core::model::{KnownModel, ModelName, ModelReport};
use toolgate_core::port::BoxFuture;

/// The port to the models in force.
pub trait ModelPort: Send + Sync {
    /// Sorted by name.
    fn models(&self) -> Vec<KnownModel>;

    /// Asks a model whether it answers, streams and calls tools.
    fn test(&self, name: &ModelName) -> BoxFuture<'static, Result<ModelReport, Refusal>>;
}
