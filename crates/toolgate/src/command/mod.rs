//! One file per verb of the command line.

mod agents;
mod aliases;
mod approvals;
mod capabilities;
mod connect;
mod console;
mod doctor;
mod files;
mod filters;
mod input;
mod inputs;
mod ledger;
mod looking;
mod pages;
mod pick;
mod policy;
mod records;
mod runs;
mod secrets;
mod serve;
mod servers;
mod sessions;
mod settings;
mod shown;
mod stdio;
mod token;
mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use crate::cli::{Cli, Command, Global};
use crate::config::{Config, References, Whereabouts};
use crate::consent;
use crate::environment;
use crate::local::{Catalogue, LocalApi};
use crate::table::Reader;
use looking::Spare;

pub(crate) async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let context = Context::new(cli.global, looking::only_looks(&cli.command))?;
    match cli.command {
        Command::Serve(args) => serve::run(&context, args).await,
        Command::Stdio(args) => stdio::run(&context, args).await,
        Command::Servers(command) => Box::pin(servers::run(&context, command)).await,
        Command::Tools(command) => tools::run(&context, command).await,
        Command::Sessions(command) => sessions::run(&context, command).await,
        Command::Runs(command) => runs::run(&context, command).await,
        Command::Inputs(command) => inputs::run(&context, command).await,
        Command::Tasks(command) => runs::run_tasks(&context, command).await,
        Command::Files(command) => files::run(&context, command).await,
        Command::Agents(command) => agents::run(&context, command).await,
        Command::Capabilities(command) => capabilities::run(&context, command).await,
        Command::Aliases(command) => aliases::run(&context, command).await,
        Command::Settings(command) => settings::run(&context, command).await,
        Command::Secrets(command) => secrets::run(&context, command).await,
        Command::Approvals(args) => approvals::run(&context, args).await,
        Command::Policy(command) => policy::run(&context, command).await,
        Command::Filters(command) => filters::run(&context, command).await,
        Command::Ledger(command) => ledger::run(&context, command).await,
        Command::Token(command) => token::run(&context, command).await,
        Command::Connect(args) => connect::run(&context, args).await,
        Command::Console => console::run(&context).await,
        Command::Doctor => doctor::run(&context).await,
        Command::Completions { .. } | Command::Reap | Command::Confine(_) => Ok(ExitCode::SUCCESS),
    }
}

/// The surroundings of every command.
pub(crate) struct Context {
    pub(crate) global: Global,
    pub(crate) cwd: PathBuf,
    /// There for commands that only look.
    spare: Option<Spare>,
}

impl Context {
    fn new(global: Global, only_looks: bool) -> anyhow::Result<Self> {
        let cwd = std::env::current_dir().context("could not find the working folder")?;
        Ok(Self { global, cwd, spare: only_looks.then(Spare::default) })
    }

    /// The data folder that a command which only looks did not find.
    fn missing_data(&self) -> Option<&Path> {
        self.spare.as_ref().and_then(Spare::missing)
    }

    fn load(&self, references: References<'_>) -> anyhow::Result<Config> {
        consent::see_to(&self.whereabouts())?;
        self.read(references)
    }

    fn read(&self, references: References<'_>) -> anyhow::Result<Config> {
        let config = Config::load(&self.whereabouts(), references)?;
        match &self.spare {
            Some(spare) => spare.stand_in(config),
            None => Ok(config),
        }
    }

    pub(crate) fn whereabouts(&self) -> Whereabouts<'_> {
        Whereabouts {
            config: self.global.config.as_deref(),
            data: self.global.data.as_deref(),
            cwd: &self.cwd,
            env: &environment::variable,
        }
    }

    /// The reader of a command's output.
    pub(crate) fn reader(&self) -> Reader {
        if self.global.json { Reader::Program } else { Reader::of_stdout() }
    }

    /// The configuration, with its references to the environment replaced.
    pub(crate) fn config(&self) -> anyhow::Result<Config> {
        self.load(References::Resolve(&environment::variable))
    }

    /// The configuration as written, for commands that start nothing.
    pub(crate) fn config_as_written(&self) -> anyhow::Result<Config> {
        self.load(References::Keep)
    }

    /// The same for commands that only show its content: a file that is merely read needs no agreement.
    pub(crate) fn config_to_read(&self) -> anyhow::Result<Config> {
        self.read(References::Keep)
    }

    /// Asks the REST API of the running gateway, or of one that lives as long as the command.
    pub(crate) async fn ask<T>(
        &self,
        catalogue: Catalogue,
        ask: impl AsyncFnOnce(&mut LocalApi) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        // The future of assembling a gateway is large.
        let mut api = Box::pin(LocalApi::open(self.config()?, catalogue)).await?;
        let outcome = ask(&mut api).await;
        api.close().await;
        outcome
    }
}
