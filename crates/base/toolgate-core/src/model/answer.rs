//! The answer of a model, and its pieces while it arrives.

use super::definition::ModelPrices;
use super::message::MessagePart;

/// A piece of an answer that is under way. Only for people who watch: nothing is stored before the answer is whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ModelPiece {
    Text(String),
    Thinking(String),
    /// The model begins to call this tool.
    Call(String),
    /// The answer broke off, and its pieces so far do not count. The model is asked again.
    Again,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelAnswer {
    /// In the order of the provider. The ids of calls are empty: the loop gives them.
    pub parts: Vec<MessagePart>,
    pub stop: StopReason,
    pub usage: ModelUsage,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It said all that it wanted to say.
    Finished,
    /// It waits for the results of its calls.
    Calls,
    /// The limit of tokens cut it off.
    Length,
    /// The provider or the model refused to answer.
    Refused,
    /// Another reason of the provider.
    Other,
}

impl StopReason {
    pub const ALL: [StopReason; 5] =
        [StopReason::Finished, StopReason::Calls, StopReason::Length, StopReason::Refused, StopReason::Other];

    pub fn as_str(self) -> &'static str {
        match self {
            StopReason::Finished => "finished",
            StopReason::Calls => "calls",
            StopReason::Length => "length",
            StopReason::Refused => "refused",
            StopReason::Other => "other",
        }
    }

    pub fn parse(text: &str) -> Option<StopReason> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text)
    }
}

/// The tokens of one answer. `input` is all input: cached and written tokens are parts of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct ModelUsage {
    pub input: u64,
    /// Read from the provider's cache.
    pub cached: u64,
    /// Written into the provider's cache.
    pub written: u64,
    pub output: u64,
}

impl ModelUsage {
    /// The sum of both. Providers may say any number.
    #[must_use]
    pub fn plus(self, other: ModelUsage) -> ModelUsage {
        ModelUsage {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            written: self.written.saturating_add(other.written),
            output: self.output.saturating_add(other.output),
        }
    }

    /// All tokens that count towards a budget.
    pub fn tokens(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// The cost in millionths of a currency unit.
    pub fn cost_micros(self, prices: ModelPrices) -> u64 {
        const MILLION: u128 = 1_000_000;
        let plain = self.input.saturating_sub(self.cached).saturating_sub(self.written);
        let parts = [
            (plain, prices.input),
            (self.cached, prices.cached.unwrap_or(prices.input)),
            (self.written, prices.written.unwrap_or(prices.input)),
            (self.output, prices.output),
        ];
        let total: u128 = parts.iter().map(|(tokens, price)| u128::from(*tokens) * u128::from(*price)).sum();
        u64::try_from(total.div_ceil(MILLION)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_and_written_input_have_their_own_prices() {
        let usage = ModelUsage { input: 1_000_000, cached: 600_000, written: 100_000, output: 10_000 };
        let prices = ModelPrices {
            input: 3_000_000,
            cached: Some(300_000),
            written: Some(3_750_000),
            output: 15_000_000,
            currency: None,
        };
        assert_eq!(usage.cost_micros(prices), 900_000 + 180_000 + 375_000 + 150_000);
    }

    #[test]
    fn a_price_that_is_missing_is_that_of_input_and_a_broken_piece_is_rounded_up() {
        let usage = ModelUsage { input: 1, cached: 1, ..ModelUsage::default() };
        assert_eq!(usage.cost_micros(ModelPrices { input: 3_000_000, ..ModelPrices::default() }), 3);
        assert_eq!(usage.cost_micros(ModelPrices { input: 1, ..ModelPrices::default() }), 1);
    }
}
