//! `toolgate models`: the language models in force, and a test of one.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::context::Context;
use super::shown::{facts, text};
use crate::cli::ModelsCommand;
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{printable, put, say, talk};
use crate::table::{TextTable, json as json_text};

const NONE: &str = "there are no models\nhint: a `[[models]]` table makes one; agents that run here need it, and nothing else";

pub(super) async fn run(context: &Context, command: ModelsCommand) -> anyhow::Result<ExitCode> {
    match command {
        ModelsCommand::List => list(context).await,
        ModelsCommand::Show { name } => show(context, &name).await,
        ModelsCommand::Test { name } => test(context, &name).await,
    }
}

async fn list(context: &Context) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| api.get(&["models"], &[]).await;
    let page = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    let models = &page["models"];
    let mut table = TextTable::new(["MODEL", "SOURCE", "PROVIDER", "ITS NAME", "ADDRESS", "KEY", "CONTEXT"]);
    for model in models.as_array().into_iter().flatten() {
        let cell = |key: &str| text(&model[key]).to_owned();
        table.row([
            cell("name"),
            cell("source"),
            cell("provider"),
            cell("model"),
            cell("url"),
            cell("key"),
            model["context_tokens"].to_string(),
        ]);
    }
    put!("{}", table.render(context.reader(), models));
    if models.as_array().is_some_and(Vec::is_empty) {
        talk!("{NONE}");
    }
    Ok(ExitCode::SUCCESS)
}

async fn show(context: &Context, name: &str) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| api.get(&["models", name], &[]).await;
    let model = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    match context.global.json {
        true => put!("{}", json_text(&model)),
        false => put!("{}", shown(&model)),
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(model: &Value) -> String {
    let (prices, limits) = (&model["prices"], &model["limits"]);
    let key = match text(&model["key"]) {
        "" => "none is sent".to_owned(),
        name => format!("the secret {name} of toolgate"),
    };
    let lines = facts(&[
        ("source", text(&model["source"]).to_owned()),
        ("provider", text(&model["provider"]).to_owned()),
        ("its name", text(&model["model"]).to_owned()),
        ("address", text(&model["url"]).to_owned()),
        ("key", key),
        ("context", format!("{} tokens", model["context_tokens"])),
        (
            "prices",
            format!(
                "{} input, {} cached, {} written, {} output, for a million tokens",
                prices["input"], prices["cached"], prices["written"], prices["output"]
            ),
        ),
        (
            "limits",
            format!(
                "{} tokens of an answer, {} requests at once, {} s of silence, {} s for an answer",
                limits["output_tokens_max"],
                limits["parallel_max"],
                limits["silence_seconds"],
                limits["answer_seconds"]
            ),
        ),
    ]);
    format!("{}\n{lines}", printable(text(&model["name"])))
}

async fn test(context: &Context, name: &str) -> anyhow::Result<ExitCode> {
    if !context.global.json {
        talk!("Asking {name:?} …");
    }
    let ask = async |api: &mut LocalApi| api.post(&["models", name, "test"], &json!({})).await;
    let tested = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    match context.global.json {
        true => put!("{}", json_text(&tested)),
        false => tell(&tested),
    }
    Ok(if tested["ok"] == true { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn tell(tested: &Value) {
    put!("{}", findings(tested));
    if let Some(fault) = tested["fault"]["message"].as_str() {
        talk!("error: {} ({})", printable(fault), text(&tested["fault"]["kind"]));
    }
    if let Some(hint) = tested["hint"].as_str() {
        talk!("hint: {}", printable(hint));
    }
    if tested["ok"] == true {
        say!("agents can work with it");
    }
}

fn findings(tested: &Value) -> String {
    let word = |key: &str| String::from(if tested[key] == true { "yes" } else { "no" });
    let tokens = &tested["tokens"];
    let mut lines = vec![
        ("answers", word("answers")),
        ("streams", word("streams")),
        ("calls tools", word("calls_tools")),
        (
            "tokens",
            format!("{} in, of which {} cached; {} out", tokens["input"], tokens["cached"], tokens["output"]),
        ),
        ("time", format!("{} ms", tested["duration_ms"])),
    ];
    if let Some(first) = tested["first_piece_ms"].as_u64() {
        lines.push(("first piece", format!("after {first} ms")));
    }
    format!("{}\n{}", printable(text(&tested["name"])), facts(&lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_shown_with_its_prices_and_limits_and_without_its_key() {
        let model = json!({
            "name": "gpt", "source": "file", "provider": "openai", "model": "gpt-5", "url": "https://api.openai.com/v1",
            "key": "OPENAI_KEY", "context_tokens": 400_000,
            "prices": { "input": 0.25, "cached": 0.025, "written": 0.25, "output": 2.0 },
            "limits": { "output_tokens_max": 8192, "parallel_max": 16, "silence_seconds": 120.0, "answer_seconds": 600.0 },
        });
        insta::assert_snapshot!(shown(&model), @r"
        gpt
          source    file
          provider  openai
          its name  gpt-5
          address   https://api.openai.com/v1
          key       the secret OPENAI_KEY of toolgate
          context   400000 tokens
          prices    0.25 input, 0.025 cached, 0.25 written, 2.0 output, for a million tokens
          limits    8192 tokens of an answer, 16 requests at once, 120.0 s of silence, 600.0 s for an answer
        ");
    }

    #[test]
    fn a_test_is_told_line_by_line() {
        let tested = json!({
            "name": "gpt", "ok": false, "answers": true, "streams": true, "calls_tools": false,
            "tokens": { "input": 60, "cached": 0, "written": 0, "output": 9 }, "duration_ms": 800, "first_piece_ms": 120,
        });
        insta::assert_snapshot!(findings(&tested), @r"
        gpt
          answers      yes
          streams      yes
          calls tools  no
          tokens       60 in, of which 0 cached; 9 out
          time         800 ms
          first piece  after 120 ms
        ");
    }
}
