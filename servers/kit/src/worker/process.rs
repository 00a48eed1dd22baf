//! One worker from the server's side: a process in its own group, with pipes.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{REFS_VARIABLE, WORKER_VARIABLE, WorkerReply, frames};
use crate::cli::TOKEN_VARIABLE;
use crate::environment;

/// The running program, even if its file has been replaced since.
const ITSELF: &str = "/proc/self/exe";
/// The allocator reserves address space for each of its arenas, of which it makes many on large machines; all
/// of it counts towards the limit.
const ARENAS_VARIABLE: &str = "MALLOC_ARENA_MAX";
const ARENAS: &str = "4";
/// The time from a worker's start to its first message. A machine may be busy.
const START_LIMIT: Duration = Duration::from_secs(20);
/// The time for the end of a worker's process and of its stderr once its pipes are closed.
const END_LIMIT: Duration = Duration::from_secs(2);
/// The amount of a worker's last output that is kept.
const WORDS_BYTES_MAX: usize = 4 << 10;

/// The way workers are started: like this program.
pub(super) struct Launch {
    pub(super) refs: PathBuf,
    /// Variables that they must not have.
    pub(super) hidden: &'static [&'static str],
}

pub(super) struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    words: Arc<Mutex<VecDeque<u8>>>,
    listener: JoinSet<()>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    #[error("starting it failed: {0}")]
    Spawn(#[source] io::Error),
    #[error("it ended before it was ready: {0}")]
    Ended(#[source] io::Error),
    #[error("it was not ready within {} s", START_LIMIT.as_secs())]
    Slow,
}

impl Launch {
    /// A worker that is ready for a job.
    pub(super) async fn start(&self) -> Result<Worker, StartError> {
        let mut worker = self.spawn().map_err(StartError::Spawn)?;
        match timeout(START_LIMIT, worker.receive()).await {
            Ok(Ok(WorkerReply::Ready)) => Ok(worker),
            Ok(Ok(_)) => Err(StartError::Ended(io::Error::other("its first word was another one"))),
            Ok(Err(error)) => Err(StartError::Ended(error)),
            Err(_) => Err(StartError::Slow),
        }
    }

    fn spawn(&self) -> io::Result<Worker> {
        let mut arguments = std::env::args_os();
        let name = arguments.next().unwrap_or_else(|| OsString::from(ITSELF));
        let mut command = Command::new(ITSELF);
        command.arg0(name).args(arguments).env(WORKER_VARIABLE, "1").env(REFS_VARIABLE, &self.refs);
        if environment::variable(ARENAS_VARIABLE).is_none() {
            command.env(ARENAS_VARIABLE, ARENAS);
        }
        for variable in self.hidden {
            command.env_remove(variable);
        }
        // Workers read untrusted data; they must not have the token.
        command.env_remove(TOKEN_VARIABLE).process_group(0).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(io::Error::other("a pipe is missing"));
        };
        let words = Arc::default();
        let mut listener = JoinSet::new();
        listener.spawn(listen(errors, Arc::clone(&words)));
        Ok(Worker { child, input, output: BufReader::new(output), words, listener })
    }
}

/// Passes on the worker's stderr, and remembers its end.
async fn listen(mut errors: ChildStderr, words: Arc<Mutex<VecDeque<u8>>>) {
    const PIECE: usize = 1 << 10;
    let mut piece = [0; PIECE];
    let mut stderr = tokio::io::stderr();
    while let Ok(length @ 1..) = errors.read(&mut piece).await {
        {
            let mut words = words.lock();
            words.extend(&piece[..length]);
            let surplus = words.len().saturating_sub(WORDS_BYTES_MAX);
            words.drain(..surplus);
        }
        if stderr.write_all(&piece[..length]).await.is_err() {
            tracing::trace!("stderr is closed");
        }
    }
}

impl Worker {
    /// Earlier output no longer counts as its last words.
    pub(super) async fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        self.words.lock().clear();
        self.input.write_all(frame).await?;
        self.input.flush().await
    }

    pub(super) async fn receive(&mut self) -> io::Result<WorkerReply> {
        let content = frames::receive(&mut self.output).await?;
        serde_json::from_slice(&content).map_err(io::Error::other)
    }

    /// A waiting worker may have been killed from outside.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Its current memory in bytes; `None` if it is gone.
    pub(super) fn resident(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()?)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
        Some(kib << 10)
    }

    /// Waits for a worker that is ending by itself, and returns its end.
    pub(super) async fn autopsy(mut self) -> (Option<ExitStatus>, String) {
        // Its status is final once its pipes are closed; a program that it started may live on.
        self.kill();
        let status = timeout(END_LIMIT, self.child.wait()).await.ok().and_then(Result::ok);
        drop(timeout(END_LIMIT, self.listener.join_next()).await);
        let mut words = self.words.lock().clone();
        (status, String::from_utf8_lossy(words.make_contiguous()).into_owned())
    }

    fn kill(&self) {
        // Without an id it has been waited for, and the number may have been reused.
        if let Some(id) = self.child.id()
            && let Err(error) = killpg(Pid::from_raw(id as i32), Signal::SIGKILL)
        {
            tracing::debug!(%error, id, "a worker was gone before it was ended");
        }
    }
}

/// With the programs that it has started.
impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}
