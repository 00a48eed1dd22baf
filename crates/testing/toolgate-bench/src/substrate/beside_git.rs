//! git on the same paths: an index of them, trees, and differences of trees, in a bare repository without the blobs.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use super::paths;
use crate::say::say;

pub(super) fn run(entries: u64, changes: u64, folder: &Path) -> anyhow::Result<()> {
    say(&format!("git, {entries} entries; times include starting it"))?;
    git(folder, &["init", "-q", "--bare"], "")?;
    let lines: String = (0..entries).map(|number| index_line(number, 0)).collect();
    let (index, _) = git(folder, &["update-index", "--index-info"], &lines)?;
    let (trees, old) = git(folder, &["write-tree", "--missing-ok"], "")?;
    report("build (index, then trees)", index + trees)?;
    let clustered = (0..changes.min(entries / 3)).map(|one| entries / 3 + one).collect();
    let random = paths::random_numbers(entries, changes).into_iter().collect();
    for (name, numbers) in
        [("one", vec![entries / 2]), ("10,000 clustered", clustered), ("10,000 random", random)]
    {
        git(folder, &["read-tree", &old], "")?;
        let lines: String = numbers.iter().map(|number| index_line(*number, 1)).collect();
        let (index, _) = git(folder, &["update-index", "--index-info"], &lines)?;
        let (trees, new) = git(folder, &["write-tree", "--missing-ok"], "")?;
        report(&format!("edit, {name}"), index + trees)?;
        let (time, found) = git(folder, &["diff-tree", "-r", "--no-renames", &old, &new], "")?;
        ensure!(found.lines().count() == numbers.len(), "git finds other changes than were made");
        report(&format!("difference, {name}"), time)?;
    }
    Ok(())
}

fn report(name: &str, time: Duration) -> anyhow::Result<()> {
    say(&format!("  {name:<44} {:>10.3} ms", time.as_secs_f64() * 1e3))
}

fn index_line(number: u64, version: u64) -> String {
    let digest = paths::entry(number, version).digest.to_string();
    format!("100644 {}\t{}\n", &digest[..40], paths::path_text(number))
}

/// Runs git with `input`; the time it took, and its output.
fn git(folder: &Path, arguments: &[&str], input: &str) -> anyhow::Result<(Duration, String)> {
    let since = Instant::now();
    let mut command = Command::new("git");
    command.arg("--git-dir").arg(folder).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().context("run git")?;
    let mut stdin = child.stdin.take().context("git has no input")?;
    stdin.write_all(input.as_bytes()).context("write to git")?;
    drop(stdin);
    let output = child.wait_with_output().context("wait for git")?;
    ensure!(output.status.success(), "git {arguments:?} failed");
    Ok((since.elapsed(), String::from_utf8_lossy(&output.stdout).trim().to_owned()))
}
