//! `toolgate run …`

use std::path::PathBuf;

use clap::Args;
use toolgate_core::scope::AgentName;

use super::tasks::TaskBudgetArgs;

#[derive(Args)]
pub(crate) struct RunArgs {
    /// The work, in words; `-` reads it from standard input
    #[arg(value_name = "GOAL")]
    pub(crate) goal: String,
    /// Model that works on it; `toolgate models list` shows those there are
    #[arg(long, value_name = "NAME")]
    pub(crate) model: String,
    /// Agent whose tools it has [default: `default`]
    #[arg(long, value_name = "NAME", value_parser = AgentName::new)]
    pub(crate) agent: Option<AgentName>,
    /// Instructions for the model in front of the goal
    #[arg(long, value_name = "TEXT")]
    pub(crate) instructions: Option<String>,
    /// File that it may use; may be repeated
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) budget: TaskBudgetArgs,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::cli::{Cli, Command, from_matches, whole};

    fn parse(words: &[&str]) -> Result<Command, String> {
        let words = ["toolgate", "run"].iter().chain(words);
        Cli::try_parse_from(words).map(|cli| cli.command).map_err(|error| error.to_string())
    }

    #[test]
    fn goals_and_tools_over_runs_stand_beside_one_another() {
        let whole = |words: &[&str]| {
            let words = ["toolgate", "run"].iter().chain(words);
            let matches = whole().try_get_matches_from(words).map_err(|error| error.to_string())?;
            from_matches(&matches).map(|cli| cli.command).map_err(|error| error.to_string())
        };
        assert!(matches!(whole(&["get", "--run-id", "run_1"]), Ok(Command::Platform(_))));
        assert!(matches!(whole(&["Tidy up", "--model", "large"]), Ok(Command::Run(_))));
        assert!(
            matches!(whole(&["--model", "large", "list"]), Ok(Command::Run(args)) if args.goal == "list")
        );
        assert!(whole(&["Tidy up"]).is_err_and(|told| told.contains("--model")));
    }

    #[test]
    fn a_run_has_a_goal_and_a_model_and_may_have_more() {
        let words = [
            "Tidy up",
            "--model",
            "large",
            "--agent",
            "clerk",
            "--file",
            "a.pdf",
            "--file",
            "b.pdf",
            "--budget-turns",
            "9",
        ];
        let Ok(Command::Run(args)) = parse(&words) else { panic!("a run") };
        assert_eq!((args.goal.as_str(), args.model.as_str(), args.files.len()), ("Tidy up", "large", 2));
        assert_eq!(args.budget.budget_turns, Some(9));
        assert!(parse(&["Tidy up"]).is_err_and(|told| told.contains("--model")));
        assert!(parse(&["--model", "large"]).is_err_and(|told| told.contains("GOAL")));
        assert!(parse(&["x", "--model", "large", "--budget-turns", "0"]).is_err());
    }
}
