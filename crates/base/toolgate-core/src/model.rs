//! Language models: the port to them, and messages in a form of our own. Each provider's form is made from it and never stored,
//! except for the parts that a provider wants back unchanged.

mod answer;
mod bounds;
mod currency;
mod definition;
mod fault;
mod known;
mod message;
mod report;
mod request;
mod result_frame;
mod spend;

pub use answer::{ModelAnswer, ModelPiece, ModelUsage, StopReason};
pub use bounds::MODELS_MAX;
pub use currency::{BadCurrencyCode, CurrencyCode};
pub use definition::{ModelDefinition, ModelLimits, ModelName, ModelPrices, ModelProvider};
pub use fault::{ModelFault, ModelFaultKind};
pub use known::KnownModel;
pub use message::{CallArguments, MessagePart, MessageRole, ModelCall, ModelCallResult, ModelMessage};
pub use report::ModelReport;
pub use request::{ModelRequest, OfferedTool, ToolUse};
pub use result_frame::{RESULT_TAG, unframed};
pub use spend::{ReachedSpend, SpendLimit};

use crate::Refusal;
use crate::port::BoxFuture;

/// The models that are configured. Nothing needs one: without any, everything else works.
pub trait Models: Send + Sync {
    /// The definition in force, if there is a model of this name.
    fn definition(&self, name: &ModelName) -> Option<ModelDefinition>;
    /// All definitions, sorted by name.
    fn definitions(&self) -> Vec<ModelDefinition>;
    /// Asks a model once: nothing is tried again here. `heard` gets the pieces of the answer as they arrive. An answer that breaks
    /// off is a fault and leaves nothing behind. Dropping the future ends the request.
    fn ask<'a>(
        &'a self,
        name: &'a ModelName,
        request: &'a ModelRequest,
        heard: &'a (dyn Fn(ModelPiece) + Send + Sync),
    ) -> BoxFuture<'a, Result<ModelAnswer, ModelFault>>;
    /// Checks a definition without asking the model: address, key, name.
    fn check(&self, definition: &ModelDefinition) -> Result<(), Refusal>;
}
