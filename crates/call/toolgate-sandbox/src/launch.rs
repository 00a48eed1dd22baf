//! The launcher: one thread that gives up the rights in a plan and then becomes the server's program. It runs
//! before anything else of the gateway's program does, since a process with threads cannot enter a user
//! namespace.

use std::convert::Infallible;
use std::ffi::{CString, OsString};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::unistd::{Gid, Uid, getegid, geteuid, initgroups, setgid, setuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, remove_capability_from_bounding_set,
    set_capabilities,
};

use crate::means::SandboxSupport;
use crate::plan::{SandboxPlan, SandboxUser, all_but};

/// The shells' exit code for a program that was found and could not be started.
const NOT_STARTED: u8 = 126;
/// The Landlock that these rules were written for.
const LANDLOCK: ABI = ABI::V7;
const VERSIONS: [ABI; 7] = [ABI::V1, ABI::V2, ABI::V3, ABI::V4, ABI::V5, ABI::V6, ABI::V7];
const DEVICE_FOLDER: &str = "/dev";
/// All of its devices that a server has any business with.
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];
/// A program that makes namespaces has to say in this folder who it is there; all else in it may be read only.
const PROCESSES: &str = "/proc";
/// The number of root in the namespace of such a program: nobody can say who root is in a further one.
const ORDINARY_USER: u32 = 1000;
/// The replacement for a hidden file.
const NOTHING: &str = "/dev/null";
/// There are fewer, and the kernel reports their end.
const CAPABILITIES_MAX: u32 = 64;

#[derive(Debug, thiserror::Error)]
enum LaunchError {
    #[error("its plan cannot be read: {0}")]
    Plan(#[from] serde_json::Error),
    #[error("no program is named")]
    NoProgram,
    #[error("could not become the user {0:?}: {1}")]
    User(String, Errno),
    #[error("could not have namespaces of its own: {0}")]
    Namespaces(Errno),
    #[error("could not say who it is in its namespaces: {0}")]
    Identity(io::Error),
    #[error("could not hide {}: {}", .0.display(), .1.desc())]
    Hide(PathBuf, Errno),
    #[error("could not go to {}: {}", .0.display(), .1)]
    Folder(PathBuf, io::Error),
    #[error("could not restrict itself: {0}")]
    Landlock(#[from] RulesetError),
    #[error("could not restrict itself: the kernel has no Landlock any more")]
    NoLandlock,
    #[error("could not give up its capabilities: {0}")]
    Capabilities(io::Error),
    #[error("{0}")]
    Start(io::Error),
}

/// Becomes the program in `command`, restricted by `plan`. Returns only on failure.
pub fn launch(plan: &str, command: &[OsString]) -> ExitCode {
    match start(plan, command) {
        Ok(never) => match never {},
        Err(problem) => {
            let program = command.first().map(|program| program.to_string_lossy()).unwrap_or_default();
            eprintln!("toolgate could not start {program:?}: {problem}");
            NOT_STARTED.into()
        }
    }
}

/// Determines the available means by trying them.
pub fn probe() -> SandboxSupport {
    let hiding = enter_namespaces(CloneFlags::CLONE_NEWNET, None).and_then(|()| hide(Path::new("/proc")));
    let landlock = match restricted(Ruleset::default().handle_access(AccessFs::WriteFile)) {
        Ok(RestrictionStatus { landlock: LandlockStatus::Available { effective_abi, .. }, .. }) => {
            VERSIONS.iter().filter(|version| **version <= effective_abi).count()
        }
        _ => 0,
    };
    SandboxSupport {
        no_namespaces: hiding.err().map(|problem| problem.to_string()),
        landlock: u32::try_from(landlock).expect("a short list"),
    }
}

fn start(plan: &str, command: &[OsString]) -> Result<Infallible, LaunchError> {
    let mut plan: SandboxPlan = serde_json::from_str(plan)?;
    let (program, args) = command.split_first().ok_or(LaunchError::NoProgram)?;
    plan.user.as_ref().map(become_user).transpose()?;
    for folder in &plan.make {
        // Without it the program itself reports what is missing.
        drop(fs::create_dir_all(folder));
    }
    if plan.namespaces {
        let network = if plan.network { CloneFlags::empty() } else { CloneFlags::CLONE_NEWNET };
        let number = (plan.nested && geteuid().is_root()).then_some(ORDINARY_USER);
        enter_namespaces(network, number)?;
        // Without that protection the folder stays closed, and a browser has to do without its own sandbox.
        plan.nested = plan.nested && guard_processes().is_ok();
        plan.own.iter().chain(&plan.hidden).try_for_each(|place| hide(place))?;
    }
    // By its path, after hiding: a folder that was entered before would still be open.
    std::env::set_current_dir(&plan.cwd).map_err(|error| LaunchError::Folder(plan.cwd.clone(), error))?;
    prctl::set_no_new_privs().map_err(|error| LaunchError::Capabilities(error.into()))?;
    if plan.landlock {
        restrict(&plan)?;
    }
    give_up_capabilities()?;
    Err(LaunchError::Start(Command::new(program).args(args).exec()))
}

fn become_user(user: &SandboxUser) -> Result<(), LaunchError> {
    let problem = |error| LaunchError::User(user.name.clone(), error);
    let name = CString::new(user.name.as_str()).map_err(|_| problem(Errno::EINVAL))?;
    let (id, group) = (Uid::from_raw(user.user), Gid::from_raw(user.group));
    initgroups(&name, group).and_then(|()| setgid(group)).and_then(|()| setuid(id)).map_err(problem)?;
    // A process that changes its user is closed to that user, and could not write its own files in /proc.
    prctl::set_dumpable(true).map_err(problem)
}

/// In the new namespaces the user keeps its id, unless another number is given, and no other user exists.
fn enter_namespaces(more: CloneFlags, number: Option<u32>) -> Result<(), LaunchError> {
    let (user, group) = (geteuid(), getegid());
    let inner_user = number.unwrap_or(user.as_raw());
    let inner_group = number.unwrap_or(group.as_raw());
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS | more).map_err(LaunchError::Namespaces)?;
    let say = |file: &str, what: String| fs::write(Path::new("/proc/self").join(file), what);
    say("setgroups", "deny".to_owned())
        .and_then(|()| say("uid_map", format!("{inner_user} {user} 1")))
        .and_then(|()| say("gid_map", format!("{inner_group} {group} 1")))
        .map_err(LaunchError::Identity)
}

/// Settings of the kernel and of devices can only be read: a root without capabilities may change them otherwise.
fn guard_processes() -> nix::Result<()> {
    let entries = fs::read_dir(PROCESSES).map_err(|_| Errno::ENOENT)?;
    let settings = entries.flatten().filter(|entry| {
        let is_process = entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit());
        !is_process && entry.file_type().is_ok_and(|kind| !kind.is_symlink())
    });
    settings.map(|entry| entry.path()).try_for_each(|place| protect(&place))
}

fn protect(place: &Path) -> nix::Result<()> {
    const NO_TEXT: Option<&str> = None;
    let flags = MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some(place), place, NO_TEXT, MsFlags::MS_BIND | MsFlags::MS_REC, NO_TEXT)?;
    mount(NO_TEXT, place, NO_TEXT, MsFlags::MS_BIND | MsFlags::MS_REMOUNT | flags, NO_TEXT)
}

fn hide(place: &Path) -> Result<(), LaunchError> {
    const NO_TEXT: Option<&str> = None;
    // A missing or unreachable place is hidden already.
    let Ok(data) = fs::metadata(place) else { return Ok(()) };
    let hidden = if data.is_dir() {
        let flags = MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        mount(Some("tmpfs"), place, Some("tmpfs"), flags, Some("mode=0555,size=4k"))
    } else {
        mount(Some(NOTHING), place, NO_TEXT, MsFlags::MS_BIND, NO_TEXT)
    };
    hidden.map_err(|error| LaunchError::Hide(place.to_owned(), error))
}

fn restrict(plan: &SandboxPlan) -> Result<(), LaunchError> {
    let write = AccessFs::from_write(LANDLOCK);
    let mut ruleset =
        Ruleset::default().handle_access(write | AccessFs::ReadFile)?.scope(Scope::from_all(LANDLOCK))?;
    if !plan.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(LANDLOCK))?;
    }
    // If nothing can be mounted over it, the gateway's own data is excluded from the readable paths.
    let kept: &[PathBuf] = if plan.namespaces { &[] } else { &plan.own };
    let readable = all_but(Path::new("/"), &[kept, &[DEVICE_FOLDER.into()]].concat());
    let writable: Vec<PathBuf> = plan.write.iter().flat_map(|place| all_but(place, kept)).collect();
    let processes = Some(PROCESSES).filter(|_| plan.nested && plan.namespaces);
    let of_process = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
    let of_device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    let rules = path_beneath_rules(readable, AccessFs::ReadFile)
        .chain(path_beneath_rules(DEVICES, of_device))
        .chain(path_beneath_rules(processes, of_process))
        .chain(path_beneath_rules(writable, write | AccessFs::ReadFile));
    match ruleset.create()?.add_rules(rules)?.restrict_self()?.ruleset {
        RulesetStatus::NotEnforced => Err(LaunchError::NoLandlock),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
    }
}

fn restricted(ruleset: Result<Ruleset, RulesetError>) -> Result<RestrictionStatus, RulesetError> {
    ruleset?.create()?.restrict_self()
}

/// Inside its namespaces it could do anything until here, unmounting included.
fn give_up_capabilities() -> Result<(), LaunchError> {
    let problem = |error: rustix::io::Errno| LaunchError::Capabilities(error.into());
    for number in 0..CAPABILITIES_MAX {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        match remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            // No capability of this number; or a user that has none to give up, and cannot get any.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::PERM) => break,
            Err(error) => return Err(problem(error)),
        }
    }
    clear_ambient_capability_set().map_err(problem)?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
        .map_err(problem)
}
