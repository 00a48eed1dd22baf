//! `toolgate aliases`: other names of tools.

use std::process::ExitCode;

use serde_json::{Value, json};
use toolgate_catalog::Alias;
use toolgate_core::CanonicalName;
use toolgate_core::moment::{parse_rfc3339, rfc3339};

use super::context::Context;
use super::records::{RecordsContext, told};
use super::shown::now_ms;
use crate::cli::AliasesCommand;
use crate::output::{put, talk};
use crate::table::TextTable;

pub(super) async fn run(context: &Context, command: AliasesCommand) -> anyhow::Result<ExitCode> {
    let AliasesCommand::List = command;
    let room = RecordsContext::open(context).await?;
    let aliases = all(&room).await;
    room.close().await;
    let mut aliases = aliases?;
    aliases.sort_by(|a, b| a.name.cmp(&b.name));
    let now_ms = now_ms();
    let mut table = TextTable::new(["ALIAS", "TOOL", "UNTIL", "SEEN BY AGENTS", "GIVEN BY"]);
    for alias in &aliases {
        let seen = if alias.primary { "yes" } else { "no" };
        table.row([
            alias.name.clone(),
            alias.target.to_string(),
            until(alias, now_ms),
            seen.into(),
            alias.owner.clone(),
        ]);
    }
    let views: Vec<Value> = aliases.iter().map(|alias| view(alias, now_ms)).collect();
    put!("{}", table.render(context.reader(), &views));
    if aliases.is_empty() && !context.global.json {
        talk!(
            "hint: `[[aliases]]` in toolgate.toml gives a tool another name; toolgate.example.toml shows how"
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// The aliases of the file, of registered servers, and of the settings.
async fn all(room: &RecordsContext) -> anyhow::Result<Vec<Alias>> {
    let around = room.records.setting_context(room.config.file_state()).await.map_err(told)?;
    let setting = room.records.setting("aliases").await.map_err(told)?;
    let set = setting.value.as_array().into_iter().flatten().filter_map(of_setting);
    Ok(around.aliases.into_iter().chain(set).collect())
}

/// It was checked when it was set.
fn of_setting(entry: &Value) -> Option<Alias> {
    let until = entry["until"].as_str();
    Some(Alias {
        name: entry["name"].as_str()?.to_owned(),
        target: CanonicalName::recorded(entry["tool"].as_str()?),
        until_ms: until
            .and_then(|until| parse_rfc3339(until).or_else(|| parse_rfc3339(&format!("{until}T00:00:00Z")))),
        primary: entry["primary"] == true,
        owner: "settings".to_owned(),
    })
}

fn until(alias: &Alias, now_ms: i64) -> String {
    match alias.until_ms {
        None => "for ever".to_owned(),
        Some(until_ms) if alias.works_at(now_ms) => rfc3339(until_ms),
        Some(until_ms) => format!("{} (over)", rfc3339(until_ms)),
    }
}

fn view(alias: &Alias, now_ms: i64) -> Value {
    json!({
        "name": alias.name,
        "tool": alias.target,
        "until": alias.until_ms.map(rfc3339),
        "in_use": alias.works_at(now_ms),
        "primary": alias.primary,
        "owner": alias.owner,
    })
}
