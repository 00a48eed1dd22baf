//! `toolgate mail`: mail to people as configured, and a trial of it.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::context::Context;
use super::shown::{facts, text, texts};
use crate::cli::MailCommand;
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{printable, put, say, talk};
use crate::table::{TextTable, json as json_text};

const NONE: &str = "no mail is configured\nhint: a `[mail]` table makes it; `toolgate.example.toml` shows it";

pub(super) async fn run(context: &Context, command: MailCommand) -> anyhow::Result<ExitCode> {
    match command {
        MailCommand::Show => show(context).await,
        MailCommand::Test => test(context).await,
    }
}

async fn show(context: &Context) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| api.get(&["mail"], &[]).await;
    let mail = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    if context.global.json {
        put!("{}", json_text(&mail));
        return Ok(ExitCode::SUCCESS);
    }
    if mail["configured"] != true {
        talk!("{NONE}");
        return Ok(ExitCode::SUCCESS);
    }
    put!("{}", settings(&mail));
    let mut table = TextTable::new(["TO", "WAITING", "SENT", "LAST SENT", "LAST FAILURE"]);
    for one in mail["recipients"].as_array().into_iter().flatten() {
        let cell = |key: &str| text(&one[key]).to_owned();
        table.row([
            cell("to"),
            one["waiting"].to_string(),
            one["delivered"].to_string(),
            cell("delivered_at"),
            cell("last_error"),
        ]);
    }
    put!("{}", table.render(context.reader(), &mail["recipients"]));
    Ok(ExitCode::SUCCESS)
}

fn settings(mail: &Value) -> String {
    let digest = match text(&mail["digest_at"]) {
        "" => "none".to_owned(),
        at => at.to_owned(),
    };
    facts(&[
        ("server", text(&mail["server"]).to_owned()),
        ("tls", text(&mail["tls"]).to_owned()),
        ("from", text(&mail["from"]).to_owned()),
        ("notices", texts(&mail["notices"])),
        ("digest", digest),
    ])
}

async fn test(context: &Context) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| api.post(&["mail", "test"], &json!({})).await;
    let tested = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    let tests = tested["tests"].as_array().map(Vec::as_slice).unwrap_or_default();
    match context.global.json {
        true => put!("{}", json_text(&tested)),
        false => tests.iter().for_each(tell),
    }
    let all_arrived = tests.iter().all(|test| test["delivered"] == true);
    Ok(if all_arrived { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The steps, each on a line, and what to do about the one that failed.
fn tell(test: &Value) {
    say!("{}", printable(text(&test["to"])));
    for step in test["passed"].as_array().into_iter().flatten() {
        say!("  ok      {}", text(step));
    }
    if let Some(error) = test["error"].as_str() {
        say!("  failed  {}", printable(error));
    }
    if let Some(hint) = test["hint"].as_str() {
        talk!("hint: {hint}");
    }
}
