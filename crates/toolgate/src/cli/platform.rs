//! `toolgate DOMAIN …`: the tools of the platform as commands, made from their definitions. An option is an argument of the tool.

use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};
use toolgate_core::platform::{PlatformTool, ToolPresence};

use crate::domains;

/// Options that every command has, and those that such a command has itself. An argument of the same name has the prefix.
const TAKEN: [&str; 7] = ["config", "data", "json", "help", "version", "agent", "session"];
const PREFIX: &str = "arg-";
/// Domains that people also call in the plural.
const PLURALS: [(&str, &str); 1] = [("connector", "connectors")];
const AGENT: &str = "as-agent";
const SESSION: &str = "as-session";

/// Commands of ours that have tools of the platform below them, too.
const SHARED: [&str; 2] = ["run", "substrate"];

/// A call of a tool of the platform.
#[derive(Clone, Debug)]
pub(crate) struct PlatformCommand {
    pub(crate) tool: Arc<PlatformTool>,
    pub(crate) arguments: Map<String, Value>,
    /// The agent or session to call as, as parameters of the route.
    pub(crate) seat: Vec<(&'static str, String)>,
}

/// The type of an option's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OptionKind {
    Text,
    Number,
    Flag,
    Json,
}

/// The command line with the commands of these tools.
pub(super) fn extend(root: Command) -> Command {
    domains::tools().iter().filter(|tool| is_command(tool)).fold(root, |root, tool| {
        let path = path_of(tool);
        add(root, &path, leaf(tool, path.last().map_or("", String::as_str)))
    })
}

/// True if a command line that is right without these commands may be one of them.
pub(super) fn may_be_meant(matches: &ArgMatches) -> bool {
    matches.subcommand_name().is_none_or(|name| SHARED.contains(&name))
}

/// The call that was written, if the command is one of these.
pub(super) fn read(matches: &ArgMatches) -> Option<PlatformCommand> {
    let (mut path, mut inner) = (Vec::new(), matches);
    while let Some((name, below)) = inner.subcommand() {
        path.push(name);
        inner = below;
    }
    let tool = domains::tools().into_iter().find(|tool| is_command(tool) && path_of(tool) == path)?;
    let mut arguments = Map::new();
    for (name, property) in properties(&tool) {
        let Some(values) = inner.get_many::<Value>(&id_of(&name)) else { continue };
        let mut values: Vec<Value> = values.cloned().collect();
        let value: Value = if items_kind(&property).is_some() { values.into() } else { values.pop()? };
        arguments.insert(name, value);
    }
    let seat = [("agent", AGENT), ("session", SESSION)].into_iter();
    let seat = seat.filter_map(|(name, id)| Some((name, inner.get_one::<String>(id)?.clone()))).collect();
    Some(PlatformCommand { tool, arguments, seat })
}

/// Tools of a run's own session have no use at a terminal.
fn is_command(tool: &PlatformTool) -> bool {
    tool.presence == ToolPresence::InScope
}

fn path_of(tool: &PlatformTool) -> Vec<String> {
    tool.tool.name.as_str().split('.').map(|part| part.replace('_', "-")).collect()
}

fn add(parent: Command, path: &[String], leaf: Command) -> Command {
    let [name, rest @ ..] = path else { return parent };
    if rest.is_empty() {
        return parent.subcommand(leaf);
    }
    if parent.find_subcommand(name).is_some() {
        return parent.mut_subcommand(name, |below| add(below, rest, leaf));
    }
    let plural = PLURALS.into_iter().find(|(one, _)| one == name).map(|(_, plural)| plural);
    let group = Command::new(name.clone())
        .about(format!("Call tools of the platform: {name}"))
        .aliases(plural)
        .subcommand_required(true)
        .arg_required_else_help(true);
    parent.subcommand(add(group, rest, leaf))
}

fn leaf(tool: &PlatformTool, name: &str) -> Command {
    let definition: Value = tool.definition.decode().unwrap_or_default();
    let description = definition["description"].as_str().unwrap_or_default();
    let seat = [(AGENT, "agent", "NAME"), (SESSION, "session", "SESSION")].map(|(id, long, value)| {
        Arg::new(id).long(long).value_name(value).help(format!("Call as this {long}"))
    });
    Command::new(name.to_owned())
        .about(tool.title)
        .long_about(format!("{}\n\n{description} The tool {}.", tool.title, tool.tool.name))
        .args(properties(tool).iter().map(|(name, property)| option(tool, name, property)))
        .args(seat)
}

fn properties(tool: &PlatformTool) -> Vec<(String, Value)> {
    let schema: Value = tool.tool.input_schema.as_ref().and_then(|raw| raw.decode().ok()).unwrap_or_default();
    schema["properties"].as_object().cloned().unwrap_or_default().into_iter().collect()
}

fn is_required(tool: &PlatformTool, name: &str) -> bool {
    let schema: Value = tool.tool.input_schema.as_ref().and_then(|raw| raw.decode().ok()).unwrap_or_default();
    schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name))
}

fn option(tool: &PlatformTool, name: &str, property: &Value) -> Arg {
    let long = name.replace('_', "-");
    let long = if TAKEN.contains(&long.as_str()) { format!("{PREFIX}{long}") } else { long };
    let help = property["description"].as_str().unwrap_or_default().to_owned();
    let option = Arg::new(id_of(name)).long(long).help(help).required(is_required(tool, name));
    let repeated = items_kind(property);
    let kind = repeated.unwrap_or_else(|| kind_of(property));
    let option = match repeated {
        Some(_) => option.action(ArgAction::Append),
        None => option.action(ArgAction::Set),
    };
    let option = match kind {
        OptionKind::Flag => option.num_args(0..=1).default_missing_value("true").value_name("BOOL"),
        OptionKind::Text => option.value_name("TEXT"),
        OptionKind::Number => option.value_name("N"),
        OptionKind::Json => option.value_name("JSON"),
    };
    option.value_parser(parser(kind, if repeated.is_some() { &property["items"] } else { property }))
}

/// An argument may be called like an option of every command.
fn id_of(name: &str) -> String {
    format!("{PREFIX}{name}")
}

fn kind_of(property: &Value) -> OptionKind {
    match property["type"].as_str() {
        Some("string") => OptionKind::Text,
        Some("integer" | "number") => OptionKind::Number,
        Some("boolean") => OptionKind::Flag,
        _ => OptionKind::Json,
    }
}

/// The type of each value, if an option may be repeated.
fn items_kind(property: &Value) -> Option<OptionKind> {
    let is_list = property["type"] == "array";
    is_list.then(|| kind_of(&property["items"])).filter(|kind| *kind != OptionKind::Json)
}

fn parser(kind: OptionKind, property: &Value) -> ValueParser {
    let words: Option<Vec<String>> = property["enum"]
        .as_array()
        .map(|all| all.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    match (kind, words) {
        (OptionKind::Text, Some(words)) => {
            ValueParser::new(PossibleValuesParser::new(words).map(Value::from))
        }
        (kind, _) => ValueParser::new(move |written: &str| value(kind, written)),
    }
}

fn value(kind: OptionKind, written: &str) -> Result<Value, String> {
    if kind == OptionKind::Text {
        return Ok(written.into());
    }
    let read: Value = serde_json::from_str(written).map_err(|error| format!("expected JSON: {error}"))?;
    match kind {
        OptionKind::Number if !read.is_number() => Err("expected a number".to_owned()),
        OptionKind::Flag if !read.is_boolean() => Err("expected true or false".to_owned()),
        _ => Ok(read),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::cli::{self, Command as CliCommand};

    fn parse(words: &str) -> Result<PlatformCommand, String> {
        let words = ["toolgate"].into_iter().chain(words.split_whitespace());
        let matches = cli::whole().try_get_matches_from(words).map_err(|error| error.to_string())?;
        match cli::from_matches(&matches).map_err(|error| error.to_string())?.command {
            CliCommand::Platform(command) => Ok(command),
            _ => Err("another command".to_owned()),
        }
    }

    #[test]
    fn the_commands_fit_together() {
        cli::whole().debug_assert();
    }

    #[test]
    fn options_are_the_arguments_of_the_tool() {
        let list = parse("run list --status paused --limit 3 --session ses_1 --json").expect("accepted");
        assert_eq!(list.tool.tool.name.as_str(), "run.list");
        assert_eq!(Value::Object(list.arguments), json!({ "status": "paused", "limit": 3 }));
        assert_eq!(list.seat, [("session", "ses_1".to_owned())]);
        let get = parse("run get --run-id run_1").expect("accepted");
        assert_eq!(Value::Object(get.arguments), json!({ "run_id": "run_1" }));
        for bad in ["run", "run list --status lost", "run list --limit many", "run get --what x", "run fetch"]
        {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn commands_with_tools_below_them_are_known() {
        let own = <cli::Cli as clap::CommandFactory>::command();
        let tools = domains::tools();
        let above: BTreeSet<String> = tools.iter().map(|tool| path_of(tool)[0].clone()).collect();
        let both = above.iter().filter(|name| own.find_subcommand(name).is_some());
        assert_eq!(both.collect::<Vec<_>>(), SHARED);
    }

    #[test]
    fn other_commands_are_read_as_before() {
        assert_eq!(parse("runs list").expect_err("no tool"), "another command");
    }

    #[test]
    fn values_have_the_type_of_the_schema() {
        assert_eq!(value(OptionKind::Text, "7"), Ok(json!("7")));
        assert_eq!(value(OptionKind::Json, "{\"a\":[1]}"), Ok(json!({ "a": [1] })));
        assert!(value(OptionKind::Number, "x").is_err() && value(OptionKind::Flag, "1").is_err());
        assert_eq!(
            items_kind(&json!({ "type": "array", "items": { "type": "string" } })),
            Some(OptionKind::Text)
        );
        assert_eq!(items_kind(&json!({ "type": "array", "items": { "type": "object" } })), None);
    }
}
