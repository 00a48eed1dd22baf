//! A secret that a program prints: a password manager, a cloud's own tool. The gateway itself starts it,
//! without a shell and in its own process group, and kills the whole group at the time limit.

use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::process::{Child, Command};

use super::file::read_all;
use super::unanswered::SecretSourceError;
use crate::secret::Secret;

pub(super) const TIME_MAX: Duration = Duration::from_secs(10);

pub(super) async fn run(words: &[String]) -> Result<Secret, SecretSourceError> {
    let Some((program, arguments)) = words.split_first() else { return Err(SecretSourceError::Empty) };
    let mut command = Command::new(program);
    // Its error output may contain secrets.
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.process_group(0).kill_on_drop(true).spawn().map_err(SecretSourceError::Start)?;
    let mut group = ProcessGroup(child);
    tokio::time::timeout(TIME_MAX, group.finish()).await.unwrap_or(Err(SecretSourceError::TookTooLong))
}

/// A program and its child processes. Dropping it ends all of them.
struct ProcessGroup(Child);

impl ProcessGroup {
    async fn finish(&mut self) -> Result<Secret, SecretSourceError> {
        let stdout = self.0.stdout.take().expect("it is piped");
        // A program that writes more than is read dies of it, which is not a reason of its own.
        let text = match read_all(stdout).await.map_err(SecretSourceError::Start)? {
            Err(SecretSourceError::TooLong) => return Err(SecretSourceError::TooLong),
            text => text,
        };
        let status = self.0.wait().await.map_err(SecretSourceError::Start)?;
        if !status.success() {
            return Err(SecretSourceError::Ended(status));
        }
        text
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // A program that has been waited for has no id any more, and its group id may have been reused.
        if let Some(id) = self.0.id().and_then(|id| i32::try_from(id).ok()) {
            // It may have ended by itself.
            killpg(Pid::from_raw(id), Signal::SIGKILL).unwrap_or_default();
        }
    }
}
