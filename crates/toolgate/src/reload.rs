//! The configuration file while the gateway runs, and the folder of capability servers: they are polled four
//! times a second, and a change is applied once it has settled, within a second. A file that does not load
//! changes nothing.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::{Config, ConfigError, ConfigHints, ReferenceMode};

/// The polling interval of the file. Two reads in a row must agree.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The result of a changed file.
#[derive(Debug)]
pub(crate) enum FileChange {
    /// It loads, and differs from before. `restart` names the parts that take effect only after a restart.
    Changed { config: Box<Config>, restart: Vec<&'static str> },
    /// It does not load: the text that a start with it would end with.
    Refused(ConfigError),
}

/// Reads a variable of the environment.
type Environment = fn(&str) -> Option<String>;

/// Follows the file of a configuration, or one that appears in the searched places.
pub(crate) struct ConfigWatch {
    config_flag: Option<PathBuf>,
    data_flag: Option<PathBuf>,
    cwd: PathBuf,
    env: Environment,
    /// Decides whether a found file may be used.
    agreed: fn(&Path) -> bool,
    /// The configuration at the start: some of it applies until the end.
    running: Config,
    /// The last applied configuration.
    taken: Config,
    /// The last read, and whether it was judged already.
    last: Option<ConfigRead>,
    judged: Option<ConfigRead>,
    refused: bool,
}

/// The result of one read.
#[derive(Clone, PartialEq)]
struct ConfigRead {
    /// The bytes of the file, or the reason why there are none; `None` if there is no file to read.
    file: Option<Result<Vec<u8>, io::ErrorKind>>,
    /// The existing capability servers.
    programs: BTreeMap<String, PathBuf>,
}

impl ConfigWatch {
    pub(crate) fn new(
        at: &ConfigHints<'_>,
        env: Environment,
        agreed: fn(&Path) -> bool,
        running: Config,
    ) -> Self {
        Self {
            config_flag: at.config.map(ToOwned::to_owned),
            data_flag: at.data.map(ToOwned::to_owned),
            cwd: at.cwd.to_owned(),
            env,
            agreed,
            taken: running.clone(),
            running,
            last: None,
            judged: None,
            refused: false,
        }
    }

    /// The configuration at the start.
    pub(crate) fn running(&self) -> &Config {
        &self.running
    }

    /// Waits for the next change. Nothing is lost if the future is dropped.
    pub(crate) async fn next(&mut self) -> FileChange {
        loop {
            if let Some(seen) = self.look() {
                return seen;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Reads the file once. An editor may be in the middle of writing it: a content is judged only after two
    /// equal reads, and only once.
    fn look(&mut self) -> Option<FileChange> {
        let look = ConfigRead {
            file: self.path().map(|path| std::fs::read(path).map_err(|error| error.kind())),
            programs: self.taken.capability_servers.programs(),
        };
        let settled = self.last.as_ref() == Some(&look);
        self.last = Some(look);
        if !settled || self.judged == self.last {
            return None;
        }
        self.judged = self.last.clone();
        self.judge()
    }

    /// Always the same file, once there is one: switching to another when it is missing would be a surprise.
    /// A file that appears where a gateway without one looks for it needs agreement, as at the start.
    fn path(&self) -> Option<PathBuf> {
        self.running.source.clone().or_else(|| {
            let at = self.whereabouts();
            let foreign = at.unnamed_file().is_some_and(|file| !(self.agreed)(&file));
            at.existing_file().filter(|_| !foreign)
        })
    }

    /// As at the start, so that messages name the file in the same way.
    fn whereabouts(&self) -> ConfigHints<'_> {
        let asked = ConfigHints {
            config: self.config_flag.as_deref(),
            data: self.data_flag.as_deref(),
            cwd: &self.cwd,
            env: &self.env,
        };
        match &self.running.source {
            Some(source) if asked.existing_file().as_ref() != Some(source) => {
                ConfigHints { config: Some(source), ..asked }
            }
            _ => asked,
        }
    }

    fn judge(&mut self) -> Option<FileChange> {
        match Config::load(&self.whereabouts(), ReferenceMode::Resolve(&self.env)) {
            Ok(config) => self.take(config),
            Err(error) => {
                self.refused = true;
                Some(FileChange::Refused(error))
            }
        }
    }

    fn take(&mut self, config: Config) -> Option<FileChange> {
        let was_refused = std::mem::take(&mut self.refused);
        // Another comment or order of keys is not a change; but the end of an error is worth a message.
        if config == self.taken && !was_refused {
            return None;
        }
        self.taken = config.clone();
        let restart = self.running.restart_needed(&config);
        Some(FileChange::Changed { config: Box::new(config), restart })
    }
}
