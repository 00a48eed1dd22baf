#![doc = include_str!("../README.md")]

pub mod mutate;
mod random;
mod watch;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::Context;
use clap::{Parser, ValueEnum};

pub use random::Random;

/// An entry point for hostile input. It panics if an input is handled wrongly.
pub trait FuzzTarget: ValueEnum + Copy + Send + Sync + 'static {
    /// Whole inputs to begin with.
    fn seeds(self) -> Vec<Vec<u8>>;

    /// Words that its readers may stumble over.
    fn words(self) -> &'static [&'static [u8]];

    fn try_one(self, input: &[u8]);

    /// A damaged copy of one of the seeds.
    fn damaged(self, seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
        mutate::damaged(seeds, self.words(), random)
    }
}

/// Hostile input, target by target.
#[derive(Parser)]
struct FuzzArguments<T: FuzzTarget> {
    /// The targets to run; all by default
    #[arg(value_enum)]
    targets: Vec<T>,
    /// The total time in seconds
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The seed; the same seed gives the same inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder for the current input and the findings
    #[arg(long, default_value = "target/fuzz")]
    folder: PathBuf,
    /// Run only this input
    #[arg(long)]
    input: Option<PathBuf>,
    /// Run as the process of one target
    #[arg(long, hide = true)]
    alone: bool,
}

/// The whole program of a fuzzer.
pub fn main<T: FuzzTarget>() -> ExitCode {
    match run(&FuzzArguments::<T>::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run<T: FuzzTarget>(arguments: &FuzzArguments<T>) -> anyhow::Result<ExitCode> {
    let targets = match arguments.targets.is_empty() {
        true => T::value_variants(),
        false => &arguments.targets,
    };
    if let Some(input) = &arguments.input {
        let bytes = fs::read(input).with_context(|| format!("could not read {}", input.display()))?;
        targets.iter().try_for_each(|target| watch::once(*target, &bytes))?;
        return Ok(ExitCode::SUCCESS);
    }
    fs::create_dir_all(&arguments.folder)
        .with_context(|| format!("could not make {}", arguments.folder.display()))?;
    if arguments.alone {
        return alone(targets[0], arguments);
    }
    each(targets, arguments)
}

fn name<T: FuzzTarget>(target: T) -> String {
    target.to_possible_value().expect("no target is hidden").get_name().to_owned()
}

fn at_hand<T: FuzzTarget>(target: T, folder: &Path) -> PathBuf {
    folder.join(format!("{}.input", name(target)))
}

fn alone<T: FuzzTarget>(target: T, arguments: &FuzzArguments<T>) -> anyhow::Result<ExitCode> {
    let time = Duration::from_secs(arguments.seconds);
    let tried = watch::run(target, arguments.seed, time, &at_hand(target, &arguments.folder))?;
    eprintln!("{}: {tried} inputs", name(target));
    Ok(ExitCode::SUCCESS)
}

/// One process after the other, so that a crash affects only its own.
fn each<T: FuzzTarget>(targets: &[T], arguments: &FuzzArguments<T>) -> anyhow::Result<ExitCode> {
    let program = std::env::current_exe().context("could not find this program")?;
    let share = (arguments.seconds / targets.len() as u64).max(1);
    let mut found = 0;
    for target in targets {
        let called = name(*target);
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
            .arg(&called)
            .status()
            .with_context(|| format!("could not start {called}"))?;
        if !status.success() {
            found += 1;
            let kept = arguments.folder.join(format!("{called}.found"));
            fs::rename(at_hand(*target, &arguments.folder), &kept).context("could not keep the input")?;
            eprintln!(
                "{called}: {status}; try it again with script/fuzz --input {} {called}",
                kept.display()
            );
        }
    }
    Ok(if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
