//! `toolgate tools`: the agents' tools, calling one by hand, and the review of changes.

mod codegen;
mod cost;
mod history;
mod offline;
mod render;
mod review;
mod search;

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use serde_json::{Map, Value, json};
use toolgate_core::RawJson;
use toolgate_core::registry::NamedKind;

use super::context::Context;
use super::servers::{roster, unknown_server};
use crate::cli::ToolsCommand;
use crate::config::Config;
use crate::failure;
use crate::local::{LocalClient, open_store};
use crate::output::{printable, put, say, talk};
use crate::table::{OutputReader, TextTable};

pub(super) async fn run(context: &Context, command: ToolsCommand) -> anyhow::Result<ExitCode> {
    match command {
        ToolsCommand::List { server, status: Some(status) } => {
            review::list(context, status, server.as_deref()).await
        }
        ToolsCommand::Diff(args) => {
            let differing = if args.exit_code { review::DiffExit::Fails } else { review::DiffExit::Succeeds };
            match (&args.name, &args.from) {
                (Some(name), Some(from)) => {
                    history::compare(context, name, from, args.to.as_deref(), differing).await
                }
                _ => review::diff(context, args.name.as_deref(), differing).await,
            }
        }
        ToolsCommand::History { name } => history::list(context, &name).await,
        ToolsCommand::Search(args) => search::run(context, args).await,
        ToolsCommand::Cost(args) => cost::run(context, args).await,
        ToolsCommand::Codegen(args) => codegen::run(context, args).await,
        ToolsCommand::Accept(args) => review::accept(context, args).await,
        ToolsCommand::Reject { name, version } => review::reject(context, &name, version).await,
        ToolsCommand::List { server, status: None } => speak(context, ToolRequest::List(server)).await,
        ToolsCommand::Describe { name } => speak(context, ToolRequest::Describe(name)).await,
        ToolsCommand::Call { name, arguments } => {
            let hint = texts_that_look_otherwise(&arguments)
                .first()
                .map(|(key, value)| format!("`{key}={value}` is text; `{key}:={value}` is JSON"));
            let arguments = parse_arguments(&arguments)?;
            speak(context, ToolRequest::Call { name, arguments, hint }).await
        }
    }
}

/// A request to a gateway, as from an agent.
enum ToolRequest {
    List(Option<String>),
    Describe(String),
    Call { name: String, arguments: Value, hint: Option<String> },
}

async fn speak(context: &Context, ask: ToolRequest) -> anyhow::Result<ExitCode> {
    let config = context.config()?;
    let mut client = LocalClient::open(&config).await?;
    let outcome = match ask {
        ToolRequest::List(server) => list(context, &config, &mut client, server.as_deref()).await,
        ToolRequest::Describe(name) => describe(context, &config, &mut client, &name).await,
        ToolRequest::Call { name, arguments, hint } => {
            call(context, &mut client, &name, arguments, hint.as_deref()).await
        }
    };
    client.close().await;
    outcome
}

async fn list(
    context: &Context,
    config: &Config,
    client: &mut LocalClient,
    server: Option<&str>,
) -> anyhow::Result<ExitCode> {
    let mut tools = client.list("tools/list", "tools").await?;
    if let Some(server) = server {
        let own = OwnNames::of(config, server).await?;
        tools.retain(|tool| own.has(text(&tool["name"])));
    }
    let mut table = TextTable::new(["TOOL", "DESCRIPTION"]);
    for tool in &tools {
        table.row([text(&tool["name"]).to_owned(), first_line(text(&tool["description"]))]);
    }
    put!("{}", table.render(context.reader(), &tools));
    Ok(ExitCode::SUCCESS)
}

/// The names of one server's tools.
struct OwnNames {
    /// The prefix of their names, unless they were given others.
    prefix: String,
    given: Vec<String>,
}

impl OwnNames {
    async fn of(config: &Config, server: &str) -> anyhow::Result<Self> {
        let store = open_store(config).await?;
        let roster = roster(config, &store).await?;
        let Some(known) = roster.iter().find(|known| known.name.as_str() == server) else {
            bail!("{}", unknown_server(&roster, server));
        };
        let rows = store.read_tool_rows_of(&known.name).await?;
        store.close().await;
        let unprefixed = config.servers.iter().any(|entry| entry.spec.name == known.name && !entry.prefix);
        // A server without a prefix is the only one.
        let prefix = if unprefixed { String::new() } else { toolgate_catalog::wire_name(&known.name, "") };
        Ok(Self { prefix, given: rows.into_iter().filter_map(|tool| tool.traits.wire_name).collect() })
    }

    fn has(&self, name: &str) -> bool {
        name.starts_with(&self.prefix) || self.given.iter().any(|given| given == name)
    }
}

async fn describe(
    context: &Context,
    config: &Config,
    client: &mut LocalClient,
    name: &str,
) -> anyhow::Result<ExitCode> {
    let tools = client.list("tools/list", "tools").await?;
    // If several would have the same name, only the store knows the owner.
    let given = if name.contains(':') { given_name(config, name).await? } else { None };
    let Some(tool) = find(&tools, given.as_deref().unwrap_or(name)) else {
        let names: Vec<&str> = tools.iter().map(|tool| text(&tool["name"])).collect();
        bail!("there is no tool {name:?}{}", nearest(name, &names));
    };
    if context.global.json {
        say!("{tool}");
        return Ok(ExitCode::SUCCESS);
    }
    say!("{}\n", printable(text(&tool["name"])));
    let description = printable(text(&tool["description"]).trim());
    if !description.is_empty() {
        say!("{description}\n");
    }
    let schema = &tool["inputSchema"];
    if let Some(why) = toolgate_pipeline::schema::unchecked_text(&RawJson::from(schema.clone())) {
        say!("Its schema: {}\n", printable(&why));
    }
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    if properties.is_empty() {
        say!("It takes no arguments.");
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = TextTable::new(["ARGUMENT", "TYPE", "NEEDED", "DESCRIPTION"]);
    for (name, property) in &properties {
        let needed = if required.contains(&name.as_str()) { "required" } else { "optional" };
        table.row([
            name.clone(),
            kind(property),
            needed.to_owned(),
            first_line(text(&property["description"])),
        ]);
    }
    put!("{}", table.render(context.reader(), &properties));
    Ok(ExitCode::SUCCESS)
}

async fn call(
    context: &Context,
    client: &mut LocalClient,
    name: &str,
    arguments: Value,
    // A guess at the error in the arguments, if there is one.
    guess: Option<&str>,
) -> anyhow::Result<ExitCode> {
    let params = json!({ "name": name, "arguments": arguments });
    let result = client.request("tools/call", params, show_progress).await;
    let result = match result {
        Ok(result) => result,
        Err(error) => {
            let names = client.list("tools/list", "tools").await.unwrap_or_default();
            let names: Vec<&str> = names.iter().map(|tool| text(&tool["name"])).collect();
            let unknown = format!("{error}").starts_with("unknown tool");
            if unknown {
                bail!("there is no tool {name:?}{}", nearest(name, &names));
            }
            return Err(match guess {
                Some(guess) => anyhow::anyhow!("{}\nhint: {guess}", failure::render(&error)),
                None => error,
            });
        }
    };
    let failed = result["isError"] == Value::Bool(true);
    if context.global.json {
        say!("{result}");
    } else {
        for block in result["content"].as_array().into_iter().flatten() {
            let shown = show_block(block);
            // A pipe gets the tool's output, byte for byte.
            let shown = if context.reader() == OutputReader::Terminal { printable(&shown) } else { shown };
            say!("{shown}");
        }
        if result["content"].as_array().is_none_or(Vec::is_empty) && !result["structuredContent"].is_null() {
            say!("{:#}", result["structuredContent"]);
        }
        let warnings = result["_meta"]["dev.toolgate/envelope"]["warnings"].as_array();
        for warning in warnings.into_iter().flatten() {
            talk!("warning: {}", printable(text(&warning["message"])));
        }
    }
    if let (true, Some(guess)) = (failed, guess) {
        talk!("hint: {guess}");
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn show_progress(message: &Value) {
    if message["method"] == "notifications/progress" {
        let params = &message["params"];
        let of = if params["total"].is_null() { String::new() } else { format!(" of {}", params["total"]) };
        talk!("… {}{of} {}", params["progress"], printable(text(&params["message"])));
    }
}

fn show_block(block: &Value) -> String {
    match block["type"].as_str() {
        Some("text") => text(&block["text"]).to_owned(),
        Some(kind @ ("image" | "audio")) => {
            format!(
                "[{kind}, {}, {} bytes of base64; --json shows it]",
                text(&block["mimeType"]),
                text(&block["data"]).len()
            )
        }
        Some("resource_link") => format!("[resource {}]", text(&block["uri"])),
        _ => block.to_string(),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or_default().to_owned()
}

fn kind(property: &Value) -> String {
    match &property["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ if property["enum"].is_array() => "one of a list".into(),
        _ => "any".into(),
    }
}

fn find<'a>(tools: &'a [Value], name: &str) -> Option<&'a Value> {
    let wire = name.split_once(':').and_then(|(server, own)| {
        Some(toolgate_catalog::wire_name(&toolgate_core::ServerName::new(server).ok()?, own))
    });
    tools.iter().find(|tool| tool["name"] == name || wire.as_deref() == tool["name"].as_str())
}

/// The recorded name of a tool for agents.
async fn given_name(config: &Config, canonical: &str) -> anyhow::Result<Option<String>> {
    let store = open_store(config).await?;
    let names = store.read_wire_names().await;
    store.close().await;
    Ok(names?
        .into_iter()
        .find(|one| one.kind == NamedKind::Tool && one.owner.as_str() == canonical)
        .map(|one| one.name))
}

fn nearest(name: &str, names: &[&str]) -> String {
    let best =
        names.iter().max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
    match best {
        Some(best) if strsim::jaro_winkler(best, name) > 0.7 => format!("\nhint: did you mean {best}?"),
        _ => "\nhint: `toolgate tools list` shows all of them".into(),
    }
}

/// Pairs of `key=text` whose text would be another type in JSON.
fn texts_that_look_otherwise(words: &[String]) -> Vec<(&str, &str)> {
    let pairs = words.iter().filter_map(|word| word.split_once('='));
    let is_other = |value: &str| serde_json::from_str::<Value>(value).is_ok_and(|read| !read.is_string());
    pairs.filter(|(key, value)| !key.ends_with(':') && is_other(value)).collect()
}

/// A JSON object, or `key=text`, `key:=json` and `nested.key=…` pairs.
fn parse_arguments(words: &[String]) -> anyhow::Result<Value> {
    if let [only] = words
        && only.trim_start().starts_with('{')
    {
        return serde_json::from_str(only).context("the arguments are not valid JSON");
    }
    let mut arguments = Value::Object(Map::new());
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            bail!(
                "{word:?} is neither a JSON object nor key=value\nhint: text is key=text, anything else is key:=json"
            );
        };
        let (key, value) = match key.strip_suffix(':') {
            Some(key) => (
                key,
                serde_json::from_str(value)
                    .with_context(|| format!("the value of {key} is not valid JSON"))?,
            ),
            None => (key, Value::String(value.to_owned())),
        };
        let mut place = &mut arguments;
        for part in key.split('.') {
            if !place.is_object() && !place.is_null() {
                bail!("{key} cannot be set inside something that is not an object");
            }
            place = &mut place[part];
        }
        *place = value;
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Value, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        parse_arguments(&words).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn arguments_are_json_or_pairs() {
        assert_eq!(parse(&[]), Ok(json!({})));
        assert_eq!(parse(&[r#"{"a": 1.0}"#]), Ok(json!({"a": 1.0})));
        assert_eq!(
            parse(&["a=1", "b:=1", "c.d:=[true]", "e=x=y"]),
            Ok(json!({"a": "1", "b": 1, "c": {"d": [true]}, "e": "x=y"}))
        );
    }

    #[test]
    fn texts_that_would_be_something_else_are_noticed() {
        let words = ["a=1", "b:=1", "c=true", "d=one", "e=[1]", "{\"x\": 1}"].map(str::to_owned);
        assert_eq!(texts_that_look_otherwise(&words), [("a", "1"), ("c", "true"), ("e", "[1]")]);
    }

    #[test]
    fn malformed_arguments_say_what_would_be_right() {
        assert!(parse(&["loose"]).is_err_and(|error| error.contains("key=value")));
        assert!(parse(&["a:=nope"]).is_err_and(|error| error.contains("not valid JSON")));
        assert!(parse(&["{broken"]).is_err_and(|error| error.contains("not valid JSON")));
        assert!(parse(&["a=1", "a.b=2"]).is_err_and(|error| error.contains("not an object")));
    }
}
