//! The plots of the page: which figures each has, and where its points lead.

use super::scale::PlotUnit;
use crate::address::PageAddress;
use crate::pages::figures::{FigureSumsData, FiguresData};
use crate::pages::filters::PageFilters;

/// Groups that are drawn; the table above has all of them.
const GROUPS_DRAWN: usize = 5;

pub(super) struct MetricPlot {
    /// Its element's id, and its heading.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) unit: PlotUnit,
    pub(super) series: Vec<PlotSeries>,
    /// The time before, drawn behind the first series.
    pub(super) before: Option<Vec<Option<f64>>>,
    pub(super) behind: PointTarget,
}

pub(super) struct PlotSeries {
    pub(super) name: String,
    pub(super) values: Vec<Option<f64>>,
}

/// The list that a point leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PointTarget {
    Calls,
    /// Calls with this outcome.
    Outcome(&'static str),
    Runs,
}

impl PointTarget {
    /// The list, for a span of time.
    pub(super) fn address(self, wanted: &PageFilters, from: &str, until: &str) -> PageAddress {
        if self == Self::Runs {
            return PageAddress::of(["console", "runs"]);
        }
        // A call in progress is in no figure yet.
        let calls = PageAddress::of(["console", "calls"]).with("state", "ended");
        let calls = calls.with("from", from).with("until", until);
        let calls = match self {
            Self::Outcome(word) => calls.with("outcome", word),
            _ => calls,
        };
        match wanted.get("by") {
            Some("agent") => calls.maybe("principal", wanted.get("name")),
            Some("tool") => calls.maybe("tool", wanted.get("name")),
            Some("server") => calls.maybe("server", wanted.get("name")),
            _ => calls,
        }
    }
}

type Figure = fn(&FigureSumsData) -> Option<f64>;

/// One line for each of several figures of everything.
struct Lines {
    id: &'static str,
    title: &'static str,
    unit: PlotUnit,
    behind: PointTarget,
    figures: &'static [(&'static str, Figure)],
    /// Where groups are drawn, this figure of each.
    is_grouped: bool,
}

fn count(value: u64) -> Option<f64> {
    Some(value as f64)
}

static PLOTS: [Lines; 9] = [
    Lines {
        id: "calls",
        title: "Calls",
        unit: PlotUnit::Count,
        behind: PointTarget::Calls,
        is_grouped: true,
        figures: &[("calls", |sums| count(sums.calls))],
    },
    Lines {
        id: "errors",
        title: "Failed calls",
        unit: PlotUnit::Count,
        behind: PointTarget::Calls,
        is_grouped: false,
        figures: &[
            ("tool error", |sums| count(sums.outcome("tool_error"))),
            ("no answer", |sums| count(sums.outcome("failed"))),
            ("outcome unknown", |sums| count(sums.outcome("unknown"))),
        ],
    },
    Lines {
        id: "refusals",
        title: "Refused calls",
        unit: PlotUnit::Count,
        behind: PointTarget::Calls,
        is_grouped: false,
        figures: &[
            ("denied", |sums| count(sums.outcome("denied"))),
            ("invalid arguments", |sums| count(sums.outcome("invalid"))),
            ("not decided in time", |sums| count(sums.outcome("expired"))),
            ("not recorded", |sums| count(sums.outcome("refused"))),
        ],
    },
    Lines {
        id: "latency",
        title: "Call duration",
        unit: PlotUnit::Ms,
        behind: PointTarget::Calls,
        is_grouped: false,
        figures: &[
            ("95th percentile", |sums| sums.latency.as_ref().map(|times| times.p95_ms)),
            ("median", |sums| sums.latency.as_ref().map(|times| times.p50_ms)),
            ("95th, server alone", |sums| sums.server_latency.as_ref().map(|times| times.p95_ms)),
            ("95th, gateway alone", |sums| sums.gateway_latency.as_ref().map(|times| times.p95_ms)),
        ],
    },
    Lines {
        id: "approvals",
        title: "Approvals",
        unit: PlotUnit::Count,
        behind: PointTarget::Outcome("pending_approval"),
        is_grouped: false,
        figures: &[
            ("asked for", |sums| sums.approvals.as_ref().and_then(|one| count(one.asked))),
            ("decided", |sums| sums.approvals.as_ref().and_then(|one| count(one.decided))),
            ("waiting", |sums| {
                sums.approvals.as_ref().and_then(|one| one.waiting.map(|waiting| waiting as f64))
            }),
        ],
    },
    Lines {
        id: "deciding",
        title: "Time to decide",
        unit: PlotUnit::Ms,
        behind: PointTarget::Outcome("pending_approval"),
        is_grouped: false,
        figures: &[
            ("95th percentile", |sums| {
                sums.approvals.as_ref()?.time_to_decide.as_ref().map(|times| times.p95_ms)
            }),
            ("median", |sums| sums.approvals.as_ref()?.time_to_decide.as_ref().map(|times| times.p50_ms)),
        ],
    },
    Lines {
        id: "tokens",
        title: "Call tokens",
        unit: PlotUnit::Count,
        behind: PointTarget::Calls,
        is_grouped: false,
        figures: &[
            ("saved by tool search", |sums| sums.tokens.as_ref().and_then(|one| count(one.saved))),
            ("results", |sums| sums.tokens.as_ref().and_then(|one| count(one.results))),
        ],
    },
    Lines {
        id: "models",
        title: "Model tokens",
        unit: PlotUnit::Count,
        behind: PointTarget::Runs,
        is_grouped: false,
        figures: &[
            ("read", |sums| sums.models.as_ref().and_then(|one| count(one.input_tokens))),
            ("written", |sums| sums.models.as_ref().and_then(|one| count(one.output_tokens))),
        ],
    },
    Lines {
        id: "money",
        title: "Model cost",
        unit: PlotUnit::Micros,
        behind: PointTarget::Runs,
        is_grouped: true,
        figures: &[("cost", |sums| sums.models.as_ref().and_then(|one| count(one.cost_micros)))],
    },
];

pub(super) fn of(wanted: &PageFilters, figures: &FiguresData) -> Vec<MetricPlot> {
    let has_groups = !figures.groups.is_empty() && wanted.get("name").is_none();
    PLOTS.iter().map(|lines| lines.plot(figures, has_groups)).collect()
}

impl Lines {
    fn plot(&self, figures: &FiguresData, has_groups: bool) -> MetricPlot {
        let grouped = has_groups && self.is_grouped;
        let first = self.figures[0].1;
        let series = match grouped {
            true => figures
                .groups
                .iter()
                .take(GROUPS_DRAWN)
                .map(|group| PlotSeries { name: group.name.clone(), values: figures.values(group, first) })
                .collect(),
            false => self
                .figures
                .iter()
                .map(|(name, figure)| PlotSeries {
                    name: (*name).to_owned(),
                    values: figures.values(&figures.total, figure),
                })
                .collect(),
        };
        MetricPlot {
            id: self.id,
            title: self.title,
            unit: self.unit,
            series,
            before: (!grouped).then(|| figures.values_before(first)).flatten(),
            behind: self.behind,
        }
    }
}

impl MetricPlot {
    /// Series with anything to draw.
    pub(super) fn drawn(&self) -> Vec<&PlotSeries> {
        self.series.iter().filter(|one| one.values.iter().flatten().any(|value| *value > 0.0)).collect()
    }
}
