//! `toolgate sessions`: the sessions of agents, the tools each one sees, and why.

mod render;

use std::process::ExitCode;

use serde_json::{Value, json};

use super::context::Context;
use super::pages::ApiList;
use super::shown::text;
use crate::cli::{ExplainSessionArgs, ListSessionsArgs, MountArg, OpenArgs, SessionsCommand};
use crate::config::Config;
use crate::local::{CatalogueNeed, LocalApi, LocalProblem};
use crate::lock;
use crate::output::{printable, put, say, talk};
use crate::table;

const SESSIONS: ApiList = ApiList {
    path: "sessions",
    prefix: "ses_",
    noun: "session",
    command: "toolgate sessions list",
    everything: &[],
};
/// The number of explained tools per request.
const TOOLS_PAGE_SIZE: usize = 10_000;
const NOT_FOUND: u16 = 404;

pub(super) async fn run(context: &Context, command: SessionsCommand) -> anyhow::Result<ExitCode> {
    match command {
        SessionsCommand::List(args) => list(context, &args).await,
        SessionsCommand::Show { which } => show(context, &which.id).await,
        SessionsCommand::Explain(args) => explain(context, &args).await,
        SessionsCommand::Open(args) => open(context, args).await,
        SessionsCommand::Close { which } => close(context, &which.id).await,
    }
}

async fn list(context: &Context, args: &ListSessionsArgs) -> anyhow::Result<ExitCode> {
    let mut query = Vec::new();
    query.extend(args.agent.as_ref().map(|agent| ("agent", agent.to_string())));
    query.extend(args.principal.as_ref().map(|principal| ("principal", principal.clone())));
    query.extend(args.state.map(|state| ("state", state.as_str().to_owned())));
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let ask = async |api: &mut LocalApi| SESSIONS.newest(api, &query, limit).await;
    let sessions = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    put!("{}", render::list(&sessions).render(context.reader(), &sessions));
    if sessions.len() == limit {
        talk!("the newest {limit} of them; --limit shows more");
    }
    Ok(ExitCode::SUCCESS)
}

async fn show(context: &Context, id: &str) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| {
        let id = find(api, id).await?;
        api.get(&["sessions", &id], &[]).await
    };
    let session = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    put!("{}", if context.global.json { table::json(&session) } else { render::show(&session) });
    Ok(ExitCode::SUCCESS)
}

async fn explain(context: &Context, args: &ExplainSessionArgs) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| explained(api, args).await;
    let explained = context.ask(CatalogueNeed::Needed, ask).await?;
    let warnings = explained["warnings"].as_array().into_iter().flatten();
    warnings.for_each(|warning| talk!("warning: {}", printable(text(&warning["message"]))));
    if context.global.json {
        put!("{}", table::json(&explained));
    } else {
        put!("{}", render::explained(&explained).render(context.reader(), &()));
        talk!("{}", render::summary(&explained));
    }
    Ok(ExitCode::SUCCESS)
}

/// All pages in one.
async fn explained(api: &mut LocalApi, args: &ExplainSessionArgs) -> anyhow::Result<Value> {
    let id = find(api, &args.which.id).await?;
    let mut query = vec![("limit", TOOLS_PAGE_SIZE.to_string())];
    query.extend(args.server.as_ref().map(|server| ("server", server.clone())));
    query.extend((args.is_in || args.is_out).then(|| ("in", args.is_in.to_string())));
    let path = ["sessions", &id, "explain"];
    let mut all = api.get(&path, &query).await?;
    let mut cursor = all["next_cursor"].take();
    while let Some(after) = cursor.as_str() {
        let next: Vec<_> = query.iter().cloned().chain([("cursor", after.to_owned())]).collect();
        let mut page = api.get(&path, &next).await?;
        if let (Some(tools), Value::Array(more)) = (all["tools"].as_array_mut(), page["tools"].take()) {
            tools.extend(more);
        }
        cursor = page["next_cursor"].take();
    }
    Ok(all)
}

async fn open(context: &Context, args: OpenArgs) -> anyhow::Result<ExitCode> {
    let body = json!({
        "agent": args.agent,
        "mounts": MountArg::mounts(args.mounts),
        "policy_template": args.template,
        "task": args.task,
        "run": args.run,
        "principal": args.principal,
    });
    let config = context.config()?;
    let ask = async |api: &mut LocalApi| api.post(&["sessions"], &body).await;
    let mut opened = context.ask(CatalogueNeed::Needed, ask).await?;
    opened["mcp_url"] = endpoint(&config, text(&opened["session"]["id"])).into();
    if context.global.json {
        put!("{}", table::json(&opened));
    } else {
        say!("{}", text(&opened["token"]));
        let (id, agent) = (text(&opened["session"]["id"]), text(&opened["session"]["agent"]));
        talk!("{id} for agent {agent}: keep its token now, it cannot be shown again");
        talk!("MCP endpoint {}", text(&opened["mcp_url"]));
    }
    let warnings = opened["warnings"].as_array().into_iter().flatten();
    warnings.for_each(|warning| talk!("warning: {}", printable(text(&warning["message"]))));
    Ok(ExitCode::SUCCESS)
}

/// The address of a session: at the running gateway, or at the future one.
fn endpoint(config: &Config, session: &str) -> String {
    let running = lock::running(&config.data).and_then(|running| running.endpoint);
    let endpoint = running.unwrap_or_else(|| super::serve::endpoint(config.listen));
    format!("{endpoint}/{session}")
}

async fn close(context: &Context, id: &str) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| {
        let id = find(api, id).await?;
        api.delete(&["sessions", &id]).await
    };
    let session = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    if context.global.json {
        put!("{}", table::json(&session));
    } else {
        say!("closed {}", text(&session["id"]));
    }
    Ok(ExitCode::SUCCESS)
}

/// The id of the one matching session.
pub(super) async fn find(api: &mut LocalApi, given: &str) -> anyhow::Result<String> {
    SESSIONS.find(api, given).await.map(|session| text(&session["id"]).to_owned())
}

pub(super) fn is_unknown(error: &anyhow::Error) -> bool {
    error.downcast_ref::<LocalProblem>().is_some_and(|problem| problem.status == NOT_FOUND)
}
