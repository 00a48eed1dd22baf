//! The program of the engine: its place, its arguments and its environment.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use toolgate_core::server::NetworkAccess;

use crate::settings::EngineSettings;

/// The file name of the program.
const NAME: &str = "toolgate-engine";
const PATH_VARIABLE: &str = "PATH";
/// The variables that the engine reads. Folders stand here and not in its arguments, since a sandbox lets a process write to folders that
/// its arguments name; the address of a database has a password, which arguments would show to everyone on this machine.
const MODEL_VARIABLE: &str = "TOOLGATE_MODEL";
const OCR_VARIABLE: &str = "CAPABILITY_OCR_MODELS";
const POSTGRES_VARIABLE: &str = "TOOLGATE_ENGINE_POSTGRES";

/// The longest time limit of a document that the engine takes.
const PARSE_SECONDS_MAX: u64 = 24 * 60 * 60;

/// A process that is to be started.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct EngineProgram {
    pub(crate) command: PathBuf,
    pub(crate) args: Vec<String>,
    /// All of its environment.
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) folder: PathBuf,
    pub(crate) network: NetworkAccess,
}

impl EngineProgram {
    /// The program that is installed, or the places that do not have it.
    pub(crate) fn find(
        settings: &EngineSettings,
        beside: &[PathBuf],
        env: &BTreeMap<String, String>,
    ) -> Result<Self, String> {
        Ok(Self {
            command: command(settings, beside, env)?,
            args: args(settings),
            env: environment(settings, env),
            folder: settings.folder.clone(),
            network: match settings.postgres {
                Some(_) => NetworkAccess::Open,
                None => NetworkAccess::Closed,
            },
        })
    }
}

fn command(
    settings: &EngineSettings,
    beside: &[PathBuf],
    env: &BTreeMap<String, String>,
) -> Result<PathBuf, String> {
    if let Some(command) = &settings.command {
        let missing = || format!("{} of `[engine] command` is no program", command.display());
        return is_program(command).then(|| command.clone()).ok_or_else(missing);
    }
    let on_path = env.get(PATH_VARIABLE).map(String::as_str).unwrap_or_default().split(':');
    let on_path = on_path.filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let mut places = beside.iter().cloned().chain(on_path).map(|folder| folder.join(NAME));
    places.find(|place| is_program(place)).ok_or_else(|| {
        format!("there is no program {NAME} beside the gateway, among the capability servers or on PATH")
    })
}

fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

fn args(settings: &EngineSettings) -> Vec<String> {
    let limits = &settings.limits;
    let options = [
        ("--folder", settings.folder.display().to_string()),
        ("--contents-bytes-max", settings.contents_bytes_max.to_string()),
        ("--parse-seconds", limits.parse.as_secs().clamp(1, PARSE_SECONDS_MAX).to_string()),
        ("--threads", limits.parallel().to_string()),
    ];
    options.into_iter().flat_map(|(option, value)| [option.to_owned(), value]).collect()
}

fn environment(settings: &EngineSettings, inherited: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let folder = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let own = [
        (MODEL_VARIABLE, folder(&settings.model)),
        (OCR_VARIABLE, folder(&settings.ocr)),
        (POSTGRES_VARIABLE, settings.postgres.clone()),
    ];
    let own = own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    inherited.clone().into_iter().chain(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program_in(folder: &Path) -> PathBuf {
        let path = folder.join(NAME);
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn it_is_found_beside_the_gateway_then_on_the_path_unless_it_is_named() {
        let (beside, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = format!("/nowhere:{}", elsewhere.path().display());
        let env = BTreeMap::from([(PATH_VARIABLE.to_owned(), path)]);
        let mut settings = EngineSettings::in_folder("/var/lib/engine".into());
        let folders = [beside.path().to_owned()];
        let find = |settings: &EngineSettings| {
            EngineProgram::find(settings, &folders, &env).map(|found| found.command)
        };
        assert!(find(&settings).unwrap_err().contains("no program toolgate-engine"));
        let on_path = program_in(elsewhere.path());
        assert_eq!(find(&settings), Ok(on_path));
        let near = program_in(beside.path());
        assert_eq!(find(&settings), Ok(near));
        settings.command = Some("/nowhere/else".into());
        assert!(find(&settings).unwrap_err().contains("/nowhere/else"));
    }

    #[test]
    fn a_password_is_no_argument_and_only_a_database_needs_the_network() {
        let mut settings = EngineSettings::in_folder("/var/lib/engine".into());
        settings.command = Some("/bin/sh".into());
        let env = BTreeMap::from([("HOME".to_owned(), "/home/me".to_owned())]);
        let plain = EngineProgram::find(&settings, &[], &env).unwrap();
        assert_eq!((plain.network, plain.env.len()), (NetworkAccess::Closed, 1));
        settings.postgres = Some("postgres://me:secret@host/db".to_owned());
        settings.model = Some("/models/m".into());
        let online = EngineProgram::find(&settings, &[], &env).unwrap();
        assert_eq!(online.network, NetworkAccess::Open);
        assert!(online.args.iter().all(|arg| !arg.contains("secret") && !arg.contains("/models")));
        assert_eq!(online.env[POSTGRES_VARIABLE], "postgres://me:secret@host/db");
        assert_eq!(online.env[MODEL_VARIABLE], "/models/m");
    }
}
