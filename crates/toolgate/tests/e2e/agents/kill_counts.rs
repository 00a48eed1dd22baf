//! The sums of the rounds of kills at one point, as one line of JSON for each point.

use std::io::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

/// Loose, for a busy machine: a start of the gateway is a part of it where nobody else is there.
const TAKE_UP_MAX: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(super) struct KillCounts {
    pub(super) rounds: usize,
    /// Runs that were followed to their end.
    pub(super) runs: usize,
    /// Calls of which people were asked whether they took effect.
    pub(super) unknown_outcomes: usize,
    /// Effects of those runs: one for each, whatever was killed.
    pub(super) effects: usize,
    /// From the kill to the next lease.
    pub(super) take_ups: Vec<Duration>,
}

impl KillCounts {
    /// False if nobody heard of a run, or if the killed gateway held no lease: then nothing was taken up.
    pub(super) fn saw_a_take_up(&self) -> bool {
        self.runs > 0 && !self.take_ups.is_empty()
    }

    /// The same of all rounds so far.
    pub(super) fn add(&mut self, round: KillCounts) {
        self.rounds += 1;
        self.runs += round.runs;
        self.unknown_outcomes += round.unknown_outcomes;
        self.effects += round.effects;
        self.take_ups.extend(round.take_ups);
    }

    /// Appends the line to the file that `AGENT_KILL_REPORT` names, if it does.
    pub(super) fn report(&mut self, way: &str, point: &str) {
        self.take_ups.sort_unstable();
        let line = self.line(way, point);
        eprintln!("{line}");
        if let Ok(path) = std::env::var("AGENT_KILL_REPORT") {
            let mut options = std::fs::OpenOptions::new();
            let mut file = options.create(true).append(true).open(&path).expect("the report can be written");
            file.write_all(format!("{line}\n").as_bytes()).expect("the report can be written");
        }
        assert_eq!(self.effects, self.runs, "{line}");
        assert!(self.take_ups.last().is_none_or(|most| *most < TAKE_UP_MAX), "{line}");
    }

    fn line(&self, way: &str, point: &str) -> Value {
        json!({
            "way": way, "point": point, "rounds": self.rounds, "runs": self.runs,
            "unknown_outcomes": self.unknown_outcomes, "effects": self.effects,
            "taken_up": self.take_ups.len(), "take_up_ms_p95": self.p95(), "take_up_ms_max": self.take_ups.last().map(ms),
        })
    }

    fn p95(&self) -> Option<u64> {
        let place = (self.take_ups.len() * 95).div_ceil(100).checked_sub(1)?;
        self.take_ups.get(place).map(ms)
    }
}

fn ms(time: &Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[test]
fn the_figure_that_19_of_20_are_below_is_one_of_them() {
    let take_ups: Vec<Duration> = (1..=20).map(Duration::from_millis).collect();
    let counts = KillCounts { take_ups, ..KillCounts::default() };
    let line = counts.line("restarted", "a");
    assert_eq!((&line["take_up_ms_p95"], &line["take_up_ms_max"]), (&json!(19), &json!(20)));
    assert_eq!(KillCounts::default().line("restarted", "a")["take_up_ms_p95"], Value::Null);
}

#[test]
fn a_round_in_which_no_lease_was_found_proves_nothing() {
    let take_ups = vec![Duration::from_millis(1)];
    assert!(!KillCounts { runs: 1, ..KillCounts::default() }.saw_a_take_up());
    assert!(!KillCounts { take_ups: take_ups.clone(), ..KillCounts::default() }.saw_a_take_up());
    assert!(KillCounts { runs: 1, take_ups, ..KillCounts::default() }.saw_a_take_up());
}
