//! The configuration file while the gateway runs, and the folder of capability servers: they are looked at four times a second,
//! and what changed is taken up once it has settled, within a second. A file that does not load changes nothing.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::{Config, ConfigError, References, Whereabouts};

/// How often the file is looked at. Two looks in a row must see the same.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// What became of a file that changed.
#[derive(Debug)]
pub(crate) enum Seen {
    /// It loads, and says something else than before. `restart` names what of it counts only after a restart.
    Changed { config: Box<Config>, restart: Vec<&'static str> },
    /// It does not load: the text that a start with it would end with.
    Refused(ConfigError),
}

/// Reads a variable of the environment.
type Environment = fn(&str) -> Option<String>;

/// Follows the file that a configuration came from, or the one that appears where it is looked for.
pub(crate) struct Watch {
    config_flag: Option<PathBuf>,
    data_flag: Option<PathBuf>,
    cwd: PathBuf,
    env: Environment,
    /// Whether a file that nobody named may be taken up.
    agreed: fn(&Path) -> bool,
    /// What the gateway started with: some of it counts until it ends.
    running: Config,
    /// What was taken up last.
    taken: Config,
    /// What the last look saw, and whether it was judged already.
    last: Option<Look>,
    judged: Option<Look>,
    refused: bool,
}

/// What a look saw.
#[derive(Clone, PartialEq)]
struct Look {
    /// The bytes of the file, or why there are none; nothing where there is no file to look at.
    file: Option<Result<Vec<u8>, io::ErrorKind>>,
    /// The capability servers that are there.
    programs: BTreeMap<String, PathBuf>,
}

impl Watch {
    pub(crate) fn new(
        at: &Whereabouts<'_>,
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

    /// What the gateway started with.
    pub(crate) fn running(&self) -> &Config {
        &self.running
    }

    /// Waits for the next change. Nothing is lost if the future is dropped.
    pub(crate) async fn next(&mut self) -> Seen {
        loop {
            if let Some(seen) = self.look() {
                return seen;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Looks at the file once. An editor may be in the middle of writing it: only what two looks in a row have seen
    /// is judged, and that once.
    fn look(&mut self) -> Option<Seen> {
        let look = Look {
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

    /// Always the same file, once there is one: another that is found when it is away would be a surprise. One that appears
    /// where a gateway without any looks for it has to be agreed to, as at the start.
    fn path(&self) -> Option<PathBuf> {
        self.running.source.clone().or_else(|| {
            let at = self.whereabouts();
            let foreign = at.unnamed_file().is_some_and(|file| !(self.agreed)(&file));
            at.existing_file().filter(|_| !foreign)
        })
    }

    /// As at the start, so that messages call the file the same.
    fn whereabouts(&self) -> Whereabouts<'_> {
        let asked = Whereabouts {
            config: self.config_flag.as_deref(),
            data: self.data_flag.as_deref(),
            cwd: &self.cwd,
            env: &self.env,
        };
        match &self.running.source {
            Some(source) if asked.existing_file().as_ref() != Some(source) => {
                Whereabouts { config: Some(source), ..asked }
            }
            _ => asked,
        }
    }

    fn judge(&mut self) -> Option<Seen> {
        match Config::load(&self.whereabouts(), References::Resolve(&self.env)) {
            Ok(config) => self.take(config),
            Err(error) => {
                self.refused = true;
                Some(Seen::Refused(error))
            }
        }
    }

    fn take(&mut self, config: Config) -> Option<Seen> {
        let was_refused = std::mem::take(&mut self.refused);
        // Another comment or order of keys is no change; but the end of a refusal is worth a word.
        if config == self.taken && !was_refused {
            return None;
        }
        self.taken = config.clone();
        let restart = self.running.restart_needed(&config);
        Some(Seen::Changed { config: Box::new(config), restart })
    }
}
