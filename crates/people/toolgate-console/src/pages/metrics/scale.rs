//! Axes: round numbers, and values as people read them.

use crate::parts::moment::span;

/// The unit of a plot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PlotUnit {
    Count,
    Ms,
    /// Millionths of a currency unit.
    Micros,
}

impl PlotUnit {
    /// A value in a table or a tooltip.
    pub(super) fn told(self, value: f64) -> String {
        match self {
            Self::Count => crate::parts::number(value.round() as u64),
            Self::Ms if value < 10.0 => format!("{value:.1} ms"),
            Self::Ms => span(value.round() as i64),
            Self::Micros => format!("{:.4}", value / 1e6),
        }
    }

    /// A value beside an axis, which has little room.
    pub(super) fn brief(self, value: f64) -> String {
        match self {
            Self::Count if value >= 1e6 => short(value / 1e6, "M"),
            Self::Count if value >= 1e3 => short(value / 1e3, "k"),
            Self::Count => short(value, ""),
            Self::Ms if value >= 3_600_000.0 => short(value / 3_600_000.0, " h"),
            Self::Ms if value >= 60_000.0 => short(value / 60_000.0, " min"),
            Self::Ms if value >= 1_000.0 => short(value / 1_000.0, " s"),
            Self::Ms => short(value, " ms"),
            Self::Micros => short(value / 1e6, ""),
        }
    }
}

fn short(value: f64, unit: &str) -> String {
    let text = match value {
        _ if value >= 10.0 || value.fract() == 0.0 => format!("{value:.0}"),
        _ if value >= 0.1 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    };
    format!("{text}{unit}")
}

/// The next of 1, 2 and 5 with zeros that all values fit under.
pub(super) fn top(most: f64, unit: PlotUnit) -> f64 {
    let least = if unit == PlotUnit::Count { 4.0 } else { 1.0 };
    let most = most.max(least);
    let power = 10_f64.powf(most.log10().floor());
    let rounds = [1.0, 2.0, 4.0, 5.0, 10.0].map(|round| round * power);
    rounds.into_iter().find(|round| *round >= most).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_fits_under_a_round_number() {
        let count = PlotUnit::Count;
        assert_eq!(
            [0.0, 4.0, 4.5, 11.0, 99.0, 400.0].map(|most| top(most, count)),
            [4.0, 4.0, 5.0, 20.0, 100.0, 400.0]
        );
    }

    #[test]
    fn values_are_told_in_few_letters() {
        assert_eq!([7.0, 1_500.0, 2e6].map(|value| PlotUnit::Count.brief(value)), ["7", "1.5k", "2M"]);
        assert_eq!(
            [5.0, 2_500.0, 90_000.0].map(|value| PlotUnit::Ms.brief(value)),
            ["5 ms", "2.5 s", "1.5 min"]
        );
        assert_eq!(PlotUnit::Micros.told(12_300.0), "0.0123");
    }
}
