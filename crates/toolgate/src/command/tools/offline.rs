//! `toolgate tools search --catalogue`: ranks over files, with the code that searches live, so that anyone can measure it
//! on their own data. Needs no gateway and no configuration.

mod catalogue;
mod lines;
mod queries;
mod ranker;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;

use crate::cli::{RANKED_DEFAULT, SearchArgs};
use crate::command::context::Context;
use crate::output::{put, talk};
use crate::table::TextTable;
use catalogue::OfflineCatalogue;
use queries::QueryLine;
use ranker::Ranker;

/// The number of results shown to a person.
const SHOWN_MAX: usize = 5;
const QUERY_CHARS_MAX: usize = 60;

/// A query and its results, best first.
struct QueryRanking {
    query: QueryLine,
    ranked: Vec<String>,
}

pub(super) async fn search(context: &Context, args: SearchArgs) -> anyhow::Result<ExitCode> {
    let folder = context.cwd.clone();
    // Reading and embedding take their time, on a thread that may block.
    let rankings = tokio::task::spawn_blocking(move || rank(&folder, &args)).await;
    let rankings = rankings.context("the ranking ended early")??;
    put!("{}", if context.global.json { lines_of(&rankings) } else { table(context, &rankings) });
    Ok(ExitCode::SUCCESS)
}

fn rank(folder: &Path, args: &SearchArgs) -> anyhow::Result<Vec<QueryRanking>> {
    let paths: Vec<PathBuf> = args.catalogue.iter().map(|path| folder.join(path)).collect();
    let catalogue = OfflineCatalogue::read(&paths)?;
    catalogue.warnings().iter().for_each(|warning| talk!("warning: {warning}"));
    let servers = catalogue.servers(&args.servers)?;
    let queries = match &args.queries {
        Some(path) => queries::read(&folder.join(path))?,
        None => vec![QueryLine::of(args.words.join(" "))],
    };
    let limit = usize::from(args.limit.unwrap_or(RANKED_DEFAULT));
    let model = args.model.as_ref().map(|model| folder.join(model));
    let ranker = Ranker::new(&catalogue, model.as_deref(), told_progress())?;
    let ranking = |query: QueryLine| {
        let found = ranker.search(&query.query, servers.as_deref(), limit)?;
        let ranked = found.iter().map(|name| catalogue.given(name).to_owned()).collect();
        Ok(QueryRanking { query, ranked })
    };
    queries.into_iter().map(ranking).collect()
}

/// A progress line for a user at a terminal.
fn told_progress() -> impl FnMut(usize, usize) {
    let is_watched = std::io::stderr().is_terminal();
    move |embedded, texts| {
        if is_watched {
            talk!("… {embedded} of {texts} tools embedded");
        }
    }
}

fn lines_of(rankings: &[QueryRanking]) -> String {
    let line = |one: &QueryRanking| format!("{}\n", json!({ "id": one.query.id, "ranked": one.ranked }));
    rankings.iter().map(line).collect()
}

fn table(context: &Context, rankings: &[QueryRanking]) -> String {
    let mut table = TextTable::new(["ID", "QUERY", "FOUND", "BEST"]);
    for one in rankings {
        let best = one.ranked.iter().take(SHOWN_MAX).map(String::as_str).collect::<Vec<_>>();
        table.row([
            one.query.id_text(),
            one.query.query.chars().take(QUERY_CHARS_MAX).collect(),
            one.ranked.len().to_string(),
            best.join(", "),
        ]);
    }
    table.render(context.reader(), &())
}

#[cfg(test)]
mod tests;
