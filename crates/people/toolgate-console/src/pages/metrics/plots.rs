//! The plots of the page: which figures each has, and where its points lead.

use toolgate_core::event::{EventKind, Outcome};

use super::scale::PlotUnit;
use crate::address::PageAddress;
use crate::pages::counted;
use crate::pages::figures::{FigureSumsData, FiguresData};
use crate::pages::filters::PageFilters;

/// Groups that are drawn; the table above has all of them.
const GROUPS_DRAWN: usize = 5;
/// The group of the names that have none of their own. No list is of them alone.
pub(super) const OTHER_NAMES: &str = "(other)";

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
    /// The list of what a value counts, if it counts anything.
    pub(super) behind: Option<PointTarget>,
    /// True for a group, whose name the list is filtered by.
    pub(super) is_group: bool,
}

/// The list that a point leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PointTarget {
    /// Calls that ended with one of these outcomes.
    Calls(&'static [Outcome]),
    /// Events of the ledger of this kind.
    Events(EventKind),
    /// Answers of models.
    Answers,
}

impl PointTarget {
    /// The list, for a span of time. `None` if no list has these alone.
    pub(super) fn address(self, wanted: &PageFilters, from: &str, until: &str) -> Option<PageAddress> {
        self.of_name(wanted.get("by").zip(wanted.get("name")), from, until)
    }

    /// The same for one name of a property.
    pub(super) fn of_name(self, name: Option<(&str, &str)>, from: &str, until: &str) -> Option<PageAddress> {
        let list = match self {
            Self::Calls(outcomes) => counted::calls(outcomes, from, Some(until)),
            Self::Events(kind) => events(kind, from, until),
            // The gateway asks a model, so the events do not have the name of the agent.
            Self::Answers if name.is_some() => return Some(PageAddress::of(["console", "runs"])),
            Self::Answers => events(EventKind::ModelCalled, from, until),
        };
        match name {
            None => Some(list),
            Some((_, OTHER_NAMES)) => None,
            Some(("agent", name)) => Some(list.with("principal", name)),
            Some(("tool", name)) => Some(list.with("tool", name)),
            Some(("server", name)) => Some(list.with("server", name)),
            Some(("error", name)) if matches!(self, Self::Calls(_)) => Some(list.with("error", name)),
            Some(_) => None,
        }
    }
}

fn events(kind: EventKind, from: &str, until: &str) -> PageAddress {
    let list = PageAddress::of(["console", "ledger"]).with("kind", kind.as_str());
    list.with("from", counted::brief(from)).with("until", counted::brief(until))
}

type Figure = fn(&FigureSumsData) -> Option<f64>;

/// Its name, and the list of what it counts, if it counts anything.
type PlotFigure = (&'static str, Figure, Option<PointTarget>);

/// One line for each of several figures of everything.
struct Lines {
    id: &'static str,
    title: &'static str,
    unit: PlotUnit,
    behind: PointTarget,
    figures: &'static [PlotFigure],
    /// Where groups are drawn, this figure of each.
    is_grouped: bool,
}

fn count(value: u64) -> Option<f64> {
    Some(value as f64)
}

const CALLS: Option<PointTarget> = only(counted::ENDED);
/// A call that did not run has no time.
const EXECUTED: &[Outcome] = &[Outcome::Succeeded, Outcome::ToolError, Outcome::Accepted];
pub(super) const ASKED: Option<PointTarget> = Some(PointTarget::Events(EventKind::ApprovalRequested));
pub(super) const DECIDED: Option<PointTarget> = Some(PointTarget::Events(EventKind::ApprovalResolved));

const fn only(outcomes: &'static [Outcome]) -> Option<PointTarget> {
    Some(PointTarget::Calls(outcomes))
}

static PLOTS: [Lines; 9] = [
    Lines {
        id: "calls",
        title: "Calls",
        unit: PlotUnit::Count,
        behind: PointTarget::Calls(counted::ENDED),
        is_grouped: true,
        figures: &[("calls", |sums| count(sums.calls), CALLS)],
    },
    Lines {
        id: "errors",
        title: "Failed calls",
        unit: PlotUnit::Count,
        behind: PointTarget::Calls(counted::FAILED),
        is_grouped: false,
        figures: &[
            ("error of the tool", |sums| count(sums.outcome("tool_error")), only(&[Outcome::ToolError])),
            ("no answer", |sums| count(sums.outcome("failed")), only(&[Outcome::Failed])),
            ("outcome unknown", |sums| count(sums.outcome("unknown")), only(&[Outcome::Unknown])),
        ],
    },
    Lines {
        id: "refusals",
        title: "Refused calls",
        unit: PlotUnit::Count,
        behind: PointTarget::Calls(counted::REFUSED),
        is_grouped: false,
        figures: &[
            ("denied", |sums| count(sums.outcome("denied")), only(counted::DENIED)),
            ("arguments do not fit", |sums| count(sums.outcome("invalid")), only(&[Outcome::Invalid])),
            ("not decided in time", |sums| count(sums.outcome("expired")), only(&[Outcome::Expired])),
            ("not recorded", |sums| count(sums.outcome("refused")), only(&[Outcome::Refused])),
        ],
    },
    Lines {
        id: "latency",
        title: "Time of calls",
        unit: PlotUnit::Ms,
        behind: PointTarget::Calls(EXECUTED),
        is_grouped: false,
        figures: &[
            ("95th percentile", |sums| sums.latency.as_ref().map(|times| times.p95_ms), None),
            ("median", |sums| sums.latency.as_ref().map(|times| times.p50_ms), None),
            ("95th, server alone", |sums| sums.server_latency.as_ref().map(|times| times.p95_ms), None),
            ("95th, gateway alone", |sums| sums.gateway_latency.as_ref().map(|times| times.p95_ms), None),
        ],
    },
    Lines {
        id: "approvals",
        title: "Approvals",
        unit: PlotUnit::Count,
        behind: PointTarget::Events(EventKind::ApprovalRequested),
        is_grouped: false,
        figures: &[
            ("asked for", |sums| sums.approvals.as_ref().and_then(|one| count(one.asked)), ASKED),
            ("decided", |sums| sums.approvals.as_ref().and_then(|one| count(one.decided)), DECIDED),
            (
                "waiting",
                |sums| sums.approvals.as_ref().and_then(|one| one.waiting.map(|waiting| waiting as f64)),
                None,
            ),
        ],
    },
    Lines {
        id: "deciding",
        title: "Time to decide",
        unit: PlotUnit::Ms,
        behind: PointTarget::Events(EventKind::ApprovalResolved),
        is_grouped: false,
        figures: &[
            (
                "95th percentile",
                |sums| sums.approvals.as_ref()?.time_to_decide.as_ref().map(|times| times.p95_ms),
                None,
            ),
            (
                "median",
                |sums| sums.approvals.as_ref()?.time_to_decide.as_ref().map(|times| times.p50_ms),
                None,
            ),
        ],
    },
    Lines {
        id: "tokens",
        title: "Tokens of calls",
        unit: PlotUnit::Count,
        behind: PointTarget::Calls(counted::ENDED),
        is_grouped: false,
        figures: &[
            ("saved by searching tools", |sums| sums.tokens.as_ref().and_then(|one| count(one.saved)), None),
            ("results", |sums| sums.tokens.as_ref().and_then(|one| count(one.results)), None),
        ],
    },
    Lines {
        id: "models",
        title: "Tokens of models",
        unit: PlotUnit::Count,
        behind: PointTarget::Answers,
        is_grouped: false,
        figures: &[
            ("read", |sums| sums.models.as_ref().and_then(|one| count(one.input_tokens)), None),
            ("written", |sums| sums.models.as_ref().and_then(|one| count(one.output_tokens)), None),
        ],
    },
    Lines {
        id: "money",
        title: "Cost of models",
        unit: PlotUnit::Micros,
        behind: PointTarget::Answers,
        is_grouped: true,
        figures: &[("cost", |sums| sums.models.as_ref().and_then(|one| count(one.cost_micros)), None)],
    },
];

pub(super) fn of(wanted: &PageFilters, figures: &FiguresData) -> Vec<MetricPlot> {
    let has_groups = !figures.groups.is_empty() && wanted.get("name").is_none();
    PLOTS.iter().map(|lines| lines.plot(figures, has_groups)).collect()
}

impl Lines {
    fn plot(&self, figures: &FiguresData, has_groups: bool) -> MetricPlot {
        let grouped = has_groups && self.is_grouped;
        let (_, first, behind) = self.figures[0];
        let series = match grouped {
            true => figures
                .groups
                .iter()
                .take(GROUPS_DRAWN)
                .map(|group| PlotSeries {
                    name: group.name.clone(),
                    values: figures.values(group, first),
                    behind,
                    is_group: true,
                })
                .collect(),
            false => self
                .figures
                .iter()
                .map(|(name, figure, behind)| PlotSeries {
                    name: (*name).to_owned(),
                    values: figures.values(&figures.total, figure),
                    behind: *behind,
                    is_group: false,
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

impl PlotSeries {
    /// The list of what the value of a step counts.
    pub(super) fn list(&self, wanted: &PageFilters, from: &str, until: &str) -> Option<PageAddress> {
        match self.is_group {
            true => self.behind?.of_name(wanted.get("by").zip(Some(&*self.name)), from, until),
            false => self.behind?.address(wanted, from, until),
        }
    }
}

impl MetricPlot {
    /// Series with anything to draw.
    pub(super) fn drawn(&self) -> Vec<&PlotSeries> {
        self.series.iter().filter(|one| one.values.iter().flatten().any(|value| *value > 0.0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAN: (&str, &str) = ("2026-08-01T12:00:00.000Z", "2026-08-01T13:00:00.000Z");

    fn list(target: PointTarget, name: Option<(&str, &str)>) -> Option<String> {
        target.of_name(name, SPAN.0, SPAN.1).map(|address| address.to_string())
    }

    #[test]
    fn a_point_leads_to_what_it_counts_and_else_nowhere() {
        let span = "from=2026-08-01T12%3A00%3A00Z&until=2026-08-01T13%3A00%3A00Z";
        let unknown = PointTarget::Calls(&[Outcome::Unknown]);
        let of_error = format!("/console/calls?state=ended&outcome=unknown&{span}&error=server_timeout");
        assert_eq!(list(unknown, Some(("error", "server_timeout"))), Some(of_error));
        let asked = PointTarget::Events(EventKind::ApprovalRequested);
        let of_agent = format!("/console/ledger?kind=approval.requested&{span}&principal=ann");
        assert_eq!(list(asked, Some(("agent", "ann"))), Some(of_agent));
        for (target, name) in
            [(unknown, ("model", "m")), (unknown, ("tool", "(other)")), (asked, ("error", "e"))]
        {
            assert_eq!(list(target, Some(name)), None, "{name:?}");
        }
    }
}
