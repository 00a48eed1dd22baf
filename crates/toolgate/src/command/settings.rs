//! `toolgate settings`: values that can be changed while the gateway runs.

use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};
use toolgate_core::Principal;
use toolgate_core::moment::rfc3339;
use toolgate_registry::{CurrentSetting, NewSettingValue};

use super::context::Context;
use super::input::read_stdin;
use super::records::{RecordsContext, told};
use crate::cli::SettingsCommand;
use crate::governance::check_policies;
use crate::output::{put, say, talk};
use crate::table::{TextTable, json as pretty};

/// The options of a change.
struct SettingChangeArgs {
    expected: Option<u64>,
    reason: Option<String>,
}

/// A value from standard input.
const VALUE_BYTES_MAX: u64 = 16 << 20;

pub(super) async fn run(context: &Context, command: SettingsCommand) -> anyhow::Result<ExitCode> {
    let room = RecordsContext::open(context).await?;
    let outcome = match command {
        SettingsCommand::List => list(context, &room).await,
        SettingsCommand::Get { key } => get(context, &room, &key).await,
        SettingsCommand::Set { key, value, if_version, reason } => {
            let change = SettingChangeArgs { expected: if_version, reason };
            set(context, &room, &key, &value, change).await
        }
    };
    room.close().await;
    outcome
}

async fn list(context: &Context, room: &RecordsContext) -> anyhow::Result<ExitCode> {
    let settings = room.records.settings().await.map_err(told)?;
    let mut table = TextTable::new(["SETTING", "VERSION", "VALUE", "CHANGED", "BY"]);
    for setting in &settings {
        table.row([
            setting.key.to_owned(),
            setting.version.to_string(),
            shown(setting),
            setting.updated_at_ms.map(rfc3339).unwrap_or_else(|| "never".to_owned()),
            setting.updated_by.as_ref().map(ToString::to_string).unwrap_or_default(),
        ]);
    }
    let views: Vec<Value> = settings.iter().map(view).collect();
    put!("{}", table.render(context.reader(), &views));
    Ok(ExitCode::SUCCESS)
}

/// Policies are too long for a table.
fn shown(setting: &CurrentSetting) -> String {
    match setting.value.as_object().filter(|texts| setting.key == "policy" && !texts.is_empty()) {
        Some(texts) => texts.keys().cloned().collect::<Vec<_>>().join(", "),
        None => summary(&setting.value),
    }
}

/// Enough to recognise a value by.
fn summary(value: &Value) -> String {
    let names: Vec<&str> =
        value.as_array().into_iter().flatten().filter_map(|one| one["name"].as_str()).collect();
    match value {
        Value::Array(entries) if entries.is_empty() => "empty".to_owned(),
        Value::Array(entries) if names.len() == entries.len() => names.join(", "),
        Value::Object(members) if members.is_empty() => "as in the file".to_owned(),
        value => value.to_string(),
    }
}

async fn get(context: &Context, room: &RecordsContext, key: &str) -> anyhow::Result<ExitCode> {
    let setting = room.records.setting(key).await.map_err(told)?;
    match context.global.json {
        true => put!("{}", pretty(&view(&setting))),
        false => put!("{}", pretty(&setting.value)),
    }
    Ok(ExitCode::SUCCESS)
}

async fn set(
    context: &Context,
    room: &RecordsContext,
    key: &str,
    value: &str,
    change: SettingChangeArgs,
) -> anyhow::Result<ExitCode> {
    let text = match value {
        "-" => read_stdin(VALUE_BYTES_MAX)?,
        text => text.to_owned(),
    };
    let value: Value = serde_json::from_str(&text).context(
        "the value is not valid JSON\nhint: `toolgate settings get KEY` shows what one looks like",
    )?;
    let around = room.records.setting_context(room.config.file_state()).await.map_err(told)?;
    if key == "policy" {
        check_policies(&room.config, &room.store, &value).await?.map_err(told)?;
    }
    let SettingChangeArgs { expected, reason } = change;
    let new = NewSettingValue { value, expected, reason };
    let changed = room.records.change_setting(&Principal::local(), key, new, &around).await;
    let setting = changed.map_err(told)?;
    match context.global.json {
        true => put!("{}", pretty(&view(&setting))),
        false => say!("{} is at version {}", setting.key, setting.version),
    }
    if !context.global.json {
        talk!("A gateway that runs takes it up within a second.");
    }
    Ok(ExitCode::SUCCESS)
}

fn view(setting: &CurrentSetting) -> Value {
    json!({
        "key": setting.key,
        "value": setting.value,
        "version": setting.version,
        "updated_at": setting.updated_at_ms.map(rfc3339),
        "updated_by": setting.updated_by,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_recognised_by_its_names() {
        assert_eq!(summary(&json!([])), "empty");
        assert_eq!(summary(&json!({})), "as in the file");
        assert_eq!(summary(&json!([{ "name": "a" }, { "name": "b" }])), "a, b");
        assert_eq!(summary(&json!({ "drift": "accept" })), r#"{"drift":"accept"}"#);
    }
}
