//! `toolgate policy …`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::scope::AgentName;

use super::sessions::templates;
use super::tokens::{KindArg, RoleArg};

#[derive(Subcommand)]
pub(crate) enum PolicyCommand {
    /// Check that the policies load and that they fit the current tools
    #[command(after_help = "Example:\n  toolgate policy check --json")]
    Check,
    /// Explain the policy's decision on one call
    #[command(
        after_help = "Example:\n  toolgate policy explain --tool bank:transfer --principal bot --args '{\"amount\": 500}'"
    )]
    Explain(ExplainArgs),
    /// Run the policy tests
    #[command(after_help = "Example:\n  toolgate policy test policy/transfers.test.toml")]
    Test {
        /// Test files [default: every *.test.toml in the policy folder]
        #[arg(value_name = "FILES")]
        files: Vec<PathBuf>,
    },
    /// Print the decisions for every role and kind of tool
    #[command(after_help = "Example:\n  toolgate policy table > decisions.txt")]
    Table,
    /// Print the Cedar schema that policies are checked against, made from the current tools
    #[command(after_help = "Example:\n  toolgate policy schema > toolgate.cedarschema")]
    Schema,
}

#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// Canonical name, such as bank:transfer
    #[arg(long, value_name = "TOOL")]
    pub(crate) tool: String,
    /// Calling principal
    #[arg(long, value_name = "NAME", default_value = "someone")]
    pub(crate) principal: String,
    /// Role of the caller's token
    #[arg(long, value_enum, default_value_t = RoleArg::Agent)]
    pub(crate) role: RoleArg,
    /// Kind of principal that holds the token [default: agent for agents, else human]
    #[arg(long, value_enum)]
    pub(crate) kind: Option<KindArg>,
    /// Group of the caller; repeatable
    #[arg(long = "group", value_name = "GROUP")]
    pub(crate) groups: Vec<String>,
    /// Arguments of the call, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub(crate) args: String,
    /// Agent of the session
    #[arg(long, value_name = "NAME", value_parser = AgentName::new)]
    pub(crate) agent: Option<AgentName>,
    /// Policy template of the session; never less strict than the gateway's
    #[arg(long, value_name = "TEMPLATE", value_parser = templates())]
    pub(crate) template: Option<PolicyTemplate>,
    /// Session of the call
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Run of the call
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// Task of the call
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// Origin of a credential that the arguments name, and that the session has not used before; repeatable
    #[arg(long = "credential", value_name = "ORIGIN")]
    pub(crate) credentials: Vec<String>,
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn an_explanation_takes_a_caller_and_arguments() {
        let words =
            ["toolgate", "policy", "explain", "--tool", "bank:transfer", "--group", "a", "--group", "b"];
        let Ok(Cli { command: Command::Policy(PolicyCommand::Explain(args)), .. }) =
            Cli::try_parse_from(words)
        else {
            panic!("an explanation")
        };
        assert_eq!(
            (args.tool.as_str(), args.principal.as_str(), args.args.as_str()),
            ("bank:transfer", "someone", "{}")
        );
        assert_eq!(args.groups, ["a", "b"]);
        assert!(args.kind.is_none());
    }

    #[test]
    fn the_command_line_is_well_formed_and_every_governing_verb_has_an_example() {
        let mut cli = Cli::command();
        cli.build();
        cli.clone().debug_assert();
        for noun in ["approvals", "policy", "filters", "ledger"] {
            let noun = cli.find_subcommand(noun).expect("a command");
            for verb in noun.get_subcommands().filter(|verb| verb.get_name() != "help") {
                let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
                let example = format!("toolgate {} {}", noun.get_name(), verb.get_name());
                assert!(help.contains(&example), "{example} has no example");
            }
        }
    }
}
