//! The targets of search, and the verdicts.

use serde::Serialize;

use super::way::Way;

/// The required value, and the desired one.
#[derive(Clone, Copy, Serialize)]
pub(super) struct DiscoveryTarget {
    must: f64,
    goal: f64,
    better: Better,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Better {
    More,
    Less,
}

/// Bounds without a model and with one.
#[derive(Clone, Copy)]
pub(super) struct Targets {
    without: DiscoveryTarget,
    with: DiscoveryTarget,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mark {
    Goal,
    Must,
    Missed,
}

const fn at_least(must: f64, goal: f64) -> DiscoveryTarget {
    DiscoveryTarget { must, goal, better: Better::More }
}

const fn at_most(must: f64, goal: f64) -> DiscoveryTarget {
    DiscoveryTarget { must, goal, better: Better::Less }
}

const fn always(target: DiscoveryTarget) -> Targets {
    Targets { without: target, with: target }
}

pub(super) const STEPS: Targets = Targets { without: at_least(82.0, 92.0), with: at_least(87.0, 92.0) };
pub(super) const STEPS_IN_A_CROWD: Targets =
    Targets { without: at_least(70.0, 85.0), with: at_least(79.0, 85.0) };
pub(super) const TASKS: Targets = Targets { without: at_least(36.0, 50.0), with: at_least(40.0, 50.0) };
pub(super) const STEPS_IN_ANSWER: Targets = always(at_least(91.0, 95.0));
pub(super) const TASKS_IN_ANSWER: Targets = always(at_least(55.0, 65.0));
pub(super) const ENTERPRISE: Targets = always(at_least(80.0, 90.0));
pub(super) const TOKENS_TO_SCHEMA: Targets = always(at_most(1_500.0, 1_100.0));
pub(super) const START_SET: Targets = always(at_most(1_500.0, 700.0));
pub(super) const SEARCH_P99_MS: Targets = Targets { without: at_most(5.0, 1.0), with: at_most(50.0, 15.0) };

impl Targets {
    pub(super) fn for_way(&self, way: &Way<'_>) -> DiscoveryTarget {
        match way {
            Way::Words => self.without,
            Way::Meaning(_) | Way::Both(_) => self.with,
        }
    }
}

impl DiscoveryTarget {
    pub(super) fn mark(self, figure: f64) -> Mark {
        if self.better.reaches(figure, self.goal) {
            Mark::Goal
        } else if self.better.reaches(figure, self.must) {
            Mark::Must
        } else {
            Mark::Missed
        }
    }

    pub(super) fn texts(self) -> [String; 2] {
        let sign = if self.better == Better::More { ">=" } else { "<=" };
        [self.must, self.goal].map(|bound| format!("{sign} {bound}"))
    }
}

impl Better {
    fn reaches(self, figure: f64, bound: f64) -> bool {
        match self {
            Better::More => figure >= bound,
            Better::Less => figure <= bound,
        }
    }
}

impl Mark {
    pub(super) fn text(self) -> &'static str {
        match self {
            Mark::Goal => "goal reached",
            Mark::Must => "must reached",
            Mark::Missed => "MISSED",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_to_be_as_high_and_a_cost_as_low_as_its_bounds() {
        let marks = |target: DiscoveryTarget, figures: [f64; 4]| figures.map(|figure| target.mark(figure));
        let expected = [Mark::Missed, Mark::Must, Mark::Must, Mark::Goal];
        assert_eq!(marks(at_least(80.0, 90.0), [79.9, 80.0, 89.9, 90.0]), expected);
        assert_eq!(marks(at_most(5.0, 1.0), [5.1, 5.0, 1.1, 1.0]), expected);
    }

    #[test]
    fn more_is_asked_of_a_search_that_has_a_model() {
        assert_eq!(STEPS.without.mark(83.0), Mark::Must);
        assert_eq!(STEPS.with.mark(83.0), Mark::Missed);
    }
}
