//! `toolgate tools codegen`: typed functions for the tools that a session sees, made of their schemas.

mod names;
mod python;
mod shape;
mod typescript;

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use serde_json::Value;

use self::shape::{NamedShape, ShapeDefinition};
use crate::cli::{CodeLanguage, CodegenArgs};
use crate::command::context::Context;
use crate::command::sessions;
use crate::command::shown::{several, text};
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{put, talk};

/// Pages of tools; beyond them, a server should be named.
const PAGES_MAX: usize = 100;
const PAGE: usize = 200;

/// What is generated for a tool.
struct ToolSchema {
    name: String,
    about: String,
    input: Value,
    output: Option<Value>,
}

pub(super) async fn run(context: &Context, args: CodegenArgs) -> anyhow::Result<ExitCode> {
    let tools = context.ask(CatalogueNeed::Needed, async |api| listed(api, &args).await).await?;
    if tools.is_empty() {
        bail!(
            "no tool is seen\nhint: `--agent` or `--session` says whose tools are meant, and `toolgate tools list` shows them"
        );
    }
    let code = match args.lang {
        CodeLanguage::Typescript => typescript::write(&tools),
        CodeLanguage::Python => python::write(&tools),
    };
    match &args.output {
        None => put!("{code}"),
        Some(file) => {
            std::fs::write(file, code).with_context(|| format!("{} cannot be written", file.display()))?;
            talk!("{} in {}", several(tools.len() as u64, "tool"), file.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn listed(api: &mut LocalApi, args: &CodegenArgs) -> anyhow::Result<Vec<ToolSchema>> {
    let mut whose = vec![("limit", PAGE.to_string())];
    match (&args.whose.session, &args.whose.agent) {
        (Some(session), _) => whose.push(("session", sessions::find(api, session).await?)),
        (None, Some(agent)) => whose.push(("agent", agent.to_string())),
        (None, None) => {}
    }
    let mut tools = Vec::new();
    let mut cursor = None;
    for _ in 0..PAGES_MAX {
        let mut query = whose.clone();
        query.extend(cursor.take().map(|cursor| ("cursor", cursor)));
        let page = api.get(&["tools"], &query).await?;
        let wanted = |tool: &&Value| args.server.as_deref().is_none_or(|server| tool["server"] == server);
        tools.extend(page["tools"].as_array().into_iter().flatten().filter(wanted).map(schema_of));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return Ok(tools),
        }
    }
    bail!("there are more than {} tools\nhint: `--server` names one server's", PAGES_MAX * PAGE)
}

fn schema_of(tool: &Value) -> ToolSchema {
    let definition = &tool["definition"];
    ToolSchema {
        name: text(&tool["wire_name"]).to_owned(),
        about: text(&definition["description"]).trim().to_owned(),
        input: definition["inputSchema"].clone(),
        output: definition.get("outputSchema").cloned(),
    }
}

/// True if an object without members is such arguments.
fn needs_nothing(found: &[NamedShape], name: &str) -> bool {
    let own = found.iter().find(|one| one.name == name).map(|one| &one.definition);
    matches!(own, Some(ShapeDefinition::Object { members, .. }) if members.iter().all(|one| !one.needed))
}

#[cfg(test)]
mod tests;
