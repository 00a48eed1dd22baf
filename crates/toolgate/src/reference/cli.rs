//! `cli.md`, from the tree of commands that the command line is read with.

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Command};

use super::markdown::{anchor, code, fenced, prose, sentence, table};
use crate::cli::whole;

const START: &str = "# Command line

What was asked for goes to standard output, talk and errors to standard error. With `--json` the output is JSON. A command ends with status 0 if
it did what it should, with 1 if not, and with 2 if it was not understood.

";

/// Variables of the environment that are not options of a command.
const VARIABLES: [(&str, &str); 5] = [
    ("TOOLGATE_DATA", "The data folder, where neither `--data` nor the configuration names one."),
    (
        "TOOLGATE_SERVERS",
        "The folder of capability servers, where the configuration names none; empty for none.",
    ),
    (
        "TOOLGATE_LOG",
        "How much is logged, such as `debug` or `warn,toolgate_edge=debug`. Usual: `info` for `serve`, else `error`.",
    ),
    ("NO_COLOR", "Anything but nothing: no colours."),
    ("TOOLGATE_TOKEN", "The token that commands decide with, unless `--token` says another."),
];

pub(super) fn page() -> String {
    let mut root = whole();
    root.build();
    let mut commands = Vec::new();
    collect(&root, &mut commands);
    let mut text = START.to_owned();
    text.push_str(&overview(&commands));
    text.push_str("\n## Options of every command\n\n");
    let everywhere: Vec<&Arg> = root.get_arguments().filter(|arg| arg.is_global_set()).collect();
    text.push_str(&options(everywhere.iter().copied()));
    text.push_str("\n## Environment\n\n");
    let variables = VARIABLES.iter().map(|(name, meaning)| vec![code(name), (*meaning).to_owned()]);
    text.push_str(&table(&["Variable", "Meaning"], variables));
    for command in commands {
        text.push_str(&section(command, &everywhere));
    }
    text
}

fn collect<'a>(command: &'a Command, found: &mut Vec<&'a Command>) {
    for one in command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help") {
        found.push(one);
        collect(one, found);
    }
}

fn overview(commands: &[&Command]) -> String {
    let rows = commands.iter().map(|command| {
        let name = full_name(command);
        vec![format!("[{}](#{})", code(&name), anchor(&name)), about(command)]
    });
    table(&["Command", "What it does"], rows)
}

/// With the commands above it.
fn full_name(command: &Command) -> String {
    command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn about(command: &Command) -> String {
    prose(&sentence(&command.get_about().map(ToString::to_string).unwrap_or_default()))
}

/// Options of every command are listed once.
fn section(command: &Command, everywhere: &[&Arg]) -> String {
    let name = full_name(command);
    let told =
        command.get_long_about().map_or_else(|| about(command), |long| prose(&sentence(&long.to_string())));
    let usage = command.clone().render_usage().to_string();
    let usage = fenced("text", usage.trim_start_matches("Usage:").trim());
    let is_own = |arg: &&Arg| everywhere.iter().all(|one| one.get_id() != arg.get_id());
    let is_told = |arg: &&Arg| is_own(arg) && !arg.is_hide_set() && !is_help(arg);
    let own: Vec<&Arg> = command.get_arguments().filter(is_told).collect();
    let more =
        command.get_after_help().map(|help| fenced("text", &help.to_string()) + "\n").unwrap_or_default();
    let options = if own.is_empty() { String::new() } else { options(own.into_iter()) };
    format!("\n## {}\n\n{told}\n\n{usage}\n{more}{options}", code(&name))
}

fn is_help(arg: &Arg) -> bool {
    matches!(
        arg.get_action(),
        ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
    )
}

fn options<'a>(args: impl Iterator<Item = &'a Arg>) -> String {
    table(&["Argument", "Meaning"], args.map(|arg| vec![shown(arg), meaning(arg)]))
}

fn shown(arg: &Arg) -> String {
    let takes = arg.get_action().takes_values();
    let value = || {
        arg.get_value_names()
            .map(|names| names.join(" "))
            .unwrap_or_else(|| arg.get_id().as_str().to_uppercase())
    };
    let many = matches!(arg.get_action(), ArgAction::Append)
        || arg.get_num_args().is_some_and(|range| range.max_values() > 1);
    let dots = if many { "…" } else { "" };
    let mut names: Vec<String> = Vec::new();
    names.extend(arg.get_short().map(|short| format!("-{short}")));
    names.extend(arg.get_long().map(|long| format!("--{long}")));
    let text = match (names.is_empty(), takes) {
        (true, _) if arg.is_required_set() => format!("<{}>{dots}", value()),
        (true, _) => format!("[{}]{dots}", value()),
        (false, true) => format!("{} <{}>{dots}", names.join(", "), value()),
        (false, false) => names.join(", "),
    };
    code(&text)
}

fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or_else(|| arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = prose(&sentence(&help));
    if arg.is_required_set() {
        text.push_str(" Needed.");
    }
    let takes = arg.get_action().takes_values();
    let words: Vec<String> = match takes && !arg.is_hide_possible_values_set() {
        true => arg.get_possible_values().iter().filter(|value| !value.is_hide_set()).map(word).collect(),
        false => Vec::new(),
    };
    if !words.is_empty() {
        text.push_str(&format!(" One of {}.", words.join(", ")));
    }
    let usual: Vec<String> =
        arg.get_default_values().iter().map(|value| code(&value.to_string_lossy())).collect();
    if takes && !usual.is_empty() {
        text.push_str(&format!(" Default: {}.", usual.join(", ")));
    }
    if let Some(variable) = arg.get_env() {
        text.push_str(&format!(" Or from {}.", code(&variable.to_string_lossy())));
    }
    text
}

fn word(value: &PossibleValue) -> String {
    let name = code(value.get_name());
    match value.get_help() {
        Some(help) => format!("{name} ({})", prose(&help.to_string())),
        None => name,
    }
}
