//! The search for the configuration and the data folder.

use std::path::{Path, PathBuf};

use super::reference::VariableLookup;

pub(crate) const FILE_NAME: &str = "toolgate.toml";

const DEFAULT_DATA: &str = "toolgate-data";
const DATA_VARIABLE: &str = "TOOLGATE_DATA";

/// The hints of the command line and the environment.
#[derive(Clone, Copy)]
pub(crate) struct ConfigHints<'a> {
    /// `--config`
    pub(crate) config: Option<&'a Path>,
    /// `--data`
    pub(crate) data: Option<&'a Path>,
    /// The working folder; absolute.
    pub(crate) cwd: &'a Path,
    pub(crate) env: VariableLookup<'a>,
}

impl ConfigHints<'_> {
    /// The data folder, unless a file names another one.
    pub(super) fn data_folder(&self) -> PathBuf {
        self.cwd.join(self.named_data().unwrap_or_else(|| DEFAULT_DATA.into()))
    }

    /// The explicitly named data folder.
    fn named_data(&self) -> Option<PathBuf> {
        let from_env = || (self.env)(DATA_VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        self.data.map(Path::to_owned).or_else(from_env)
    }

    /// The file that would be read, if neither it nor its data folder was named; absolute.
    pub(crate) fn unnamed_file(&self) -> Option<PathBuf> {
        let file = self.existing_file().filter(|_| self.config.is_none())?;
        let lies_in_named = self.named_data().is_some_and(|data| file.starts_with(self.cwd.join(data)));
        (!lies_in_named).then_some(file)
    }

    /// The file to read, as messages call it: relative to the working folder where it was found so.
    pub(super) fn find(&self) -> Option<PathBuf> {
        if let Some(config) = self.config {
            return Some(config.to_owned());
        }
        if self.cwd.join(FILE_NAME).exists() {
            return Some(FILE_NAME.into());
        }
        let beside_data = self.data_folder().join(FILE_NAME);
        beside_data.exists().then_some(beside_data)
    }

    /// The file that would be read, if there is one; absolute.
    pub(crate) fn existing_file(&self) -> Option<PathBuf> {
        self.find().map(|file| self.cwd.join(file))
    }

    /// The path for a new configuration.
    pub(crate) fn file_to_write(&self) -> PathBuf {
        self.cwd.join(self.find().unwrap_or_else(|| FILE_NAME.into()))
    }
}
