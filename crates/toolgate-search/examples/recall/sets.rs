//! The labelled sets, and the table of what a way of finding reaches on them.

use std::error::Error;
use std::io::Write;
use std::path::Path;

use crate::catalogue::Catalogue;
use crate::labelled::{self, Find, Labelled, Right, Row};

pub(crate) struct Sets {
    few: Catalogue,
    many: Catalogue,
    enterprise: Catalogue,
    pub(crate) steps: Vec<Labelled>,
    pub(crate) tasks: Vec<Labelled>,
    pub(crate) wants: Vec<Labelled>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misses {
    Counted,
    /// Each with what was found instead.
    Told,
}

impl Sets {
    /// From a folder that holds `livemcpbench`, `enterprise77k` and `toucan`, each with its `tools.jsonl`.
    pub(crate) fn read(data: &Path) -> Result<Self, Box<dyn Error>> {
        let live = data.join("livemcpbench/tools.jsonl");
        let queries = |path: &str| labelled::read(&data.join(path));
        Ok(Self {
            few: Catalogue::read(std::slice::from_ref(&live))?,
            many: Catalogue::read(&[live, data.join("toucan/tools.jsonl")])?,
            enterprise: Catalogue::read(&[data.join("enterprise77k/tools.jsonl")])?,
            steps: queries("livemcpbench/queries_steps_curated.jsonl")?,
            tasks: queries("livemcpbench/queries.jsonl")?,
            wants: queries("enterprise77k/queries.jsonl")?,
        })
    }

    pub(crate) fn rows(&self) -> [Row<'_>; 5] {
        let row = |name, catalogue, queries, right| Row { name, catalogue, queries, right };
        [
            row("steps", &self.few, &self.steps, Right::Tool),
            row("steps", &self.many, &self.steps, Right::Name),
            row("tasks", &self.few, &self.tasks, Right::Tool),
            row("tasks", &self.many, &self.tasks, Right::Name),
            row("enterprise77k", &self.enterprise, &self.wants, Right::Tool),
        ]
    }
}

pub(crate) fn head(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    writeln!(out, "{:<14} {:>6} {:>7}  {:>5} {:>5} {:>5}", "queries", "tools", "n", "R@1", "R@5", "R@10")?;
    Ok(())
}

pub(crate) fn tell(
    row: &Row<'_>,
    find: Find<'_>,
    misses: Misses,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let at = |k| labelled::recall(row, find, k);
    let (one, five, ten) = (at(1)?, at(5)?, at(10)?);
    let (tools, n) = (row.catalogue.index.len(), row.queries.len());
    writeln!(out, "{:<14} {tools:>6} {n:>7}  {one:>5.1} {five:>5.1} {ten:>5.1}", row.name)?;
    if misses == Misses::Told {
        labelled::misses(row, find, out)?;
    }
    Ok(())
}
