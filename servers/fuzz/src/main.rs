//! Damages documents and gives them to everything that reads files. A panic, a hang, or memory beyond its limit is a finding,
//! and the input that did it is kept.

mod mutate;
mod random;
mod seeds;
mod targets;
mod watch;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::Context;
use clap::Parser;

use targets::Target;

/// Hostile input for everything that reads files.
#[derive(Parser)]
struct Arguments {
    /// What to try; everything if left out
    targets: Vec<Target>,
    /// How long, for all of them together
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The same inputs come with the same seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the input at hand and findings are kept
    #[arg(long, default_value = "target/fuzz")]
    folder: PathBuf,
    /// Try this one input, and nothing else
    #[arg(long)]
    input: Option<PathBuf>,
    /// Be the process of one target
    #[arg(long, hide = true)]
    alone: bool,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let targets = match arguments.targets.is_empty() {
        true => Target::ALL.to_vec(),
        false => arguments.targets.clone(),
    };
    if let Some(input) = &arguments.input {
        let bytes = fs::read(input).with_context(|| format!("could not read {}", input.display()))?;
        targets.iter().try_for_each(|target| watch::once(*target, &bytes))?;
        return Ok(ExitCode::SUCCESS);
    }
    fs::create_dir_all(&arguments.folder)
        .with_context(|| format!("could not make {}", arguments.folder.display()))?;
    if arguments.alone {
        return alone(targets[0], &arguments);
    }
    each(&targets, &arguments)
}

fn at_hand(target: Target, folder: &Path) -> PathBuf {
    folder.join(format!("{target}.input"))
}

fn alone(target: Target, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let time = Duration::from_secs(arguments.seconds);
    let tried = watch::run(target, arguments.seed, time, &at_hand(target, &arguments.folder))?;
    eprintln!("{target}: {tried} inputs");
    Ok(ExitCode::SUCCESS)
}

/// One process after the other, so that one that ends badly takes nothing with it.
fn each(targets: &[Target], arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let program = std::env::current_exe().context("could not find this program")?;
    let share = (arguments.seconds / targets.len() as u64).max(1);
    let mut found = 0;
    for target in targets {
        let status = Command::new(&program)
            .args([
                "--alone",
                "--seconds",
                &share.to_string(),
                "--seed",
                &arguments.seed.to_string(),
                "--folder",
            ])
            .arg(&arguments.folder)
            .arg(target.to_string())
            .status()
            .with_context(|| format!("could not start {target}"))?;
        if !status.success() {
            found += 1;
            let kept = arguments.folder.join(format!("{target}.found"));
            fs::rename(at_hand(*target, &arguments.folder), &kept).context("could not keep the input")?;
            eprintln!(
                "{target}: {status}; try it again with script/fuzz --input {} {target}",
                kept.display()
            );
        }
    }
    Ok(if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
