//! The API's data about models, and what they cost.

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct ModelsData {
    pub(super) models: Vec<ModelData>,
}

#[derive(Deserialize)]
pub(super) struct ModelData {
    pub(super) name: String,
    pub(super) source: String,
    pub(super) provider: String,
    pub(super) model: String,
    pub(super) url: String,
    /// The name of a secret.
    #[serde(default)]
    pub(super) key: Option<String>,
    pub(super) context_tokens: u64,
    pub(super) prices: ModelPricesData,
    pub(super) limits: ModelLimitsData,
}

/// For a million tokens.
#[derive(Deserialize)]
pub(super) struct ModelPricesData {
    pub(super) input: f64,
    pub(super) cached: f64,
    pub(super) written: f64,
    pub(super) output: f64,
    #[serde(default)]
    pub(super) currency: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ModelLimitsData {
    pub(super) output_tokens_max: u64,
    pub(super) parallel_max: u64,
    pub(super) silence_seconds: f64,
    pub(super) answer_seconds: f64,
    #[serde(default)]
    pub(super) spend_per_day: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct SpendData {
    pub(super) rows: Vec<SpendRowData>,
    pub(super) total: SpendSumsData,
}

#[derive(Deserialize)]
pub(super) struct SpendRowData {
    pub(super) key: String,
    pub(super) runs: u64,
    #[serde(flatten)]
    pub(super) sums: SpendSumsData,
}

/// Tokens, and their price in millionths of a currency unit.
#[derive(Default, Deserialize)]
pub(crate) struct SpendSumsData {
    pub(crate) turns: u64,
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) cached_share: f64,
    pub(crate) cost_micros: u64,
}

impl SpendSumsData {
    pub(crate) fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// `62 %`
    pub(crate) fn cached(&self) -> String {
        format!("{:.0} %", self.cached_share * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_with_its_sums() {
        let row = r#"{"key":"gpt","runs":2,"turns":3,"input_tokens":10,"cached_tokens":5,"written_tokens":0,
            "output_tokens":4,"cached_share":0.5,"cost_micros":7}"#;
        let row: SpendRowData = serde_json::from_str(row).expect("a row");
        assert_eq!((row.sums.tokens(), row.sums.cached().as_str(), row.runs), (14, "50 %", 2));
    }
}
