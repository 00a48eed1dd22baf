//! Dates: when it was posted, until when one may apply, when the work begins. The words before a date tell which.

use std::sync::LazyLock;

use jiff::civil::Date as CivilDate;
use regex::{Captures, Regex};
use resume_profile_mcp::shared::folded;

use crate::advert::{Advert, AdvertSpan};
use crate::posting::ParsedPosting;

static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?P<y1>20\d\d)-(?P<m1>\d\d)-(?P<d1>\d\d)\b",
        r"|\b(?P<d2>\d{1,2})(?:st|nd|rd|th)?\.?\s+(?:of\s+|de\s+)?(?P<n2>\p{L}{3,10})\.?,?\s+(?:de\s+)?(?P<y2>20\d\d)\b",
        r"|\b(?P<n3>\p{L}{3,10})\.?\s+(?P<d3>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<y3>20\d\d)\b",
        r"|\b(?P<d4>\d{1,2})[./](?P<m4>\d{1,2})[./](?P<y4>20\d\d)\b",
        r"|(?P<y5>20\d\d)年(?P<m5>\d{1,2})月(?P<d5>\d{1,2})日",
    ))
    .expect("the pattern is fixed")
});

/// Beginnings of the names of months, folded: English, German, French, Spanish, Italian, Portuguese, Dutch.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene", "gen"],
    &["feb", "fev"],
    &["mar", "maer", "mrz", "maart"],
    &["apr", "avr", "abr"],
    &["may", "mai", "mayo", "mag", "mei"],
    &["jun", "juin", "giu"],
    &["jul", "juil", "lug"],
    &["aug", "aou", "ago"],
    &["sep", "set"],
    &["oct", "okt", "ott", "out"],
    &["nov"],
    &["dec", "dez", "dic"],
];

/// The meaning of a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DateRole {
    Posted,
    Until,
    Start,
}

static ROLES: LazyLock<Vec<(DateRole, Regex)>> = LazyLock::new(|| {
    let roles = [
        (
            DateRole::Posted,
            r"posted|published|publi(?:e|cado|cato)|veroffentlicht|online seit|mise en ligne|date of posting|listed|eingestellt am|fecha de publicacion",
        ),
        (
            DateRole::Until,
            r"clos(?:es?|ing)|deadline|apply (?:by|before|until)|applications? (?:by|until|close)|\bby\b|\bbefore\b|\buntil\b|no later than|valid (?:through|until)|expires?|frist|bewerbungsschluss|\bbis\b|date limite|jusqu|avant le|fecha limite|hasta|scadenza|prazo",
        ),
        (
            DateRole::Start,
            r"start(?:s|ing)?\b|begin|beginn|eintritt|\bab (?:dem)?|prise de poste|debut|a partir du|incorporacion|inicio|commenc|available from|join(?:ing)? date",
        ),
    ];
    roles.iter().map(|(role, words)| (*role, Regex::new(words).expect("the pattern is fixed"))).collect()
});

pub(super) fn read(advert: &Advert, parsed: &mut ParsedPosting) {
    for line in &advert.lines {
        let text = advert.line(line);
        let mut from = 0;
        for found in WRITTEN.captures_iter(text) {
            let Some(all) = found.get(0) else { continue };
            let before = folded(&text[from..all.start()]);
            from = all.end();
            let Some((date, is_unclear)) = date(&found) else { continue };
            let Some(role) = role(&before) else { continue };
            let span = AdvertSpan::new(line.span.start + all.start(), line.span.start + all.end());
            keep(parsed, role, date, span, is_unclear);
        }
    }
}

/// The last word before the date that tells.
fn role(before: &str) -> Option<DateRole> {
    let last = |words: &Regex| words.find_iter(before).last().map(|found| found.end());
    let roles = ROLES.iter().filter_map(|(role, words)| last(words).map(|end| (end, *role)));
    roles.max_by_key(|(end, _)| *end).map(|(_, role)| role)
}

fn keep(parsed: &mut ParsedPosting, role: DateRole, date: CivilDate, span: AdvertSpan, is_unclear: bool) {
    let (slot, path) = match role {
        DateRole::Posted => (&mut parsed.posting.date_posted, "/posting/datePosted"),
        DateRole::Until => (&mut parsed.posting.valid_through, "/posting/validThrough"),
        DateRole::Start => (&mut parsed.posting.job_start_date, "/posting/jobStartDate"),
    };
    if slot.is_some() {
        return;
    }
    *slot = Some(date.to_string());
    parsed.note(path, span);
    if is_unclear {
        parsed
            .warnings
            .push(format!("{path}: day and month could be the other way round; the day was read first"));
    }
}

/// The date, and true if day and month may be the other way round.
fn date(found: &Captures<'_>) -> Option<(CivilDate, bool)> {
    let number = |name: &str| found.name(name).and_then(|it| it.as_str().parse::<i16>().ok());
    let year = ["y1", "y2", "y3", "y4", "y5"].into_iter().find_map(number)?;
    let day = ["d1", "d2", "d3", "d4", "d5"].into_iter().find_map(number)?;
    let named = ["n2", "n3"].into_iter().find_map(|name| found.name(name));
    let month = match named {
        Some(name) => month(name.as_str())?,
        None => ["m1", "m4", "m5"].into_iter().find_map(number)?,
    };
    let slashed = found.name("d4").is_some() && found[0].contains('/');
    let (day, month) = if slashed && month > 12 { (month, day) } else { (day, month) };
    let date = CivilDate::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    Some((date, slashed && day <= 12 && month <= 12 && day != month))
}

fn month(name: &str) -> Option<i16> {
    let name = folded(name);
    let at = MONTHS.iter().position(|starts| starts.iter().any(|start| name.starts_with(start)))?;
    i16::try_from(at + 1).ok()
}
