//! The findings of a test of a model.

use std::time::Duration;

use super::answer::ModelUsage;
use super::definition::ModelName;
use super::fault::ModelFault;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelReport {
    pub name: ModelName,
    /// It said something.
    pub answers: bool,
    /// The answer came in pieces.
    pub streams: bool,
    /// It called the tool that it was told to call, with an object.
    pub calls_tools: bool,
    /// Of both questions.
    pub usage: ModelUsage,
    pub cost_micros: u64,
    /// From the first question to the first piece of its answer.
    pub first_piece: Option<Duration>,
    /// Of both questions.
    pub duration: Duration,
    /// The first fault.
    pub fault: Option<ModelFault>,
    /// The advice about the fault, or about tools that are not called.
    pub hint: Option<String>,
}

impl ModelReport {
    /// A report without any finding yet.
    pub fn new(name: ModelName) -> Self {
        Self {
            name,
            answers: false,
            streams: false,
            calls_tools: false,
            usage: ModelUsage::default(),
            cost_micros: 0,
            first_piece: None,
            duration: Duration::ZERO,
            fault: None,
            hint: None,
        }
    }

    /// True if an agent can work with the model.
    pub fn is_good(&self) -> bool {
        self.answers && self.streams && self.calls_tools
    }
}
