//! A server that is a child process: one JSON message per line on its standard input and output.

mod writing;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::Signal;
use tokio::io::BufWriter;
use tokio::process::{Child, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use toolgate_core::PrincipalId;
use toolgate_core::server::TransportSpec;
use toolgate_sandbox::{ConfineError, StartCommand};
use toolgate_wire::line::WireLine;

use crate::context::ServerContext;
use crate::keys::{self, GivenEnvironment};
use crate::lines::LineReader;
use crate::pipe::Pipe;
use crate::probe::OpenError;
use crate::reaper::{kill_group, signal_group};
use crate::routing;

use writing::StdinWriter;

/// The time that a child may take to end when its input is closed, and again when it is asked to terminate.
const END_PATIENCE: Duration = Duration::from_secs(2);
/// The time that a child may take to end after its input was closed, before it is asked to. Many never check
/// their input while something else is in progress.
const CLOSED_PATIENCE: Duration = Duration::from_millis(500);
/// The time for reading output that was written before the end.
const DRAIN: Duration = Duration::from_secs(1);
/// A child that ends this early has most likely not understood its configuration.
const RIGHT_AFTER_START: Duration = Duration::from_secs(2);
const STDERR_LINE_BYTES_MAX: usize = 8 << 10;
/// The name of a launcher until it has become the program.
const LAUNCHER: &str = "toolgate";

/// A running child. Dropping it ends the child and its whole process group.
pub(crate) struct ServerProcess {
    pub(crate) pipe: Arc<Pipe>,
    pub(crate) pid: u32,
    given: GivenEnvironment,
    stop: CancellationToken,
}

impl ServerProcess {
    pub(crate) async fn start(
        ctx: &Arc<ServerContext>,
        owner: Option<PrincipalId>,
    ) -> Result<Self, OpenError> {
        let (env, given) = keys::filled_env(&ctx.spec, &*ctx.house.keyring, owner.as_ref()).await?;
        let mut child = spawn(ctx, env)?;
        let pid = child.id().expect("a child that was just spawned has not been waited for");
        if let Some(reaper) = &ctx.house.reaper {
            reaper.remember(pid).await;
        }
        let (pipe, outgoing) = Pipe::new(ctx.clone(), owner);
        let stop = ctx.stop.child_token();
        ctx.last_words.clear();
        let input = child.stdin.take().expect("standard input is piped");
        let output = child.stdout.take().expect("standard output is piped");
        let errors = child.stderr.take().expect("standard error is piped");
        let (writes_for, pending) = (ctx.clone(), pipe.pending.clone());
        let writer = StdinWriter { ctx: writes_for, pending, input: BufWriter::new(input), outgoing };
        ctx.tasks.spawn(writer.run(stop.clone()));
        let reading = ctx.tasks.spawn(read(ctx.clone(), pipe.clone(), output));
        let complaining = ctx.tasks.spawn(hear(ctx.clone(), errors));
        let keeper = ProcessKeeper {
            ctx: ctx.clone(),
            child,
            pid,
            pipe: pipe.clone(),
            stop: stop.clone(),
            started: Instant::now(),
        };
        ctx.tasks.spawn(keeper.keep(reading, complaining));
        Ok(Self { pipe, pid, given, stop })
    }

    /// True if it would get other secrets if it were started now.
    pub(crate) async fn is_outdated(&self, ctx: &ServerContext) -> bool {
        self.given.is_outdated(&ctx.spec, &*ctx.house.keyring, self.pipe.pending.owner()).await
    }

    /// Ends the child as gently as it lets us, and returns when its group is gone.
    pub(crate) async fn end(&self) {
        self.stop.cancel();
        self.pipe.closed().await;
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn spawn(ctx: &ServerContext, env: BTreeMap<String, String>) -> Result<Child, OpenError> {
    let TransportSpec::Stdio { command, args, cwd, .. } = &ctx.spec.transport else {
        return Err(OpenError::NotAProcess);
    };
    let mut env: BTreeMap<String, String> = ctx.house.base_env.clone().into_iter().chain(env).collect();
    if let Some(cwd) = cwd.as_deref().filter(|cwd| !Path::is_dir(cwd)) {
        return Err(OpenError::Folder { command: command.clone(), cwd: cwd.to_owned() });
    }
    let start = confined(ctx, &env).map_err(|refused| match refused {
        ConfineError::Program(source) => OpenError::Spawn { command: command.clone(), source },
        refused => OpenError::Confine { command: command.clone(), refused },
    })?;
    let mut process = match start {
        Some(start) => {
            env.extend(start.env);
            let mut launcher = Command::new(start.program);
            launcher.arg0(LAUNCHER).args(start.args);
            launcher
        }
        None => {
            let mut program = Command::new(command);
            program.args(args);
            program
        }
    };
    process.env_clear().envs(env);
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    process.process_group(0).kill_on_drop(true);
    if let Some(cwd) = cwd {
        process.current_dir(cwd);
    }
    process.spawn().map_err(|source| OpenError::Spawn { command: command.clone(), source })
}

/// The launcher that is started in place of the program, to become it; `None` without a confiner.
fn confined(
    ctx: &ServerContext,
    env: &BTreeMap<String, String>,
) -> Result<Option<StartCommand>, ConfineError> {
    match (&ctx.house.confiner, toolgate_sandbox::ProcessSpec::of(&ctx.spec.transport, env)) {
        (Some(confiner), Some(process)) => confiner.start(&process),
        _ => Ok(None),
    }
}

async fn read(ctx: Arc<ServerContext>, pipe: Arc<Pipe>, output: ChildStdout) {
    let mut lines = LineReader::new(output, ctx.limits().result_bytes_max);
    while let Ok(Some(line)) = lines.next().await {
        match line {
            WireLine::Whole(line) if line.trim_ascii().is_empty() => {}
            // Half a message at the end of the output is no message: the request it began to answer is lost.
            WireLine::Whole(line)
                if lines.is_over()
                    && toolgate_wire::scan::whole(&String::from_utf8_lossy(&line)).is_err() => {}
            WireLine::Whole(line) => pipe.take(&line),
            WireLine::TooLong { head, tail } => too_long(&ctx, &pipe, &head, &tail),
        }
    }
}

/// Fails the request that an oversized message answers. If it does not show which, it must be the only one.
fn too_long(ctx: &ServerContext, pipe: &Pipe, head: &[u8], tail: &[u8]) {
    let error = ctx.too_large();
    let answered = routing::is_response_head(head)
        && match routing::id_in_head(head).or_else(|| routing::id_in_tail(tail)) {
            Some(id) => pipe.pending.settle(id, Err(error)),
            None => pipe.pending.fail_only(&error),
        };
    if !answered {
        ctx.discarded("a line longer than the limit that answers no request we could name");
    }
}

async fn hear(ctx: Arc<ServerContext>, errors: tokio::process::ChildStderr) {
    let mut lines = LineReader::new(errors, STDERR_LINE_BYTES_MAX);
    while let Ok(Some(line)) = lines.next().await {
        let text = match &line {
            WireLine::Whole(line) => String::from_utf8_lossy(line.trim_ascii_end()),
            WireLine::TooLong { head, .. } => String::from_utf8_lossy(head),
        };
        ctx.last_words.set(&text);
        ctx.house.watcher.stderr_line(ctx.name(), &text);
    }
}

/// Waits for the end of a child, causes it on request, and leaves nothing of its group behind.
struct ProcessKeeper {
    ctx: Arc<ServerContext>,
    child: Child,
    pid: u32,
    pipe: Arc<Pipe>,
    stop: CancellationToken,
    started: Instant,
}

enum ProcessEnd {
    Exited(Option<ExitStatus>),
    OutputClosed,
    Stopped,
}

impl ProcessKeeper {
    async fn keep(mut self, mut reading: JoinHandle<()>, complaining: JoinHandle<()>) {
        let end = tokio::select! {
            biased;
            status = self.child.wait() => ProcessEnd::Exited(status.ok()),
            _ = &mut reading => ProcessEnd::OutputClosed,
            () = self.stop.cancelled() => ProcessEnd::Stopped,
        };
        let status = match &end {
            ProcessEnd::Exited(status) => *status,
            ProcessEnd::OutputClosed => timeout(DRAIN, self.child.wait()).await.ok().and_then(Result::ok),
            ProcessEnd::Stopped => self.terminate().await,
        };
        let soon = if self.started.elapsed() < RIGHT_AFTER_START { " right after start" } else { "" };
        self.stop.cancel();
        kill_group(self.pid);
        if status.is_none() {
            drop(timeout(END_PATIENCE, self.child.wait()).await);
        }
        if let Some(reaper) = &self.ctx.house.reaper {
            reaper.forget(self.pid).await;
        }
        if !reading.is_finished() {
            drop(timeout(DRAIN, &mut reading).await);
            reading.abort();
        }
        drop(timeout(DRAIN, complaining).await);
        self.pipe.close(&self.describe(&end, status, soon));
    }

    /// Input closed (the writer does so), then a request to terminate, then the end.
    async fn terminate(&mut self) -> Option<ExitStatus> {
        if let Ok(status) = timeout(CLOSED_PATIENCE, self.child.wait()).await {
            return status.ok();
        }
        signal_group(self.pid, Signal::SIGTERM);
        timeout(END_PATIENCE, self.child.wait()).await.ok().and_then(Result::ok)
    }

    fn describe(&self, end: &ProcessEnd, status: Option<ExitStatus>, soon: &str) -> String {
        let what = match (end, status) {
            (ProcessEnd::Stopped, _) => return "it was stopped".into(),
            (_, Some(status)) => exit_in_words(status),
            (_, None) => "closed its output".into(),
        };
        self.ctx.last_words.after(format!("{what}{soon}"))
    }
}

fn exit_in_words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with status {code}"),
        (None, Some(signal)) => match Signal::try_from(signal) {
            Ok(signal) => format!("was ended by {signal}"),
            Err(_) => format!("was ended by signal {signal}"),
        },
        (None, None) => "ended".into(),
    }
}
