//! The results of the runs: rows with their targets, as a table for people and as JSON for programs.
//!
//! Lives here: medians, ratios, verdicts, layout. Does not live here: measuring, and the targets.

use std::fmt::Write as _;

use serde::Serialize;

#[cfg(test)]
mod tests;

#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) machine: Machine,
    pub(crate) settings: ReportSettings,
    pub(crate) rows: Vec<Row>,
    /// Calls per second of every single round, so that a reader can see how much they scatter.
    pub(crate) rounds: Vec<Rounds>,
    /// Calls that ended inside a measured window.
    pub(crate) calls: u64,
    /// Always zero in a report: the first error ends the whole run.
    pub(crate) errors: u64,
}

#[derive(Serialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    /// The busiest round's share of CPU, in cores, that went to processes outside the benchmark.
    pub(crate) other_load_cores_max: f64,
}

#[derive(Clone, Serialize)]
pub(crate) struct ReportSettings {
    pub(crate) rounds: usize,
    pub(crate) warm_up_seconds: f64,
    pub(crate) window_seconds: f64,
    /// Ends a window before its time is over.
    pub(crate) window_calls: Option<u64>,
    pub(crate) generator_threads: usize,
    pub(crate) starts: usize,
}

#[derive(Serialize)]
pub(crate) struct Rounds {
    pub(crate) case: String,
    pub(crate) direct: Vec<f64>,
    pub(crate) gateway: Vec<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) case: String,
    pub(crate) what: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) direct: Option<f64>,
    pub(crate) gateway: Option<f64>,
    /// The gateway's figure over the direct one.
    pub(crate) ratio: Option<f64>,
    pub(crate) target: Option<ReportTarget>,
    pub(crate) pass: Option<bool>,
}

/// A promise about the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReportTarget {
    RatioAtLeast(f64),
    RatioAtMost(f64),
    AtLeast(f64),
    AtMost(f64),
    Below(f64),
}

impl Row {
    pub(crate) fn new(case: &str, what: &'static str, unit: &'static str) -> Row {
        Row {
            case: case.to_owned(),
            what,
            unit,
            direct: None,
            gateway: None,
            ratio: None,
            target: None,
            pass: None,
        }
    }

    pub(crate) fn measured(mut self, direct: Option<f64>, gateway: Option<f64>) -> Row {
        self.direct = direct;
        self.gateway = gateway;
        self.ratio = direct.zip(gateway).map(|(direct, gateway)| gateway / direct);
        self
    }

    pub(crate) fn judged(mut self, target: Option<ReportTarget>) -> Row {
        self.target = target;
        self.pass = target.and_then(|target| target.judge(self.gateway, self.ratio));
        self
    }
}

impl ReportTarget {
    /// No verdict without a measurement.
    fn judge(self, gateway: Option<f64>, ratio: Option<f64>) -> Option<bool> {
        match self {
            ReportTarget::RatioAtLeast(bound) => ratio.map(|ratio| ratio >= bound),
            ReportTarget::RatioAtMost(bound) => ratio.map(|ratio| ratio <= bound),
            ReportTarget::AtLeast(bound) => gateway.map(|gateway| gateway >= bound),
            ReportTarget::AtMost(bound) => gateway.map(|gateway| gateway <= bound),
            ReportTarget::Below(bound) => gateway.map(|gateway| gateway < bound),
        }
    }

    fn text(self, unit: &str) -> String {
        match self {
            ReportTarget::RatioAtLeast(bound) => format!("ratio >= {bound}"),
            ReportTarget::RatioAtMost(bound) => format!("ratio <= {bound}"),
            ReportTarget::AtLeast(bound) => format!(">= {bound} {unit}"),
            ReportTarget::AtMost(bound) => format!("<= {bound} {unit}"),
            ReportTarget::Below(bound) => format!("< {bound} {unit}"),
        }
    }
}

impl Report {
    pub(crate) fn misses(&self) -> usize {
        self.rows.iter().filter(|row| row.pass == Some(false)).count()
    }

    pub(crate) fn table(&self) -> String {
        self.table_of(["direct", "gateway"])
    }

    /// With other words for the two sides that are compared.
    pub(crate) fn table_of(&self, [left, right]: [&str; 2]) -> String {
        let mut lines = vec![["", left, right, "ratio", "target", ""].map(str::to_owned)];
        let mut case = "";
        for row in &self.rows {
            if row.case != case {
                case = &row.case;
                lines.push([case, "", "", "", "", ""].map(str::to_owned));
            }
            lines.push(cells(row));
        }
        let mut text = layout(&lines);
        let settings = &self.settings;
        let window = match settings.window_calls {
            Some(calls) => format!("{calls} calls or {} s", settings.window_seconds),
            None => format!("{} s", settings.window_seconds),
        };
        writeln!(
            text,
            "\n{} calls, every reply checked, no errors; medians of {} rounds of {window} after {} s of warm-up",
            self.calls, settings.rounds, settings.warm_up_seconds
        )
        .expect("a String grows");
        let Machine { cpu, cores, other_load_cores_max } = &self.machine;
        write!(text, "{cores} cores, {cpu}; other load meanwhile: up to {other_load_cores_max:.2} cores")
            .expect("a String grows");
        text
    }
}

impl Row {
    /// One line, for a person who watches a long run.
    pub(crate) fn line(&self) -> String {
        let cells = cells(self);
        let said: Vec<&str> = cells.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty()).collect();
        format!("  {}: {}", self.case, said.join("  "))
    }
}

fn cells(row: &Row) -> [String; 6] {
    let figure =
        |value: Option<f64>| value.map(|value| format!("{} {}", number(value), row.unit)).unwrap_or_default();
    let verdict = match row.pass {
        Some(true) => "pass",
        Some(false) => "FAIL",
        None => "",
    };
    [
        format!("  {}", row.what),
        figure(row.direct),
        figure(row.gateway),
        row.ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
        row.target.map(|target| target.text(row.unit)).unwrap_or_default(),
        verdict.to_owned(),
    ]
}

/// Three digits are all that a benchmark's noise leaves standing.
fn number(value: f64) -> String {
    match value.abs() {
        ..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// The first column to the left, the figures to the right, the rest to the left.
pub(crate) fn layout(lines: &[[String; 6]]) -> String {
    let width = |column: usize| lines.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    let mut text = String::new();
    for cells in lines {
        let padded: Vec<String> =
            cells.iter().enumerate().map(|(column, cell)| pad(column, cell, widths[column])).collect();
        text.push_str(padded.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn pad(column: usize, cell: &str, width: usize) -> String {
    match column {
        1..=3 => format!("{cell:>width$}"),
        _ => format!("{cell:<width$}"),
    }
}

/// The value that 99 of 100 do not exceed; of fewer than a hundred, the largest.
pub(crate) fn p99(values: impl IntoIterator<Item = f64>) -> f64 {
    percentile(values, 99)
}

/// The value that 95 of 100 do not exceed.
pub(crate) fn p95(values: impl IntoIterator<Item = f64>) -> f64 {
    percentile(values, 95)
}

fn percentile(values: impl IntoIterator<Item = f64>, percent: usize) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values[(values.len() * percent).div_ceil(100) - 1]
}

/// The middle of the measurements; of an even number, the mean of the middle two.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}
