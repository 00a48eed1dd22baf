//! The versions that a tool has had. It works on the store itself, whether or not a gateway runs.

use std::process::ExitCode;

use serde_json::{Value, json};
use toolgate_core::moment::rfc3339;
use toolgate_registry::{ToolVersion, VersionComparison};

use super::render::{self, Colour};
use super::review::{DiffExit, find};
use crate::command::context::Context;
use crate::command::records::{RecordsContext, told};
use crate::output::{put, say, talk};
use crate::table::{TextTable, clean, json};

pub(super) async fn list(context: &Context, name: &str) -> anyhow::Result<ExitCode> {
    let room = RecordsContext::open(context).await?;
    let versions = versions(&room, name).await;
    room.close().await;
    let versions = versions?;
    let mut table = TextTable::new(["VERSION", "FIRST SEEN", "STANDING"]);
    for one in &versions {
        let version = render::short(one.definition.version);
        table.row([version, rfc3339(one.first_seen_ms), one.standing.as_str().to_owned()]);
    }
    let views: Vec<Value> = versions.iter().map(view).collect();
    put!("{}", table.render(context.reader(), &views));
    Ok(ExitCode::SUCCESS)
}

async fn versions(room: &RecordsContext, name: &str) -> anyhow::Result<Vec<ToolVersion>> {
    let row = find(room, name).await?;
    room.records.versions(row.name.as_str()).await.map_err(told)
}

/// In the form of the API.
fn view(version: &ToolVersion) -> Value {
    json!({
        "version": version.definition.version,
        "first_seen": rfc3339(version.first_seen_ms),
        "standing": version.standing,
        "definition": version.definition.json,
    })
}

pub(super) async fn compare(
    context: &Context,
    name: &str,
    from: &str,
    to: Option<&str>,
    differing: DiffExit,
) -> anyhow::Result<ExitCode> {
    let room = RecordsContext::open(context).await?;
    let compared = compared(&room, name, from, to).await;
    room.close().await;
    let VersionComparison { tool, from, to, text, summary } = compared?;
    if context.global.json {
        put!(
            "{}",
            json(&json!({ "name": tool.name, "from": from, "to": to, "diff": text, "summary": summary }))
        );
    } else if text.is_empty() {
        talk!("Nothing differs between the two.");
    } else {
        say!("changes  {}", clean(&summary));
        put!("{}", render::painted_diff(&text, Colour::of(context.reader())));
    }
    let fails = differing == DiffExit::Fails && !text.is_empty();
    Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

async fn compared(
    room: &RecordsContext,
    name: &str,
    from: &str,
    to: Option<&str>,
) -> anyhow::Result<VersionComparison> {
    let row = find(room, name).await?;
    room.records.compare(row.name.as_str(), from, to).await.map_err(told)
}
