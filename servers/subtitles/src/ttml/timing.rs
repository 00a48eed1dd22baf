//! Times of TTML: expressions, and the intervals of elements by the rules of `par` and `seq`. All in nanoseconds, so that
//! sums of frames stay exact to the millisecond.

use crate::limits::TIME_MS_MAX;
use crate::time::digits;
use crate::timecode::{FrameRate, rounded};

use super::tree::{TtmlElement, TtmlNode};

const SECOND: i128 = 1_000_000_000;

/// The clock of a document, from the attributes of its root.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeBasis {
    frames: FrameRate,
    sub_frames: i64,
    /// Ticks a second, as a ratio.
    ticks: (i64, i64),
    is_smpte: bool,
}

impl TimeBasis {
    pub(super) fn of(root: &TtmlElement) -> Self {
        let number = |name: &str| {
            root.attribute(name).and_then(|value| digits(value.trim())).filter(|value| *value > 0)
        };
        let said = number("frameRate");
        let (above, below) = root.attribute("frameRateMultiplier").and_then(multiplier).unwrap_or((1, 1));
        let rate = said.unwrap_or(30).checked_mul(above).and_then(|rate| FrameRate::new(rate, below));
        let mut frames = rate.unwrap_or(FrameRate { numerator: 30, denominator: 1, drop: false });
        let is_smpte = root.attribute("timeBase") == Some("smpte");
        frames.drop =
            is_smpte && root.attribute("dropMode") == Some("dropNTSC") && frames.counted() % 30 == 0;
        let sub_frames = number("subFrameRate").unwrap_or(1);
        let ticks = match (number("tickRate"), said) {
            (Some(rate), _) => (rate, 1),
            (None, Some(_)) => (frames.numerator.saturating_mul(sub_frames), frames.denominator),
            (None, None) => (1, 1),
        };
        Self { frames, sub_frames, ticks, is_smpte }
    }

    /// Nanoseconds of an expression such as `00:00:01.5`, `00:00:01:12`, `1.5s`, `36f` or `90000t`.
    pub(super) fn parse(&self, text: &str) -> Option<i64> {
        let text = text.trim();
        let time = if text.contains(':') { self.clock(text)? } else { self.offset(text)? };
        (time <= TIME_MS_MAX * 1_000_000).then_some(time)
    }

    fn clock(&self, text: &str) -> Option<i64> {
        let parts: Vec<&str> = text.split(':').collect();
        let seconds = |hours: &str, minutes: &str, seconds: &str| {
            Some(
                (i128::from(digits(hours)?) * 60 + i128::from(digits(minutes)?)) * 60
                    + i128::from(digits(seconds)?),
            )
        };
        match parts[..] {
            [hours, minutes, rest] => {
                let (whole, fraction) = rest.split_once('.').unwrap_or((rest, "0"));
                i64::try_from(seconds(hours, minutes, whole)? * SECOND + decimals(fraction)?).ok()
            }
            [hours, minutes, whole, frames] => {
                let (frames, sub) = frames.split_once('.').unwrap_or((frames, "0"));
                let (count, sub) = (digits(frames)?, digits(sub)?);
                let below = i128::from(self.sub_frames);
                if self.is_smpte {
                    let code = format!("{hours}:{minutes}:{whole}:{count}");
                    let frame = i128::from(self.frames.frame_of(&code)?) * below + i128::from(sub);
                    return Some(self.of_frames(frame, below));
                }
                let part = self.of_frames(i128::from(count) * below + i128::from(sub), below);
                i64::try_from(seconds(hours, minutes, whole)? * SECOND).ok()?.checked_add(part)
            }
            _ => None,
        }
    }

    /// Nanoseconds of `above / below` frames.
    fn of_frames(&self, above: i128, below: i128) -> i64 {
        rounded(
            above * i128::from(self.frames.denominator) * SECOND,
            below * i128::from(self.frames.numerator),
        )
    }

    fn offset(&self, text: &str) -> Option<i64> {
        let end = text.find(|letter: char| letter.is_ascii_alphabetic())?;
        let (number, metric) = text.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        // In billionths of the metric.
        let value = i128::from(digits(whole)?) * SECOND + decimals(fraction)?;
        let (above, below) = match metric {
            "h" => (3600, 1),
            "m" => (60, 1),
            "s" => (1, 1),
            "ms" => (1, 1000),
            "f" => (self.frames.denominator, self.frames.numerator),
            "t" => (self.ticks.1, self.ticks.0),
            _ => return None,
        };
        Some(rounded(value * i128::from(above), i128::from(below)))
    }
}

/// Digits behind a point as billionths.
fn decimals(text: &str) -> Option<i128> {
    let kept: String = format!("{text:0<9}").chars().take(9).collect();
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits(&kept)).flatten().map(i128::from)
}

/// `1000 1001`, and `1000:1001` as older documents have it.
fn multiplier(text: &str) -> Option<(i64, i64)> {
    let (above, below) = text.trim().split_once([' ', ':'])?;
    Some((digits(above.trim())?, digits(below.trim())?)).filter(|(above, below)| *above > 0 && *below > 0)
}

/// When an element is active, and the same of its element children.
#[derive(Debug)]
pub(super) struct ActiveInterval {
    pub(super) begin: i64,
    /// `None`: until the end of everything.
    pub(super) end: Option<i64>,
    pub(super) children: Vec<ActiveInterval>,
}

/// `reference` is the time from which the element counts, `limit` the end of its parent.
pub(super) fn resolve(
    element: &TtmlElement,
    reference: i64,
    limit: Option<i64>,
    basis: &TimeBasis,
) -> ActiveInterval {
    let time = |name: &str| element.attribute(name).and_then(|text| basis.parse(text));
    let begin = reference.saturating_add(time("begin").unwrap_or(0));
    let by_end = time("end").map(|end| reference.saturating_add(end));
    let by_duration = time("dur").map(|duration| begin.saturating_add(duration));
    let explicit = earlier(by_end, by_duration);
    let bound = earlier(explicit, limit);
    let is_seq = element.attribute("timeContainer") == Some("seq");
    let mut children = Vec::new();
    let mut next = Some(begin);
    for child in element.elements() {
        // After a child without an end, nothing begins.
        let from = if is_seq { next.or(bound).unwrap_or(i64::MAX) } else { begin };
        let interval = resolve(child, from, bound, basis);
        if is_timed(child) {
            next = interval.end;
        }
        children.push(interval);
    }
    let end = match explicit {
        Some(_) => bound,
        None => earlier(implicit(element, is_seq, next, &children), limit),
    };
    ActiveInterval { begin, end, children }
}

fn is_timed(element: &TtmlElement) -> bool {
    matches!(element.local(), "body" | "div" | "p" | "span")
}

/// The end by the content. Text of a `par` lasts for ever, that of a `seq` no time at all.
fn implicit(
    element: &TtmlElement,
    is_seq: bool,
    last: Option<i64>,
    children: &[ActiveInterval],
) -> Option<i64> {
    if is_seq {
        return last;
    }
    let holds_text = |node: &TtmlNode| matches!(node, TtmlNode::Text(text) if !text.trim().is_empty());
    let is_leaf =
        matches!(element.local(), "p" | "span" | "region") && element.children.iter().any(holds_text);
    let timed: Vec<Option<i64>> = element
        .elements()
        .zip(children)
        .filter(|(child, _)| is_timed(child))
        .map(|(_, interval)| interval.end)
        .collect();
    match is_leaf || timed.is_empty() {
        true => None,
        false => timed.into_iter().collect::<Option<Vec<i64>>>().and_then(|ends| ends.into_iter().max()),
    }
}

/// The earlier of two ends, of which either may be missing.
pub(super) fn earlier(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
