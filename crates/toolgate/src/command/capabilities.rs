//! `toolgate capabilities`: the groups of tools that agents are given.

use std::process::ExitCode;

use serde_json::Value;

use super::agents::{problems_of, source, warn};
use super::context::Context;
use super::shown::{facts, several, text, texts};
use crate::cli::CapabilitiesCommand;
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{printable, put, talk};
use crate::table::{OutputReader, TextTable, json};

pub(super) async fn run(context: &Context, command: CapabilitiesCommand) -> anyhow::Result<ExitCode> {
    match command {
        CapabilitiesCommand::List => {
            let ask = async |api: &mut LocalApi| api.get(&["capabilities"], &[]).await;
            let page = context.ask(CatalogueNeed::NotNeeded, ask).await?;
            let all = &page["capabilities"];
            put!("{}", list(all).render(context.reader(), all));
            problems_of(all).iter().for_each(|problem| talk!("warning: {}", printable(problem)));
        }
        CapabilitiesCommand::Show { name } => {
            let ask = async |api: &mut LocalApi| api.get(&["capabilities", &name], &[]).await;
            let capability = context.ask(CatalogueNeed::Needed, ask).await?;
            put!(
                "{}",
                if context.global.json { json(&capability) } else { show(&capability, context.reader()) }
            );
            warn(&capability);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(all: &Value) -> TextTable {
    let mut table = TextTable::new(["CAPABILITY", "SOURCE", "RULES", "AGENTS", "DESCRIPTION"]);
    for capability in all.as_array().into_iter().flatten() {
        let definition = &capability["definition"];
        table.row([
            text(&capability["name"]).to_owned(),
            source(capability),
            rules(definition),
            texts(&capability["agents"]),
            text(&definition["description"]).to_owned(),
        ]);
    }
    table
}

/// `tools a:*, tags b`
fn rules(definition: &Value) -> String {
    let of_kind = |key: &str| {
        let names = texts(&definition[key]);
        (!names.is_empty()).then(|| format!("{key} {names}"))
    };
    ["tools", "tags", "servers"].into_iter().filter_map(of_kind).collect::<Vec<_>>().join("; ")
}

fn show(capability: &Value, reader: OutputReader) -> String {
    let definition = &capability["definition"];
    let lines = facts(&[
        ("description", text(&definition["description"]).to_owned()),
        ("source", source(capability)),
        ("rules", rules(definition)),
        ("agents", texts(&capability["agents"])),
    ]);
    let mut table = TextTable::new(["TOOL", "BY", "RULE"]);
    let tools = capability["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    for tool in tools {
        table.row(["tool", "by", "rule"].map(|key| text(&tool[key]).to_owned()));
    }
    let tools = match tools {
        [] => "no tool belongs to it now\n".to_owned(),
        _ => format!("{}:\n{}", several(tools.len() as u64, "tool"), table.render(reader, &())),
    };
    format!("{}\n{lines}\n{tools}", printable(text(&capability["name"])))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_capability_is_shown_with_its_tools_and_what_lets_them_in() {
        let capability = json!({
            "name": "git", "source": "settings", "agents": ["writer"],
            "definition": { "name": "git", "tools": ["github:*"], "tags": ["vcs"] },
            "tools": [{ "tool": "github:merge", "by": "tools", "rule": "github:*" }],
        });
        insta::assert_snapshot!(show(&capability, OutputReader::Pipe), @r"
        git
          source  settings
          rules   tools github:*; tags vcs
          agents  writer

        1 tool:
        TOOL          BY     RULE
        github:merge  tools  github:*
        ");
    }
}
