//! Dates, as numbers and with names of months in seven languages.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::found::{EntityFinding, EntityKind};

/// Beginnings of the names of months, January first.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene", "gen"],
    &["feb", "fév", "fev"],
    &["mar", "mär", "maa", "mrt"],
    &["apr", "avr", "abr"],
    &["may", "mai", "mag", "mei"],
    &["jun", "juin", "giu"],
    &["jul", "juil", "lug"],
    &["aug", "aoû", "ago"],
    &["sep", "set"],
    &["oct", "okt", "ott", "out"],
    &["nov"],
    &["dec", "dez", "déc", "dic"],
];

const MONTH_NAMES: &str = r"(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro|januari|februari|maart|mei|augustus|jan|feb|mar|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez)\.?";

static ISO: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"\b(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?\b")
});
static NUMBERS: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(\d{1,2})([./-])(\d{1,2})[./-](\d{4}|\d{2})\b"));
static DAY_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r"(?i)\b(\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?(?: (?:de|of))? ({MONTH_NAMES})(?:,? (?:de |of )?(\d{{4}}))?\b"
    ))
});
static MONTH_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(r"(?i)\b({MONTH_NAMES}) (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?\b"))
});
static MONTH_YEAR: LazyLock<Regex> =
    LazyLock::new(|| regex(&format!(r"(?i)\b({MONTH_NAMES})(?: de)?,? (\d{{4}})\b")));
static CJK: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월](?:\s*(\d{1,2})\s*[日일])?"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns are checked by tests")
}

pub(super) fn find(text: &str) -> Vec<EntityFinding> {
    let mut found = Vec::new();
    let mut look = |pattern: &Regex, read: fn(&Captures<'_>) -> Option<Date>| {
        found.extend(pattern.captures_iter(text).filter_map(|captures| {
            let place = captures.get(0)?.range();
            let date = read(&captures)?;
            Some(EntityFinding {
                kind: EntityKind::Date,
                place,
                value: date.value(),
                confidence: date.confidence(),
            })
        }));
    };
    look(&ISO, |c| Date::checked(number(c, 1), number(c, 2), number(c, 3)));
    look(&CJK, |c| Date::checked(number(c, 1), number(c, 2), number(c, 3)));
    look(&DAY_FIRST, |c| Date::checked(number(c, 3), month(&c[2]), number(c, 1)));
    look(&MONTH_FIRST, |c| Date::checked(number(c, 3), month(&c[1]), number(c, 2)));
    look(&MONTH_YEAR, |c| Date::checked(number(c, 2), month(&c[1]), None));
    look(&NUMBERS, in_numbers);
    found
}

/// The known parts of a date. `certain` is false if day and month could be swapped.
struct Date {
    year: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
    certain: bool,
}

impl Date {
    fn checked(year: Option<u32>, month: Option<u32>, day: Option<u32>) -> Option<Self> {
        let month_days = match (year, month) {
            (_, Some(4 | 6 | 9 | 11)) => 30,
            (Some(year), Some(2)) if !(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) => 28,
            (_, Some(2)) => 29,
            (_, Some(1..=12)) => 31,
            _ => return None,
        };
        let day_fits = day.is_none_or(|day| (1..=month_days).contains(&day));
        day_fits.then_some(Self { year, month, day, certain: true })
    }

    fn value(&self) -> Option<String> {
        match (self.certain, self.year, self.month, self.day) {
            (true, Some(year), Some(month), Some(day)) => Some(format!("{year:04}-{month:02}-{day:02}")),
            (true, Some(year), Some(month), None) => Some(format!("{year:04}-{month:02}")),
            (true, None, Some(month), Some(day)) => Some(format!("--{month:02}-{day:02}")),
            _ => None,
        }
    }

    fn confidence(&self) -> f64 {
        match (self.certain, self.year) {
            (true, Some(_)) => 0.97,
            (true, None) => 0.85,
            (false, _) => 0.8,
        }
    }
}

/// With points the day comes first; with slashes only a number above 12 tells.
fn in_numbers(captures: &Captures<'_>) -> Option<Date> {
    let (one, two) = (number(captures, 1)?, number(captures, 3)?);
    let year = number(captures, 4).map(|year| if captures[4].len() == 2 { century(year) } else { year });
    if &captures[2] == "." || one > 12 {
        return Date::checked(year, Some(two), Some(one));
    }
    let date = Date::checked(year, Some(one), Some(two))?;
    Some(Date { certain: two > 12 || one == two, ..date })
}

/// `24` is 2024, `87` is 1987.
fn century(year: u32) -> u32 {
    if year < 70 { 2000 + year } else { 1900 + year }
}

fn number(captures: &Captures<'_>, group: usize) -> Option<u32> {
    captures.get(group)?.as_str().parse().ok()
}

fn month(name: &str) -> Option<u32> {
    let name = name.to_lowercase();
    let longest = |names: &&[&str]| names.iter().any(|beginning| name.starts_with(beginning));
    MONTHS.iter().position(longest).map(|index| index as u32 + 1)
}
