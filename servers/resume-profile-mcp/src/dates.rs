//! Dates as people write them in resumes, in many languages, normalised to `2019-03` or `2019`.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::parsed::ByteSpan;
use crate::words::{fold, lines_of};

#[cfg(test)]
mod tests;

/// A month or a year, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Date {
    /// `2019-03` or `2019`.
    pub(crate) value: String,
    pub(crate) span: ByteSpan,
}

/// A time with a beginning, an end, or both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Period {
    pub(crate) start: Option<Date>,
    pub(crate) end: Option<Date>,
    /// It continues.
    pub(crate) open: bool,
    /// All of it, with the words between.
    pub(crate) span: ByteSpan,
}

impl Period {
    /// A single date, rather than a time from one to another.
    pub(crate) fn is_point(&self) -> bool {
        !self.open && (self.start.is_none() || self.end.is_none())
    }
}

static MONTHS: LazyLock<HashMap<String, u8>> = LazyLock::new(|| {
    let mut months = HashMap::new();
    for line in lines_of(include_str!("../data/months.txt")) {
        for (number, names) in (1..).zip(line.split('|')) {
            months.extend(names.split_whitespace().map(|name| (fold(name), number)));
        }
    }
    months
});

static DATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?P<iso>\b(?:19|20)\d\d[-/.](?:0[1-9]|1[0-2])(?:[-/.](?:0[1-9]|[12]\d|3[01]))?\b)",
        r"|(?P<cjk>(?:19|20)\d\d\s?年(?:\s?\d{1,2}\s?月)?)",
        r"|(?P<day>\b(?:0?[1-9]|[12]\d|3[01])[/.-](?:0?[1-9]|1[0-2])[/.-](?:19|20)\d\d\b)",
        r"|(?P<number>\b(?:0?[1-9]|1[0-2])\s?[/.-]\s?(?:19|20)\d\d\b)",
        r"|(?P<named>\b\p{L}{3,12}\b\.?,?(?:\s+(?:de|of|del))?\s*(?:(?:19|20)\d\d\b|['’´]\s?\d\d\b))",
        r"|(?P<year>\b(?:19|20)\d\d\b)",
    ))
    .expect("the pattern is fixed")
});

const DASH: &str = r"(?:[-–—−‒/~]|\bto\b|\buntil\b|\btill\b|\bthrough\b|\bbis\b|\bau\b|\bà\b|\bjusqu['’]?(?:à|en)?\b|\ba\b|\bal\b|\bhasta\b|\baté\b|\ba\b|\btot\b|\bt/m\b|\bdo\b|\btill\b|至|到)";

static BETWEEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"(?i)^\s*{DASH}(?:\s+(?:al?|la|l['’]|le|zum)\b)?\s*$"))
        .expect("the pattern is fixed")
});

static NOW: LazyLock<Regex> = LazyLock::new(|| {
    let words = concat!(
        r"present|presently|current|currently|now|ongoing|today|to date|date|heute|jetzt|aktuell|laufend|dato|",
        r"aujourd['’]?hui|présent|ce jour|actuel(?:lement)?|en cours|maintenant|actualidad|presente|actual(?:mente)?|la fecha|hoy|",
        r"oggi|in corso|attuale|tutt['’]?ora|atual(?:mente)?|o momento|momento|heden|nu|obecnie|teraz|nuvarande|pågående|günümüz|halen|",
        r"по настоящее время|настоящее время|היום|כיום|至今|现在|今|現在|현재|الآن|حتى الآن"
    );
    Regex::new(&format!(r"(?i)^\s*(?:{DASH}\s*)+(?:\(?(?:la|l['’]|le|the|a|o|ad|à|an|zum)\s*)?(?:{words})(?:$|[^\p{{L}}\p{{N}}])"))
        .expect("the pattern is fixed")
});

static SINCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:^|[^\p{L}])(since|from|seit|ab|depuis|depuis le|desde|dal|da|sinds|vanaf|od|sedan|siden|с)\s*(?:le\s+|el\s+)?$")
        .expect("the pattern is fixed")
});

/// After the date, as in `2019 –` at the end of a line, or `2019 onwards`.
static ONWARDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:[-–—]\s*(?:$|[)\]|])|onwards?\b|起)").expect("the pattern is fixed")
});

static SHORT_END: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s?[-–—/]\s?['’]?(\d\d)(?:$|[^\d./-])").expect("the pattern is fixed"));

/// A month without its year before a dash, as in `Jan – Mar 2019`.
static MONTH_BEFORE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)(\p{L}{3,12})\.?\s*[-–—]\s*$").expect("the pattern is fixed"));

static MONTH_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(\p{L}{3,12})\.?\s*[-–—]\D*((?:19|20)\d\d)$").expect("the pattern is fixed")
});

/// The normalised form of one date; `None` if it is not one.
pub(crate) fn normalise(text: &str) -> Option<String> {
    if let Some(captures) = MONTH_FIRST.captures(text)
        && let Some(number) = MONTHS.get(&fold(&captures[1]))
    {
        return Some(format!("{}-{number:02}", &captures[2]));
    }
    let found = DATE.captures_iter(text).find_map(|captures| value_of(&captures));
    found.or_else(|| {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        (digits.len() == 2).then(|| century(&digits))
    })
}

/// All periods in a text, in order; `offset` is its position in the whole.
pub(crate) fn periods(text: &str, offset: usize) -> Vec<Period> {
    let dates = dates(text);
    let mut found = Vec::new();
    let mut next = 0;
    while next < dates.len() {
        let (period, used) = period(text, &dates, next);
        found.push(shifted(period, offset));
        next += used;
    }
    found
}

fn dates(text: &str) -> Vec<Date> {
    let dated = |captures: regex::Captures<'_>| {
        let value = value_of(&captures)?;
        let whole = captures.get(0)?;
        // A word before a year that is not a month is not part of the date.
        let start = match captures.name("named") {
            Some(named) if !is_month(named.as_str()) => named.start() + year_in(named.as_str())?,
            _ => whole.start(),
        };
        Some(Date { value, span: ByteSpan::new(start, whole.end()) })
    };
    DATE.captures_iter(text).filter_map(dated).collect()
}

fn period(text: &str, dates: &[Date], at: usize) -> (Period, usize) {
    let first = dates[at].clone();
    let after = &text[first.span.end..];
    if let Some(second) =
        dates.get(at + 1).filter(|second| BETWEEN.is_match(&text[first.span.end..second.span.start]))
    {
        let span = first.span.to(second.span);
        return (Period { start: Some(first), end: Some(second.clone()), open: false, span }, 2);
    }
    if let Some(now) = NOW.find(after) {
        let length =
            after[..now.end()].trim_end_matches(|last: char| !last.is_alphanumeric() && last != '’').len();
        let span = ByteSpan::new(first.span.start, first.span.end + length);
        return (Period { start: Some(first), end: None, open: true, span }, 1);
    }
    if let Some(short) =
        SHORT_END.captures(after).and_then(|captures| captures.get(1)).filter(|_| first.value.len() == 4)
    {
        let span = ByteSpan::new(first.span.end + short.start(), first.span.end + short.end());
        let end = Date { value: format!("{}{}", &first.value[..2], short.as_str()), span };
        return (Period { span: first.span.to(span), start: Some(first), end: Some(end), open: false }, 1);
    }
    (alone(text, first), 1)
}

/// A date that no other follows: since then, up to then, or then.
fn alone(text: &str, first: Date) -> Period {
    let (before, after) = (&text[..first.span.start], &text[first.span.end..]);
    if let Some(since) = SINCE.captures(before).and_then(|captures| captures.get(1)) {
        return Period {
            span: ByteSpan::new(since.start(), first.span.end),
            start: Some(first),
            end: None,
            open: true,
        };
    }
    if let Some(onwards) = ONWARDS.find(after) {
        let end = first.span.end + after[..onwards.end()].trim_end_matches([')', ']', '|']).trim_end().len();
        return Period {
            span: ByteSpan::new(first.span.start, end),
            start: Some(first),
            end: None,
            open: true,
        };
    }
    if let Some(month) = MONTH_BEFORE.captures(before).and_then(|captures| captures.get(1))
        && let Some(number) = MONTHS.get(&fold(month.as_str()))
    {
        let span = ByteSpan::new(month.start(), first.span.end);
        let start = Date { value: format!("{}-{number:02}", &first.value[..4]), span };
        return Period { start: Some(start), end: Some(first), open: false, span };
    }
    Period { span: first.span, start: None, end: Some(first), open: false }
}

fn shifted(period: Period, offset: usize) -> Period {
    let shift = |span: ByteSpan| ByteSpan::new(span.start + offset, span.end + offset);
    let date = |date: Date| Date { span: shift(date.span), ..date };
    Period {
        start: period.start.map(date),
        end: period.end.map(date),
        open: period.open,
        span: shift(period.span),
    }
}

fn value_of(captures: &regex::Captures<'_>) -> Option<String> {
    let group = |name: &str| captures.name(name).map(|found| found.as_str());
    if let Some(iso) = group("iso") {
        return Some(format!("{}-{}", &iso[..4], &iso[5..7]));
    }
    if let Some(cjk) = group("cjk") {
        let numbers: Vec<&str> = cjk
            .split(|character: char| !character.is_ascii_digit())
            .filter(|part| !part.is_empty())
            .collect();
        return Some(match numbers.get(1) {
            Some(month) => format!("{}-{month:0>2}", numbers[0]),
            None => numbers[0].to_owned(),
        });
    }
    if let Some(day) = group("day") {
        let parts: Vec<&str> = day.split(['/', '.', '-']).collect();
        return Some(format!("{}-{:0>2}", parts[2], parts[1]));
    }
    if let Some(number) = group("number") {
        let (month, year) = number.split_once(['/', '.', '-'])?;
        return Some(format!("{}-{:0>2}", year.trim(), month.trim()));
    }
    group("named").map_or_else(|| group("year").map(str::to_owned), named)
}

fn named(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let year = if digits.len() == 2 { century(&digits) } else { digits.clone() };
    match MONTHS.get(&month_word(text)) {
        Some(month) => Some(format!("{year}-{month:02}")),
        None => (digits.len() == 4).then_some(year),
    }
}

fn is_month(text: &str) -> bool {
    MONTHS.contains_key(&month_word(text))
}

fn month_word(text: &str) -> String {
    fold(&text.chars().take_while(|character| character.is_alphabetic()).collect::<String>())
}

fn year_in(text: &str) -> Option<usize> {
    text.find(|character: char| character.is_ascii_digit())
}

/// Two digits: this century up to the year that people could have in mind, else the last one.
fn century(digits: &str) -> String {
    const LAST_OF_THIS_CENTURY: &str = "40";
    if digits <= LAST_OF_THIS_CENTURY { format!("20{digits}") } else { format!("19{digits}") }
}
