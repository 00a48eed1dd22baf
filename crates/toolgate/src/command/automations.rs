//! `toolgate automations`: rules that start tasks.

mod render;

use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};
use toolgate_core::id::AutomationId;
use toolgate_core::moment::rfc3339;

use super::context::Context;
use super::lists::TASKS;
use super::pages::{ApiList, tell_of_more};
use super::shown::{now_ms, text};
use crate::cli::{AutomationsCommand, CreateAutomationArgs};
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{put, say, talk};
use crate::table;

const AUTOMATIONS: ApiList = ApiList {
    path: "automations",
    prefix: AutomationId::PREFIX,
    noun: "automation",
    command: "toolgate automations list",
    everything: &[],
};

pub(super) async fn run(context: &Context, command: AutomationsCommand) -> anyhow::Result<ExitCode> {
    match command {
        AutomationsCommand::List { most } => list(context, most.count()).await?,
        AutomationsCommand::Show { which } => show(context, &which.name).await?,
        AutomationsCommand::Create(args) => create(context, args).await?,
        AutomationsCommand::Pause { which, note } => {
            step(context, &which.name, "pause", &json!({ "note": note })).await?;
        }
        AutomationsCommand::Resume { which } => step(context, &which.name, "resume", &json!({})).await?,
        AutomationsCommand::Delete { which } => delete(context, &which.name).await?,
        AutomationsCommand::Next { which, count } => next(context, &which.name, count).await?,
        AutomationsCommand::Fires { which, limit } => fires(context, &which.name, limit).await?,
        AutomationsCommand::Backfill { which, from, until } => {
            let now_ms = now_ms();
            let span = json!({ "from": rfc3339(from.from(now_ms)), "until": rfc3339(until.from(now_ms)) });
            backfill(context, &which.name, &span).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(context: &Context, limit: usize) -> anyhow::Result<()> {
    let ask = async |api: &mut LocalApi| AUTOMATIONS.newest(api, &[], limit).await;
    let automations = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    put!("{}", render::list(&automations).render(context.reader(), &automations));
    tell_of_more(&automations, limit);
    Ok(())
}

async fn show(context: &Context, name: &str) -> anyhow::Result<()> {
    let ask = async |api: &mut LocalApi| api.get(&["automations", name], &[]).await;
    let automation = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    put!("{}", if context.global.json { table::json(&automation) } else { render::show(&automation) });
    Ok(())
}

async fn create(context: &Context, args: CreateAutomationArgs) -> anyhow::Result<()> {
    let task = args.task.clone();
    let mut body = body(args, now_ms())?;
    let ask = async move |api: &mut LocalApi| {
        body["task"] = TASKS.find(api, &task).await?["id"].take();
        api.post(&["automations"], &body).await
    };
    let automation = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    tell(context, &automation);
    Ok(())
}

/// All but the task.
fn body(args: CreateAutomationArgs, now_ms: i64) -> anyhow::Result<Value> {
    let trigger = match (args.cron, args.every, args.at, args.trigger) {
        (Some(pattern), ..) => {
            json!({ "on": "cron", "pattern": pattern, "timezone": args.timezone.as_deref().unwrap_or("UTC") })
        }
        (_, Some(every), ..) => json!({ "on": "interval", "seconds": every.as_secs(), "from_ms": now_ms }),
        (_, _, Some(at), _) => json!({ "on": "once", "at_ms": at.from(now_ms) }),
        (.., Some(written)) => serde_json::from_str(&written).context(
            "the trigger is not valid JSON\nhint: write it as '{\"on\":\"run_ended\",\"task\":\"task_…\"}'",
        )?,
        (None, None, None, None) => Value::Null,
    };
    let mut body = json!({ "name": args.name, "trigger": trigger, "overlap": args.overlap,
        "pause_on_failure": args.pause_on_failure });
    for (key, span) in [("catch_up_seconds", args.catch_up), ("jitter_seconds", args.jitter)] {
        if let Some(span) = span {
            body[key] = json!(span.as_secs());
        }
    }
    Ok(body)
}

/// `verb` is the last part of the API's path.
async fn step(context: &Context, name: &str, verb: &str, body: &Value) -> anyhow::Result<()> {
    let ask = async |api: &mut LocalApi| api.post(&["automations", name, verb], body).await;
    let automation = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    tell(context, &automation);
    Ok(())
}

fn tell(context: &Context, automation: &Value) {
    if context.global.json {
        put!("{}", table::json(automation));
        return;
    }
    match (automation["paused"].as_str(), automation["next"].as_str()) {
        (Some(note), _) => say!("{} is paused: {note}", text(&automation["name"])),
        (None, Some(next)) => say!("{} starts next at {next}", text(&automation["name"])),
        (None, None) => say!("{} waits for its cause", text(&automation["name"])),
    }
}

async fn delete(context: &Context, name: &str) -> anyhow::Result<()> {
    let ask = async |api: &mut LocalApi| api.delete(&["automations", name]).await;
    context.ask(CatalogueNeed::NotNeeded, ask).await?;
    match context.global.json {
        true => put!("{}", table::json(&json!({ "name": name, "is_deleted": true }))),
        false => say!("{name} is deleted"),
    }
    Ok(())
}

async fn next(context: &Context, name: &str, count: u8) -> anyhow::Result<()> {
    let query = [("limit", count.to_string())];
    let ask = async |api: &mut LocalApi| api.get(&["automations", name, "next"], &query).await;
    let found = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    let instants: Vec<&str> = found["instants"].as_array().into_iter().flatten().map(text).collect();
    match (context.global.json, instants.is_empty()) {
        (true, _) => put!("{}", table::json(&found)),
        (false, true) => talk!("{name} has no instants that are known before"),
        (false, false) => put!("{}\n", instants.join("\n")),
    }
    Ok(())
}

async fn fires(context: &Context, name: &str, limit: u8) -> anyhow::Result<()> {
    let query = [("limit", limit.to_string())];
    let ask = async |api: &mut LocalApi| api.get(&["automations", name, "fires"], &query).await;
    let page = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    put_fires(context, &page);
    Ok(())
}

async fn backfill(context: &Context, name: &str, span: &Value) -> anyhow::Result<()> {
    let ask = async |api: &mut LocalApi| api.post(&["automations", name, "backfill"], span).await;
    let page = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    put_fires(context, &page);
    Ok(())
}

fn put_fires(context: &Context, page: &Value) {
    let fires: Vec<Value> = page["fires"].as_array().cloned().unwrap_or_default();
    put!("{}", render::fires(&fires).render(context.reader(), &fires));
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn body_of(words: &str) -> Value {
        let words =
            ["toolgate", "automations", "create", "a", "--task", "t"].into_iter().chain(words.split(' '));
        let cli = Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{error}"));
        let Command::Automations(AutomationsCommand::Create(args)) = cli.command else { panic!("one") };
        body(args, 7).expect("a body")
    }

    #[test]
    fn each_cause_is_sent_as_a_trigger() {
        assert_eq!(
            body_of("--cron @daily --timezone Europe/Berlin")["trigger"],
            json!({ "on": "cron", "pattern": "@daily", "timezone": "Europe/Berlin" })
        );
        let every = body_of("--every 6h --jitter 90s");
        assert_eq!(every["trigger"], json!({ "on": "interval", "seconds": 21_600, "from_ms": 7 }));
        assert_eq!((&every["jitter_seconds"], every.get("catch_up_seconds")), (&json!(90), None));
        assert_eq!(body_of("--at 1970-01-02")["trigger"], json!({ "on": "once", "at_ms": 86_400_000 }));
        assert_eq!(body_of(r#"--trigger {"on":"run_ended"}"#)["trigger"], json!({ "on": "run_ended" }));
    }
}
