//! The process and its leash: Chromium and all that it starts are a group of processes, which a small shell ends as soon as
//! we are gone, however that happened. Nothing here needs `fork` of our own, which a program with threads must not do.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use capability_kit::environment;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use parking_lot::Mutex;
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::process::{Child, ChildStderr, Command};
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

/// Chromium speaks on the descriptors 3 and 4; the shell is given that socket as its input and the leash as its output. When
/// the other end of the leash is closed, it ends Chromium, removes the data folder, and the one around it if nothing else is in
/// it, and ends the rest with itself.
const LEASH: &str = r#"data=$1; shift
exec 3<&0 4>&0 5<&1 1>&2 </dev/null
"$@" 5<&- &
browser=$!
exec 3<&- 4>&-
read -r _ <&5
kill -9 "$browser"
rm -rf -- "$data"
rmdir -- "${data%/*}" 2>/dev/null
kill -9 0"#;
/// All of our environment that Chromium gets; the rest may hold secrets.
const PASSED_ON: [&str; 4] = ["PATH", "LANG", "TZ", "FONTCONFIG_FILE"];
/// The amount of its last output that is kept.
const WORDS_BYTES_MAX: usize = 4 << 10;
const END_LIMIT: Duration = Duration::from_secs(2);

pub(crate) struct ChromiumProcess {
    child: Child,
    /// Closed by the kernel if we are killed.
    _leash: StdUnixStream,
    words: Arc<Mutex<VecDeque<u8>>>,
    data: PathBuf,
}

/// Starts `command`, whose files lie in `data`, and returns our end of its pipe.
pub(super) fn spawn(
    command: &[String],
    data: &Path,
    tasks: &TaskTracker,
) -> io::Result<(ChromiumProcess, UnixStream)> {
    make_private(data)?;
    let (ours, theirs) = StdUnixStream::pair()?;
    let (leash, shells) = StdUnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", LEASH, "sh"]).arg(data).args(command).current_dir(data);
    shell.env_clear().env("HOME", data).env("TMPDIR", data);
    let kept = PASSED_ON.iter().filter_map(|name| Some((name, environment::variable(name)?)));
    shell.envs(kept).process_group(0).kill_on_drop(true);
    shell.stdin(OwnedFd::from(theirs)).stdout(OwnedFd::from(shells)).stderr(Stdio::piped());
    let mut child = shell.spawn()?;
    let words = Arc::default();
    if let Some(errors) = child.stderr.take() {
        tasks.spawn(listen(errors, Arc::clone(&words)));
    }
    let process = ChromiumProcess { child, _leash: leash, words, data: data.to_owned() };
    Ok((process, UnixStream::from_std(ours)?))
}

/// Nobody else may look at profiles and downloads.
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Remembers the end of what Chromium says, for the case that it ends.
async fn listen(mut errors: ChildStderr, words: Arc<Mutex<VecDeque<u8>>>) {
    const PIECE: usize = 1 << 10;
    let mut piece = [0; PIECE];
    while let Ok(length @ 1..) = errors.read(&mut piece).await {
        let mut words = words.lock();
        words.extend(&piece[..length]);
        let surplus = words.len().saturating_sub(WORDS_BYTES_MAX);
        words.drain(..surplus);
    }
}

impl ChromiumProcess {
    /// What it said last, such as the reason of its end.
    pub(crate) fn last_words(&self) -> String {
        let mut words = self.words.lock().clone();
        let text = String::from_utf8_lossy(words.make_contiguous()).into_owned();
        let lines: Vec<&str> = text.lines().filter(|line| !line.contains("dbus")).collect();
        lines[lines.len().saturating_sub(5)..].join("\n")
    }

    /// Ends it with all that it started, and removes its files.
    pub(crate) async fn end(mut self) {
        self.kill();
        if timeout(END_LIMIT, self.child.wait()).await.is_err() {
            tracing::warn!("the browser's processes did not end in time");
        }
        let data = self.data.clone();
        // A renderer that is just ending may still write.
        if let Err(error) = tokio::fs::remove_dir_all(&data).await
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::debug!(%error, folder = %data.display(), "the browser's folder could not be removed");
        }
    }

    fn kill(&self) {
        // Without an id it has been waited for, and the number may have been reused.
        if let Some(id) = self.child.id()
            && let Err(error) = killpg(Pid::from_raw(id as i32), Signal::SIGKILL)
        {
            tracing::debug!(%error, "the browser was gone before it was ended");
        }
    }
}

impl Drop for ChromiumProcess {
    fn drop(&mut self) {
        self.kill();
        // The shell that would do it ends with the group. Mostly it is gone already.
        drop(fs::remove_dir_all(&self.data));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use nix::sys::signal::kill;

    use super::*;

    const SOON: Duration = Duration::from_secs(10);

    async fn until(what: &str, condition: impl Fn() -> bool) {
        let begun = Instant::now();
        while !condition() {
            assert!(begun.elapsed() < SOON, "{what}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// A process that waits, in a group with a child of its own.
    fn waiting(data: &Path) -> ChromiumProcess {
        let script = "sleep 1000 & echo $! > child; echo $$ > main; wait";
        let command = ["sh", "-c", script].map(str::to_owned);
        spawn(&command, data, &TaskTracker::new()).unwrap().0
    }

    fn number(path: &Path) -> Option<Pid> {
        Some(Pid::from_raw(fs::read_to_string(path).ok()?.trim().parse().ok()?))
    }

    /// A process that nobody has waited for yet is a zombie, not a living one.
    fn lives(id: Pid) -> bool {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        kill(id, None).is_ok() && !status.contains("State:\tZ")
    }

    #[tokio::test]
    async fn when_the_leash_is_let_go_all_processes_end_and_the_folder_goes() {
        let parent = tempfile::tempdir().unwrap();
        let data = parent.path().join("data");
        let mut process = waiting(&data);
        let (main, child) = (data.join("main"), data.join("child"));
        until("it runs", || number(&main).is_some() && number(&child).is_some()).await;
        let numbers = [number(&main).unwrap(), number(&child).unwrap()];
        // The kernel closes this end when the server is killed; another one takes its place here.
        process._leash = StdUnixStream::pair().unwrap().0;
        until("both end", || !numbers.iter().any(|id| lives(*id))).await;
        until("the folder is removed", || !data.exists()).await;
    }

    #[tokio::test]
    async fn ending_it_ends_all_processes_and_removes_the_folder() {
        let parent = tempfile::tempdir().unwrap();
        let data = parent.path().join("data");
        let process = waiting(&data);
        let child = data.join("child");
        until("it runs", || number(&child).is_some()).await;
        let child = number(&child).unwrap();
        process.end().await;
        until("its child ends", || !lives(child)).await;
        assert!(!data.exists());
    }
}
