//! The way to apply: an address of mail or of a page.

use std::sync::LazyLock;

use regex::Regex;

use crate::advert::{Advert, AdvertSection, AdvertSpan};
use crate::posting::{ApplicationContact, ParsedPosting};

static MAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}")
        .expect("the pattern is fixed")
});
static PAGE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"https?://[^\s<>"')\]]{3,500}"#).expect("the pattern is fixed"));
static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)appl(?:y|ication)|\bcv\b|resume|career|\bjobs?\b|bewerb|postul|candidat|solicit|send|envoy|sollicit").expect("the pattern is fixed")
});

pub(super) fn read(advert: &Advert, parsed: &mut ParsedPosting) {
    if parsed.posting.application_contact.is_none()
        && let Some(span) = best(advert, &MAIL)
    {
        parsed.note("/posting/applicationContact", span);
        parsed.posting.application_contact =
            Some(ApplicationContact { email: span.of(&advert.text).to_owned() });
    }
    if parsed.posting.url.is_none()
        && let Some(span) = best(advert, &PAGE)
    {
        parsed.note("/posting/url", span);
        parsed.posting.url = Some(span.of(&advert.text).to_owned());
    }
}

/// One in a line about applying, else the last one.
fn best(advert: &Advert, pattern: &Regex) -> Option<AdvertSpan> {
    let mut last = None;
    for line in &advert.lines {
        let text = advert.line(line);
        for found in pattern.find_iter(text) {
            let end = found.start() + found.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?']).len();
            let span = AdvertSpan::new(line.span.start + found.start(), line.span.start + end);
            if line.section == AdvertSection::Apply || ASKS.is_match(text) {
                return Some(span);
            }
            last = Some(span);
        }
    }
    last
}
