//! The process of the engine: started and confined, its pipes, and its end with everything that it started.

use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::server::{Sandbox, SandboxOpenings};
use toolgate_sandbox::{ConfineError, Confiner, ProcessSpec, StartCommand};

use crate::program::EngineProgram;
use crate::reading::{EngineLog, read_answers, read_log};
use crate::talk::{EngineEnds, EngineTalk};
use crate::waiting::{RequestTrouble, WaitingRequests};

/// The time to end by itself when the input is closed, before it is asked to.
const CLOSED_PATIENCE: Duration = Duration::from_millis(500);
/// The time to end when it is asked to, or killed.
const END_PATIENCE: Duration = Duration::from_secs(2);
/// The time for reading output that was written before the end.
const DRAIN: Duration = Duration::from_secs(1);
/// The name of a launcher until it has become the program.
const LAUNCHER: &str = "toolgate";

/// The reason why the engine did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartTrouble {
    #[error("the engine is not installed: {0}")]
    Missing(String),
    #[error("the folder of the engine, {}, cannot be used: {source}", .path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("the engine cannot be confined: {0}")]
    Confine(#[source] ConfineError),
    #[error("the engine could not be started: {0}")]
    Spawn(#[source] io::Error),
    #[error("the engine did not come up: {0}")]
    Silent(#[source] RequestTrouble),
    #[error("the engine speaks version {theirs} of the protocol, and this gateway version {ours}")]
    Protocol { theirs: u64, ours: u32 },
    #[error("the engine did not come up: its greeting is none: {0}")]
    Greeting(#[source] serde_json::Error),
}

/// Starts the process. Its tasks are those of `tasks`; it ends with `stop`, or when the talk is dropped.
pub(crate) fn start(
    program: &EngineProgram,
    confiner: Option<&Confiner>,
    tasks: &TaskTracker,
    stop: CancellationToken,
    patience: Duration,
) -> Result<EngineTalk, StartTrouble> {
    let mut child = spawn(program, confiner)?;
    let pid = child.id().expect("a child that was just spawned has not been waited for");
    let input = child.stdin.take().expect("standard input is piped");
    let output = child.stdout.take().expect("standard output is piped");
    let errors = child.stderr.take().expect("standard error is piped");
    let (talk, outgoing) = EngineTalk::new(stop, patience);
    let (ends, waiting, log) = (talk.ends.clone(), talk.waiting.clone(), Arc::<EngineLog>::default());
    tasks.spawn(ends.stop.clone().run_until_cancelled_owned(write_lines(input, outgoing)));
    let reading = tasks.spawn(read_answers(output, waiting.clone(), ends.kill.clone()));
    let logging = tasks.spawn(read_log(errors, log.clone()));
    let keeper = EngineKeeper { child, pid, ends, waiting, log };
    tasks.spawn(keeper.keep(reading, logging));
    Ok(talk)
}

fn spawn(program: &EngineProgram, confiner: Option<&Confiner>) -> Result<Child, StartTrouble> {
    let mut env = program.env.clone();
    let mut process = match confined(program, confiner)? {
        Some(start) => {
            env.extend(start.env);
            let mut launcher = Command::new(start.program);
            launcher.arg0(LAUNCHER).args(start.args);
            launcher
        }
        None => {
            let mut plain = Command::new(&program.command);
            plain.args(&program.args);
            plain
        }
    };
    process.env_clear().envs(env).current_dir(&program.folder);
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    process.process_group(0).kill_on_drop(true);
    process.spawn().map_err(StartTrouble::Spawn)
}

/// The launcher that is started in place of the program, to become it; `None` without a confiner.
fn confined(
    program: &EngineProgram,
    confiner: Option<&Confiner>,
) -> Result<Option<StartCommand>, StartTrouble> {
    let Some(confiner) = confiner else { return Ok(None) };
    let write = vec![program.folder.clone()];
    let openings = SandboxOpenings { write, network: program.network, ..SandboxOpenings::default() };
    let command = program.command.display().to_string();
    let process = ProcessSpec {
        command: &command,
        args: &program.args,
        env: &program.env,
        cwd: Some(&program.folder),
        sandbox: &Sandbox::On(openings),
    };
    confiner.start(&process).map_err(|refused| match refused {
        ConfineError::Program(source) => StartTrouble::Spawn(source),
        refused => StartTrouble::Confine(refused),
    })
}

async fn write_lines(mut input: ChildStdin, mut outgoing: mpsc::Receiver<String>) {
    while let Some(line) = outgoing.recv().await {
        let is_written = input.write_all(line.as_bytes()).await.is_ok() && input.flush().await.is_ok();
        if !is_written {
            return;
        }
    }
}

/// Waits for the end of the engine, causes it on request, and leaves nothing of its group behind.
struct EngineKeeper {
    child: Child,
    pid: u32,
    ends: EngineEnds,
    waiting: Arc<WaitingRequests>,
    log: Arc<EngineLog>,
}

enum EngineEnd {
    Exited(Option<ExitStatus>),
    OutputClosed,
    Killed,
    Stopped,
}

impl EngineKeeper {
    async fn keep(mut self, mut reading: JoinHandle<()>, logging: JoinHandle<()>) {
        let end = tokio::select! {
            biased;
            status = self.child.wait() => EngineEnd::Exited(status.ok()),
            () = self.ends.kill.cancelled() => EngineEnd::Killed,
            _ = &mut reading => EngineEnd::OutputClosed,
            () = self.ends.stop.cancelled() => EngineEnd::Stopped,
        };
        let status = match &end {
            EngineEnd::Exited(status) => *status,
            EngineEnd::OutputClosed => timeout(DRAIN, self.child.wait()).await.ok().and_then(Result::ok),
            EngineEnd::Killed => None,
            EngineEnd::Stopped => self.terminate().await,
        };
        self.ends.stop.cancel();
        signal_group(self.pid, Signal::SIGKILL);
        if status.is_none() {
            drop(timeout(END_PATIENCE, self.child.wait()).await);
        }
        if !reading.is_finished() {
            drop(timeout(DRAIN, &mut reading).await);
            reading.abort();
        }
        drop(timeout(DRAIN, logging).await);
        self.tell_end(&end, status);
    }

    /// Input closed (its writer does so), then a request to terminate.
    async fn terminate(&mut self) -> Option<ExitStatus> {
        if let Ok(status) = timeout(CLOSED_PATIENCE, self.child.wait()).await {
            return status.ok();
        }
        signal_group(self.pid, Signal::SIGTERM);
        timeout(END_PATIENCE, self.child.wait()).await.ok().and_then(Result::ok)
    }

    fn tell_end(&self, end: &EngineEnd, status: Option<ExitStatus>) {
        let why = match (end, status) {
            (EngineEnd::Stopped, _) => "was stopped".to_owned(),
            (EngineEnd::Killed, _) => "was killed, since it did not answer as it should".to_owned(),
            (_, Some(status)) => self.log.after(&exit_in_words(status)),
            (_, None) => self.log.after("closed its output"),
        };
        if !matches!(end, EngineEnd::Stopped) {
            tracing::warn!("the engine {why}");
        }
        self.waiting.end(&why);
        self.ends.gone.cancel();
    }
}

fn exit_in_words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal().map(Signal::try_from)) {
        (Some(code), _) => format!("exited with status {code}"),
        (None, Some(Ok(signal))) => format!("was ended by {signal}"),
        (None, _) => "was ended by a signal".to_owned(),
    }
}

/// Signals every process of a group. False if it has none left.
fn signal_group(group: u32, signal: Signal) -> bool {
    // Group 0 would be our own and group 1 is everything: neither can be a child's.
    let group = i32::try_from(group).ok().filter(|group| *group > 1);
    group.is_some_and(|group| killpg(Pid::from_raw(group), signal).is_ok())
}
