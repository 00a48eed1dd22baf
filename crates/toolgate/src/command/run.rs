//! `toolgate run`: work that the gateway does here and now, shown as it goes.

use std::process::ExitCode;

use anyhow::bail;
use serde_json::{Value, json};

use super::context::Context;
use super::files::put_files;
use super::follow::{Interruption, follow};
use super::input::read_goal;
use super::shown::text;
use crate::cli::RunArgs;
use crate::local::LocalApi;
use crate::output::talk;

pub(super) async fn run(context: &Context, args: RunArgs) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    let Some(mut api) = LocalApi::running(&config).await? else {
        bail!(
            "no gateway runs here, and agents run in a gateway that serves\n\
             hint: start it with `toolgate serve`, and repeat the command"
        );
    };
    let body = body(&mut api, args).await?;
    let started = api.post(&["runs"], &body).await?;
    let id = text(&started["run"]["id"]).to_owned();
    if !context.global.json {
        talk!("{id} has started; Ctrl-C pauses it");
    }
    follow(context, &config, &id, Interruption::Pauses).await
}

async fn body(api: &mut LocalApi, args: RunArgs) -> anyhow::Result<Value> {
    let goal = read_goal(args.goal)?;
    let mut body = json!({ "goal": goal, "model": args.model });
    if let Some(agent) = args.agent {
        body["agent"] = json!(agent);
    }
    if let Some(instructions) = args.instructions {
        body["instructions"] = json!(instructions);
    }
    for (limit, most) in args.budget.limits() {
        body["budget"][limit] = json!(most);
    }
    if !args.files.is_empty() {
        body["input"] = put_files(api, &args.files).await?;
    }
    Ok(body)
}
