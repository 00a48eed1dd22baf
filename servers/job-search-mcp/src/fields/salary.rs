//! Pay: amounts with a currency, as a range with a period. A sum that is no pay, such as a budget, is left alone.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::labels::{JobLabel, LabelledValues};
use crate::advert::{Advert, AdvertSpan};
use crate::posting::{BaseSalary, ParsedPosting, SalaryRange};

const CURRENCY: &str = r"(?:US|CA|AU|NZ|HK|SG|C|A|S)\$|[$£€¥₹]|zł|\b(?:EUR|USD|GBP|CHF|CAD|AUD|NZD|SEK|NOK|DKK|PLN|INR|JPY|SGD|CZK|HUF|ZAR|BRL|MXN|AED)\b|\b[Ee]uros?\b|\bdollars\b|\bpounds\b|\bkr\b";
const NUMBER: &str = r"\d{1,3}(?:[.,'’ \u{a0}\u{202f}]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?";

static AMOUNT: LazyLock<Regex> = LazyLock::new(|| {
    let amount = |at: u8| {
        format!(
            r"(?:(?P<before{at}>{CURRENCY})\s?)?(?P<number{at}>{NUMBER})(?:\s?(?P<thousand{at}>[kK])\b)?(?:\s?(?P<after{at}>{CURRENCY}))?"
        )
    };
    let between = r"\s*(?:-|–|—|~|\bto\b|\bbis\b|\bà\b|\bet\b|\band\b|\bund\b|\ba\b|\by\b)\s*";
    Regex::new(&format!("{}(?:{between}{})?", amount(1), amount(2))).expect("the pattern is fixed")
});

/// Periods, each with the words behind or before an amount.
const PERIODS: [(&str, &str); 5] = [
    (
        "HOUR",
        r"(?:per|an|a|/|pro|par|por|je|de l['’]|the)\s?(?:hour|hr|h|stunde|std|heure|hora)\b|\bhourly|stundenlohn|\bp/h\b",
    ),
    ("DAY", r"(?:per|a|/|pro|par|por|je)\s?(?:day|tag|jour|día)\b|\bdaily|tagessatz|\bday rate|\btjm\b"),
    ("WEEK", r"(?:per|a|/|pro|par|por)\s?(?:week|wk|woche|semaine|semana)\b|\bweekly"),
    ("MONTH", r"(?:per|a|/|pro|im|par|por|al)\s?(?:month|mo|monat|mois|mes)\b|\bmonthly|monatlich|mensuel"),
    (
        "YEAR",
        r"(?:per|a|/|pro|im|par|por|al)\s?(?:year|yr|annum|jahr|an|año)\b|\bp\.\s?a\.|\bpa\b|annual|annually|yearly|jährlich|jahresgehalt|annuel",
    ),
];

static PERIOD_PATTERNS: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let pattern = |words: &str| Regex::new(&format!("(?i){words}")).expect("the pattern is fixed");
    PERIODS.iter().map(|(unit, words)| (*unit, pattern(words))).collect()
});

static AT_MOST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:up to|bis zu|jusqu['’]à|hasta|maximum|max\.?|fino a|tot)\s*(?:of\s*)?$")
        .expect("the pattern is fixed")
});
static AT_LEAST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:from|\bab|starting (?:at|from)|starts at|at least|minimum(?: of)?|min\.?|à partir de|dès|desde|mindestens|vanaf)\s*$").expect("the pattern is fixed")
});
static NO_PAY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)bonus|budget|revenue|turnover|funding|umsatz|chiffre d['’]affaires|voucher|allowance|stipend for|prämie|raised|investment|worth").expect("the pattern is fixed")
});
/// The amount is that of something else.
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:\w+\s+){0,2}(?:bonus|budget|revenue|turnover|funding|voucher|allowance|stipend)")
        .expect("the pattern is fixed")
});
static MILLIONS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s?(?:m\b|mio|million|bn\b|billion|mrd)").expect("the pattern is fixed")
});
static PAY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)salary|\bpay\b|we pay|compensation|remuneration|wage|earn|gehalt|vergütung|lohn|verdienst|brutto|gross|salaire|rémunération|brut\b|salario|sueldo|\brate\b|stipendio").expect("the pattern is fixed")
});

/// The number of characters around an amount that tell what it is.
const AROUND_CHARS: usize = 48;

/// The first period that words name.
pub(crate) fn unit_of(text: &str) -> Option<&'static str> {
    let found = PERIOD_PATTERNS.iter().filter_map(|(unit, words)| Some((words.find(text)?.start(), *unit)));
    found.min_by_key(|(start, _)| *start).map(|(_, unit)| unit)
}

struct SalaryFound {
    salary: BaseSalary,
    span: AdvertSpan,
    weight: u8,
    is_guessed: bool,
}

pub(super) fn read(advert: &Advert, labelled: &LabelledValues, parsed: &mut ParsedPosting) {
    if parsed.posting.base_salary.is_some() {
        return;
    }
    let lines = advert.lines.iter().map(|line| line.span);
    let found = lines.flat_map(|line| {
        let amounts = AMOUNT.captures_iter(line.of(&advert.text));
        amounts.filter_map(move |amount| one(advert, labelled, line, &amount)).collect::<Vec<_>>()
    });
    // The first of equal weight.
    let best = found.reduce(|best, next| if next.weight > best.weight { next } else { best });
    let Some(found) = best.filter(|found| found.weight > 0) else { return };
    if found.is_guessed {
        parsed.warnings.push(
            "the advertisement does not say for which period the pay is; it was guessed by its size"
                .to_owned(),
        );
    }
    parsed.note("/posting/baseSalary", found.span);
    parsed.posting.base_salary = Some(found.salary);
}

fn one(
    advert: &Advert,
    labelled: &LabelledValues,
    line: AdvertSpan,
    found: &Captures<'_>,
) -> Option<SalaryFound> {
    let text = line.of(&advert.text);
    let all = found.get(0)?;
    let name = |names: [&str; 4]| names.into_iter().find_map(|name| found.name(name)).map(|it| it.as_str());
    let currency = name(["before1", "after1", "before2", "after2"])?;
    let before = tail(&text[..all.start()], AROUND_CHARS);
    let after = &text[all.end()..];
    let after = &after[..after.char_indices().nth(AROUND_CHARS).map_or(after.len(), |(at, _)| at)];
    // What follows a comma or a point is about something else, such as hours per week.
    let after = &after[..after.find([',', ';', '(', '|']).unwrap_or(after.len())];
    let after = after.split(". ").next().unwrap_or(after);
    if MILLIONS.is_match(after) || NO_PAY.is_match(tail(before, 24)) || BEHIND.is_match(after) {
        return None;
    }
    let (low, high) = numbers(found)?;
    let said = unit_of(after).or_else(|| unit_of(before));
    let span = AdvertSpan::new(line.start + all.start(), line.start + all.end());
    let is_pay = labelled.covers(JobLabel::Salary, span) || PAY.is_match(before) || PAY.is_match(after);
    let unit = said.or_else(|| guessed_unit(high.unwrap_or(low)));
    let (min_value, max_value) = match high {
        Some(high) => (Some(low.min(high)), Some(low.max(high))),
        None if AT_MOST.is_match(before) => (None, Some(low)),
        None if AT_LEAST.is_match(before) || after.trim_start().starts_with('+') => (Some(low), None),
        None => (Some(low), Some(low)),
    };
    let weight = u8::from(is_pay) * 2
        + u8::from(said.is_some()) * 2
        + u8::from(high.is_some())
        + u8::from(low >= 10_000.0);
    Some(SalaryFound {
        salary: BaseSalary {
            currency: Some(code(currency).to_owned()),
            value: SalaryRange { min_value, max_value, unit_text: unit.map(str::to_owned) },
        },
        span,
        weight,
        is_guessed: said.is_none() && unit.is_some(),
    })
}

fn tail(text: &str, chars: usize) -> &str {
    let start = text.char_indices().rev().nth(chars - 1).map_or(0, |(at, _)| at);
    &text[start..]
}

/// `120-150k`: a thousand of the second counts for both.
fn numbers(found: &Captures<'_>) -> Option<(f64, Option<f64>)> {
    const THOUSAND: f64 = 1_000.0;
    let value = |name: &str| found.name(name).and_then(|number| parsed(number.as_str()));
    let thousand = |name: &str| found.name(name).is_some();
    let (mut low, high) = (value("number1")?, value("number2"));
    let high = high.map(|high| if thousand("thousand2") { high * THOUSAND } else { high });
    if thousand("thousand1") || (thousand("thousand2") && low < THOUSAND) {
        low *= THOUSAND;
    }
    Some((low, high))
}

/// A number with marks for thousands and decimals of any country.
fn parsed(written: &str) -> Option<f64> {
    let last = written.rfind(['.', ',']);
    let decimals = last.filter(|at| written.len() - at - 1 != 3);
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    match decimals {
        Some(at) => format!("{}.{}", digits(&written[..at]), digits(&written[at + 1..])).parse().ok(),
        None => digits(written).parse().ok(),
    }
}

/// The period of an amount that names none.
fn guessed_unit(amount: f64) -> Option<&'static str> {
    match amount {
        _ if amount >= 10_000.0 => Some("YEAR"),
        _ if (8.0..150.0).contains(&amount) => Some("HOUR"),
        _ => None,
    }
}

fn code(written: &str) -> &str {
    match written {
        "$" | "US$" | "dollars" => "USD",
        "£" | "pounds" => "GBP",
        "€" | "Euro" | "euro" | "Euros" | "euros" => "EUR",
        "C$" | "CA$" => "CAD",
        "A$" | "AU$" => "AUD",
        "NZ$" => "NZD",
        "S$" | "SG$" => "SGD",
        "HK$" => "HKD",
        "¥" => "JPY",
        "₹" => "INR",
        "zł" => "PLN",
        "kr" => "SEK",
        code => code,
    }
}
