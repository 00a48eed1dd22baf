//! The results of a run: as tables for people and as JSON for programs.

use serde::Serialize;

use super::answers::{InAnswer, Journeys, Listing};
use super::catalogue::Source;
use super::labelled::Recall;
use super::speed::{Latency, Size};
use super::targets::{DiscoveryTarget, Mark};
use super::vectors::Facts;
use crate::report::layout;

#[derive(Serialize)]
pub(super) struct Findings {
    pub(super) cpu: String,
    pub(super) cores: usize,
    pub(super) tokenizer: &'static str,
    pub(super) files: Vec<Source>,
    pub(super) model: Option<Facts>,
    pub(super) listings: Vec<Listing>,
    pub(super) ways: Vec<Reached>,
    pub(super) sizes: Vec<Size>,
}

/// The results of one way of searching.
#[derive(Serialize)]
pub(super) struct Reached {
    pub(super) way: &'static str,
    pub(super) standing: Standing,
    pub(super) rows: Vec<Row>,
    pub(super) recall: Vec<Recall>,
    pub(super) answers: Vec<InAnswer>,
    pub(super) journeys: Journeys,
}

/// The relevance of a miss for the gateway.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Standing {
    Judged,
    /// The gateway does not search like this.
    Compared,
}

#[derive(Serialize)]
pub(super) struct Row {
    pub(super) what: String,
    pub(super) unit: &'static str,
    pub(super) figure: f64,
    pub(super) target: DiscoveryTarget,
    pub(super) mark: Mark,
}

type Cells = [String; 6];

impl Findings {
    /// The targets that a search of the gateway must reach and does not.
    pub(super) fn misses(&self) -> usize {
        let judged = self.ways.iter().filter(|way| way.standing == Standing::Judged);
        judged.flat_map(|way| &way.rows).filter(|row| row.mark == Mark::Missed).count()
    }

    pub(super) fn text(&self) -> String {
        let mut text = self.basis();
        for way in &self.ways {
            text.push_str(&format!("\n{}\n", way.title()));
            text.push_str(&layout(&way.table()));
            text.push_str(&way.journeys.text());
            text.push_str(&layout(&way.recall_table()));
            text.push_str(&layout(&way.answer_table()));
        }
        text.push_str("\nwhat showing whole catalogues costs, in tokens\n");
        text.push_str(&layout(&self.listing_table()));
        for size in &self.sizes {
            text.push_str(&size.text());
        }
        text.push_str(
            "\nTimes of searches: each query's median over the rounds, on a clock; in brackets, time on processors.",
        );
        text
    }

    fn basis(&self) -> String {
        let mut text = format!("{} cores, {}; tokens of {}\n", self.cores, self.cpu, self.tokenizer);
        for Source { file, digest, lines } in &self.files {
            text.push_str(&format!("{file}: {lines} lines, {digest}\n"));
        }
        if let Some(Facts { model, dimensions, load_ms, resident_mb, embedded, embedded_per_second }) =
            &self.model
        {
            text.push_str(&format!(
                "model {model}, {dimensions} dimensions: loaded in {load_ms:.0} ms, {resident_mb:.0} MB"
            ));
            if let Some(rate) = embedded_per_second {
                text.push_str(&format!("; {embedded} texts embedded, {rate:.1} a second"));
            }
            text.push('\n');
        }
        text
    }

    fn listing_table(&self) -> Vec<Cells> {
        let head = ["", "in full", "after the diet", "signatures / lines", "", ""].map(str::to_owned);
        let row = |one: &Listing| {
            [
                format!("  {}, {} tools of {} servers", one.catalogue, one.tools, one.servers),
                one.full.to_string(),
                one.after_diet.to_string(),
                format!("{} / {}", one.signatures, one.lines),
                format!("start set {}", one.start_set),
                String::new(),
            ]
        };
        std::iter::once(head).chain(self.listings.iter().map(row)).collect()
    }
}

impl Reached {
    fn title(&self) -> String {
        match self.standing {
            Standing::Judged => self.way.to_owned(),
            Standing::Compared => {
                format!("{} (for comparison: the gateway never searches like this)", self.way)
            }
        }
    }

    fn table(&self) -> Vec<Cells> {
        let head = ["", "reached", "must", "goal", "", ""].map(str::to_owned);
        std::iter::once(head).chain(self.rows.iter().map(Row::cells)).collect()
    }

    fn recall_table(&self) -> Vec<Cells> {
        let head = ["  recall in %", "R@1", "R@5", "R@10", "", ""].map(str::to_owned);
        let row = |one: &Recall| {
            let what = format!("  {} {}, {} tools", one.n, one.queries, one.tools);
            let [at_1, at_5, at_10] = [one.at_1, one.at_5, one.at_10].map(|share| format!("{share:.1}"));
            [what, at_1, at_5, at_10, String::new(), String::new()]
        };
        std::iter::once(head).chain(self.recall.iter().map(row)).collect()
    }

    fn answer_table(&self) -> Vec<Cells> {
        let head = ["  in an answer, %", "steps", "tasks", "enterprise77k", "", ""].map(str::to_owned);
        let row = |one: &InAnswer| {
            let [steps, tasks, enterprise] =
                [one.steps, one.tasks, one.enterprise].map(|share| format!("{share:.1}"));
            [format!("  detail: {}", one.detail), steps, tasks, enterprise, String::new(), String::new()]
        };
        std::iter::once(head).chain(self.answers.iter().map(row)).collect()
    }
}

impl Journeys {
    fn text(&self) -> String {
        format!(
            "  to the right schema: {} times by the first answer, {} by a second of twice the length, {} server by server, {} by the whole list\n",
            self.first, self.second, self.by_server, self.whole_list
        )
    }
}

impl Row {
    fn cells(&self) -> Cells {
        let [must, goal] = self.target.texts();
        let figure = match self.unit {
            "tokens" => format!("{:.0} tokens", self.figure),
            "ms" => format!("{:.2} ms", self.figure),
            unit => format!("{:.1} {unit}", self.figure),
        };
        [format!("  {}", self.what), figure, must, goal, self.mark.text().to_owned(), String::new()]
    }
}

impl Size {
    fn text(&self) -> String {
        let mut text = format!(
            "\n{} tools of {} servers: index built in {:.0} ms (analysed {:.0}, assembled {:.0}), {:.1} MB",
            self.tools,
            self.servers,
            self.analysed_ms + self.assembled_ms,
            self.analysed_ms,
            self.assembled_ms,
            self.index_mb
        );
        if let Some(vectors_mb) = self.vectors_mb {
            text.push_str(&format!(" and {vectors_mb:.1} MB of vectors"));
        }
        text.push_str(&format!(
            "\n  a server of {} tools followed in {:.1} ms, scope made in {:.2} ms",
            self.changed_tools, self.changed_ms, self.scoped_ms
        ));
        text.push_str(&format!(
            "\n  a query of 10,000 characters {:.2} ms, nearest names {:.2} ms\n",
            self.long_query_ms, self.nearest_names_ms
        ));
        self.searches.iter().for_each(|one| text.push_str(&one.text()));
        text
    }
}

impl Latency {
    /// CPU time is reported in steps too coarse for less than a millisecond.
    fn text(&self) -> String {
        let Latency { way, p50_ms, p99_ms, processor_p50_ms, processor_p99_ms } = self;
        if *p50_ms < 1.0 {
            return format!("  {way:<13} p50 {p50_ms:.2} ms, p99 {p99_ms:.2} ms\n");
        }
        format!(
            "  {way:<13} p50 {p50_ms:.2} ms ({processor_p50_ms:.2}), p99 {p99_ms:.2} ms ({processor_p99_ms:.2})\n"
        )
    }
}
