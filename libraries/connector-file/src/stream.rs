//! A stream: all records of a list, page by page, from a cursor on.

mod token;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::error::BadActionArguments;
use crate::judge::{self, ProviderVerdict, ReceivedAnswer, Repeating};
use crate::pages::{PageRule, PageTrouble, Pages};
use crate::plan::{PlannedRequest, StepInput, plan};
use crate::rules::{ProviderRules, RateLeft};
use crate::step::{PlacedValue, RequestStep};
use crate::time::unix_ms;
use crate::words::{CursorFormat, HeaderOf, RequestPlace};
use token::StreamToken;

/// A key becomes a name of a file.
const KEY_BYTES_MAX: usize = 200;

/// A list of a provider that is kept as artifacts.
pub struct ConnectorStream {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) step: RequestStep,
    pub(crate) records: String,
    pub(crate) key: String,
    pub(crate) cursor: Option<CursorRule>,
    pub(crate) pages: Option<PageRule>,
    pub(crate) rules: Arc<ProviderRules>,
}

pub(crate) struct CursorRule {
    pub(crate) pointer: String,
    pub(crate) parameter: String,
    pub(crate) place: RequestPlace,
    pub(crate) start: Option<Value>,
    pub(crate) format: CursorFormat,
    pub(crate) ascending: bool,
}

/// One record.
#[derive(Clone, PartialEq, Debug)]
pub struct StreamRecord {
    pub key: String,
    pub value: Value,
    /// Its place in the order of the cursor.
    pub updated: Option<Value>,
}

/// One page of a stream.
#[derive(Clone, PartialEq, Debug)]
pub struct StreamPage {
    pub records: Vec<StreamRecord>,
    /// The page to ask for next, with the same cursor as this one.
    pub next_page: Option<String>,
    /// The cursor of the next round, as far as this round has come. It holds once the last page was read.
    pub cursor: Option<Value>,
    pub rate: RateLeft,
}

/// A page that is being read.
pub struct StreamCall<'a> {
    stream: &'a ConnectorStream,
    /// Where this round began.
    since: Option<Value>,
    /// The highest cursor of the round so far.
    high: Option<Value>,
    pages: Option<Pages>,
    tries: u32,
    /// The verdict on the last request, if it may be sent again.
    refused: Option<ProviderVerdict>,
}

/// What comes next while a page is read.
#[derive(Clone, PartialEq, Debug)]
pub enum StreamTurn {
    /// The same request is sent again after this time. Whoever cannot wait that long ends with [`StreamCall::given_up`].
    Wait(Duration),
    Page(StreamPage),
    /// Never `Done`. `Again` only from a provider that limits its rate for longer than is waited for here: the page is there
    /// later, so the time is kept.
    Failed(ProviderVerdict),
}

impl ConnectorStream {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    pub fn description(&self) -> &str {
        &self.description
    }

    /// A round reads only what changed since the last one. Otherwise it reads everything, and what it does not find is gone.
    pub fn is_incremental(&self) -> bool {
        self.cursor.is_some()
    }

    /// Begins a page: the first, or one that an earlier page named.
    pub fn page(
        &self,
        cursor: Option<&Value>,
        page: Option<&str>,
    ) -> Result<StreamCall<'_>, BadActionArguments> {
        let cursor = cursor.filter(|cursor| !cursor.is_null()).cloned();
        let token = match page {
            Some(page) => StreamToken::read(page).ok_or(BadActionArguments::ForeignPage)?,
            None => StreamToken::default(),
        };
        let since = token.since.or(cursor);
        let high = token.high.or_else(|| since.clone());
        let pages = match &self.pages {
            Some(rule) => {
                let step = token.step.map(|step| rule.step(&step).ok_or(BadActionArguments::ForeignPage));
                Some(Pages::from(rule, step.transpose()?, token.pages))
            }
            None => None,
        };
        Ok(StreamCall { stream: self, since, high, pages, tries: 0, refused: None })
    }
}

impl StreamCall<'_> {
    pub fn request(&self, base_url: &str) -> Result<PlannedRequest, BadActionArguments> {
        let stream = self.stream;
        let rule = stream.pages.as_ref().zip(self.pages.as_ref());
        let mut more = rule.map(|(rule, pages)| rule.placed(pages.now())).unwrap_or_default();
        more.extend(stream.cursor.as_ref().and_then(|cursor| cursor.placed(self.since.as_ref())));
        let nothing = Map::new();
        let input = StepInput { arguments: &nothing, taken: &nothing, more, header: None };
        plan(&stream.rules, &stream.step, input, base_url)
    }

    pub fn answered(&mut self, status: u16, headers: HeaderOf<'_>, body: Option<&Value>) -> StreamTurn {
        let answer = ReceivedAnswer { status, headers, body };
        let step = &self.stream.step;
        match judge::judge(&self.stream.rules, Repeating::Read, step.answer, &answer) {
            ProviderVerdict::Done { data } => self.read(headers, &data).unwrap_or_else(failed),
            verdict => self.go_on(verdict),
        }
    }

    /// The request was sent, and no answer came.
    pub fn lost(&mut self) -> StreamTurn {
        self.go_on(judge::lost(Repeating::Read))
    }

    fn go_on(&mut self, verdict: ProviderVerdict) -> StreamTurn {
        self.tries += 1;
        let ProviderVerdict::Again { after, .. } = verdict else { return StreamTurn::Failed(verdict) };
        match self.stream.rules.retry.wait(after, self.tries) {
            Some(wait) => {
                self.refused = Some(verdict);
                StreamTurn::Wait(wait)
            }
            None => StreamTurn::Failed(kept(verdict)),
        }
    }

    /// The end of a page instead of the wait that it asked for.
    pub fn given_up(&self) -> ProviderVerdict {
        let nothing = || ProviderVerdict::Failed { says: "nothing was answered".to_owned(), code: None };
        self.refused.clone().map_or_else(nothing, kept)
    }

    fn read(&mut self, headers: HeaderOf<'_>, body: &Value) -> Result<StreamTurn, String> {
        let records = self.stream.records(body)?;
        let seen = records.iter().filter_map(|record| record.updated.clone());
        self.high = seen.chain(self.high.take()).reduce(later);
        let next_page = self.next_page(headers, body, records.len())?;
        let rate = self.stream.rules.rate.left(headers);
        Ok(StreamTurn::Page(StreamPage { records, next_page, cursor: self.high.clone(), rate }))
    }

    fn next_page(
        &mut self,
        headers: HeaderOf<'_>,
        body: &Value,
        items: usize,
    ) -> Result<Option<String>, String> {
        let Some(pages) = &mut self.pages else { return Ok(None) };
        match pages.next(headers, body, items) {
            Ok(next) => Ok(next.map(|step| {
                let (since, high) = (self.since.clone(), self.high.clone());
                StreamToken { pages: pages.count(), since, high, step: Some(step.token()) }.text()
            })),
            Err(PageTrouble::TooMany { .. }) if self.may_begin_anew() => {
                let since = self.high.clone();
                Ok(Some(StreamToken { since: since.clone(), high: since, ..StreamToken::default() }.text()))
            }
            Err(trouble) => Err(trouble.to_string()),
        }
    }

    /// Records in the order of the cursor can be asked for from the last one on, which is how a list goes on that a provider
    /// cuts off. The cursor must have moved, or the list would begin again and again.
    fn may_begin_anew(&self) -> bool {
        self.stream.cursor.as_ref().is_some_and(|cursor| cursor.ascending) && self.high != self.since
    }
}

impl ConnectorStream {
    fn records(&self, body: &Value) -> Result<Vec<StreamRecord>, String> {
        let found = body.pointer(&self.records).and_then(Value::as_array);
        let found =
            found.ok_or_else(|| format!("the provider's answer has no list at {:?}", self.records))?;
        found.iter().enumerate().map(|(index, value)| self.record(index, value)).collect()
    }

    fn record(&self, index: usize, value: &Value) -> Result<StreamRecord, String> {
        let place = index + 1;
        let key = match value.pointer(&self.key) {
            Some(Value::String(key)) if !key.is_empty() => key.clone(),
            Some(Value::Number(key)) => key.to_string(),
            _ => return Err(format!("record {place} of the page has no key at {:?}", self.key)),
        };
        if key.len() > KEY_BYTES_MAX || key.chars().any(char::is_control) {
            return Err(format!(
                "the key of record {place} of the page is no key: {KEY_BYTES_MAX} bytes at most"
            ));
        }
        let updated = match &self.cursor {
            Some(cursor) => {
                let lacks = || format!("record {place} of the page has no cursor at {:?}", cursor.pointer);
                Some(cursor.read(value).ok_or_else(lacks)?)
            }
            None => None,
        };
        Ok(StreamRecord { key, value: value.clone(), updated })
    }
}

impl CursorRule {
    fn read(&self, record: &Value) -> Option<Value> {
        match (self.format, record.pointer(&self.pointer)?) {
            (CursorFormat::UnixMs, Value::String(date)) => unix_ms(date).map(Value::from),
            (_, value @ (Value::String(_) | Value::Number(_))) => Some(value.clone()),
            _ => None,
        }
    }

    fn placed(&self, since: Option<&Value>) -> Option<PlacedValue> {
        let value = match since.or(self.start.as_ref())? {
            Value::Number(number) => Value::from(number.to_string()),
            other => other.clone(),
        };
        Some(PlacedValue::plain(self.place, &self.parameter, value))
    }
}

/// The later of two cursors: numbers by their size, texts by their letters.
fn later(one: Value, other: Value) -> Value {
    let is_first = match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one >= other,
        _ => one.as_str() >= other.as_str(),
    };
    if is_first { one } else { other }
}

/// A limit stays one, with its time. Everything else is a failure after the last try.
fn kept(verdict: ProviderVerdict) -> ProviderVerdict {
    match verdict {
        ProviderVerdict::Again { is_limit: true, .. } => verdict,
        other => judge::given_up(other),
    }
}

fn failed(says: String) -> StreamTurn {
    StreamTurn::Failed(ProviderVerdict::Failed { says, code: None })
}

#[cfg(test)]
mod tests;
