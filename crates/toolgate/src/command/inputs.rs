//! `toolgate inputs`: the questions of runs, and the answers.

mod render;

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use toolgate_core::id::InputId;
use toolgate_core::run::SlotType;

use super::context::Context;
use super::lists::RUNS;
use super::pages::{ApiList, tell_of_more};
use super::shown::text;
use crate::cli::{AnswerArgs, InputsCommand, ListInputsArgs};
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{put, say};
use crate::table;

const INPUTS: ApiList = ApiList {
    path: "inputs",
    prefix: InputId::PREFIX,
    noun: "question",
    command: "toolgate inputs list --all",
    everything: &[("state", "all")],
};

pub(super) async fn run(context: &Context, command: InputsCommand) -> anyhow::Result<ExitCode> {
    match command {
        InputsCommand::List(args) => list(context, &args).await,
        InputsCommand::Show { which } => show(context, &which.id).await,
        InputsCommand::Answer(args) => answer(context, &args).await,
    }
}

async fn list(context: &Context, args: &ListInputsArgs) -> anyhow::Result<ExitCode> {
    let limit = args.most.count();
    let ask = async |api: &mut LocalApi| {
        let mut query = Vec::new();
        query.extend(args.all.then(|| ("state", "all".to_owned())));
        if let Some(run) = &args.run {
            query.push(("run", text(&RUNS.find(api, run).await?["id"]).to_owned()));
        }
        INPUTS.newest(api, &query, limit).await
    };
    let inputs = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    put!("{}", render::list(&inputs).render(context.reader(), &inputs));
    tell_of_more(&inputs, limit);
    Ok(ExitCode::SUCCESS)
}

async fn show(context: &Context, id: &str) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| INPUTS.find(api, id).await;
    let input = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    put!("{}", if context.global.json { table::json(&input) } else { render::show(&input) });
    Ok(ExitCode::SUCCESS)
}

async fn answer(context: &Context, args: &AnswerArgs) -> anyhow::Result<ExitCode> {
    let ask = async |api: &mut LocalApi| {
        let input = INPUTS.find(api, &args.which.id).await?;
        let answer = if args.raw { raw(&args.answer)? } else { meant(&input, &args.answer)? };
        api.post(&["inputs", text(&input["id"]), "answer"], &json!({ "answer": answer })).await
    };
    let input = context.ask(CatalogueNeed::NotNeeded, ask).await?;
    if context.global.json {
        put!("{}", table::json(&input));
    } else {
        say!("answered {}; {} goes on", text(&input["id"]), text(&input["run"]));
    }
    Ok(ExitCode::SUCCESS)
}

fn raw(written: &str) -> anyhow::Result<Value> {
    serde_json::from_str(written)
        .context("the answer is not valid JSON\nhint: without --raw it is read as the question wants it")
}

/// The typed answer in the form of the question. The gateway checks whether it fits.
fn meant(input: &Value, written: &str) -> anyhow::Result<Value> {
    match SlotType::parse(text(&input["slot_type"])) {
        Some(SlotType::Number) => match written.trim().parse() {
            Ok(number) => Ok(Value::Number(number)),
            Err(_) => bail!("{written:?} is not a number\nhint: write it like 3, -4.5 or 1e6"),
        },
        Some(SlotType::Boolean) => match written.trim() {
            "true" | "yes" => Ok(true.into()),
            "false" | "no" => Ok(false.into()),
            _ => bail!("{written:?} is neither true nor false\nhint: write true or false"),
        },
        Some(SlotType::MultiChoice) => {
            let options = written.split(',').map(str::trim).filter(|option| !option.is_empty());
            Ok(options.collect())
        }
        Some(SlotType::Choice | SlotType::Date | SlotType::File) => Ok(written.trim().into()),
        Some(SlotType::Text) | None => Ok(written.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(slot_type: &str, written: &str) -> Result<Value, String> {
        meant(&json!({ "slot_type": slot_type }), written).map_err(|error| error.to_string())
    }

    #[test]
    fn an_answer_is_read_as_the_question_wants_it() {
        for (slot_type, written, expected) in [
            ("text", " as it is, all of it ", json!(" as it is, all of it ")),
            ("text", "7", json!("7")),
            ("choice", " formal ", json!("formal")),
            ("multi_choice", "red, green,", json!(["red", "green"])),
            ("multi_choice", "", json!([])),
            ("number", "-4.5", json!(-4.5)),
            ("number", "12345678901234567", json!(12345678901234567_u64)),
            ("boolean", "true", json!(true)),
            ("boolean", "no", json!(false)),
            ("date", "2026-07-28", json!("2026-07-28")),
            ("file", "file_1", json!("file_1")),
        ] {
            assert_eq!(read(slot_type, written), Ok(expected), "{slot_type} {written}");
        }
        assert!(read("number", "many").is_err_and(|told| told.contains("\nhint: ")));
        assert!(read("boolean", "maybe").is_err_and(|told| told.contains("true or false")));
        assert!(raw("[1").is_err() && raw("[1]").is_ok_and(|value| value == json!([1])));
    }
}
