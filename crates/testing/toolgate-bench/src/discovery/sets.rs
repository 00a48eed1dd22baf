//! The data of the measurements: the catalogues and the labelled queries of the data folder.

use std::path::Path;

use toolgate_search::Subset;

use super::answers::Shelf;
use super::catalogue::{Catalogue, Source, all_of};
use super::labelled::{self, Labelled, Right, Trial};

pub(super) struct Sets {
    pub(super) live: Catalogue,
    pub(super) enterprise: Catalogue,
    pub(super) real: Catalogue,
    pub(super) crowd: Catalogue,
    /// The catalogue of the steps and tasks, alone and in the crowd.
    few: Subset,
    many: Subset,
    wanted_of: Subset,
    pub(super) steps: Vec<Labelled>,
    pub(super) tasks: Vec<Labelled>,
    pub(super) wants: Vec<Labelled>,
    pub(super) sources: Vec<Source>,
}

/// A set of queries, and the presentation of their tools in an answer.
pub(super) struct Asked<'a> {
    pub(super) subset: &'a Subset,
    pub(super) queries: &'a [Labelled],
    pub(super) shelf: &'a Shelf,
}

impl Sets {
    pub(super) fn read(data: &Path) -> anyhow::Result<Self> {
        let catalogue = |folder: &str| Catalogue::read(data, &format!("{folder}/tools.jsonl"));
        let (live, enterprise) = (catalogue("livemcpbench")?, catalogue("enterprise77k")?);
        let (real, crowd) = (catalogue("real-catalogue")?, catalogue("toucan")?);
        let (steps_source, steps) = labelled::read(data, "livemcpbench/queries_steps_curated.jsonl")?;
        let (tasks_source, tasks) = labelled::read(data, "livemcpbench/queries.jsonl")?;
        let (wants_source, wants) = labelled::read(data, "enterprise77k/queries.jsonl")?;
        let mut sources: Vec<Source> =
            [&live, &enterprise, &real, &crowd].map(|catalogue| catalogue.source.clone()).into();
        sources.extend([steps_source, tasks_source, wants_source]);
        let (few, many, wanted_of) = (all_of(&[&live]), all_of(&[&live, &crowd]), all_of(&[&enterprise]));
        Ok(Self { live, enterprise, real, crowd, few, many, wanted_of, steps, tasks, wants, sources })
    }

    pub(super) fn trials(&self) -> [Trial<'_>; 5] {
        let trial = |name, subset, queries, right| Trial { name, subset, queries, right };
        [
            trial("steps", &self.few, &self.steps, Right::Tool),
            trial("steps", &self.many, &self.steps, Right::Name),
            trial("tasks", &self.few, &self.tasks, Right::Tool),
            trial("tasks", &self.many, &self.tasks, Right::Name),
            trial("enterprise77k", &self.wanted_of, &self.wants, Right::Tool),
        ]
    }

    pub(super) fn asked_steps<'a>(&'a self, shelf: &'a Shelf) -> Asked<'a> {
        Asked { subset: &self.few, queries: &self.steps, shelf }
    }

    pub(super) fn asked_tasks<'a>(&'a self, shelf: &'a Shelf) -> Asked<'a> {
        Asked { subset: &self.few, queries: &self.tasks, shelf }
    }

    pub(super) fn asked_wants<'a>(&'a self, shelf: &'a Shelf) -> Asked<'a> {
        Asked { subset: &self.wanted_of, queries: &self.wants, shelf }
    }

    /// Every query.
    pub(super) fn queries(&self) -> Vec<&str> {
        let all = [&self.steps, &self.tasks, &self.wants].into_iter().flatten();
        all.map(|labelled| labelled.query.as_str()).collect()
    }

    /// Every tool.
    pub(super) fn everything(&self) -> Subset {
        all_of(&[&self.live, &self.enterprise, &self.real, &self.crowd])
    }
}
