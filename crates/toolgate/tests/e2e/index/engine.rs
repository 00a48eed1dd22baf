//! The process of the engine, for tests that stop or kill it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use toolgate_testkit::gateway::{Gateway, signal, until};

use crate::doors::WAIT;

/// The interval between looks at a moment that passes quickly.
const OFTEN: Duration = Duration::from_millis(2);

/// The engine of a gateway, if it runs.
pub(super) fn engine_of(gateway: &Gateway) -> Option<u32> {
    let entries = std::fs::read_dir("/proc").expect("Linux").filter_map(Result::ok);
    let mut ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.find(|id| {
        let is_child = stat(*id).is_some_and(|(state, parent)| parent == gateway.pid() && state != 'Z');
        is_child && is_engine(*id)
    })
}

/// The launcher in its place has another name until it has become the engine.
fn is_engine(id: u32) -> bool {
    let command = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let program = command.split(|byte| *byte == 0).next().unwrap_or_default();
    program.ends_with(b"toolgate-engine")
}

/// The state of a process, and its parent.
fn stat(id: u32) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name of the program is in brackets and may have blanks in it.
    let (_, after_name) = stat.rsplit_once(") ")?;
    let mut words = after_name.split(' ');
    Some((words.next()?.chars().next()?, words.next()?.parse().ok()?))
}

/// Kills the engine, and waits until it is gone.
pub(super) fn kill_engine(gateway: &Gateway) {
    signal("-KILL", engine_of(gateway).expect("the engine runs"));
    let gone = until(WAIT, || engine_of(gateway).is_none().then_some(()));
    gone.expect("a killed process ends");
}

/// An engine that stands still: requests to it are under way until it goes on, or is killed.
pub(super) struct FrozenEngine {
    pid: u32,
}

impl FrozenEngine {
    /// Stops the engine of a gateway.
    pub(super) fn of(gateway: &Gateway) -> Self {
        let pid = engine_of(gateway).expect("the engine runs");
        signal("-STOP", pid);
        let frozen = Self { pid };
        let stands = until(WAIT, || stat(pid).filter(|(state, _)| *state == 'T'));
        assert!(stands.is_some(), "the engine does not stand still");
        frozen
    }

    /// The same once its folder has this number of contents.
    pub(super) fn with_contents(gateway: &Gateway, count: usize) -> Self {
        let began = Instant::now();
        while contents(gateway.folder()).len() < count {
            assert!(began.elapsed() < WAIT, "the engine never had {count} contents");
            std::thread::sleep(OFTEN);
        }
        Self::of(gateway)
    }

    pub(super) fn goes_on(self) {
        drop(self);
    }

    pub(super) fn die(self) {
        signal("-KILL", self.pid);
    }
}

impl Drop for FrozenEngine {
    fn drop(&mut self) {
        signal("-CONT", self.pid);
    }
}

/// The contents in the folder of the engine.
fn contents(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(contents_folder(folder)) else { return Vec::new() };
    entries.filter_map(Result::ok).map(|entry| entry.path()).collect()
}

/// Their folder, of the gateway with this folder.
pub(super) fn contents_folder(folder: &Path) -> PathBuf {
    folder.join("data-engine").join("contents")
}
