//! Numbers that are added up, each under the number of its figure.

use std::collections::BTreeMap;

use super::super::code::{self, FieldReader};

/// A figure of [`FigureSums`]. The numbers are stored and never change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u16)]
pub enum Figure {
    Succeeded = 1,
    ToolError = 2,
    Failed = 3,
    Unknown = 4,
    Invalid = 5,
    Denied = 6,
    Expired = 7,
    /// The call could not be recorded, so nothing was sent.
    Unrecorded = 8,
    Cancelled = 9,
    /// The call waits for people or for its client.
    Waits = 10,
    ApprovalsAsked = 20,
    ApprovalsDecided = 21,
    ArgumentTokens = 30,
    ResultTokens = 31,
    /// Tokens that the list of tools did not cost because tools are searched.
    SavedTokens = 32,
    Turns = 40,
    InputTokens = 41,
    CachedTokens = 42,
    OutputTokens = 43,
    CostMicros = 44,
}

/// A duration of [`FigureSums`], counted in steps. Its steps have the numbers from this one on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u16)]
pub enum TimeFigure {
    /// Of calls that ran and asked no person, in microseconds.
    Call = 1_000,
    /// The part of it that the server took.
    Server = 2_000,
    /// The part of it that the gateway took.
    Gateway = 3_000,
    /// From the request of an approval to its decision, in milliseconds.
    Decision = 4_000,
}

/// Steps for each doubling, as a power of two.
const STEPS_POWER: u32 = 3;
const STEPS: u16 = 1 << STEPS_POWER;

/// What some events add up to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FigureSums(BTreeMap<u16, u64>);

impl FigureSums {
    pub fn add(&mut self, figure: Figure, count: u64) {
        if count > 0 {
            self.add_number(figure as u16, count);
        }
    }

    pub fn add_time(&mut self, figure: TimeFigure, time: u64) {
        self.add_number(figure as u16 + step(time), 1);
    }

    pub fn add_all(&mut self, other: &FigureSums) {
        other.0.iter().for_each(|(number, count)| self.add_number(*number, *count));
    }

    fn add_number(&mut self, number: u16, count: u64) {
        let sum = self.0.entry(number).or_default();
        *sum = sum.saturating_add(count);
    }

    pub fn get(&self, figure: Figure) -> u64 {
        self.0.get(&(figure as u16)).copied().unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The tool failed, no answer came, or it is not known.
    pub fn failed(&self) -> u64 {
        self.sum(&[Figure::ToolError, Figure::Failed, Figure::Unknown])
    }

    /// Nothing was sent.
    pub fn refused(&self) -> u64 {
        self.sum(&[Figure::Invalid, Figure::Denied, Figure::Expired, Figure::Unrecorded])
    }

    /// Calls that were cancelled, or wait.
    pub fn other(&self) -> u64 {
        self.sum(&[Figure::Cancelled, Figure::Waits])
    }

    pub fn calls(&self) -> u64 {
        self.get(Figure::Succeeded) + self.failed() + self.refused() + self.other()
    }

    fn sum(&self, figures: &[Figure]) -> u64 {
        figures.iter().map(|figure| self.get(*figure)).sum()
    }

    /// How many durations there are.
    pub fn times(&self, figure: TimeFigure) -> u64 {
        self.steps(figure).map(|(_, count)| count).sum()
    }

    /// A percentile of durations, at most an eighth too high. `None` if there are none.
    pub fn percentile(&self, figure: TimeFigure, percent: u64) -> Option<u64> {
        let wanted = (self.times(figure) * percent).div_ceil(100).max(1);
        let mut seen = 0;
        for (step, count) in self.steps(figure) {
            seen += count;
            if seen >= wanted {
                return Some(upper(step));
            }
        }
        None
    }

    fn steps(&self, figure: TimeFigure) -> impl Iterator<Item = (u16, u64)> {
        let first = figure as u16;
        self.0.range(first..first + 1_000).map(move |(number, count)| (number - first, *count))
    }

    pub(super) fn encoded(&self) -> Vec<u8> {
        let mut to = Vec::with_capacity(self.0.len() * 4);
        for (number, count) in &self.0 {
            code::put_number(&mut to, u64::from(*number));
            code::put_number(&mut to, *count);
        }
        to
    }

    /// `None` if these are no sums.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (mut rest, mut sums) = (FieldReader(bytes), Self::default());
        while !rest.0.is_empty() {
            sums.add_number(u16::try_from(rest.number()?).ok()?, rest.number()?);
        }
        Some(sums)
    }
}

/// The step of a duration: eight for each doubling.
fn step(time: u64) -> u16 {
    let time = time.max(u64::from(STEPS));
    let power = time.ilog2();
    let part = (time >> (power - STEPS_POWER)) as u16 & (STEPS - 1);
    // A power is below 64.
    (power as u16) * STEPS + part
}

/// The end of a step.
fn upper(step: u16) -> u64 {
    let (power, part) = (u32::from(step / STEPS), u64::from(step % STEPS));
    // The last of all steps would not fit.
    let below = power.saturating_sub(STEPS_POWER).min(62 - STEPS_POWER);
    (u64::from(STEPS) + part + 1) << below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_at_most_an_eighth_too_high() {
        for time in [8_u64, 9, 100, 1_234, 60_000_000, 1 << 40] {
            let mut sums = FigureSums::default();
            sums.add_time(TimeFigure::Call, time);
            let told = sums.percentile(TimeFigure::Call, 95).unwrap();
            assert!(told > time && told <= time + time / 8 + 1, "{time}: {told}");
        }
        assert_eq!(FigureSums::default().percentile(TimeFigure::Call, 50), None);
        let mut sums = FigureSums::default();
        sums.add_time(TimeFigure::Server, u64::MAX);
        assert!(sums.percentile(TimeFigure::Server, 50).is_some() && sums.times(TimeFigure::Gateway) == 0);
    }

    #[test]
    fn sums_are_read_as_they_were_written() {
        let mut sums = FigureSums::default();
        sums.add(Figure::Succeeded, 3);
        sums.add(Figure::CostMicros, 1 << 50);
        sums.add(Figure::Failed, 0);
        sums.add_time(TimeFigure::Decision, 90_000);
        assert_eq!(FigureSums::read(&sums.encoded()).as_ref(), Some(&sums));
        assert_eq!(sums.calls(), 3);
        assert_eq!(FigureSums::read(&[0x80]), None);
    }
}
