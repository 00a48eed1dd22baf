//! The API's figures over time, which several pages show.

use std::collections::BTreeMap;

use serde::Deserialize;
use toolgate_core::moment::parse_rfc3339;

#[derive(Default, Deserialize)]
pub(crate) struct FiguresData {
    pub(crate) from: String,
    pub(crate) until: String,
    pub(crate) step_seconds: i64,
    pub(crate) total: FigureGroupData,
    #[serde(default)]
    pub(crate) groups: Vec<FigureGroupData>,
    #[serde(default)]
    pub(crate) before: Option<FiguresBeforeData>,
    #[serde(default)]
    pub(crate) due_blocks: u64,
}

#[derive(Default, Deserialize)]
pub(crate) struct FiguresBeforeData {
    pub(crate) from: String,
    pub(crate) total: FigureGroupData,
}

#[derive(Default, Deserialize)]
pub(crate) struct FigureGroupData {
    pub(crate) name: String,
    pub(crate) sums: FigureSumsData,
    points: Vec<FigurePointData>,
}

#[derive(Default, Deserialize)]
struct FigurePointData {
    at: String,
    #[serde(flatten)]
    sums: FigureSumsData,
}

#[derive(Default, Deserialize)]
pub(crate) struct FigureSumsData {
    pub(crate) calls: u64,
    pub(crate) failed: u64,
    pub(crate) refused: u64,
    #[serde(default)]
    pub(crate) outcomes: BTreeMap<String, u64>,
    #[serde(default)]
    pub(crate) latency: Option<FigureTimesData>,
    #[serde(default)]
    pub(crate) server_latency: Option<FigureTimesData>,
    #[serde(default)]
    pub(crate) gateway_latency: Option<FigureTimesData>,
    #[serde(default)]
    pub(crate) approvals: Option<FigureApprovalsData>,
    #[serde(default)]
    pub(crate) tokens: Option<FigureTokensData>,
    #[serde(default)]
    pub(crate) models: Option<FigureModelsData>,
}

#[derive(Default, Deserialize)]
pub(crate) struct FigureTimesData {
    pub(crate) p50_ms: f64,
    pub(crate) p95_ms: f64,
}

#[derive(Default, Deserialize)]
pub(crate) struct FigureApprovalsData {
    pub(crate) asked: u64,
    pub(crate) decided: u64,
    #[serde(default)]
    pub(crate) waiting: Option<u64>,
    #[serde(default)]
    pub(crate) time_to_decide: Option<FigureTimesData>,
}

#[derive(Default, Deserialize)]
pub(crate) struct FigureTokensData {
    pub(crate) results: u64,
    pub(crate) saved: u64,
}

#[derive(Default, Deserialize)]
pub(crate) struct FigureModelsData {
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) cost_micros: u64,
}

impl FiguresData {
    pub(crate) fn start_ms(&self) -> i64 {
        parse_rfc3339(&self.from).unwrap_or_default()
    }

    pub(crate) fn step_ms(&self) -> i64 {
        (self.step_seconds * 1_000).max(1)
    }

    /// The number of steps.
    pub(crate) fn steps(&self) -> usize {
        let until = parse_rfc3339(&self.until).unwrap_or_default();
        usize::try_from((until - self.start_ms()) / self.step_ms()).unwrap_or_default()
    }

    /// A figure of a group for each step. `None` where nothing happened.
    pub(crate) fn values(
        &self,
        group: &FigureGroupData,
        figure: impl Fn(&FigureSumsData) -> Option<f64>,
    ) -> Vec<Option<f64>> {
        self.placed(group, self.start_ms(), figure)
    }

    /// The same for the time before.
    pub(crate) fn values_before(
        &self,
        figure: impl Fn(&FigureSumsData) -> Option<f64>,
    ) -> Option<Vec<Option<f64>>> {
        let before = self.before.as_ref()?;
        let from_ms = parse_rfc3339(&before.from).unwrap_or_default();
        Some(self.placed(&before.total, from_ms, figure))
    }

    fn placed(
        &self,
        group: &FigureGroupData,
        from_ms: i64,
        figure: impl Fn(&FigureSumsData) -> Option<f64>,
    ) -> Vec<Option<f64>> {
        let mut values = vec![None; self.steps()];
        for point in &group.points {
            let place = parse_rfc3339(&point.at).map(|at| (at - from_ms).div_euclid(self.step_ms()));
            let place = place.and_then(|place| usize::try_from(place).ok());
            if let Some(value) = place.and_then(|place| values.get_mut(place)) {
                *value = figure(&point.sums);
            }
        }
        values
    }
}

impl FigureSumsData {
    pub(crate) fn outcome(&self, word: &str) -> u64 {
        self.outcomes.get(word).copied().unwrap_or_default()
    }
}

/// The change from before, in words: "12 % more than before".
pub(crate) fn change(now: u64, before: u64) -> String {
    match (now, before) {
        (0, 0) => "none before either".to_owned(),
        (_, 0) => "none before".to_owned(),
        (now, before) if now == before => "as many as before".to_owned(),
        (now, before) => {
            let share = now.abs_diff(before) as f64 / before as f64 * 100.0;
            let word = if now > before { "more" } else { "fewer" };
            format!("{share:.0} % {word} than before")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_in_words() {
        assert_eq!(change(0, 0), "none before either");
        assert_eq!(change(3, 0), "none before");
        assert_eq!(change(3, 3), "as many as before");
        assert_eq!(change(15, 10), "50 % more than before");
        assert_eq!(change(0, 10), "100 % fewer than before");
    }
}
