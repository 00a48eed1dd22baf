//! Frames and time codes, with and without dropped numbers.

use std::str::FromStr;

use crate::time::digits;

/// Frames a second as an exact ratio, and the way of counting them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameRate {
    pub numerator: i64,
    pub denominator: i64,
    /// The numbers 0 and 1 (0 to 3 at 59.94) are left out in every minute but each tenth.
    pub drop: bool,
}

/// No camera or film has more.
const RATE_MAX: i64 = 1000;

impl FrameRate {
    pub fn new(numerator: i64, denominator: i64) -> Option<Self> {
        let fits = numerator > 0
            && denominator > 0
            && numerator / denominator <= RATE_MAX
            && denominator <= 1_000_000;
        fits.then_some(Self { numerator, denominator, drop: false })
    }

    /// Counted frames a second: 30 at 29.97.
    pub fn counted(self) -> i64 {
        (self.numerator + self.denominator / 2) / self.denominator
    }

    /// Milliseconds at the beginning of a frame, rounded.
    pub fn ms_of_frame(self, frame: i64) -> i64 {
        let numerator = i128::from(frame) * i128::from(self.denominator) * 1000;
        rounded(numerator, i128::from(self.numerator))
    }

    /// The frame that is nearest to a time.
    pub fn frame_at(self, ms: i64) -> i64 {
        rounded(i128::from(ms) * i128::from(self.numerator), i128::from(self.denominator) * 1000)
    }

    /// Numbers that are left out of each such minute.
    fn dropped(self) -> i64 {
        if self.drop { self.counted() / 15 } else { 0 }
    }

    /// `HH:MM:SS:FF`; a semicolon stands before the frames of a drop-frame code.
    pub fn timecode(self, frame: i64) -> String {
        let (counted, dropped) = (self.counted(), self.dropped());
        let mut number = frame.max(0);
        if dropped > 0 {
            let (per_minute, per_ten) = (counted * 60 - dropped, counted * 600 - dropped * 9);
            let (tens, rest) = (number / per_ten, number % per_ten);
            number += dropped * 9 * tens;
            if rest >= dropped {
                number += dropped * ((rest - dropped) / per_minute);
            }
        }
        let (seconds, frames) = (number / counted, number % counted);
        let point = if self.drop { ';' } else { ':' };
        format!("{:02}:{:02}:{:02}{point}{frames:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }

    /// The frame of `HH:MM:SS:FF`. A number that is left out does not exist.
    pub fn frame_of(self, timecode: &str) -> Option<i64> {
        let parts: Vec<i64> = timecode.trim().split([':', ';', '.']).map(digits).collect::<Option<_>>()?;
        let [hours, minutes, seconds, frames] = parts[..] else { return None };
        let counted = self.counted();
        if minutes >= 60 || seconds >= 60 || frames >= counted || hours >= 2400 {
            return None;
        }
        let dropped = self.dropped();
        if seconds == 0 && frames < dropped && minutes % 10 != 0 {
            return None;
        }
        let all_minutes = hours * 60 + minutes;
        let number = (all_minutes * 60 + seconds) * counted + frames;
        Some(number - dropped * (all_minutes - all_minutes / 10))
    }
}

/// Such as `25`, `23.976`, `30000/1001`, `29.97df`.
impl FromStr for FrameRate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim().to_ascii_lowercase();
        let (bare, drop) = match text.strip_suffix("df") {
            Some(bare) => (bare.trim(), true),
            None => (text.as_str(), false),
        };
        let rate = ratio(bare).and_then(|(above, below)| Self::new(above, below));
        let rate = rate.ok_or_else(|| {
            format!("{text:?} is no frame rate; write it like 25, 23.976, 30000/1001 or 29.97df")
        })?;
        if drop && !(rate.denominator == 1001 && rate.counted() % 30 == 0) {
            return Err("frame numbers are dropped at 29.97 and 59.94 only".into());
        }
        Ok(Self { drop, ..rate })
    }
}

fn ratio(text: &str) -> Option<(i64, i64)> {
    if let Some((above, below)) = text.split_once('/') {
        return Some((digits(above)?, digits(below)?));
    }
    let Some((whole, fraction)) = text.split_once('.') else { return Some((digits(text)?, 1)) };
    // 23.976, 23.98, 29.97, 59.94 and 119.88 are short for n · 1000/1001.
    let near = digits(whole)? + 1;
    let value: f64 = text.parse().ok()?;
    if (value - near as f64 * 1000.0 / 1001.0).abs() < 0.006 {
        return Some((near * 1000, 1001));
    }
    let below = 10i64.checked_pow(u32::try_from(fraction.len()).ok().filter(|digits| *digits <= 6)?)?;
    Some((digits(whole)? * below + digits(fraction)?, below))
}

/// A quotient, halves away from zero.
pub(crate) fn rounded(above: i128, below: i128) -> i64 {
    let half = if above < 0 { -below / 2 } else { below / 2 };
    i64::try_from((above + half) / below).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> FrameRate {
        text.parse().unwrap()
    }

    #[test]
    fn rates_are_exact_ratios() {
        assert_eq!((rate("23.976").numerator, rate("23.976").denominator), (24000, 1001));
        assert_eq!((rate("29.97").numerator, rate("29.97").denominator), (30000, 1001));
        assert_eq!((rate("59.94df").counted(), rate("59.94df").dropped()), (60, 4));
        assert_eq!((rate("12.5").numerator, rate("12.5").denominator), (125, 10));
        for bad in ["", "0", "x", "25df", "1/0", "-25", "99999"] {
            assert!(bad.parse::<FrameRate>().is_err(), "{bad}");
        }
    }

    #[test]
    fn dropped_numbers_keep_the_clock_right() {
        let drop = rate("29.97df");
        assert_eq!(drop.timecode(1799), "00:00:59;29");
        assert_eq!(drop.timecode(1800), "00:01:00;02");
        assert_eq!(drop.timecode(17982), "00:10:00;00");
        assert_eq!(drop.timecode(107_892), "01:00:00;00");
        assert_eq!(drop.frame_of("00:01:00;00"), None, "this number is left out");
        assert_eq!(drop.ms_of_frame(107_892), 3_599_996, "an hour, but for four milliseconds");
        for frame in (0..200_000).step_by(7) {
            assert_eq!(drop.frame_of(&drop.timecode(frame)), Some(frame));
            let fast = rate("59.94df");
            assert_eq!(fast.frame_of(&fast.timecode(frame)), Some(frame));
            assert_eq!(drop.frame_at(drop.ms_of_frame(frame)), frame);
        }
    }

    #[test]
    fn whole_rates_count_plainly() {
        assert_eq!(rate("25").timecode(25 * 3600 + 24), "01:00:00:24");
        assert_eq!(rate("23.976").timecode(24 * 3600), "01:00:00:00");
        assert_eq!(rate("23.976").ms_of_frame(24 * 3600), 3_603_600);
    }
}
