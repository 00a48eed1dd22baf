//! One file per verb of the command line.

mod agents;
mod aliases;
mod approvals;
mod automations;
mod capabilities;
mod chat;
mod connect;
mod console;
mod context;
mod credentials;
mod doctor;
mod files;
mod filters;
mod follow;
mod input;
mod inputs;
mod ledger;
mod lists;
mod looking;
mod mail;
mod models;
mod pages;
mod pick;
mod platform;
mod policy;
mod ready;
mod records;
mod run;
mod runs;
mod secrets;
mod serve;
mod servers;
mod service;
mod sessions;
mod settings;
mod shown;
mod spend;
mod stdio;
mod store;
mod substrate;
mod tasks;
mod token;
mod tools;

use std::process::ExitCode;

use crate::cli::{Cli, Command};
use context::Context;

pub(crate) async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let context = Context::new(cli.global, looking::only_looks(&cli.command))?;
    match cli.command {
        Command::Serve(args) => serve::run(&context, args).await,
        Command::Stdio(args) => stdio::run(&context, args).await,
        Command::Servers(command) => Box::pin(servers::run(&context, command)).await,
        Command::Tools(command) => tools::run(&context, command).await,
        Command::Sessions(command) => sessions::run(&context, command).await,
        Command::Run(args) => Box::pin(run::run(&context, args)).await,
        Command::Runs(command) => runs::run(&context, command).await,
        Command::Inputs(command) => inputs::run(&context, command).await,
        Command::Tasks(command) => tasks::run(&context, command).await,
        Command::Automations(command) => automations::run(&context, command).await,
        Command::Spend(args) => spend::run(&context, args).await,
        Command::Files(command) => files::run(&context, command).await,
        Command::Agents(command) => agents::run(&context, command).await,
        Command::Capabilities(command) => capabilities::run(&context, command).await,
        Command::Models(command) => models::run(&context, command).await,
        Command::Mail(command) => mail::run(&context, command).await,
        Command::Aliases(command) => aliases::run(&context, command).await,
        Command::Settings(command) => settings::run(&context, command).await,
        Command::Secrets(command) => secrets::run(&context, command).await,
        Command::Credentials(command) => credentials::run(&context, command).await,
        Command::Approvals(args) => approvals::run(&context, args).await,
        Command::Policy(command) => policy::run(&context, command).await,
        Command::Filters(command) => filters::run(&context, command).await,
        Command::Ledger(command) => ledger::run(&context, command).await,
        Command::Store(command) => Box::pin(store::run(&context, command)).await,
        Command::Substrate(command) => Box::pin(substrate::run(&context, command)).await,
        Command::Token(command) => token::run(&context, command).await,
        Command::Connect(args) => Box::pin(connect::run(&context, args)).await,
        Command::Platform(command) => platform::run(&context, command).await,
        Command::Console => console::run(&context).await,
        Command::Doctor => doctor::run(&context).await,
        Command::Ready => ready::run(&context).await,
        Command::Service(command) => service::run(&context, command),
        Command::Completions { .. } | Command::Reap | Command::Confine(_) => Ok(ExitCode::SUCCESS),
    }
}
