//! Values of cells as text: numbers without noise, dates in ISO 8601.

use calamine::{DataRef, ExcelDateTime};

const SECONDS_PER_DAY: f64 = 86_400.0;
/// Dates after the year 9999 are numbers formatted as dates.
const DAYS_MAX: f64 = 2_958_466.0;

pub(super) fn shown(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number_shown(*number),
        DataRef::String(text) => tidy(text),
        DataRef::SharedString(text) => tidy(text),
        DataRef::Bool(true) => "TRUE".to_owned(),
        DataRef::Bool(false) => "FALSE".to_owned(),
        DataRef::DateTime(when) => date_shown(when),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::Error(error) => error.to_string(),
        DataRef::Empty => String::new(),
    }
}

/// The display of a spreadsheet: fifteen digits, and no tail of a binary fraction.
fn number_shown(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return format!("{number:.0}");
    }
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    rounded.to_string()
}

fn date_shown(when: &ExcelDateTime) -> String {
    let days = when.as_f64();
    if !(0.0..DAYS_MAX).contains(&days) {
        return number_shown(days);
    }
    if when.is_duration() {
        let seconds = (days * SECONDS_PER_DAY).round() as u64;
        return format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
    let (year, month, day, hour, minute, second, _) = when.to_ymd_hms_milli();
    let has_time = (hour, minute, second) != (0, 0, 0);
    if days < 1.0 {
        return format!("{hour:02}:{minute:02}:{second:02}");
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    if has_time { format!("{date}T{hour:02}:{minute:02}:{second:02}") } else { date }
}

fn tidy(text: &str) -> String {
    let shown: String =
        text.chars().filter(|character| !character.is_control() || *character == '\n').collect();
    shown.trim().to_owned()
}
