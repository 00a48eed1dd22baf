//! Read-only commands. If no gateway ever stored anything, they create nothing: they answer from the
//! configuration over an empty folder that goes away with the command, and without a configuration either,
//! they say so.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context as _, bail};
use tempfile::TempDir;
use toolgate_files::StoragePlace;
use toolgate_store::Store;

use crate::cli::{
    AutomationsCommand, Command, CredentialsCommand, FilesCommand, InputsCommand, RunsCommand,
    SecretsCommand, ServersCommand, SessionsCommand, SettingsCommand, SubstrateCommand, TasksCommand,
    TokenCommand, ToolsCommand,
};
use crate::config::Config;

/// True if a command changes nothing, and so has no reason to create a data folder.
pub(super) fn only_looks(command: &Command) -> bool {
    match command {
        Command::Servers(command) => {
            matches!(
                command,
                ServersCommand::List
                    | ServersCommand::Show { .. }
                    | ServersCommand::Test { .. }
                    | ServersCommand::Outdated { .. }
            )
        }
        Command::Tools(command) => !matches!(
            command,
            ToolsCommand::Call { .. } | ToolsCommand::Accept(_) | ToolsCommand::Reject { .. }
        ),
        Command::Sessions(command) => !matches!(command, SessionsCommand::Open(_)),
        Command::Runs(command) => {
            matches!(command, RunsCommand::List(_) | RunsCommand::Show { .. } | RunsCommand::Chat { .. })
        }
        Command::Inputs(command) => !matches!(command, InputsCommand::Answer(_)),
        Command::Files(command) => !matches!(command, FilesCommand::Put(_)),
        Command::Settings(command) => !matches!(command, SettingsCommand::Set { .. }),
        Command::Substrate(command) => !matches!(command, SubstrateCommand::Import(_)),
        Command::Secrets(command) => {
            !matches!(command, SecretsCommand::Set(_) | SecretsCommand::Allow { .. })
        }
        Command::Credentials(command) => {
            matches!(command, CredentialsCommand::List | CredentialsCommand::Show { .. })
        }
        Command::Platform(command) => !command.tool.tool.effects.changes_something(),
        Command::Token(command) => !matches!(command, TokenCommand::Create(_)),
        Command::Tasks(command) => {
            matches!(command, TasksCommand::List { .. } | TasksCommand::Show { .. })
        }
        Command::Automations(command) => matches!(
            command,
            AutomationsCommand::List { .. }
                | AutomationsCommand::Show { .. }
                | AutomationsCommand::Next { .. }
                | AutomationsCommand::Fires { .. }
        ),
        Command::Spend(_)
        | Command::Agents(_)
        | Command::Capabilities(_)
        | Command::Models(_)
        | Command::Mail(_)
        | Command::Aliases(_)
        | Command::Approvals(_)
        | Command::Policy(_)
        | Command::Ledger(_)
        | Command::Filters(_)
        | Command::Doctor => true,
        Command::Serve(_)
        | Command::Run(_)
        | Command::Stdio(_)
        | Command::Connect(_)
        | Command::Console
        | Command::Store(_)
        | Command::Completions { .. }
        | Command::Reap
        | Command::Confine(_)
        | Command::Ready
        | Command::Service(_) => false,
    }
}

/// The empty folder, once needed, and the missing one.
#[derive(Default)]
pub(super) struct SpareFolder(OnceLock<(TempDir, PathBuf)>);

impl SpareFolder {
    /// The data folder that is missing.
    pub(super) fn missing(&self) -> Option<&Path> {
        self.0.get().map(|(_, wanted)| wanted.as_path())
    }

    /// The configuration for a command that only looks.
    pub(super) fn stand_in(&self, mut config: Config) -> anyhow::Result<Config> {
        // If the path is not a folder, opening it reports that.
        let is_folder = !config.data.exists() || config.data.is_dir();
        if config.store.url.is_some() || Store::is_kept_in(&config.data) || !is_folder {
            return Ok(config);
        }
        if config.source.is_none() {
            bail!(
                "there is no data folder {}, so no gateway runs there and there is nothing to look at\n\
                 hint: stand where its toolgate.toml is, or name the folder with `--data DIR`; `toolgate serve` starts a gateway here",
                config.data.display()
            );
        }
        let made = TempDir::new().context("could not make a folder for the time being")?;
        let (folder, wanted) = self.0.get_or_init(|| (made, config.data.clone()));
        if let StoragePlace::Folder(files) = &mut config.files.place
            && let Ok(inside) = files.strip_prefix(wanted)
        {
            *files = folder.path().join(inside);
        }
        config.data = folder.path().to_owned();
        Ok(config)
    }
}
