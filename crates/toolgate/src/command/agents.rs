//! `toolgate agents`: the kinds of agents.

use std::process::ExitCode;

use serde_json::Value;
use toolgate_core::scope::{AgentName, Definitions};

use super::context::Context;
use super::records::{RecordsContext, told};
use super::shown::{facts, text, texts};
use crate::cli::AgentsCommand;
use crate::config::Config;
use crate::local::{CatalogueNeed, LocalApi};
use crate::output::{printable, put, talk};
use crate::table::{TextTable, json};

/// The minimum similarity of a suggestion.
const ALIKE: f64 = 0.7;

pub(super) async fn run(context: &Context, command: AgentsCommand) -> anyhow::Result<ExitCode> {
    match command {
        AgentsCommand::List => {
            let page =
                context.ask(CatalogueNeed::NotNeeded, async |api| api.get(&["agents"], &[]).await).await?;
            put!("{}", list(&page).render(context.reader(), &page["agents"]));
            problems_of(&page["agents"]).iter().for_each(|problem| talk!("warning: {}", printable(problem)));
        }
        AgentsCommand::Show { name } => {
            let ask = async |api: &mut LocalApi| api.get(&["agents", &name], &[]).await;
            let agent = context.ask(CatalogueNeed::Needed, ask).await?;
            put!("{}", if context.global.json { json(&agent) } else { show(&agent) });
            warn(&agent);
        }
        AgentsCommand::Versions { name } => {
            let ask = async |api: &mut LocalApi| api.get(&["agents", &name, "versions"], &[]).await;
            let page = context.ask(CatalogueNeed::NotNeeded, ask).await?;
            put!("{}", versions(&page).render(context.reader(), &page["versions"]));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(page: &Value) -> TextTable {
    let mut table = TextTable::new(["AGENT", "SOURCE", "CAPABILITIES", "BUDGET", "DESCRIPTION"]);
    for agent in page["agents"].as_array().into_iter().flatten() {
        let definition = &agent["definition"];
        table.row([
            text(&agent["name"]).to_owned(),
            source(agent),
            capabilities(definition),
            budget(&definition["token_budget"]),
            text(&definition["description"]).to_owned(),
        ]);
    }
    table
}

fn versions(page: &Value) -> TextTable {
    let mut table = TextTable::new(["NUMBER", "VERSION", "FIRST SEEN", "CAPABILITIES"]);
    for version in page["versions"].as_array().into_iter().flatten() {
        table.row([
            version["number"].to_string(),
            text(&version["version"]).to_owned(),
            text(&version["first_seen"]).to_owned(),
            capabilities(&version["definition"]),
        ]);
    }
    table
}

fn show(agent: &Value) -> String {
    let definition = &agent["definition"];
    let number = agent["number"].as_u64().map(|number| format!(" (number {number})")).unwrap_or_default();
    let limits = &definition["limits"];
    let lines = facts(&[
        ("description", text(&definition["description"]).to_owned()),
        ("source", source(agent)),
        ("version", format!("{}{number}", text(&agent["version"]))),
        ("capabilities", capabilities(definition)),
        ("pinned", texts(&definition["pinned"])),
        ("blocked", texts(&definition["blocked"])),
        ("mounts", mounts(&definition["mounts"])),
        ("policy template", text(&definition["policy_template"]).to_owned()),
        ("token budget", budget(&definition["token_budget"])),
        ("schema diet", flag(&definition["schema_diet"])),
        ("reveal found", flag(&definition["reveal_found"])),
        ("idle time-out", seconds(&limits["idle_seconds"])),
        ("lifetime", seconds(&limits["lifetime_seconds"])),
        ("sessions at most", limits["sessions_max"].as_u64().map(|max| max.to_string()).unwrap_or_default()),
        ("principals", texts(&definition["principals"])),
        ("groups", texts(&definition["groups"])),
    ]);
    format!("{}\n{lines}", printable(text(&agent["name"])))
}

pub(super) fn source(definition: &Value) -> String {
    match text(&definition["source"]) {
        "built_in" => "built in".to_owned(),
        "file" => "toolgate.toml".to_owned(),
        other => other.to_owned(),
    }
}

/// A missing list means every tool, and an empty one none.
fn capabilities(definition: &Value) -> String {
    match &definition["capabilities"] {
        Value::Null => "every tool".to_owned(),
        Value::Array(names) if names.is_empty() => "none".to_owned(),
        names => texts(names),
    }
}

pub(super) fn budget(budget: &Value) -> String {
    match budget {
        Value::String(word) => word.clone(),
        Value::Number(tokens) => format!("{tokens} tokens"),
        _ => String::new(),
    }
}

/// `server:docs, provider:slack`
pub(super) fn mounts(mounts: &Value) -> String {
    let kinds = [
        ("servers", "server"),
        ("providers", "provider"),
        ("pointers", "pointer"),
        ("knowledge_bases", "knowledge_base"),
    ];
    let of_kind = |(key, kind): (&str, &str)| -> Vec<String> {
        let names = mounts[key].as_array().into_iter().flatten();
        names.map(|name| format!("{kind}:{}", text(name))).collect()
    };
    kinds.into_iter().flat_map(of_kind).collect::<Vec<_>>().join(", ")
}

fn flag(flag: &Value) -> String {
    if flag == &Value::Bool(true) { "yes".to_owned() } else { String::new() }
}

pub(super) fn seconds(seconds: &Value) -> String {
    let ms = seconds.as_i64().map(|seconds| seconds.saturating_mul(1000));
    ms.map(super::shown::span).unwrap_or_default()
}

/// Problems of a definition, and rules that match nothing.
pub(super) fn warn(definition: &Value) {
    let problems = definition["problems"].as_array().into_iter().flatten().map(text);
    let warnings = definition["warnings"].as_array().into_iter().flatten();
    let warnings = warnings.map(|warning| text(&warning["message"]));
    problems.chain(warnings).for_each(|told| talk!("warning: {}", printable(told)));
}

pub(super) fn problems_of(list: &Value) -> Vec<String> {
    let all = list.as_array().into_iter().flatten();
    let problems = all.flat_map(|one| one["problems"].as_array().into_iter().flatten());
    problems.map(|problem| text(problem).to_owned()).collect()
}

/// Agents may be defined later, so an unknown name is not an error; but it may be a typo.
pub(super) async fn warn_of_unknown(config: &Config, name: &AgentName) -> anyhow::Result<()> {
    let room = RecordsContext::of(config.clone()).await?;
    let defined = room.records.definitions(&config.file_state()).await;
    room.close().await;
    if let Some(warning) = unknown(&defined.map_err(told)?.definitions, name) {
        talk!("{warning}");
    }
    Ok(())
}

pub(super) fn unknown(definitions: &Definitions, name: &AgentName) -> Option<String> {
    if definitions.agent(name).is_some() {
        return None;
    }
    let likeness = |other: &&AgentName| strsim::jaro_winkler(other.as_str(), name.as_str());
    let nearest = definitions.agents.keys().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let hint = match nearest.filter(|nearest| likeness(nearest) > ALIKE) {
        Some(nearest) => format!("did you mean {nearest}?"),
        None => "define it in toolgate.toml under [[agents]], or in the setting `agents`".to_owned(),
    };
    Some(format!(
        "warning: there is no agent {:?} yet, so nothing is seen as it\nhint: {hint}",
        name.as_str()
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use toolgate_core::scope::AgentDefinition;

    use super::*;

    #[test]
    fn a_definition_is_shown_without_what_it_does_not_say() {
        let agent = json!({
            "name": "writer", "source": "file", "version": "sha256:1", "number": 2,
            "definition": {
                "name": "writer", "capabilities": ["git"], "token_budget": 8000,
                "mounts": { "servers": ["docs"], "providers": ["slack"] },
                "limits": { "idle_seconds": 1800, "lifetime_seconds": null, "sessions_max": 5 },
            },
        });
        insta::assert_snapshot!(show(&agent), @r"
        writer
          source            toolgate.toml
          version           sha256:1 (number 2)
          capabilities      git
          mounts            server:docs, provider:slack
          token budget      8000 tokens
          idle time-out     30m
          sessions at most  5
        ");
    }

    #[test]
    fn no_list_of_capabilities_is_every_tool_and_an_empty_one_is_none() {
        assert_eq!(capabilities(&json!({})), "every tool");
        assert_eq!(capabilities(&json!({ "capabilities": [] })), "none");
        assert_eq!(capabilities(&json!({ "capabilities": ["a", "b"] })), "a, b");
    }

    #[test]
    fn an_agent_that_nobody_defined_is_warned_of_with_the_nearest_name() {
        let name = |name: &str| AgentName::new(name).expect("a name");
        let mut definitions = Definitions::default();
        let writer = AgentDefinition::named(name("writer"));
        definitions.agents.insert(writer.name.clone(), Arc::new(writer));
        assert_eq!(unknown(&definitions, &name("writer")), None);
        assert_eq!(unknown(&definitions, &name("default")), None, "it is always there");
        let told = unknown(&definitions, &name("writr")).expect("a warning");
        assert!(told.starts_with("warning: ") && told.ends_with("\nhint: did you mean writer?"), "{told}");
        assert!(unknown(&definitions, &name("x")).expect("a warning").contains("[[agents]]"));
    }
}
