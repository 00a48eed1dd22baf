//! One plot: lines that differ in dashes and marks as well as in colour, a tooltip and a link for each point, and
//! the same as a table.

use std::fmt::Write as _;

use maud::{Markup, html};
use toolgate_core::moment::rfc3339;

use super::plots::{MetricPlot, PlotSeries};
use super::scale::top;
use crate::address::PageAddress;
use crate::pages::figures::FiguresData;
use crate::pages::filters::PageFilters;
use crate::parts::text;

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 190.0;
/// Room for the numbers beside the lines and for the times below them.
const LEFT: f64 = 52.0;
const RIGHT: f64 = 8.0;
const BOTTOM: f64 = 24.0;
const TOP: f64 = 12.0;
/// Times are named below this many points.
const NAMED: usize = 4;
const DAY_SECONDS: i64 = 86_400;
/// Further lines repeat the styles.
const STYLES: usize = 5;
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

pub(super) fn draw(wanted: &PageFilters, figures: &FiguresData, plot: &MetricPlot) -> Markup {
    let (drawn, title) = (plot.drawn(), format!("{}-title", plot.id));
    html! {
        section.card.plot id=(plot.id) aria-labelledby=(title) {
            h2 id=(title) { (plot.title) }
            @if drawn.is_empty() { p.help { "None in this time." } } @else {
                (lines(wanted, figures, plot, &drawn))
                (key(plot, &drawn))
                (table(wanted, figures, plot, &drawn))
            }
        }
    }
}

fn lines(wanted: &PageFilters, figures: &FiguresData, plot: &MetricPlot, drawn: &[&PlotSeries]) -> Markup {
    let values = drawn.iter().flat_map(|one| &one.values).chain(plot.before.iter().flatten()).flatten();
    let top = top(values.fold(0.0, |most, value| value.max(most)), plot.unit);
    let frame = PlotFrame { steps: figures.steps().max(1), top };
    let (from, step) = (figures.start_ms(), figures.step_ms());
    html! {
        svg.chart.lines viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="group" aria-label=(plot.title)
            data-brush data-from=(from) data-step=(step) data-steps=(frame.steps) data-left=(LEFT) data-right=(RIGHT) data-width=(WIDTH) {
            @for part in [0.0, top / 2.0, top] {
                @let y = format!("{:.1}", frame.y(part));
                line.line x1=(LEFT) x2=(WIDTH - RIGHT) y1=(y) y2=(y) {}
                text.soft x=(LEFT - 6.0) y=(format!("{:.1}", frame.y(part) + 4.0)) text-anchor="end" font-size="12" { (plot.unit.brief(part)) }
            }
            @for place in (0..frame.steps).step_by(frame.steps.div_ceil(NAMED)) {
                text.soft x=(format!("{:.1}", frame.x(place))) y=(HEIGHT - 6.0) text-anchor=(if place == 0 { "start" } else { "middle" }) font-size="12" {
                    (clock(from + place as i64 * step, figures.step_seconds, frame.steps))
                }
            }
            @if let Some(before) = &plot.before { path.before d=(frame.path(before)) {} }
            @for (style, one) in drawn.iter().enumerate() {
                path class=(format!("s{}", style % STYLES)) d=(frame.path(&one.values)) {}
            }
            @for (style, one) in drawn.iter().enumerate() { (marks(&frame, style % STYLES, &one.values)) }
            @for place in 0..frame.steps { (hit(wanted, figures, plot, drawn, &frame, place)) }
        }
    }
}

/// The place of values in a plot.
struct PlotFrame {
    steps: usize,
    top: f64,
}

impl PlotFrame {
    fn wide(&self) -> f64 {
        (WIDTH - LEFT - RIGHT) / self.steps as f64
    }

    /// The middle of a step.
    fn x(&self, place: usize) -> f64 {
        LEFT + (place as f64 + 0.5) * self.wide()
    }

    fn y(&self, value: f64) -> f64 {
        TOP + (HEIGHT - BOTTOM - TOP) * (1.0 - value / self.top)
    }

    /// A line through all values; where there is none, the line breaks.
    fn path(&self, values: &[Option<f64>]) -> String {
        let mut path = String::new();
        let mut is_down = false;
        for (place, value) in values.iter().enumerate() {
            if let Some(value) = value {
                let word = if is_down { 'L' } else { 'M' };
                write!(path, "{word}{:.1} {:.1}", self.x(place), self.y(*value))
                    .expect("writing to a string does not fail");
            }
            is_down = value.is_some();
        }
        path
    }
}

/// Points that no line leads to would not be seen without a mark.
fn marks(frame: &PlotFrame, style: usize, values: &[Option<f64>]) -> Markup {
    let is_alone = |place: usize| {
        let near =
            |place: Option<usize>| place.and_then(|place| values.get(place)).is_some_and(Option::is_some);
        !near(place.checked_sub(1)) && !near(place.checked_add(1))
    };
    html! {
        @for (place, value) in values.iter().enumerate() {
            @if let Some(value) = value.filter(|_| is_alone(place)) {
                @let (x, y) = (frame.x(place), frame.y(value));
                @let class = format!("m{style}");
                @match style {
                    0 => circle class=(class) cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r="3.5" {},
                    1 => rect class=(class) x=(format!("{:.1}", x - 3.0)) y=(format!("{:.1}", y - 3.0)) width="6" height="6" {},
                    _ => path class=(class) d=(format!("M{x:.1} {:.1}l4 7h-8z", y - 4.0)) {},
                }
            }
        }
    }
}

/// The whole height of a step: its values on demand, and the way to what is behind them.
fn hit(
    wanted: &PageFilters,
    figures: &FiguresData,
    plot: &MetricPlot,
    drawn: &[&PlotSeries],
    frame: &PlotFrame,
    place: usize,
) -> Markup {
    let told = told(plot, drawn, place);
    if told.is_empty() {
        return html! {};
    }
    let at = figures.start_ms() + place as i64 * figures.step_ms();
    let (from, until) = (rfc3339(at), rfc3339(at + figures.step_ms()));
    let hit = html! {
        title { (moment(&from)) ": " (told) }
        rect.hit x=(format!("{:.1}", LEFT + place as f64 * frame.wide())) y=(TOP) width=(format!("{:.1}", frame.wide())) height=(HEIGHT - BOTTOM - TOP) {}
    };
    html! {
        @match plot.behind.address(wanted, &from, &until) {
            Some(list) => a href=(list) tabindex="-1" { (hit) },
            None => g { (hit) },
        }
    }
}

/// The values of a step in words; empty if there are none.
fn told(plot: &MetricPlot, drawn: &[&PlotSeries], place: usize) -> String {
    let value = |values: &[Option<f64>]| values.get(place).copied().flatten();
    let mut told: Vec<String> = drawn
        .iter()
        .filter_map(|one| {
            Some(format!("{} {}", text::made_visible(&one.name), plot.unit.told(value(&one.values)?)))
        })
        .collect();
    if let Some(before) = plot.before.as_deref().and_then(value).filter(|_| !told.is_empty()) {
        told.push(format!("before {}", plot.unit.told(before)));
    }
    told.join(", ")
}

fn key(plot: &MetricPlot, drawn: &[&PlotSeries]) -> Markup {
    let sample = |class: String| {
        html! { svg.sample viewBox="0 0 34 10" width="34" height="10" aria-hidden="true" { path class=(class) d="M1 5H33" {} } }
    };
    html! {
        ul.chips.help {
            @for (style, one) in drawn.iter().enumerate() {
                li { (sample(format!("s{}", style % STYLES))) " " (text::short(&one.name)) }
            }
            @if plot.before.is_some() { li { (sample("before".to_owned())) " the time before" } }
        }
    }
}

fn table(wanted: &PageFilters, figures: &FiguresData, plot: &MetricPlot, drawn: &[&PlotSeries]) -> Markup {
    let value = |values: &[Option<f64>], place: usize| values.get(place).copied().flatten();
    let any =
        |place: &usize| drawn.iter().any(|one| value(&one.values, *place).is_some_and(|value| value > 0.0));
    let shown =
        |value: Option<f64>| html! { @if let Some(value) = value { (plot.unit.told(value)) } @else { "–" } };
    let linked = |value: Option<f64>, list: Option<PageAddress>| {
        let is_any = value.is_some_and(|value| value > 0.0);
        html! { @match list.filter(|_| is_any) { Some(list) => a href=(list) { (shown(value)) }, None => (shown(value)) } }
    };
    html! {
        details id=(format!("{}-table", plot.id)) {
            summary { "As a table" span.unseen { ": " (plot.title) } }
            div.scroll tabindex="0" role="region" aria-label=(format!("{} as a table", plot.title)) {
                table.plain {
                    caption.unseen { (plot.title) ", in UTC, the latest first" }
                    thead { tr {
                        th scope="col" { "Time" }
                        @for one in drawn { th.number scope="col" { (text::short(&one.name)) } }
                        @if plot.before.is_some() { th.number scope="col" { "before" } }
                    } }
                    tbody {
                        @for place in (0..figures.steps()).rev().filter(any) {
                            @let at = figures.start_ms() + place as i64 * figures.step_ms();
                            @let (from, until) = (rfc3339(at), rfc3339(at + figures.step_ms()));
                            tr {
                                td {
                                    @match plot.behind.address(wanted, &from, &until) {
                                        Some(list) => a href=(list) { (moment(&from)) },
                                        None => (moment(&from)),
                                    }
                                }
                                @for one in drawn { td.number { (linked(value(&one.values, place), one.list(wanted, &from, &until))) } }
                                @if let Some(before) = &plot.before { td.number { (shown(value(before, place))) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// 18 Nov 20:15.
pub(super) fn moment(moment: &str) -> String {
    match (day(moment), moment.get(11..16)) {
        (Some(day), Some(clock)) => format!("{day} {clock}"),
        _ => moment.to_owned(),
    }
}

/// 18 Nov.
fn day(moment: &str) -> Option<String> {
    let month: usize = moment.get(5..7)?.parse().ok()?;
    let day: u8 = moment.get(8..10)?.parse().ok()?;
    Some(format!("{day} {}", MONTHS.get(month.checked_sub(1)?)?))
}

/// A time below an axis: of the day where the plot is of about one day, else the day.
fn clock(at_ms: i64, step_seconds: i64, steps: usize) -> String {
    let moment = rfc3339(at_ms);
    let is_short = step_seconds * steps as i64 <= 2 * DAY_SECONDS;
    let told = if is_short { moment.get(11..16).map(str::to_owned) } else { day(&moment) };
    told.unwrap_or(moment)
}
