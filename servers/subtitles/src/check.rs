//! Checks of subtitles by a profile.

use std::fmt;

use crate::cue::{Cue, Subtitles};
use crate::edit::length;
use crate::profile::CheckProfile;
use crate::timecode::FrameRate;

/// The rule that is broken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CheckRule {
    EmptyText,
    EndBeforeStart,
    OutOfOrder,
    Overlap,
    SmallGap,
    TooShort,
    TooLong,
    TooFast,
    LineTooLong,
    TooManyLines,
    WeakLineBreak,
    ControlCharacter,
}

impl CheckRule {
    pub fn as_str(self) -> &'static str {
        match self {
            CheckRule::EmptyText => "empty_text",
            CheckRule::EndBeforeStart => "end_before_start",
            CheckRule::OutOfOrder => "out_of_order",
            CheckRule::Overlap => "overlap",
            CheckRule::SmallGap => "small_gap",
            CheckRule::TooShort => "too_short",
            CheckRule::TooLong => "too_long",
            CheckRule::TooFast => "too_fast",
            CheckRule::LineTooLong => "line_too_long",
            CheckRule::TooManyLines => "too_many_lines",
            CheckRule::WeakLineBreak => "weak_line_break",
            CheckRule::ControlCharacter => "control_character",
        }
    }

    /// A player shows it wrongly; the other rules are a matter of style.
    pub fn is_error(self) -> bool {
        matches!(
            self,
            Self::EmptyText
                | Self::EndBeforeStart
                | Self::OutOfOrder
                | Self::Overlap
                | Self::ControlCharacter
        )
    }
}

impl fmt::Display for CheckRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A broken rule and where.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckFinding {
    pub rule: CheckRule,
    /// From 0.
    pub cue: usize,
    /// What was measured and what is allowed, such as `47 letters, 42 allowed`.
    pub detail: String,
}

/// Words that belong to what follows them.
const WEAK: [&str; 28] = [
    "a", "an", "the", "and", "or", "but", "nor", "so", "if", "that", "because", "of", "in", "on", "at", "to",
    "for", "with", "from", "by", "as", "into", "than", "my", "your", "his", "our", "their",
];

/// Every finding, in the order of the cues.
pub fn check(subtitles: &Subtitles, profile: &CheckProfile, rate: FrameRate) -> Vec<CheckFinding> {
    let is_english = subtitles.language.as_deref().is_none_or(|language| language.starts_with("en"));
    let mut checker = SubtitleChecker { profile, rate, is_english, findings: Vec::new() };
    let mut before: Option<&Cue> = None;
    for (index, cue) in subtitles.cues.iter().enumerate() {
        checker.times(index, cue, before);
        checker.text(index, cue);
        // A long cue may overlap more than its neighbour.
        before = Some(before.filter(|before| before.end > cue.end).unwrap_or(cue));
    }
    checker.findings
}

struct SubtitleChecker<'a> {
    profile: &'a CheckProfile,
    rate: FrameRate,
    is_english: bool,
    findings: Vec<CheckFinding>,
}

impl SubtitleChecker<'_> {
    fn say(&mut self, rule: CheckRule, cue: usize, detail: String) {
        self.findings.push(CheckFinding { rule, cue, detail });
    }

    fn times(&mut self, index: usize, cue: &Cue, before: Option<&Cue>) {
        let duration = cue.duration();
        if duration <= 0 {
            return self.say(CheckRule::EndBeforeStart, index, format!("lasts {duration} ms"));
        }
        if let Some(min) = self.profile.duration_ms_min.filter(|min| duration < *min) {
            self.say(CheckRule::TooShort, index, format!("{duration} ms, at least {min}"));
        }
        if let Some(max) = self.profile.duration_ms_max.filter(|max| duration > *max) {
            self.say(CheckRule::TooLong, index, format!("{duration} ms, at most {max}"));
        }
        let Some(before) = before else { return };
        let gap = cue.start - before.end;
        if cue.start < before.start {
            self.say(
                CheckRule::OutOfOrder,
                index,
                format!("begins {} ms before the cue above", before.start - cue.start),
            );
        } else if gap < 0 && (cue.place == before.place) {
            self.say(CheckRule::Overlap, index, format!("begins {} ms before the cue above ends", -gap));
        } else if let Some(frames) = self.profile.gap_frames {
            let frame = self.rate.frame_at(cue.start) - self.rate.frame_at(before.end);
            if gap > 0 && frame < frames {
                self.say(CheckRule::SmallGap, index, format!("{frame} frames, at least {frames}"));
            }
        }
    }

    fn text(&mut self, index: usize, cue: &Cue) {
        let text = cue.text();
        if text.trim().is_empty() {
            return self.say(CheckRule::EmptyText, index, "shows nothing".into());
        }
        if let Some(odd) = text.chars().find(|letter| letter.is_control() && *letter != '\n') {
            self.say(CheckRule::ControlCharacter, index, format!("U+{:04X}", u32::from(odd)));
        }
        self.lines(index, &text);
        self.speed(index, cue, &text);
    }

    fn lines(&mut self, index: usize, text: &str) {
        let wide = is_cjk(text);
        let limit = if wide {
            self.profile.line_chars_cjk.or(self.profile.line_chars)
        } else {
            self.profile.line_chars
        };
        let lines: Vec<&str> = text.lines().collect();
        let longest = lines.iter().map(|line| length(line.trim())).max().unwrap_or(0);
        if let Some(limit) = limit.filter(|limit| longest > *limit) {
            self.say(CheckRule::LineTooLong, index, format!("{longest} letters, {limit} allowed"));
        }
        if let Some(limit) = self.profile.lines.filter(|limit| lines.len() > *limit) {
            self.say(CheckRule::TooManyLines, index, format!("{} lines, {limit} allowed", lines.len()));
        }
        if !(self.profile.line_breaks && self.is_english) {
            return;
        }
        for line in lines.iter().take(lines.len().saturating_sub(1)) {
            let last = line.split_whitespace().next_back().unwrap_or_default();
            if WEAK.contains(&last.to_lowercase().as_str()) {
                self.say(CheckRule::WeakLineBreak, index, format!("a line ends with {last:?}"));
            }
        }
    }

    fn speed(&mut self, index: usize, cue: &Cue, text: &str) {
        if cue.duration() <= 0 {
            return;
        }
        let seconds = cue.duration() as f64 / 1000.0;
        let wide = is_cjk(text);
        let limit = if wide {
            self.profile.chars_per_second_cjk.or(self.profile.chars_per_second)
        } else {
            self.profile.chars_per_second
        };
        let speed = length(text) as f64 / seconds;
        if let Some(limit) = limit.filter(|limit| speed > *limit) {
            return self.say(
                CheckRule::TooFast,
                index,
                format!("{speed:.1} letters a second, {limit} allowed"),
            );
        }
        let words = text.split_whitespace().count() as f64 * 60.0 / seconds;
        if let Some(limit) = self.profile.words_per_minute.filter(|limit| words > *limit && !wide) {
            self.say(CheckRule::TooFast, index, format!("{words:.0} words a minute, {limit} allowed"));
        }
    }
}

/// True if most letters are Chinese, Japanese or Korean.
fn is_cjk(text: &str) -> bool {
    let wide = |letter: &char| matches!(u32::from(*letter), 0x1100..=0x11ff | 0x2e80..=0x9fff | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xff00..=0xffef | 0x20000..=0x3ffff);
    let letters = text.chars().filter(|letter| !letter.is_whitespace()).count();
    text.chars().filter(wide).count() * 2 > letters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::profile;

    fn rules(cues: Vec<Cue>) -> Vec<(usize, &'static str)> {
        let subtitles = Subtitles { cues, ..Subtitles::default() };
        let rate = "25".parse().unwrap();
        check(&subtitles, profile("streaming").unwrap(), rate)
            .iter()
            .map(|one| (one.cue, one.rule.as_str()))
            .collect()
    }

    #[test]
    fn good_subtitles_have_no_findings() {
        assert!(
            rules(vec![Cue::plain(0, 2000, "All is well."), Cue::plain(2100, 4000, "And here\nit is, too.")])
                .is_empty()
        );
    }

    #[test]
    fn each_rule_is_found_where_it_is_broken() {
        let found = rules(vec![
            Cue::plain(0, 2000, "x".repeat(30)),
            Cue::plain(1900, 1900, "y"),
            Cue::plain(
                2040,
                2500,
                "A line that ends with the\nword of words that is much too long for anyone",
            ),
            Cue::plain(2540, 10_000, "1\n2\n3"),
            Cue::plain(9000, 12_000, " "),
            Cue::plain(8000, 12_000, "bell \u{7}"),
        ]);
        for one in [
            (1, "end_before_start"),
            (2, "too_short"),
            (2, "small_gap"),
            (2, "line_too_long"),
            (2, "weak_line_break"),
            (2, "too_fast"),
            (3, "too_long"),
            (3, "too_many_lines"),
            (4, "overlap"),
            (4, "empty_text"),
            (5, "out_of_order"),
            (5, "control_character"),
        ] {
            assert!(found.contains(&one), "{one:?}: {found:?}");
        }
        assert!(!found.iter().any(|(cue, _)| *cue == 0), "{found:?}");
    }

    #[test]
    fn letters_are_counted_as_people_do() {
        assert!(rules(vec![Cue::plain(0, 3000, "👩‍👩‍👧".repeat(40))]).is_empty());
        assert!(
            rules(vec![Cue::plain(0, 3000, "日".repeat(17))])
                .iter()
                .any(|(_, rule)| *rule == "line_too_long")
        );
    }
}
