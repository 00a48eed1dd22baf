//! `toolgate filters`: the filters, and a trial on the last calls. The ledger is read; nothing is changed,
//! and matches are not shown.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use serde_json::json;
use toolgate_api::{FilterTrial, FilterTrialResult, FilterView};
use toolgate_pipeline::filter::{FilterRule, known_kinds};

use super::context::Context;
use super::shown::several;
use crate::cli::{FiltersCommand, TestFiltersArgs};
use crate::config::{Config, ConfigHints, ReferenceMode};
use crate::local::open_store;
use crate::output::{put, say, talk};
use crate::table::{TextTable, json as json_text};

const NO_FILTERS: &str =
    "there are no filters\nhint: a `[[filters]]` table makes one; `toolgate.example.toml` shows it";

pub(super) async fn run(context: &Context, command: FiltersCommand) -> anyhow::Result<ExitCode> {
    match command {
        FiltersCommand::List => list(context),
        FiltersCommand::Kinds => kinds(context),
        FiltersCommand::Test(args) => test(context, args).await,
    }
}

fn list(context: &Context) -> anyhow::Result<ExitCode> {
    let filters = context.config_to_read()?.filters;
    let mut table = TextTable::new(["NAME", "ON", "TOOLS", "LOOKS FOR", "ACTION"]);
    for filter in &filters {
        table.row([
            filter.name.clone(),
            filter.on.as_str().to_owned(),
            filter.tools.join(", "),
            looks_for(filter),
            filter.action.as_str().to_owned(),
        ]);
    }
    put!("{}", table.render(context.reader(), &filters.iter().map(FilterView::from).collect::<Vec<_>>()));
    if filters.is_empty() {
        talk!("{NO_FILTERS}");
    }
    Ok(ExitCode::SUCCESS)
}

fn looks_for(filter: &FilterRule) -> String {
    let kinds = filter.kinds.iter().map(|kind| kind.name().to_owned());
    let pattern = filter.pattern.iter().map(|pattern| format!("/{pattern}/"));
    kinds.chain(pattern).collect::<Vec<_>>().join(", ")
}

fn kinds(context: &Context) -> anyhow::Result<ExitCode> {
    let mut table = TextTable::new(["KIND", "FINDS"]);
    let mut told = Vec::new();
    for (name, kind) in known_kinds() {
        table.row([name.to_owned(), kind.means().replace('`', "")]);
        told.push(json!({ "name": name, "finds": kind.means() }));
    }
    put!("{}", table.render(context.reader(), &told));
    Ok(ExitCode::SUCCESS)
}

async fn test(context: &Context, args: TestFiltersArgs) -> anyhow::Result<ExitCode> {
    let config = context.config_as_written()?;
    let rules = chosen(context, &config, &args)?;
    let trial = FilterTrial::new(&rules)?;
    let store = open_store(&config).await?;
    let tried = trial.run(&store, args.last as usize).await;
    store.close().await;
    let tried = tried?;
    if context.global.json {
        put!("{}", json_text(&tried));
        return Ok(ExitCode::SUCCESS);
    }
    tell(context, &tried);
    Ok(ExitCode::SUCCESS)
}

/// The filters to try: of the configuration or of a draft, all or one.
fn chosen(context: &Context, config: &Config, args: &TestFiltersArgs) -> anyhow::Result<Vec<FilterRule>> {
    let mut rules = match &args.file {
        None => config.filters.clone(),
        Some(file) => {
            let at = ConfigHints { config: Some(file), ..context.whereabouts() };
            Config::load(&at, ReferenceMode::Keep).context("the filters to try cannot be read")?.filters
        }
    };
    if let Some(name) = &args.filter {
        let known: Vec<String> = rules.iter().map(|rule| format!("{:?}", rule.name)).collect();
        rules.retain(|rule| rule.name == *name);
        if rules.is_empty() && !known.is_empty() {
            bail!("there is no filter {name:?}\nhint: there are {}", known.join(", "));
        }
    }
    if rules.is_empty() {
        bail!("{NO_FILTERS}");
    }
    Ok(rules)
}

fn tell(context: &Context, tried: &FilterTrialResult) {
    let mut table =
        TextTable::new(["FILTER", "ACTION", "CALLS", "IN ARGUMENTS", "IN RESULTS", "CANNOT TELL"]);
    for one in &tried.filters {
        table.row([
            one.name.clone(),
            one.action.as_str().to_owned(),
            one.calls.to_string(),
            one.arguments.to_string(),
            one.results.to_string(),
            one.cannot_tell.to_string(),
        ]);
    }
    put!("{}", table.render(context.reader(), &()));
    for one in tried.filters.iter().filter(|one| !one.examples.is_empty()) {
        say!("\n{}, for example:", one.name);
        for example in &one.examples {
            say!("  {}  {}  {}  {}", example.call, example.tool, example.kind, example.paths.join(", "));
        }
    }
    talk!(
        "\nlooked through {}, with {} of arguments and results; nothing was changed",
        several(tried.calls, "call"),
        several(tried.bodies, "text")
    );
    if tried.filters.iter().any(|one| one.cannot_tell > 0) {
        talk!(
            "hint: the ledger keeps card numbers and credentials as \"[redacted]\"; CANNOT TELL counts calls in which one \
             of those may be what the filter looks for"
        );
    }
}
