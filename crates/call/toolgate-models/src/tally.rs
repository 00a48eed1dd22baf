//! What models were asked since the start, and what it cost.

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::Mutex;
use toolgate_core::model::{ModelAnswer, ModelDefinition, ModelFault, ModelName, ModelUsage};

/// The outcome of a request that was answered; others have the word of their fault.
const ANSWERED: &str = "answered";

/// The requests of one model that ended alike. One whose asker let go of it is not counted.
#[derive(Clone, Debug)]
pub struct ModelTally {
    pub model: ModelName,
    /// `answered`, or the kind of the fault.
    pub outcome: &'static str,
    pub calls: u64,
    pub usage: ModelUsage,
    pub cost_micros: u64,
    pub duration: Duration,
}

/// By model and outcome.
#[derive(Default)]
pub(crate) struct ModelTallies(Mutex<BTreeMap<(ModelName, &'static str), ModelTally>>);

impl ModelTallies {
    /// A request to a model that is defined ended after this time.
    pub(crate) fn note(
        &self,
        definition: &ModelDefinition,
        answered: &Result<ModelAnswer, ModelFault>,
        duration: Duration,
    ) {
        let (outcome, usage) = match answered {
            Ok(answer) => (ANSWERED, answer.usage),
            Err(fault) => (fault.kind.as_str(), ModelUsage::default()),
        };
        let model = definition.name.clone();
        let mut tallies = self.0.lock();
        let tally = tallies.entry((model.clone(), outcome)).or_insert_with(|| ModelTally {
            model,
            outcome,
            calls: 0,
            usage: ModelUsage::default(),
            cost_micros: 0,
            duration: Duration::ZERO,
        });
        tally.calls += 1;
        tally.usage = tally.usage.plus(usage);
        tally.cost_micros = tally.cost_micros.saturating_add(usage.cost_micros(definition.prices));
        tally.duration += duration;
    }

    pub(crate) fn read(&self) -> Vec<ModelTally> {
        self.0.lock().values().cloned().collect()
    }
}
