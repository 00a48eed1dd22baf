//! Hours of a week.

use std::sync::LazyLock;

use regex::Regex;

use crate::advert::{Advert, AdvertSpan};
use crate::posting::ParsedPosting;

static HOURS: LazyLock<Regex> = LazyLock::new(|| {
    const NUMBER: &str = r"(\d{1,2}(?:[.,]\d{1,2})?)";
    const RANGE: &str = r"(?:\s?(?:-|–|to|bis|à|a)\s?(\d{1,2}(?:[.,]\d{1,2})?))?";
    Regex::new(&format!(
        r"(?i)\b{NUMBER}{RANGE}\s?(?:(?:hours?|hrs?|h|stunden|std\.?|heures?|horas|ore|uur)\s?(?:per|a|an|/|each|pro|par|por|die|in der|à la)?\s?(?:week|wk|woche|semaine|semana|settimana)\b|wochenstunden|-stunden-woche|[- ]hour (?:work(?:ing)? )?week)"
    ))
    .expect("the pattern is fixed")
});

/// A week has this many hours of work at most.
const HOURS_MAX: f64 = 80.0;

/// The hours of a week that a text names, and where.
pub(crate) fn weekly(text: &str) -> Option<(f64, f64, usize, usize)> {
    let number = |text: &str| text.replace(',', ".").parse::<f64>().ok();
    HOURS.captures_iter(text).find_map(|found| {
        let all = found.get(0)?;
        let low = number(found.get(1)?.as_str())?;
        let high = found.get(2).and_then(|high| number(high.as_str())).unwrap_or(low);
        (low > 0.0 && high <= HOURS_MAX).then_some((low, high, all.start(), all.end()))
    })
}

pub(super) fn read(advert: &Advert, parsed: &mut ParsedPosting) {
    if parsed.hours.is_some() {
        return;
    }
    let Some((low, high, start, end)) = weekly(&advert.text) else { return };
    let span = AdvertSpan::new(start, end);
    parsed.hours = Some((low, high));
    parsed.posting.work_hours = Some(span.of(&advert.text).to_owned());
    parsed.note("/hours_per_week", span);
}
