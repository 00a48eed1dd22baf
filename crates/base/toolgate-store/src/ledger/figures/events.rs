//! The figures of one event, and the sums of a part's events by minute.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use toolgate_core::event::{EventKind, Outcome};

use super::super::failure;
use super::super::line::LedgerLine;
use super::kinds::{FigureBy, FigureSpan};
use super::sums::{Figure, FigureSums, TimeFigure};
use crate::db::without_nul;

type Sums = BTreeMap<Box<str>, FigureSums>;

/// Sums by minute, property and name.
#[derive(Clone, Default, Debug)]
pub(in crate::ledger) struct PartFigures(BTreeMap<(i64, FigureBy), Sums>);

#[derive(Deserialize, Default)]
struct EndDetail<'a> {
    #[serde(borrow, default)]
    code: Option<Cow<'a, str>>,
    #[serde(default)]
    server_us: Option<u64>,
    #[serde(default)]
    tokens: Option<EndTokens>,
}

#[derive(Deserialize)]
struct EndTokens {
    #[serde(default)]
    arguments: u64,
    #[serde(default)]
    result: Option<u64>,
    #[serde(default)]
    saved: Option<u64>,
}

#[derive(Deserialize, Default)]
struct AnswerDetail<'a> {
    #[serde(borrow, default)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    principal: Option<Cow<'a, str>>,
    #[serde(rename = "for", borrow, default)]
    purpose: Option<Cow<'a, str>>,
    #[serde(default)]
    input: u64,
    #[serde(default)]
    cached: u64,
    #[serde(default)]
    output: u64,
    #[serde(default)]
    cost_micros: u64,
}

#[derive(Deserialize, Default)]
struct DecisionDetail {
    #[serde(default)]
    waited_ms: Option<u64>,
}

/// The figures of one event, and whose they are.
struct EventFigures<'a> {
    sums: FigureSums,
    agent: Option<Cow<'a, str>>,
    model: Option<Cow<'a, str>>,
    error: Option<Cow<'a, str>>,
}

impl PartFigures {
    pub(in crate::ledger) fn add(&mut self, line: &LedgerLine<'_>) {
        let Some(one) = EventFigures::of(line) else { return };
        let minute = line.at_ms.div_euclid(FigureSpan::Minute.ms());
        self.put(minute, FigureBy::All, "", &one.sums);
        let names = [
            (FigureBy::Agent, one.agent),
            (FigureBy::Tool, line.tool.map(|text| text.read())),
            (FigureBy::Server, line.server.map(|text| text.read())),
            (FigureBy::Model, one.model),
            (FigureBy::Error, one.error),
        ];
        for (by, name) in names {
            match name {
                Some(name) if name.contains('\0') => self.put(minute, by, &without_nul(&name), &one.sums),
                Some(name) => self.put(minute, by, &name, &one.sums),
                None => {}
            }
        }
    }

    fn put(&mut self, minute: i64, by: FigureBy, name: &str, sums: &FigureSums) {
        let names = self.0.entry((minute, by)).or_default();
        match names.get_mut(name) {
            Some(sum) => sum.add_all(sums),
            None => drop(names.insert(name.into(), sums.clone())),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (i64, FigureBy, &str, &FigureSums)> {
        let names = self.0.iter();
        names.flat_map(|((minute, by), names)| {
            names.iter().map(move |(name, sums)| (*minute, *by, &**name, sums))
        })
    }
}

impl<'a> EventFigures<'a> {
    /// `None` for events that add nothing.
    fn of(line: &LedgerLine<'a>) -> Option<Self> {
        let is = |kind: EventKind| line.kind == *kind.as_str();
        match () {
            () if is(EventKind::CallCompleted) => Some(Self::of_end(line)),
            () if is(EventKind::ApprovalRequested) => {
                let mut sums = FigureSums::default();
                sums.add(Figure::ApprovalsAsked, 1);
                Some(Self { sums, agent: Some(line.principal.read()), model: None, error: None })
            }
            () if is(EventKind::ApprovalResolved) => {
                let detail: DecisionDetail = detail(line);
                let mut sums = FigureSums::default();
                sums.add(Figure::ApprovalsDecided, 1);
                detail.waited_ms.into_iter().for_each(|ms| sums.add_time(TimeFigure::Decision, ms));
                Some(Self { sums, agent: None, model: None, error: None })
            }
            () if is(EventKind::ModelCalled) => Some(Self::of_answer(line)),
            () => None,
        }
    }

    fn of_end(line: &LedgerLine<'a>) -> Self {
        let detail: EndDetail<'a> = detail(line);
        let outcome = line.outcome.and_then(|text| Outcome::parse(&text.read())).unwrap_or(Outcome::Unknown);
        let mut sums = FigureSums::default();
        sums.add(figure_of(outcome), 1);
        // The time that people took says nothing about a server.
        if let Some(us) = line.duration_us.filter(|_| outcome.is_executed() && line.approval.is_none()) {
            let us = us.max(0).unsigned_abs();
            let server_us = detail.server_us.unwrap_or_default().min(us);
            sums.add_time(TimeFigure::Call, us);
            if detail.server_us.is_some() {
                sums.add_time(TimeFigure::Server, server_us);
                sums.add_time(TimeFigure::Gateway, us - server_us);
            }
        }
        if let Some(tokens) = detail.tokens {
            sums.add(Figure::ArgumentTokens, tokens.arguments);
            sums.add(Figure::ResultTokens, tokens.result.unwrap_or_default());
            sums.add(Figure::SavedTokens, tokens.saved.unwrap_or_default());
        }
        let error = failure::named(outcome, detail.code);
        Self { sums, agent: Some(line.principal.read()), model: None, error }
    }

    fn of_answer(line: &LedgerLine<'a>) -> Self {
        let detail: AnswerDetail<'a> = detail(line);
        let mut sums = FigureSums::default();
        // A summary is no turn.
        sums.add(Figure::Turns, u64::from(detail.purpose.is_none()));
        sums.add(Figure::InputTokens, detail.input);
        sums.add(Figure::CachedTokens, detail.cached);
        sums.add(Figure::OutputTokens, detail.output);
        sums.add(Figure::CostMicros, detail.cost_micros);
        // The gateway asks the model, for the principal of the run.
        let agent = detail.principal.unwrap_or_else(|| line.principal.read());
        Self { sums, agent: Some(agent), model: detail.model, error: None }
    }
}

/// What can be read of it.
fn detail<'a, T: Deserialize<'a> + Default>(line: &LedgerLine<'a>) -> T {
    line.detail.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
}

fn figure_of(outcome: Outcome) -> Figure {
    match outcome {
        Outcome::Succeeded | Outcome::Accepted | Outcome::Joined => Figure::Succeeded,
        Outcome::ToolError => Figure::ToolError,
        Outcome::Failed => Figure::Failed,
        Outcome::Unknown => Figure::Unknown,
        Outcome::Invalid => Figure::Invalid,
        Outcome::Denied | Outcome::Rejected | Outcome::ChangesRequested => Figure::Denied,
        Outcome::Expired => Figure::Expired,
        Outcome::Refused => Figure::Unrecorded,
        Outcome::Cancelled => Figure::Cancelled,
        Outcome::PendingApproval | Outcome::PendingInput | Outcome::InputRequired => Figure::Waits,
    }
}
