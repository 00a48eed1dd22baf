//! Pages of a list: where the next one is, a limit on how many there may be, and an end if a provider turns in circles.

mod link;

use std::collections::BTreeSet;

use serde_json::Value;
use url::form_urlencoded;

use crate::step::PlacedValue;
use crate::words::{HeaderOf, RequestPlace};

/// Pages of one list, unless the file says less.
pub(crate) const PAGES_MAX: u32 = 1000;

/// A cursor or a token that is longer is no cursor.
const TOKEN_BYTES_MAX: usize = 8 << 10;

/// The address of the next page that the header `Link` names.
pub fn next_link(header: &str) -> Option<String> {
    link::next(header)
}

/// How a provider cuts its lists into pages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageRule {
    pub(crate) kind: PageKind,
    /// `Query`, `Body` or `Form`.
    pub(crate) place: RequestPlace,
    /// The parameter for the size of a page, and the size that is asked for.
    pub(crate) size: Option<(String, u64)>,
    pub(crate) pages_max: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PageKind {
    /// The answer has the cursor of the next page; an empty one is the end, and so is `more` if it is false.
    Cursor { next: String, more: Option<String>, parameter: String },
    /// The header `Link` has the address of the next page, of which these parameters are taken.
    Link { parameters: Vec<String> },
    /// Items before the page.
    Offset { parameter: String, first: u64 },
    /// The number of the page.
    Number { parameter: String, first: u64 },
}

/// A page other than the first: its parameters with their values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PageStep {
    values: Vec<(String, String)>,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PageTrouble {
    #[error("the provider named a page that was already read, so its list has no end")]
    RepeatedCursor,
    #[error("the list has more than {pages} pages")]
    TooMany { pages: u32, next: PageStep },
    #[error("the provider's next page has none of the parameters {0:?}")]
    NoParameter(Vec<String>),
    #[error("the provider's cursor is longer than {TOKEN_BYTES_MAX} bytes")]
    LongCursor,
}

/// The pages of one list.
pub struct Pages {
    rule: PageRule,
    now: Option<PageStep>,
    read: BTreeSet<PageStep>,
    pages: u32,
}

impl PageStep {
    fn of(parameter: &str, value: impl ToString) -> Self {
        Self { values: vec![(parameter.to_owned(), value.to_string())] }
    }

    /// The step as a text that callers give back.
    pub fn token(&self) -> String {
        form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.values).finish()
    }
}

impl PageRule {
    /// The step that a token stands for. A token sets parameters of pages and no others: it comes from a caller.
    pub fn step(&self, token: &str) -> Option<PageStep> {
        if token.is_empty() || token.len() > TOKEN_BYTES_MAX {
            return None;
        }
        let values: Vec<(String, String)> = form_urlencoded::parse(token.as_bytes()).into_owned().collect();
        let names = self.parameters();
        let is_known = |(name, _): &(String, String)| names.contains(&name);
        values.iter().all(is_known).then_some(PageStep { values })
    }

    fn parameters(&self) -> Vec<&String> {
        match &self.kind {
            PageKind::Cursor { parameter, .. }
            | PageKind::Offset { parameter, .. }
            | PageKind::Number { parameter, .. } => vec![parameter],
            PageKind::Link { parameters } => parameters.iter().collect(),
        }
    }

    /// The parameters of a page, and of the size.
    pub(crate) fn placed(&self, step: Option<&PageStep>) -> Vec<PlacedValue> {
        let size =
            self.size.iter().map(|(name, size)| PlacedValue::plain(self.place, name, Value::from(*size)));
        let values = step.into_iter().flat_map(|step| &step.values);
        size.chain(values.map(|(name, value)| PlacedValue::plain(self.place, name, self.value(value))))
            .collect()
    }

    /// Counted pages are numbers in a JSON body; a cursor is text.
    fn value(&self, text: &str) -> Value {
        match (&self.kind, text.parse::<u64>()) {
            (PageKind::Offset { .. } | PageKind::Number { .. }, Ok(number)) => Value::from(number),
            _ => Value::from(text),
        }
    }

    /// A page with fewer items than were asked for is the last one.
    fn is_short(&self, items: usize) -> bool {
        let asked = self.size.as_ref().map_or(1, |(_, size)| *size);
        u64::try_from(items).is_ok_and(|items| items < asked)
    }
}

impl Pages {
    pub fn new(rule: &PageRule) -> Self {
        Self { rule: rule.clone(), now: None, read: BTreeSet::new(), pages: 0 }
    }

    /// From a page on that was named before, after so many others.
    pub(crate) fn from(rule: &PageRule, step: Option<PageStep>, pages: u32) -> Self {
        Self { rule: rule.clone(), read: step.iter().cloned().collect(), now: step, pages }
    }

    /// The page that is to be asked for; nothing for the first.
    pub fn now(&self) -> Option<&PageStep> {
        self.now.as_ref()
    }

    /// Pages that were read.
    pub fn count(&self) -> u32 {
        self.pages
    }

    /// The page after an answer with so many items; nothing at the end.
    pub fn next(
        &mut self,
        headers: HeaderOf<'_>,
        body: &Value,
        items: usize,
    ) -> Result<Option<PageStep>, PageTrouble> {
        self.pages = self.pages.saturating_add(1);
        let Some(step) = self.following(headers, body, items)? else { return Ok(None) };
        if step.token().len() > TOKEN_BYTES_MAX {
            return Err(PageTrouble::LongCursor);
        }
        if !self.read.insert(step.clone()) {
            return Err(PageTrouble::RepeatedCursor);
        }
        if self.pages >= self.rule.pages_max {
            return Err(PageTrouble::TooMany { pages: self.pages, next: step });
        }
        self.now = Some(step.clone());
        Ok(Some(step))
    }

    fn following(
        &self,
        headers: HeaderOf<'_>,
        body: &Value,
        items: usize,
    ) -> Result<Option<PageStep>, PageTrouble> {
        match &self.rule.kind {
            PageKind::Cursor { next, more, parameter } => Ok(cursor(body, next, more.as_deref(), parameter)),
            PageKind::Link { parameters } => match headers("link").as_deref().and_then(link::next) {
                Some(address) => link::step(&address, parameters).map(Some),
                None => Ok(None),
            },
            PageKind::Offset { .. } | PageKind::Number { .. } if self.rule.is_short(items) => Ok(None),
            PageKind::Offset { parameter, first } => {
                let before = self.counted(*first);
                Ok(Some(PageStep::of(parameter, before.saturating_add(items as u64))))
            }
            PageKind::Number { parameter, first } => {
                Ok(Some(PageStep::of(parameter, self.counted(*first).saturating_add(1))))
            }
        }
    }

    fn counted(&self, first: u64) -> u64 {
        let now = self.now.as_ref().and_then(|step| step.values.first());
        now.and_then(|(_, value)| value.parse().ok()).unwrap_or(first)
    }
}

fn cursor(body: &Value, next: &str, more: Option<&str>, parameter: &str) -> Option<PageStep> {
    if more.is_some_and(|more| body.pointer(more) == Some(&Value::Bool(false))) {
        return None;
    }
    match body.pointer(next)? {
        Value::String(text) if !text.is_empty() => Some(PageStep::of(parameter, text)),
        Value::Number(number) => Some(PageStep::of(parameter, number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
