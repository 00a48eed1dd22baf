//! `toolgate tasks`: definitions of work, and the start of their runs.

mod render;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::context::Context;
use super::files::put_files;
use super::input::read_goal;
use super::lists::TASKS;
use super::pages::tell_of_more;
use super::shown::text;
use crate::cli::{CreateTaskArgs, TasksCommand};
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{put, say, talk};
use crate::table;

pub(super) async fn run(context: &Context, command: TasksCommand) -> anyhow::Result<ExitCode> {
    match command {
        TasksCommand::List { most } => {
            let limit = most.count();
            let ask = async |api: &mut LocalApi| TASKS.newest(api, &[], limit).await;
            let tasks = context.ask(CatalogueNeed::NotNeeded, ask).await?;
            put!("{}", render::list(&tasks).render(context.reader(), &tasks));
            tell_of_more(&tasks, limit);
        }
        TasksCommand::Show { which } => {
            let ask = async |api: &mut LocalApi| TASKS.find(api, &which.id).await;
            let task = context.ask(CatalogueNeed::NotNeeded, ask).await?;
            put!("{}", if context.global.json { table::json(&task) } else { render::show(&task) });
        }
        TasksCommand::Create(args) => create(context, *args).await?,
        TasksCommand::Delete { which } => delete(context, &which.id).await?,
        TasksCommand::Run { which, agent } => {
            let body = match agent {
                Some(agent) => json!({ "agent": agent }),
                None => json!({}),
            };
            start(context, &which.id, &body).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn create(context: &Context, args: CreateTaskArgs) -> anyhow::Result<()> {
    let files = args.files.clone();
    let mut body = body(args)?;
    let ask = async |api: &mut LocalApi| {
        if !files.is_empty() {
            body["input"] = put_files(api, &files).await?;
        }
        api.post(&["tasks"], &body).await
    };
    let task = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    if context.global.json {
        put!("{}", table::json(&task));
    } else {
        say!("{}", text(&task["id"]));
        talk!("`toolgate tasks run {}` starts it", text(&task["id"]));
    }
    Ok(())
}

fn body(args: CreateTaskArgs) -> anyhow::Result<Value> {
    let goal = read_goal(args.goal)?;
    let mut body = json!({ "name": args.name, "goal": goal, "model": args.model });
    for (limit, most) in args.budget.limits() {
        body["budget"][limit] = json!(most);
    }
    if let Some(agent) = args.agent {
        body["agent"] = json!(agent);
    }
    for (key, value) in [("description", args.description), ("instructions", args.instructions)] {
        if let Some(value) = value {
            body[key] = json!(value);
        }
    }
    if let Some(path) = &args.outcome_schema {
        body["outcome_schema"] = read_schema(path)?;
    }
    if let Some(micros) = args.spend_per_day_micros {
        body["spend_per_day_micros"] = json!(micros);
    }
    if let Some(cron) = args.cron {
        body["schedule"] = json!({ "cron": cron });
        if let Some(timezone) = args.timezone {
            body["schedule"]["timezone"] = json!(timezone);
        }
    }
    Ok(body)
}

fn read_schema(path: &Path) -> anyhow::Result<Value> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("could not read {shown}"))?;
    serde_json::from_str(&text).with_context(|| {
        format!("{shown} is no JSON\nhint: write a JSON Schema, such as {{\"type\":\"object\"}}")
    })
}

async fn delete(context: &Context, id: &str) -> anyhow::Result<()> {
    let ask = async |api: &mut LocalApi| {
        let task = TASKS.find(api, id).await?;
        api.delete(&["tasks", text(&task["id"])]).await?;
        anyhow::Ok(task)
    };
    let task = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    match context.global.json {
        true => put!("{}", table::json(&task)),
        false => say!("{} is deleted", text(&task["id"])),
    }
    Ok(())
}

async fn start(context: &Context, id: &str, body: &Value) -> anyhow::Result<()> {
    let ask = async |api: &mut LocalApi| {
        let task = TASKS.find(api, id).await?;
        api.post(&["tasks", text(&task["id"]), "runs"], body).await
    };
    let run = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    if context.global.json {
        put!("{}", table::json(&run));
    } else {
        say!("{}", text(&run["id"]));
        talk!("`toolgate runs chat {} --follow` shows what it does", text(&run["id"]));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn what_is_left_out_is_not_sent() {
        let words = "toolgate tasks create Tailor --goal Go --model large --budget-turns 9 --budget-time 2m";
        let cli = Cli::try_parse_from(words.split(' ')).unwrap_or_else(|error| panic!("{error}"));
        let Command::Tasks(TasksCommand::Create(args)) = cli.command else { panic!("a task") };
        let expected = json!({ "name": "Tailor", "goal": "Go", "model": "large",
            "budget": { "turns": 9, "seconds": 120 } });
        assert_eq!(body(*args).expect("no input is read"), expected);
    }
}
