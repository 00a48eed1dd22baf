//! The worker's side: limits itself, reports that it is ready, then takes one job after the other.
//!
//! The main thread only reads, so that it always notices when the server is gone; jobs run on a thread with a
//! large stack, because parsers recurse.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{dup2_stdin, dup2_stdout, getpgrp, getpid};
use parking_lot::Mutex;
use serde_json::Value;

use super::{ProgressMode, REFS_VARIABLE, WorkerJob, WorkerReply, frames};
use crate::environment;
use crate::refs::RefStore;
use crate::settings::WorkerLimits;
use crate::trouble::{Trouble, TroubleCode};
use crate::work::{Progress, Work};

const STACK_BYTES: usize = 64 << 20;
/// No one reads faster than this.
const TELL_EVERY: Duration = Duration::from_millis(50);
/// Far more than a model can use; a tool stores the rest as a ref.
const ANSWER_BYTES_MAX: usize = 16 << 20;

/// The work of a worker: a job by its name, with its arguments.
pub(crate) type JobFunction = Box<dyn Fn(&str, Value, &Work) -> Result<Value, Trouble> + Send>;

/// `make` is called here, after the limits are set.
pub(crate) fn run(make: impl FnOnce() -> JobFunction, limits: &WorkerLimits) -> ExitCode {
    match work(make, limits) {
        Ok(()) => leave(),
        Err(error) => {
            eprintln!("a worker could not be set up: {error}");
            ExitCode::FAILURE
        }
    }
}

fn work(make: impl FnOnce() -> JobFunction, limits: &WorkerLimits) -> io::Result<()> {
    let (mut input, output) = take_pipes()?;
    limit_itself(limits)?;
    let refs = environment::variable(REFS_VARIABLE)
        .ok_or_else(|| io::Error::other("no folder for refs is given"))?;
    let bench = WorkerBench { function: make(), refs: RefStore::open(refs, limits.refs_bytes), output };
    bench.output.send(&WorkerReply::Ready)?;
    let (sender, receiver) = sync_channel(1);
    let jobs = thread::Builder::new().name("jobs".to_owned()).stack_size(STACK_BYTES);
    jobs.spawn(move || until_the_end(|| bench.run(&receiver)))?;
    while let Some(job) = frames::read(&mut input)? {
        sender.send(job).map_err(io::Error::other)?;
    }
    Ok(())
}

/// The server is gone or ends this worker: with it end the programs that tools have started, which are in its
/// group. A worker that was started by hand is not the leader of one.
fn leave() -> ExitCode {
    if getpgrp() == getpid()
        && let Err(error) = killpg(getpgrp(), Signal::SIGKILL)
    {
        eprintln!("a worker could not stop its child processes: {error}");
    }
    ExitCode::SUCCESS
}

/// A worker whose job thread has ended is useless, however it ended.
fn until_the_end(run: impl FnOnce() -> io::Result<()>) {
    let done = catch_unwind(AssertUnwindSafe(run));
    if let Ok(Err(error)) = done {
        eprintln!("a worker cannot continue: {error}");
    }
    std::process::exit(1);
}

/// Frames use private descriptors: output of a library ends up on stderr, and it finds nothing on stdin.
fn take_pipes() -> io::Result<(File, ChildOutput)> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    dup2_stdin(File::open("/dev/null")?)?;
    dup2_stdout(io::stderr())?;
    Ok((input.into(), ChildOutput(Arc::new(Mutex::new(output.into())))))
}

fn limit_itself(limits: &WorkerLimits) -> io::Result<()> {
    lower(Resource::RLIMIT_AS, limits.memory_bytes)?;
    lower(Resource::RLIMIT_CORE, 0)
}

/// To `limit`, or to the current value if that is lower.
fn lower(resource: Resource, limit: u64) -> io::Result<()> {
    let (_, hard) = getrlimit(resource)?;
    let limit = limit.min(hard);
    Ok(setrlimit(resource, limit, limit)?)
}

#[derive(Clone)]
struct ChildOutput(Arc<Mutex<File>>);

impl ChildOutput {
    fn send(&self, reply: &WorkerReply) -> io::Result<()> {
        self.send_frame(&frames::pack(reply)?)
    }

    fn send_frame(&self, frame: &[u8]) -> io::Result<()> {
        let mut file = self.0.lock();
        frames::write(&mut *file, frame)
    }
}

struct WorkerBench {
    function: JobFunction,
    refs: RefStore,
    output: ChildOutput,
}

impl WorkerBench {
    fn run(&self, jobs: &Receiver<Vec<u8>>) -> io::Result<()> {
        for job in jobs {
            self.output.send(&WorkerReply::Taken)?;
            let frame = frames::pack(&self.answer(&job))?;
            if frame.len() > ANSWER_BYTES_MAX {
                self.output.send(&WorkerReply::Trouble(too_long(frame.len())))?;
            } else {
                self.output.send_frame(&frame)?;
            }
        }
        Ok(())
    }

    fn answer(&self, job: &[u8]) -> WorkerReply {
        match self.call(job) {
            Ok(answer) => WorkerReply::Answer(answer),
            Err(trouble) => WorkerReply::Trouble(trouble),
        }
    }

    fn call(&self, job: &[u8]) -> Result<Value, Trouble> {
        let job: WorkerJob = serde_json::from_slice(job)
            .map_err(|error| Trouble::internal(format!("a job could not be read: {error}")))?;
        (self.function)(&job.tool, job.arguments, &self.work(job.telling))
    }

    fn work(&self, telling: ProgressMode) -> Work {
        match telling {
            ProgressMode::Nothing => Work::new(self.refs.clone(), |_| {}),
            ProgressMode::Progress => {
                let teller = Teller { output: self.output.clone(), last: Mutex::new(None) };
                Work::new(self.refs.clone(), move |progress| teller.tell(progress))
            }
        }
    }
}

fn too_long(length: usize) -> Trouble {
    let (length, limit) = (length >> 20, ANSWER_BYTES_MAX >> 20);
    Trouble::new(
        TroubleCode::TooLarge,
        format!("the answer has {length} MiB and exceeds the limit of {limit} MiB"),
    )
    .hint("ask for less at a time, such as fewer pages")
}

/// Passes on progress that advances, at a useful rate.
struct Teller {
    output: ChildOutput,
    last: Mutex<Option<(Instant, f64)>>,
}

impl Teller {
    fn tell(&self, progress: Progress) {
        if self.is_news(&progress) {
            // A server that is gone is noticed by the main thread.
            drop(self.output.send(&WorkerReply::Progress(progress)));
        }
    }

    fn is_news(&self, progress: &Progress) -> bool {
        let mut last = self.last.lock();
        let is_news = last.is_none_or(|(at, done)| {
            progress.done > done && (progress.done >= progress.total || at.elapsed() >= TELL_EVERY)
        });
        if is_news {
            *last = Some((Instant::now(), progress.done));
        }
        is_news
    }
}
