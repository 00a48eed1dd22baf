//! `toolgate-bench agents`: the cost of agents that the gateway runs itself, against a model that follows a script.
//!
//! Lives here: options, the order of steps, the targets, the table. Does not live here: the model, the gateway and its runs (`site`), the
//! measurements (`measures`).

mod measures;
mod site;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;

use self::measures::{crowd, turns, waiting};
use self::site::AgentsSite;
use crate::gateway;
use crate::proc;
use crate::report::layout;
use crate::say::say;

pub(crate) use self::site::ScriptedProcess;

/// The project's promises.
const LOOP_CPU_MS_MAX: f64 = 5.0;
const PAUSED_MIB_MAX: f64 = 20.0;
/// The same in the gateway that has started them all, which keeps memory that it used for that.
const LIVE_MIB_MAX: f64 = 40.0;
/// Runs that wait cost no wake-ups: those of a gateway may differ by this share from those of the empty one, or by this number in a second.
const WAKE_UPS_SHARE: f64 = 0.05;
const WAKE_UPS_FEW: f64 = 2.0;
/// The runs for which the memory is promised.
const PAUSED_MOST: usize = 10_000;

#[derive(clap::Args)]
pub(crate) struct AgentsOptions {
    /// Few runs: enough to see that all works, too few to trust the figures
    #[arg(long)]
    quick: bool,
    /// Runs that wait for a person; ten thousand by default, and 0 leaves them out
    #[arg(long, value_name = "N")]
    waiting: Option<usize>,
    /// The gateway binary; the one beside this program by default
    #[arg(long, value_name = "PATH")]
    toolgate: Option<PathBuf>,
    /// The scripted model of the testkit; the one beside this program by default
    #[arg(long, value_name = "PATH")]
    model: Option<PathBuf>,
    /// Exit with 1 when a target is missed
    #[arg(long)]
    strict: bool,
}

/// The number of runs of each step.
struct RunCounts {
    walks: usize,
    at_once: usize,
    /// Fewer first, so that growth is seen.
    paused: [usize; 2],
}

impl AgentsOptions {
    fn counts(&self) -> RunCounts {
        let (walks, at_once, paused) = match self.quick {
            true => (2, 50, 200),
            false => (10, 500, PAUSED_MOST),
        };
        let paused = self.waiting.unwrap_or(paused);
        RunCounts { walks, at_once, paused: [paused.div_ceil(10), paused] }
    }
}

/// One line of the table.
pub(crate) struct AgentFigure {
    what: String,
    /// The same without agents, where there is such a thing.
    before: Option<f64>,
    figure: f64,
    unit: &'static str,
    most: Option<f64>,
}

impl AgentFigure {
    fn new(what: impl Into<String>, figure: f64, unit: &'static str) -> Self {
        Self { what: what.into(), before: None, figure, unit, most: None }
    }

    fn over(self, before: f64) -> Self {
        Self { before: Some(before), ..self }
    }

    fn at_most(self, most: f64) -> Self {
        Self { most: Some(most), ..self }
    }

    fn is_missed(&self) -> bool {
        self.most.is_some_and(|most| self.figure > most)
    }

    fn cells(&self) -> [String; 6] {
        let told = |value: f64| format!("{value:.2} {}", self.unit);
        let verdict = match self.most {
            None => "",
            Some(_) if self.is_missed() => "FAIL",
            Some(_) => "pass",
        };
        [
            self.what.clone(),
            self.before.map(told).unwrap_or_default(),
            told(self.figure),
            String::new(),
            self.most.map(|most| format!("<= {}", told(most))).unwrap_or_default(),
            verdict.to_owned(),
        ]
    }
}

pub(crate) async fn run(options: AgentsOptions) -> anyhow::Result<ExitCode> {
    let program = gateway::program(options.toolgate.clone())?;
    let counts = options.counts();
    let model = ScriptedProcess::start(options.model.clone()).await?;
    let mut site = AgentsSite::open(&program, &model, site::RECORDED).await?;
    eprintln!("{} runs one after another", counts.walks);
    let mut working = turns(&mut site, counts.walks).await.with_context(|| site.last_words())?;
    eprintln!("{} runs at once", counts.at_once);
    working.extend(crowd(&mut site, counts.at_once).await.with_context(|| site.last_words())?);
    site.close().await?;
    let mut misses = tell(&working)?;
    if counts.paused[1] > 0 {
        let site = AgentsSite::open(&program, &model, site::GATED).await?;
        eprintln!("{:?} runs that wait", counts.paused);
        misses += tell(&waiting(site, &counts.paused).await?)?;
    }
    model.end().await?;
    say(&format!("{} cores, {}", proc::cores(), proc::cpu_model()))?;
    if misses > 0 {
        eprintln!("{misses} target(s) missed");
    }
    Ok(if misses > 0 && options.strict { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Returns the number of missed targets.
fn tell(figures: &[AgentFigure]) -> anyhow::Result<usize> {
    let head = ["", "without", "with agents", "", "target", ""].map(str::to_owned);
    let lines: Vec<[String; 6]> =
        std::iter::once(head).chain(figures.iter().map(AgentFigure::cells)).collect();
    say(&layout(&lines))?;
    Ok(figures.iter().filter(|figure| figure.is_missed()).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_said_with_its_target_and_the_verdict() {
        let figure = |value| AgentFigure::new("a turn", value, "ms").over(1.0).at_most(LOOP_CPU_MS_MAX);
        assert_eq!(figure(2.0).cells(), ["a turn", "1.00 ms", "2.00 ms", "", "<= 5.00 ms", "pass"]);
        assert!(figure(5.1).is_missed() && figure(5.1).cells()[5] == "FAIL");
        assert_eq!(AgentFigure::new("runs", 3.0, "").cells()[4], "");
    }
}
