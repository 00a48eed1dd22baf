//! The walk of filters through a JSON text: every string, number and key of it, including JSON inside a
//! string. Masked parts are changed in place; the rest stays byte for byte.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;
use serde_json::Value;
use toolgate_core::Digest;

use super::search::FilterSet;
use super::{FilterAction, FilterHit, Filters};
use crate::canonical::escape_step;
use crate::redact;

/// The maximum depth of JSON inside strings that is followed; deeper content is searched as text.
const EMBEDDED_DEPTH_MAX: usize = 3;
/// Encoders break base64 into lines of 64 or 76 characters.
const BASE64_LINE_MIN: usize = 60;
/// The number of places that are listed for one finding.
const PATHS_MAX: usize = 5;

/// The findings of filters.
#[derive(Clone, Debug, Default)]
pub struct FilterFindings<'f> {
    /// The text with masks, if anything had to be masked.
    pub masked: Option<String>,
    /// By filter and kind.
    pub fired: Vec<FilterMatch<'f>>,
}

/// A match of a filter: its kind and place, never the data itself.
#[derive(Clone, Debug, Serialize)]
pub struct FilterMatch<'f> {
    pub filter: &'f str,
    pub action: FilterAction,
    /// The name of the kind, or `match`.
    pub kind: &'static str,
    pub count: usize,
    /// JSON pointers, the first few.
    pub paths: Vec<String>,
    #[serde(skip)]
    pub(super) approvers: &'f [String],
    #[serde(skip)]
    pub(super) definition: Digest,
}

pub(super) struct Sieve<'f> {
    filters: &'f Filters,
    places: FilterSet,
    fired: Vec<FilterMatch<'f>>,
    /// Keys that were masked so far: two of them must not become one.
    keys: usize,
}

/// A step on the path to the current position.
enum SieveStep {
    /// The range of the key, quotes included.
    Key(Range<usize>),
    Index(usize),
}

/// A JSON text and the way to it.
struct JsonPage<'t> {
    text: &'t str,
    above: &'t str,
    embedded_left: usize,
    steps: Vec<SieveStep>,
    changes: Vec<(Range<usize>, String)>,
}

impl<'f> Sieve<'f> {
    pub(super) fn new(filters: &'f Filters, places: FilterSet) -> Self {
        Self { filters, places, fired: Vec::new(), keys: 0 }
    }

    pub(super) fn sift(mut self, json: &str, above: &str) -> FilterFindings<'f> {
        let masked = self.json(json, above, EMBEDDED_DEPTH_MAX);
        FilterFindings { masked, fired: self.fired }
    }

    /// `text` must be one valid JSON value.
    fn json(&mut self, text: &str, above: &str, embedded_left: usize) -> Option<String> {
        let mut page = JsonPage { text, above, embedded_left, steps: Vec::new(), changes: Vec::new() };
        let mut at = 0;
        let mut is_key = false;
        while let Some(byte) = text.as_bytes().get(at) {
            let start = at;
            at = match byte {
                b'"' => string_end(text, at),
                b'-' | b'0'..=b'9' | b'a'..=b'z' => literal_end(text, at),
                _ => at + 1,
            };
            match byte {
                b'{' => page.steps.push(SieveStep::Key(0..0)),
                b'[' => page.steps.push(SieveStep::Index(0)),
                b'}' | b']' => drop(page.steps.pop()),
                b',' => {
                    if let Some(SieveStep::Index(index)) = page.steps.last_mut() {
                        *index += 1;
                    }
                }
                b'"' if is_key => self.key(&mut page, start..at),
                b'"' => self.string(&mut page, start..at),
                b'-' | b'0'..=b'9' => self.number(&mut page, start..at),
                _ => {}
            }
            is_key = match byte {
                b'{' => true,
                b',' => matches!(page.steps.last(), Some(SieveStep::Key(_))),
                byte if byte.is_ascii_whitespace() => is_key,
                _ => false,
            };
        }
        page.changed()
    }

    fn key(&mut self, page: &mut JsonPage<'_>, place: Range<usize>) {
        let key = decoded(page.text, &place);
        // The way to a key ends above it.
        if let Some(masked) = self.text(&key, |sieve| sieve.path(page, page.steps.len() - 1)) {
            self.keys += 1;
            let key = if self.keys > 1 { format!("{masked} {}", self.keys) } else { masked };
            page.change(place.clone(), &key);
        }
        if let Some(last) = page.steps.last_mut() {
            *last = SieveStep::Key(place);
        }
    }

    fn string(&mut self, page: &mut JsonPage<'_>, place: Range<usize>) {
        let text = decoded(page.text, &place);
        if is_binary(&text) {
            return;
        }
        let masked = match page.embedded_left.checked_sub(1) {
            Some(left) if is_json(&text) => {
                let above = self.path(page, page.steps.len());
                self.json(&text, &above, left)
            }
            _ => self.text(&text, |sieve| sieve.path(page, page.steps.len())),
        };
        if let Some(masked) = masked {
            page.change(place, &masked);
        }
    }

    fn number(&mut self, page: &mut JsonPage<'_>, place: Range<usize>) {
        let number = &page.text[place.clone()];
        if let Some(masked) = self.text(number, |sieve| sieve.path(page, page.steps.len())) {
            page.change(place, &masked);
        }
    }

    /// Notes the findings in a text, and masks what must not be passed on.
    fn text(&mut self, text: &str, path: impl FnOnce(&Self) -> String) -> Option<String> {
        let hits = self.filters.hits(self.places, text);
        if hits.is_empty() {
            return None;
        }
        let path = path(self);
        hits.iter().for_each(|hit| self.note(hit, &path));
        masked(self.filters, text, &hits)
    }

    fn note(&mut self, hit: &FilterHit, path: &str) {
        let filter = &self.filters.filters[hit.filter];
        let known = self.fired.iter_mut().find(|one| one.filter == filter.rule.name && one.kind == hit.kind);
        let Some(fired) = known else {
            self.fired.push(FilterMatch {
                filter: &filter.rule.name,
                action: filter.rule.action,
                kind: hit.kind,
                count: 1,
                paths: vec![path.to_owned()],
                approvers: &filter.rule.approvers,
                definition: filter.definition,
            });
            return;
        };
        fired.count += 1;
        if fired.paths.len() < PATHS_MAX && !fired.paths.iter().any(|known| known == path) {
            fired.paths.push(path.to_owned());
        }
    }

    /// The first steps to the current position. A key may contain data that must not be read; then its mask
    /// is used.
    fn path(&self, page: &JsonPage<'_>, steps: usize) -> String {
        let mut path = page.above.to_owned();
        for step in &page.steps[..steps] {
            path.push('/');
            match step {
                SieveStep::Index(index) => path.push_str(&index.to_string()),
                SieveStep::Key(place) => {
                    let key = decoded(page.text, place);
                    let hits = self.filters.hits(self.places, &key);
                    let told = all_masked(self.filters, &key, &hits);
                    path.push_str(&escape_step(told.as_deref().unwrap_or(&key)));
                }
            }
        }
        if path.is_empty() { "/".to_owned() } else { path }
    }
}

impl JsonPage<'_> {
    fn change(&mut self, place: Range<usize>, text: &str) {
        self.changes.push((place, Value::from(text).to_string()));
    }

    fn changed(self) -> Option<String> {
        (!self.changes.is_empty()).then(|| spliced(self.text, &self.changes))
    }
}

/// Data that needs approval stays: people see it, and it is sent if they agree.
fn masked(filters: &Filters, text: &str, hits: &[FilterHit]) -> Option<String> {
    let hidden: Vec<&FilterHit> =
        hits.iter().filter(|hit| filters.filters[hit.filter].rule.action != FilterAction::Ask).collect();
    marked(filters, text, &hidden)
}

fn all_masked(filters: &Filters, text: &str, hits: &[FilterHit]) -> Option<String> {
    marked(filters, text, &hits.iter().collect::<Vec<_>>())
}

/// Finds that overlap become one mark, which names the first of their filters.
fn marked(filters: &Filters, text: &str, hits: &[&FilterHit]) -> Option<String> {
    let mut marks: Vec<(Range<usize>, String)> = Vec::new();
    for hit in hits {
        match marks.last_mut() {
            Some((place, _)) if hit.place.start < place.end => place.end = place.end.max(hit.place.end),
            _ => {
                let mark = format!("[masked: {}]", filters.filters[hit.filter].rule.name);
                marks.push((hit.place.clone(), mark));
            }
        }
    }
    (!marks.is_empty()).then(|| spliced(text, &marks))
}

/// The text with others in these places, which are in order.
fn spliced(text: &str, changes: &[(Range<usize>, String)]) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut at = 0;
    for (place, new) in changes {
        whole.push_str(&text[at..place.start]);
        whole.push_str(new);
        at = place.end;
    }
    whole.push_str(&text[at..]);
    whole
}

/// True for long base64, in which no words are. A row of numbers has no letters, and a column of them has shorter lines.
fn is_binary(text: &str) -> bool {
    let has_letters = || text.bytes().any(|byte| byte.is_ascii_alphabetic());
    redact::is_binary_text(text) && has_letters() && has_lines_of_base64(text)
}

/// True if no line but the last is short.
fn has_lines_of_base64(text: &str) -> bool {
    text.lines().rev().skip(1).all(|line| line.len() >= BASE64_LINE_MIN)
}

fn is_json(text: &str) -> bool {
    text.trim_ascii_start().starts_with(['{', '['])
        && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn decoded<'t>(text: &'t str, place: &Range<usize>) -> Cow<'t, str> {
    let written = &text[place.clone()];
    let Some(plain) = written.get(1..written.len().saturating_sub(1)) else { return Cow::Borrowed("") };
    match plain.contains('\\') {
        true => Cow::Owned(unescaped(written)),
        false => Cow::Borrowed(plain),
    }
}

/// Half a pair of surrogates is no character, and must not keep the rest of the text from being searched.
fn unescaped(written: &str) -> String {
    serde_json::from_str(written)
        .or_else(|_| serde_json::from_str(&without_half_pairs(written)))
        .unwrap_or_default()
}

fn without_half_pairs(written: &str) -> String {
    let unit = |at: usize| {
        let hex = written.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(hex, 16).ok()
    };
    let mut whole = String::with_capacity(written.len());
    let mut at = 0;
    while at < written.len() {
        let length = match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                whole.push(char::REPLACEMENT_CHARACTER);
                at += 6;
                continue;
            }
            (Some(_), _) => 6,
            (None, _) if written[at..].starts_with('\\') => 2,
            (None, _) => written[at..].chars().next().map_or(1, char::len_utf8),
        };
        whole.push_str(&written[at..at + length]);
        at += length;
    }
    whole
}

/// The end of the string that starts here, quotes included.
fn string_end(text: &str, start: usize) -> usize {
    let mut escaped = true;
    let length = text.as_bytes()[start..].iter().position(|byte| {
        let ends = !escaped && *byte == b'"';
        escaped = !escaped && *byte == b'\\';
        ends
    });
    length.map_or(text.len(), |length| start + length + 1)
}

/// The same for a number, `true`, `false` or `null`.
fn literal_end(text: &str, start: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
    let length = text.as_bytes()[start..].iter().position(ends);
    length.map_or(text.len(), |length| start + length)
}
