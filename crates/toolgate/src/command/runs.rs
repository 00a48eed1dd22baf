//! `toolgate runs`: executions of work.

mod render;

use std::process::ExitCode;

use serde_json::{Value, json};

use super::chat;
use super::context::Context;
use super::follow::{Interruption, follow};
use super::lists::{RUNS, TASKS};
use super::pages::tell_of_more;
use super::shown::text;
use crate::cli::{ListRunsArgs, RunsCommand};
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{put, say, talk};
use crate::table;

pub(super) async fn run(context: &Context, command: RunsCommand) -> anyhow::Result<ExitCode> {
    match command {
        RunsCommand::List(args) => list(context, &args).await,
        RunsCommand::Show { which } => show(context, &which.id).await,
        RunsCommand::Chat { which, follow } => show_chat(context, &which.id, follow).await,
        RunsCommand::Pause { which } => step(context, &which.id, "pause", &json!({})).await,
        RunsCommand::Resume { which } => step(context, &which.id, "resume", &json!({})).await,
        RunsCommand::Retry { which, turn, model } => retry(context, &which.id, turn, model).await,
        RunsCommand::Cancel { which, reason } => {
            step(context, &which.id, "cancel", &json!({ "reason": reason })).await
        }
    }
}

async fn list(context: &Context, args: &ListRunsArgs) -> anyhow::Result<ExitCode> {
    let limit = args.most.count();
    let ask = async |api: &mut LocalApi| {
        let mut query = Vec::new();
        query.extend(args.state.map(|state| ("state", state.as_str().to_owned())));
        query.extend(args.principal.as_ref().map(|principal| ("principal", principal.clone())));
        if let Some(task) = &args.task {
            query.push(("task", text(&TASKS.find(api, task).await?["id"]).to_owned()));
        }
        RUNS.newest(api, &query, limit).await
    };
    let runs = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    put!("{}", render::list(&runs).render(context.reader(), &runs));
    tell_of_more(&runs, limit);
    Ok(ExitCode::SUCCESS)
}

async fn show(context: &Context, id: &str) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| RUNS.find(api, id).await;
    let run = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    put!("{}", if context.global.json { table::json(&run) } else { render::show(&run) });
    Ok(ExitCode::SUCCESS)
}

async fn show_chat(context: &Context, id: &str, follows: bool) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| {
        let run = RUNS.find(api, id).await?;
        let messages = if follows { Vec::new() } else { chat::after(api, text(&run["id"]), 0).await? };
        anyhow::Ok((text(&run["id"]).to_owned(), messages))
    };
    let (run, messages) = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    if follows {
        return Box::pin(follow(context, &context.config()?, &run, Interruption::StopsWatching)).await;
    }
    match context.global.json {
        true => put!("{}", table::json(&messages)),
        false => put!("{}", messages.iter().map(chat::shown).collect::<String>()),
    }
    if messages.is_empty() {
        talk!("{run} has no messages: the gateway does not drive it");
    }
    Ok(ExitCode::SUCCESS)
}

async fn retry(
    context: &Context,
    id: &str,
    turn: Option<u64>,
    model: Option<String>,
) -> anyhow::Result<ExitCode> {
    let mut body = json!({});
    if let Some(turn) = turn {
        body["turn"] = json!(turn);
    }
    if let Some(model) = model {
        body["model"] = json!(model);
    }
    let ask = async |api: &mut LocalApi| {
        let run = RUNS.find(api, id).await?;
        api.post(&["runs", text(&run["id"]), "retry"], &body).await
    };
    let fork = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    if context.global.json {
        put!("{}", table::json(&fork));
    } else {
        say!("{}", text(&fork["id"]));
        talk!("`toolgate runs chat {} --follow` shows what it does", text(&fork["id"]));
    }
    Ok(ExitCode::SUCCESS)
}

/// `verb` is the last part of the API's path.
async fn step(context: &Context, id: &str, verb: &str, body: &Value) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| {
        let run = RUNS.find(api, id).await?;
        api.post(&["runs", text(&run["id"]), verb], body).await
    };
    let run = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    if context.global.json {
        put!("{}", table::json(&run));
    } else {
        say!("{} is {}", text(&run["id"]), text(&run["state"]));
    }
    Ok(ExitCode::SUCCESS)
}
