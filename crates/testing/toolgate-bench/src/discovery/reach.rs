//! The results of a way of searching: each figure against its target.

use anyhow::{Context as _, bail};
use toolgate_search::{AnswerBudget, DetailLevel};

use super::answers::{InAnswer, Journeys, Shelf};
use super::findings::{Reached, Row, Standing};
use super::labelled::Recall;
use super::sets::{Asked, Sets};
use super::speed::{LARGEST, Size};
use super::targets::{self, Targets};
use super::way::Way;

/// The catalogues as answers show them.
pub(super) struct Shelves {
    pub(super) live: Shelf,
    pub(super) enterprise: Shelf,
    pub(super) real: Shelf,
}

impl Shelves {
    pub(super) fn of(sets: &Sets) -> Self {
        Self {
            live: Shelf::of("livemcpbench", &sets.live),
            enterprise: Shelf::of("enterprise77k", &sets.enterprise),
            real: Shelf::of("real-catalogue", &sets.real),
        }
    }
}

pub(super) fn reach(
    way: &Way<'_>,
    sets: &Sets,
    shelves: &Shelves,
    sizes: &[Size],
) -> anyhow::Result<Reached> {
    eprintln!("{}", way.name());
    let recall = sets.trials().iter().map(|trial| trial.recall(way)).collect::<anyhow::Result<Vec<_>>>()?;
    let answers = DetailLevel::ALL.into_iter().map(|detail| in_answer(way, sets, shelves, detail));
    let answers = answers.collect::<anyhow::Result<Vec<_>>>()?;
    let journeys = sets.asked_wants(&shelves.enterprise).journeys(way)?;
    let mut rows = recall_rows(way, &recall)?;
    rows.extend(answer_rows(way, &answers)?);
    rows.extend(token_rows(way, &journeys, shelves));
    rows.push(time_row(way, sizes)?);
    let standing = if matches!(way, Way::Meaning(_)) { Standing::Compared } else { Standing::Judged };
    Ok(Reached { way: way.name(), standing, rows, recall, answers, journeys })
}

fn in_answer(way: &Way<'_>, sets: &Sets, shelves: &Shelves, detail: DetailLevel) -> anyhow::Result<InAnswer> {
    let share = |asked: Asked<'_>| asked.recall_in_answer(way, detail);
    Ok(InAnswer {
        detail: detail.as_str(),
        steps: share(sets.asked_steps(&shelves.live))?,
        tasks: share(sets.asked_tasks(&shelves.live))?,
        enterprise: share(sets.asked_wants(&shelves.enterprise))?,
    })
}

fn recall_rows(way: &Way<'_>, recall: &[Recall]) -> anyhow::Result<Vec<Row>> {
    let [steps, in_a_crowd, tasks, _, wants] = recall else { bail!("a set of queries was not measured") };
    let at_5 = |one: &Recall| format!("{}, R@5 at {} tools", one.queries, one.tools);
    Ok(vec![
        row(way, &at_5(steps), "%", steps.at_5, targets::STEPS),
        row(way, &at_5(in_a_crowd), "%", in_a_crowd.at_5, targets::STEPS_IN_A_CROWD),
        row(way, &at_5(tasks), "%", tasks.at_5, targets::TASKS),
        row(way, "enterprise77k, R@10", "%", wants.at_10, targets::ENTERPRISE),
    ])
}

fn answer_rows(way: &Way<'_>, answers: &[InAnswer]) -> anyhow::Result<[Row; 2]> {
    let usual = answers.iter().find(|one| one.detail == DetailLevel::default().as_str());
    let usual = usual.context("the usual answers were not measured")?;
    let within = |queries| format!("{queries} within a {}-token answer", AnswerBudget::TOKENS_DEFAULT);
    Ok([
        row(way, &within("steps"), "%", usual.steps, targets::STEPS_IN_ANSWER),
        row(way, &within("tasks"), "%", usual.tasks, targets::TASKS_IN_ANSWER),
    ])
}

fn token_rows(way: &Way<'_>, journeys: &Journeys, shelves: &Shelves) -> [Row; 2] {
    let start_set = shelves.real.listing.start_set as f64;
    let to_schema = "enterprise77k, from start to the right schema, mean";
    [
        row(way, to_schema, "tokens", journeys.mean_tokens, targets::TOKENS_TO_SCHEMA),
        row(way, "start set for real-catalogue", "tokens", start_set, targets::START_SET),
    ]
}

fn time_row(way: &Way<'_>, sizes: &[Size]) -> anyhow::Result<Row> {
    let largest = sizes.iter().find(|size| size.tools == LARGEST).and_then(|size| size.latency(way));
    let largest =
        largest.with_context(|| format!("the catalogues have fewer than {LARGEST} tools together"))?;
    let what = format!("search p99 at {LARGEST} tools, one core");
    Ok(row(way, &what, "ms", largest.p99_ms, targets::SEARCH_P99_MS))
}

fn row(way: &Way<'_>, what: &str, unit: &'static str, figure: f64, targets: Targets) -> Row {
    let target = targets.for_way(way);
    Row { what: what.to_owned(), unit, figure, target, mark: target.mark(figure) }
}
