//! The end of a worker, and the message for the model.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::settings::WorkerLimits;
use crate::trouble::{Trouble, TroubleCode};

/// The reason why there is no answer. The worker is gone, or will be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WorkerFate {
    TimedOut(Duration),
    OutOfMemory,
    OutOfStack,
    Crashed,
}

impl WorkerFate {
    /// The cause of death of a worker, by its status and its last output. Only the kernel kills it with
    /// SIGKILL, when the machine has no memory left.
    pub(super) fn of(status: Option<ExitStatus>, last_words: &str) -> Self {
        const NO_MEMORY: [&str; 4] =
            ["memory allocation of", "bad_alloc", "out of memory", "Cannot allocate memory"];
        if last_words.contains("has overflowed its stack") {
            return WorkerFate::OutOfStack;
        }
        let killed = status.and_then(|status| status.signal()) == Some(Signal::SIGKILL as i32);
        if killed || NO_MEMORY.iter().any(|words| last_words.contains(words)) {
            return WorkerFate::OutOfMemory;
        }
        WorkerFate::Crashed
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            WorkerFate::TimedOut(_) => "timed_out",
            WorkerFate::OutOfMemory => "out_of_memory",
            WorkerFate::OutOfStack => "out_of_stack",
            WorkerFate::Crashed => "crashed",
        }
    }

    pub(super) fn trouble(self, tool: &str, limits: &WorkerLimits) -> Trouble {
        const LESS: &str = "send less at a time: fewer pages, or a smaller or simpler file";
        match self {
            WorkerFate::TimedOut(limit) => {
                let message =
                    format!("{tool} was stopped because it took longer than {} s", limit.as_secs_f64());
                Trouble::new(TroubleCode::TimedOut, message)
                    .hint(format!("{LESS}; the server's option --timeout-seconds sets the limit"))
            }
            WorkerFate::OutOfMemory => {
                let message = format!(
                    "{tool} needed more than its limit of {} MiB of memory for this input",
                    limits.memory_mib()
                );
                Trouble::new(TroubleCode::Crashed, message)
                    .hint(format!("{LESS}; the server's option --memory-mib sets the limit"))
            }
            WorkerFate::OutOfStack => Trouble::new(
                TroubleCode::Crashed,
                format!("{tool} could not process this input: it is nested too deeply"),
            )
            .hint("the file may be damaged or crafted to break parsers; try another one"),
            WorkerFate::Crashed => Trouble::new(
                TroubleCode::Crashed,
                format!("{tool} crashed on this input; the server keeps running"),
            )
            .hint("the file may be damaged; try another file, another format or fewer pages"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_worker_died_of_is_told_by_its_status_and_last_words() {
        let (aborted, killed) = (Some(ExitStatus::from_raw(6)), Some(ExitStatus::from_raw(9)));
        assert_eq!(WorkerFate::of(aborted, "memory allocation of 8 bytes failed\n"), WorkerFate::OutOfMemory);
        assert_eq!(
            WorkerFate::of(aborted, "thread 'jobs' has overflowed its stack\n"),
            WorkerFate::OutOfStack
        );
        assert_eq!(WorkerFate::of(killed, ""), WorkerFate::OutOfMemory);
        assert_eq!(WorkerFate::of(aborted, "assertion failed"), WorkerFate::Crashed);
        assert_eq!(WorkerFate::of(None, ""), WorkerFate::Crashed);
    }
}
