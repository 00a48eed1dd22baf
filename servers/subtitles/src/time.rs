//! Times as clocks: `HH:MM:SS.mmm` and its relatives.

use crate::limits::TIME_MS_MAX;

/// Milliseconds of a clock such as `01:02:03,450`, `2:03.45` or `0:00:01.5`. Both a comma and a point are taken, and a
/// fraction of any length is rounded.
pub(crate) fn parse_clock(text: &str) -> Option<i64> {
    let (whole, fraction) = match text.trim().split_once([',', '.']) {
        Some((whole, fraction)) => (whole, fraction_ms(fraction)?),
        None => (text.trim(), 0),
    };
    let mut seconds = 0i64;
    let parts: Vec<&str> = whole.split(':').collect();
    if !(2..=3).contains(&parts.len()) {
        return None;
    }
    for (index, part) in parts.iter().enumerate() {
        let number = digits(part)?;
        if index > 0 && number >= 60 {
            return None;
        }
        seconds = seconds * 60 + number;
    }
    let time = seconds.checked_mul(1000)? + fraction;
    (time <= TIME_MS_MAX).then_some(time)
}

/// A number of digits alone, without a sign.
pub(crate) fn digits(text: &str) -> Option<i64> {
    let fits = !text.is_empty() && text.len() <= 10 && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten()
}

/// Digits behind the point, rounded to milliseconds.
fn fraction_ms(text: &str) -> Option<i64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let kept: String = format!("{text:0<4}").chars().take(4).collect();
    Some((digits(&kept)? + 5) / 10)
}

/// `HH:MM:SS` and milliseconds behind `point`. Times before zero are written as zero.
pub fn clock(ms: i64, point: char) -> String {
    let ms = ms.max(0);
    let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}{point}{:03}", ms % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_exact_to_the_millisecond() {
        for (text, ms) in [
            ("00:00:01,000", 1000),
            ("01:02:03.456", 3_723_456),
            ("02:03.4", 123_400),
            ("0:00:01.50", 1500),
            ("99:59:59,999", 359_999_999),
            ("00:00:00.0005", 1),
        ] {
            assert_eq!(parse_clock(text), Some(ms), "{text}");
        }
        for bad in ["", "1", "00:60:00", "a:b", "00:00:-1", "00:00:01,", "1:2:3:4", "99999999999:00"] {
            assert_eq!(parse_clock(bad), None, "{bad}");
        }
        assert_eq!(clock(3_723_456, ','), "01:02:03,456");
        assert_eq!(clock(-5, '.'), "00:00:00.000");
    }
}
