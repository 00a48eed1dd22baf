//! From the operator's openings for a server to the plan for its process.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use nix::unistd::{User, geteuid};
use toolgate_core::server::{Confinement, NetworkAccess, Sandbox, SandboxOpenings, TransportSpec};

use crate::means::SandboxSupport;
use crate::places;
use crate::plan::{SandboxPlan, SandboxUser, overlap};
use crate::program;
use crate::words;

/// System folders. Naming one as an argument, or starting a gateway there, does not mean that it may be
/// changed.
const SYSTEM: [&str; 13] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/opt", "/proc", "/run", "/sbin", "/sys",
    "/usr",
];

/// The gateway's own paths to hide, and its folder.
#[derive(Clone, Debug)]
pub struct GatewayPaths {
    /// Folders and files that the gateway keeps; absolute. Servers do not see them.
    pub own: Vec<PathBuf>,
    /// Files that determine the gateway's behaviour, and that servers may read: its program, and programs
    /// that it starts by itself.
    pub guarded: Vec<PathBuf>,
    pub home: Option<PathBuf>,
    /// The gateway's working folder.
    pub cwd: PathBuf,
}

/// The treatment of a server that this machine cannot confine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConfinementDemand {
    /// It runs with the available means, and its state shows that.
    Wanted,
    /// It does not start.
    Required,
}

/// Makes plans for the processes of one gateway.
pub struct Confiner {
    /// A program that ends in [`crate::launch`], or in [`crate::probe`] without a plan, and its arguments
    /// before the plan.
    launcher: (PathBuf, Vec<String>),
    ground: GatewayPaths,
    demand: ConfinementDemand,
    /// Determined on first use: many commands start no process at all.
    means: OnceLock<SandboxSupport>,
}

/// A process that is to be started.
#[derive(Clone, Copy)]
pub struct ProcessSpec<'a> {
    pub command: &'a str,
    pub args: &'a [String],
    /// All of its environment.
    pub env: &'a BTreeMap<String, String>,
    pub cwd: Option<&'a Path>,
    pub sandbox: &'a Sandbox,
}

impl<'a> ProcessSpec<'a> {
    /// `None` for a server that is no process of ours.
    pub fn of(transport: &'a TransportSpec, env: &'a BTreeMap<String, String>) -> Option<Self> {
        let TransportSpec::Stdio { command, args, cwd, sandbox, .. } = transport else { return None };
        Some(Self { command, args, env, cwd: cwd.as_deref(), sandbox })
    }
}

/// The program to start in place of the process, to become it.
#[derive(Debug)]
pub struct StartCommand {
    pub program: PathBuf,
    pub args: Vec<String>,
    /// Beyond the environment of the process.
    pub env: BTreeMap<String, String>,
}

/// The reason why a process is not started.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    #[error("{0}")]
    Program(#[source] io::Error),
    #[error("{} lies in what the gateway keeps, which servers do not see: put it elsewhere", .0.display())]
    Hidden(PathBuf),
    #[error("`[sandbox] required` is set and this machine cannot confine it: {}", .0.join("; "))]
    Unconfined(Vec<String>),
    #[error("there is no user {0:?} on this machine: check `sandbox.user`")]
    NoUser(String),
    #[error("`sandbox.user` needs a gateway that runs as root")]
    NotRoot,
    #[error("the user {0:?} could not be looked up: {1}")]
    User(String, #[source] nix::errno::Errno),
    #[error("a path in its sandbox is not text: {0}")]
    Path(#[source] serde_json::Error),
}

impl Confiner {
    pub fn new(launcher: (PathBuf, Vec<String>), ground: GatewayPaths, demand: ConfinementDemand) -> Self {
        Self { launcher, ground, demand, means: OnceLock::new() }
    }

    /// The means of this machine. The first call takes some milliseconds.
    pub fn means(&self) -> &SandboxSupport {
        self.means.get_or_init(|| SandboxSupport::ask(&self.launcher.0, &self.launcher.1))
    }

    /// The program to start for this process; `None` if it is started directly.
    pub fn start(&self, process: &ProcessSpec<'_>) -> Result<Option<StartCommand>, ConfineError> {
        let Sandbox::On(openings) = process.sandbox else { return Ok(None) };
        let lacking = self.means().lacking();
        if self.demand == ConfinementDemand::Required && !lacking.is_empty() {
            return Err(ConfineError::Unconfined(lacking));
        }
        if cfg!(not(target_os = "linux")) {
            return Ok(None);
        }
        let plan = self.plan(process, openings)?;
        let found = program::find(process.command, process.env, &plan.cwd).map_err(ConfineError::Program)?;
        let real = real(&found);
        if plan.own.iter().any(|own| real.starts_with(own)) {
            return Err(ConfineError::Hidden(found));
        }
        let (program, before) = self.launcher.clone();
        let written = serde_json::to_string(&plan).map_err(ConfineError::Path)?;
        let command = [written, "--".to_owned(), process.command.to_owned()];
        let args = before.into_iter().chain(command).chain(process.args.iter().cloned()).collect();
        Ok(Some(StartCommand { program, args, env: plan.user.map(identity).unwrap_or_default() }))
    }

    /// The confinement of a server's process that inherits this environment, in words. `None` if it is not a
    /// process of ours.
    pub fn confinement(
        &self,
        transport: &TransportSpec,
        inherited: &BTreeMap<String, String>,
    ) -> Option<Confinement> {
        let TransportSpec::Stdio { env, .. } = transport else { return None };
        let env = inherited.iter().chain(env).map(|(name, value)| (name.clone(), value.clone())).collect();
        let process = ProcessSpec::of(transport, &env)?;
        Some(match process.sandbox {
            Sandbox::Off => words::off(),
            Sandbox::On(openings) => match self.plan(&process, openings) {
                Ok(plan) => words::of(&plan, self.means(), self.demand),
                Err(refused) => words::refused(&refused),
            },
        })
    }

    pub(crate) fn plan(
        &self,
        process: &ProcessSpec<'_>,
        openings: &SandboxOpenings,
    ) -> Result<SandboxPlan, ConfineError> {
        let user = openings.user.as_deref().map(person).transpose()?;
        let home = user.as_ref().map(|user| user.home.clone()).or_else(|| self.ground.home.clone());
        let own: Vec<PathBuf> = outermost(self.ground.own.iter().map(|own| real(own)).collect());
        let cwd = self.cwd(process, user.as_ref(), &own)?;
        let hidden = hidden(process, openings, home.as_deref(), user.as_ref());
        let guarded: Vec<PathBuf> = self.ground.guarded.iter().map(|path| real(path)).collect();
        let closed = [own.clone(), hidden.clone(), guarded].concat();
        let given = GivenFolders { closed: &closed, home: home.as_deref() };
        let write = [
            places::temporary(process.env),
            places::caches(home.as_deref(), process.env),
            given.of(process, &cwd),
            openings.write.clone(),
        ];
        let write: BTreeSet<PathBuf> = write.concat().iter().map(|path| real(path)).collect();
        let caches = home.iter().flat_map(|home| places::needed_caches(home, process.command));
        // A folder must exist before writing to it can be allowed.
        let make = caches.chain(openings.write.iter().filter(|path| !path.exists()).cloned()).collect();
        Ok(SandboxPlan {
            cwd,
            make,
            write: write.into_iter().collect(),
            own,
            hidden,
            network: openings.network == NetworkAccess::Open,
            nested: self.means().has_namespaces() && places::is_confiner(process.command),
            namespaces: self.means().has_namespaces(),
            landlock: self.means().has_landlock(),
            user,
        })
    }

    /// A gateway may run in its data folder; its servers cannot. Another user runs at home, since it may have
    /// no access here.
    fn cwd(
        &self,
        process: &ProcessSpec<'_>,
        user: Option<&SandboxUser>,
        own: &[PathBuf],
    ) -> Result<PathBuf, ConfineError> {
        let cwd = match (process.cwd, user) {
            (Some(cwd), _) => real(cwd),
            (None, None) => real(&self.ground.cwd),
            (None, Some(user)) => existing(&user.home).unwrap_or_else(|| "/".into()),
        };
        match own.iter().any(|own| cwd.starts_with(own)) {
            false => Ok(cwd),
            true if process.cwd.is_some() => Err(ConfineError::Hidden(cwd)),
            true => Ok("/".into()),
        }
    }
}

/// Well-known private places, except for those that are opened.
fn hidden(
    process: &ProcessSpec<'_>,
    openings: &SandboxOpenings,
    home: Option<&Path>,
    user: Option<&SandboxUser>,
) -> Vec<PathBuf> {
    let read: Vec<PathBuf> = openings.read.iter().map(|path| real(path)).collect();
    let written: Vec<PathBuf> = openings.write.iter().map(|path| real(path)).collect();
    // Write access to a whole home folder does not include the keys in it.
    let is_opened = |path: &PathBuf| read.iter().any(|read| path.starts_with(read)) || written.contains(path);
    let number = user.map_or_else(|| geteuid().as_raw(), |user| user.user);
    let secrets = home.into_iter().flat_map(|home| places::secrets(home, process.command));
    let known = secrets.chain(places::sockets(number, process.command)).filter_map(|path| existing(&path));
    outermost(known.filter(|path| !is_opened(path)).collect())
}

/// The folders that the operator gave a server implicitly: its working folder, and folders in its arguments.
struct GivenFolders<'a> {
    /// Places that they must neither contain nor lie in.
    closed: &'a [PathBuf],
    home: Option<&'a Path>,
}

impl GivenFolders<'_> {
    fn of(&self, process: &ProcessSpec<'_>, cwd: &Path) -> Vec<PathBuf> {
        let named = process.args.iter().filter_map(|arg| folder_in(arg, cwd));
        named.chain([cwd.to_owned()]).filter(|folder| self.may_be_changed(folder)).collect()
    }

    /// Write access to the gateway's configuration would allow becoming the gateway, and write access to a
    /// home folder its owner: those are given by name or not at all.
    fn may_be_changed(&self, folder: &Path) -> bool {
        let is_system = SYSTEM.iter().any(|system| folder.starts_with(system));
        let is_above_home = self.home.is_some_and(|home| home.starts_with(folder));
        let is_closed = self.closed.iter().any(|place| overlap(place, folder));
        folder.parent().is_some() && !is_system && !is_above_home && !is_closed
    }
}

/// The folder that an argument names, alone or as `--option=FOLDER`.
fn folder_in(arg: &str, cwd: &Path) -> Option<PathBuf> {
    let text = match arg.split_once('=') {
        Some((option, value)) if option.starts_with('-') => value,
        _ => arg,
    };
    let is_path = text.starts_with(['/', '.']);
    Some(cwd.join(text)).filter(|path| is_path && path.is_dir()).map(|path| real(&path))
}

fn person(name: &str) -> Result<SandboxUser, ConfineError> {
    if !geteuid().is_root() {
        return Err(ConfineError::NotRoot);
    }
    let found = User::from_name(name).map_err(|error| ConfineError::User(name.to_owned(), error))?;
    let found = found.ok_or_else(|| ConfineError::NoUser(name.to_owned()))?;
    Ok(SandboxUser { name: found.name, user: found.uid.as_raw(), group: found.gid.as_raw(), home: found.dir })
}

fn identity(user: SandboxUser) -> BTreeMap<String, String> {
    let home = user.home.to_string_lossy().into_owned();
    [("HOME", home), ("USER", user.name.clone()), ("LOGNAME", user.name)]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
}

/// The real path; unchanged if it does not exist.
fn real(path: &Path) -> PathBuf {
    existing(path).unwrap_or_else(|| path.to_owned())
}

fn existing(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// Without those that lie in another.
fn outermost(places: BTreeSet<PathBuf>) -> Vec<PathBuf> {
    // Sorted, a folder comes before its content.
    let mut outermost: Vec<PathBuf> = Vec::new();
    for place in places {
        if !outermost.iter().any(|outer| place.starts_with(outer)) {
            outermost.push(place);
        }
    }
    outermost
}

#[cfg(test)]
mod tests {
    use super::*;

    struct ConfinerScene {
        folder: tempfile::TempDir,
        confiner: Confiner,
    }

    /// A home folder with secrets, a gateway's folder in it, and a folder of documents.
    fn scene() -> ConfinerScene {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        for path in [".ssh", ".aws", ".npm", "gate/data/deep", "docs/work", "programs"] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        fs::write(home.join("gate/toolgate.toml"), "").unwrap();
        let ground = GatewayPaths {
            own: vec![
                home.join("gate/data"),
                home.join("gate/toolgate.toml"),
                home.join("gate/data/vault.key"),
            ],
            guarded: vec![home.join("programs")],
            home: Some(home.clone()),
            cwd: home.join("gate"),
        };
        let means = SandboxSupport { no_namespaces: None, landlock: 7 };
        let launcher = ("/bin/launcher".into(), vec!["confine".into()]);
        let confiner =
            Confiner { means: means.into(), ..Confiner::new(launcher, ground, ConfinementDemand::Wanted) };
        ConfinerScene { folder, confiner }
    }

    impl ConfinerScene {
        fn at(&self, path: &str) -> PathBuf {
            fs::canonicalize(self.folder.path()).unwrap().join(path)
        }

        fn plan(&self, args: &[&str], cwd: Option<&str>, openings: &SandboxOpenings) -> SandboxPlan {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            let cwd = cwd.map(|cwd| self.at(cwd));
            let sandbox = Sandbox::On(openings.clone());
            let env = BTreeMap::new();
            let process = ProcessSpec {
                command: "npx",
                args: &args,
                env: &env,
                cwd: cwd.as_deref(),
                sandbox: &sandbox,
            };
            self.confiner.plan(&process, openings).unwrap()
        }
    }

    #[test]
    fn what_the_gateway_keeps_and_secrets_are_hidden() {
        let scene = scene();
        let plan = scene.plan(&[], None, &SandboxOpenings::default());
        assert_eq!(plan.own, [scene.at("gate/data"), scene.at("gate/toolgate.toml")]);
        assert!(plan.hidden.contains(&scene.at(".ssh")) && plan.hidden.contains(&scene.at(".aws")));
        assert!(plan.write.contains(&scene.at(".npm")) && plan.write.contains(&"/tmp".into()));
        assert!(!plan.write.contains(&scene.at("gate")), "the configuration is there");
        assert!(plan.network);
    }

    #[test]
    fn what_is_opened_is_not_hidden_but_for_what_the_gateway_keeps() {
        let scene = scene();
        let openings = SandboxOpenings {
            read: vec![scene.at(".ssh"), scene.at("gate/data")],
            write: vec![scene.at("docs"), scene.at("new")],
            network: NetworkAccess::Closed,
            ..SandboxOpenings::default()
        };
        let plan = scene.plan(&[], None, &openings);
        assert!(!plan.hidden.contains(&scene.at(".ssh")) && plan.hidden.contains(&scene.at(".aws")));
        assert!(plan.own.contains(&scene.at("gate/data")));
        assert!(plan.write.contains(&scene.at("docs")) && plan.make.contains(&scene.at("new")));
        assert!(!plan.network);
    }

    #[test]
    fn folders_that_arguments_name_are_given_but_not_whole_homes() {
        let scene = scene();
        let docs = scene.at("docs").display().to_string();
        let home = scene.at("").display().to_string();
        let option = format!("--root={docs}/work");
        let plan = scene.plan(&[&docs], None, &SandboxOpenings::default());
        assert!(plan.write.contains(&scene.at("docs")));
        let plan = scene.plan(&[&option, "work", "-y"], Some("docs"), &SandboxOpenings::default());
        assert!(plan.write.contains(&scene.at("docs/work")) && plan.write.contains(&scene.at("docs")));
        let programs = scene.at("programs").display().to_string();
        let plan = scene.plan(&[&home, ".", "/", "/etc", &programs], None, &SandboxOpenings::default());
        for folder in [scene.at(""), scene.at("gate"), "/".into(), "/etc".into(), scene.at("programs")] {
            let folder = fs::canonicalize(folder).unwrap();
            assert!(!plan.write.contains(&folder), "{}", folder.display());
        }
    }

    #[test]
    fn a_working_folder_within_the_data_is_none() {
        let mut scene = scene();
        scene.confiner.ground.cwd = scene.at("gate/data/deep");
        assert_eq!(scene.plan(&[], None, &SandboxOpenings::default()).cwd, Path::new("/"));
        let (cwd, sandbox, env) = (scene.at("gate/data"), Sandbox::default(), BTreeMap::new());
        let process =
            ProcessSpec { command: "npx", args: &[], env: &env, cwd: Some(&cwd), sandbox: &sandbox };
        assert!(matches!(scene.confiner.start(&process), Err(ConfineError::Hidden(_))));
    }

    #[test]
    fn a_required_sandbox_that_cannot_be_had_starts_nothing() {
        let mut scene = scene();
        scene.confiner.means = SandboxSupport::none("no").into();
        scene.confiner.demand = ConfinementDemand::Required;
        let (sandbox, env) = (Sandbox::default(), BTreeMap::new());
        let process = ProcessSpec { command: "sh", args: &[], env: &env, cwd: None, sandbox: &sandbox };
        assert!(matches!(scene.confiner.start(&process), Err(ConfineError::Unconfined(_))));
        let off = ProcessSpec { sandbox: &Sandbox::Off, ..process };
        assert!(matches!(scene.confiner.start(&off), Ok(None)), "the operator said so");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_command_stands_behind_the_plan() {
        let scene = scene();
        let (sandbox, env) = (Sandbox::default(), BTreeMap::new());
        let args = ["-c".to_owned(), "true".to_owned()];
        let process = ProcessSpec { command: "sh", args: &args, env: &env, cwd: None, sandbox: &sandbox };
        let start = scene.confiner.start(&process).unwrap().expect("it is confined");
        assert_eq!(start.program, Path::new("/bin/launcher"));
        assert_eq!(start.args[0], "confine");
        assert_eq!(start.args[2..], ["--", "sh", "-c", "true"]);
        let missing = ProcessSpec { command: "nobody-has-this", ..process };
        assert!(matches!(scene.confiner.start(&missing), Err(ConfineError::Program(_))));
    }
}
