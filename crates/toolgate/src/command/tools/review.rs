//! Changes of tools, and their review. It works on the store itself, with or without a running gateway; a
//! running one notices.

use std::process::ExitCode;

use anyhow::bail;
use serde_json::Value;
use toolgate_core::Digest;
use toolgate_core::registry::{ToolRow, ToolStatus};
use toolgate_registry::{ReviewVerdict, ToolDiff};

use super::render::{self, Colour};
use crate::cli::{AcceptArgs, StatusArg, VersionArg};
use crate::command::context::Context;
use crate::command::records::{RecordsContext, person, told};
use crate::output::{put, say, talk};
use crate::table::{OutputReader, json};

/// The exit code of `tools diff` if something differs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DiffExit {
    Succeeds,
    Fails,
}

pub(super) async fn list(
    context: &Context,
    status: StatusArg,
    server: Option<&str>,
) -> anyhow::Result<ExitCode> {
    let room = RecordsContext::open(context).await?;
    let rows = room.records.tools().await.map_err(told);
    room.close().await;
    let mut rows = rows?;
    rows.retain(|row| status == StatusArg::All || status == StatusArg::Only(row.status));
    rows.retain(|row| server.is_none_or(|server| row.server.as_str() == server));
    let views: Vec<Value> = rows.iter().map(render::view).collect();
    put!("{}", render::list(&rows).render(context.reader(), &views));
    if rows.iter().any(waits) && !context.global.json {
        talk!("hint: `toolgate tools diff` shows what changed");
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn diff(
    context: &Context,
    name: Option<&str>,
    differing: DiffExit,
) -> anyhow::Result<ExitCode> {
    let room = RecordsContext::open(context).await?;
    let found = differences(&room, name).await;
    room.close().await;
    let found = found?;
    if context.global.json {
        let views: Vec<Value> = found.iter().map(render::difference).collect();
        put!("{}", json(&views));
    } else {
        show(context, &found);
    }
    let differs = found.iter().any(|diff| waits(&diff.tool));
    Ok(if differs && differing == DiffExit::Fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

async fn differences(room: &RecordsContext, name: Option<&str>) -> anyhow::Result<Vec<ToolDiff>> {
    let rows = match name {
        Some(name) => vec![find(room, name).await?],
        None => room.records.tools().await.map_err(told)?.into_iter().filter(waits).collect(),
    };
    let mut found = Vec::new();
    for row in rows {
        found.push(room.records.diff(row.name.as_str()).await.map_err(told)?);
    }
    Ok(found)
}

fn show(context: &Context, found: &[ToolDiff]) {
    if found.is_empty() {
        talk!("No tool waits for review: all are as they were pinned.");
        return;
    }
    let colour = Colour::of(context.reader());
    for diff in found {
        let row = &diff.tool;
        put!("{}", render::diff(diff, colour));
        if waits(row) {
            let (name, version) = (&row.name, render::short(under_review(row)));
            talk!("to take it:  toolgate tools accept {name} --version {version}");
            talk!("to refuse it: toolgate tools reject {name} --version {version}");
        }
        if context.reader() != OutputReader::Program {
            say!("");
        }
    }
}

pub(super) async fn accept(context: &Context, args: AcceptArgs) -> anyhow::Result<ExitCode> {
    let room = RecordsContext::open(context).await?;
    let outcome = match &args.name {
        Some(name) => verdict(&room, name, ReviewVerdict::Accept, &args.version).await.map(|row| vec![row]),
        None => accept_all(&room, args.server.as_deref()).await,
    };
    room.close().await;
    tell(context, &outcome?, "accepted");
    Ok(ExitCode::SUCCESS)
}

/// A rejected version is not included: accepting it needs its name.
async fn accept_all(room: &RecordsContext, server: Option<&str>) -> anyhow::Result<Vec<ToolRow>> {
    let mut accepted = Vec::new();
    for row in room.records.tools().await.map_err(told)? {
        let version = under_review(&row);
        let meant = server.is_none_or(|server| row.server.as_str() == server);
        if meant && waits(&row) && row.rejected != Some(version) {
            let (by, name) = (person(), row.name.as_str());
            let reviewed = room.records.review(&by, name, ReviewVerdict::Accept, Some(version)).await;
            accepted.push(reviewed.map_err(told)?);
        }
    }
    Ok(accepted)
}

pub(super) async fn reject(context: &Context, name: &str, version: VersionArg) -> anyhow::Result<ExitCode> {
    let room = RecordsContext::open(context).await?;
    let outcome = verdict(&room, name, ReviewVerdict::Reject, &version).await;
    room.close().await;
    tell(context, &[outcome?], "rejected");
    Ok(ExitCode::SUCCESS)
}

async fn verdict(
    room: &RecordsContext,
    name: &str,
    verdict: ReviewVerdict,
    seen: &VersionArg,
) -> anyhow::Result<ToolRow> {
    let row = find(room, name).await?;
    let version = under_review(&row);
    if let Some(seen) = &seen.version
        && !render::fits(version, seen)
    {
        bail!(
            "{} offers {} now, not {seen}\nhint: `toolgate tools diff {}` shows what it is now",
            row.name,
            render::short(version),
            row.name
        );
    }
    room.records.review(&person(), row.name.as_str(), verdict, Some(version)).await.map_err(told)
}

fn tell(context: &Context, rows: &[ToolRow], said: &str) {
    if context.global.json {
        let views: Vec<Value> = rows.iter().map(render::view).collect();
        put!("{}", json(&views));
        return;
    }
    for row in rows {
        let version = match said {
            "accepted" => row.pinned.version,
            _ => row.rejected.unwrap_or(row.pinned.version),
        };
        say!("{said} {} {}", row.name, render::short(version));
    }
    if rows.is_empty() {
        talk!("No tool waits for review.");
    }
}

/// By its canonical name, or by the name that agents see.
pub(super) async fn find(room: &RecordsContext, name: &str) -> anyhow::Result<ToolRow> {
    match room.records.tool(name).await {
        Ok(row) => Ok(row),
        Err(refusal) => {
            let rows = room.store.read_tool_rows().await?;
            let seen = |row: &ToolRow| toolgate_catalog::wire_name(&row.server, &row.own) == name;
            let found = rows
                .into_iter()
                .find(|tool| tool.traits.wire_name.as_deref() == Some(name) || seen(&tool.row));
            found.map(|tool| tool.row).ok_or_else(|| told(refusal))
        }
    }
}

/// True if it waits for a review.
fn waits(row: &ToolRow) -> bool {
    match row.status {
        ToolStatus::Quarantined => true,
        ToolStatus::Drifted => row.candidate.is_some(),
        ToolStatus::Active | ToolStatus::Retired => false,
    }
}

/// The version under review: the server's current offer, or the first definition if it was never reviewed.
fn under_review(row: &ToolRow) -> Digest {
    row.candidate.as_ref().map_or(row.pinned.version, |candidate| candidate.version)
}
