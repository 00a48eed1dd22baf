//! `toolgate DOMAIN …`: a call of a platform tool through the gateway, along the path of every call.

use std::process::ExitCode;

use serde_json::Value;

use super::context::Context;
use super::shown::text;
use crate::cli::PlatformCommand;
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{printable, put, talk};
use crate::table;

pub(super) async fn run(context: &Context, command: PlatformCommand) -> anyhow::Result<ExitCode> {
    let PlatformCommand { tool, arguments, seat } = command;
    let body = Value::Object(arguments);
    let ask =
        async |api: &mut LocalApi| api.post_with(&["tools", tool.tool.name.as_str()], &seat, &body).await;
    let answer = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    for warning in answer["warnings"].as_array().into_iter().flatten() {
        talk!("warning: {}", printable(text(&warning["message"])));
    }
    if context.global.json {
        put!("{}", table::json(&answer));
    } else if !answer["data"].is_null() {
        put!("{}", printable(&lines(&answer["data"], 0)));
    }
    if let Some(approval) = answer["approval_id"].as_str().filter(|_| answer["data"].is_null()) {
        talk!("it waits for people: {approval}\nhint: `toolgate approvals` decides; repeat the command then");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Members line by line, those of members further in.
fn lines(value: &Value, depth: usize) -> String {
    let margin = "  ".repeat(depth);
    match value {
        Value::Object(members) => {
            members.iter().map(|(key, value)| member(&margin, key, value, depth)).collect()
        }
        Value::Array(items) => {
            items.iter().map(|item| format!("{margin}-\n{}", lines(item, depth + 1))).collect()
        }
        plain => format!("{margin}{}\n", word(plain)),
    }
}

fn member(margin: &str, key: &str, value: &Value, depth: usize) -> String {
    match value {
        Value::Object(members) if members.is_empty() => format!("{margin}{key}: {{}}\n"),
        Value::Array(items) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
            let words: Vec<String> = items.iter().map(word).collect();
            format!("{margin}{key}: [{}]\n", words.join(", "))
        }
        Value::Object(_) | Value::Array(_) => format!("{margin}{key}:\n{}", lines(value, depth + 1)),
        plain => format!("{margin}{key}: {}\n", word(plain)),
    }
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn data_are_told_line_by_line() {
        let data =
            json!({ "runs": [{ "id": "run_1", "used": { "calls": 2 } }], "tags": ["a", "b"], "none": [] });
        let told = "runs:\n  -\n    id: run_1\n    used:\n      calls: 2\ntags: [a, b]\nnone: []\n";
        assert_eq!(lines(&data, 0), told);
    }
}
