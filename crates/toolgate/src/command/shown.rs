//! The formatting of numbers, durations and JSON for people.

use serde_json::Value;
use toolgate_core::RawJson;
use toolgate_core::decision::ApprovalRequirement;

pub(super) use toolgate_store::clock::now_ms;

use crate::output::printable;
use crate::table::clean;

/// The two largest units: `2d 3h`, `12m 5s`, `0s`. A started second counts.
pub(super) fn span(ms: i64) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    let mut seconds = (ms.max(0).unsigned_abs()).div_ceil(1000);
    let Some(first) = UNITS.iter().position(|(unit, _)| seconds >= *unit) else { return "0s".to_owned() };
    let mut parts = Vec::new();
    for (unit, name) in UNITS.iter().skip(first).take(2) {
        let count = seconds / unit;
        seconds %= unit;
        if count > 0 {
            parts.push(format!("{count}{name}"));
        }
    }
    parts.join(" ")
}

/// A duration: `850 µs`, `12.3 ms`, `4.56 s`, and from two minutes on in larger units.
pub(super) fn duration(us: i64) -> String {
    match us {
        ..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{:.1} ms", us as f64 / 1e3),
        1_000_000..120_000_000 => format!("{:.2} s", us as f64 / 1e6),
        _ => span(us / 1000),
    }
}

/// `1,234,567`
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 event`, `2 events`
pub(super) fn several(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Indented JSON. Numbers keep their spelling only while they fit; `--json` is exact.
pub(super) fn pretty(json: &RawJson) -> String {
    let shown = json.decode::<Value>().map(|value| format!("{value:#}"));
    printable(&shown.unwrap_or_else(|_| json.as_str().to_owned()))
}

/// Names and values, one below the other. Empty ones are omitted.
pub(super) fn facts(facts: &[(&str, String)]) -> String {
    let told = || facts.iter().filter(|(_, value)| !value.is_empty());
    let width = told().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    told().map(|(name, value)| format!("  {name:<width$}  {}\n", clean(value))).collect()
}

/// Text in an answer of the API.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Texts in an answer of the API, one after the other.
pub(super) fn texts(list: &Value) -> String {
    let texts = list.as_array().into_iter().flatten().map(text);
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Text in an answer of the API, in one line.
pub(super) fn one_line(value: &Value) -> String {
    text(value).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every line of a text further to the right.
pub(super) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// `a`, `a or b`, `a, b or c`
pub(super) fn any_of(names: &[String]) -> String {
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "no one".to_owned(),
    }
}

/// The required people: "2 people, one of finance, one of legal or admins".
pub(super) fn needs(requirement: &ApprovalRequirement) -> String {
    let people = match requirement.quorum {
        1 => "1 person".to_owned(),
        quorum => format!("{quorum} people"),
    };
    let groups = requirement.approvers.iter().map(|groups| format!(", one of {}", any_of(groups)));
    std::iter::once(people).chain(groups).collect()
}

/// The note about substitutes, if a gate names groups.
pub(super) const ADMINS_COUNT: &str = "admins, and the person at the command line, count for every group";

/// `512 B`, `1.5 KiB`, `2.0 GiB`
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut number = bytes as f64;
    let mut unit = "B";
    for larger in UNITS {
        if number < 1_024.0 {
            break;
        }
        number /= 1_024.0;
        unit = larger;
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{number:.1} {unit}") }
}

/// Currency units with four places: a turn may cost less than a cent.
pub(super) fn money(micros: u64) -> String {
    const UNIT: u64 = 1_000_000;
    let places = micros % UNIT / 100;
    format!("{}.{places:04}", count(micros / UNIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_four_places() {
        assert_eq!(
            (money(0), money(1_234_567), money(1_000_000_000)),
            ("0.0000".into(), "1.2345".into(), "1,000.0000".into())
        );
    }

    #[test]
    fn sizes_have_the_unit_that_fits() {
        let cases = [
            (0, "0 B"),
            (1_023, "1023 B"),
            (1_536, "1.5 KiB"),
            (2 << 30, "2.0 GiB"),
            (u64::MAX, "16777216.0 TiB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn spans_have_two_units() {
        let cases = [
            (-5, "0s"),
            (0, "0s"),
            (1, "1s"),
            (45_000, "45s"),
            (3_600_000, "1h"),
            (3_725_000, "1h 2m"),
            (604_799_001, "7d"),
        ];
        for (ms, text) in cases {
            assert_eq!(span(ms), text, "{ms}");
        }
    }

    #[test]
    fn durations_have_the_unit_that_fits() {
        let cases = [(7, "7 µs"), (12_340, "12.3 ms"), (4_560_000, "4.56 s"), (3_725_000_000, "1h 2m")];
        for (us, text) in cases {
            assert_eq!(duration(us), text, "{us}");
        }
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!(
            [count(0), count(999), count(1_234), count(1_000_000)],
            ["0", "999", "1,234", "1,000,000"]
        );
        assert_eq!([several(1, "event"), several(2_000, "event")], ["1 event", "2,000 events"]);
    }

    #[test]
    fn facts_stand_under_each_other_and_nothing_is_said_of_nothing() {
        let told = facts(&[("name", "a\nb".into()), ("gone", String::new()), ("longer", "c".into())]);
        assert_eq!(told, "  name    a b\n  longer  c\n");
        assert_eq!(texts(&serde_json::json!(["a", 1, "b"])), "a, b");
    }

    #[test]
    fn escape_sequences_in_json_do_not_reach_the_terminal() {
        let json = RawJson::from(serde_json::json!({ "a": "\u{9b}31m" }));
        assert!(!pretty(&json).contains('\u{9b}'), "{}", pretty(&json));
    }
}
