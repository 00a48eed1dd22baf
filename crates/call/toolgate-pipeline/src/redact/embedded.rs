//! JSON inside a text. It is changed in place: rewritten, it could read differently from what is sent, for
//! example if a key occurs twice and readers disagree on which one counts.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Number, Value};

use super::binary;
use super::mark::{HiddenKind, RemovedValues, is_mark};
use super::pattern::WalkStep;
use super::secret::is_secret_key;
use super::walk::{PatternPositions, RedactionWalk, card};

/// Deeper ones are taken out unread.
const DEPTH_MAX: usize = 128;

pub(super) struct EmbeddedJson<'w, 'a, 't> {
    walk: &'w RedactionWalk<'a>,
    /// One JSON value.
    text: &'t str,
    at: usize,
    changes: Vec<(Range<usize>, String)>,
}

struct TooDeep;

/// An object during the walk, with its members if all of them had to be known.
struct OpenObject {
    start: usize,
    members: Option<Map<String, Value>>,
}

impl<'w, 'a, 't> EmbeddedJson<'w, 'a, 't> {
    /// `text` must be one valid JSON value.
    pub(super) fn new(walk: &'w RedactionWalk<'a>, text: &'t str) -> Self {
        Self { walk, text, at: 0, changes: Vec::new() }
    }

    /// The text without values that must not be stored, if it has any.
    pub(super) fn redacted(mut self, found: &mut RemovedValues) -> Option<String> {
        if self.value(&self.walk.root(), 0, found).is_err() {
            return Some(found.take_text(HiddenKind::Nested, self.text));
        }
        let last = self.changes.last()?.0.end;
        let mut left = String::with_capacity(self.text.len());
        let mut at = 0;
        for (place, mark) in &self.changes {
            left.push_str(&self.text[at..place.start]);
            left.push_str(mark);
            at = place.end;
        }
        left.push_str(&self.text[last..]);
        Some(left)
    }

    fn value(
        &mut self,
        reached: &PatternPositions,
        depth: usize,
        found: &mut RemovedValues,
    ) -> Result<(), TooDeep> {
        if depth > DEPTH_MAX {
            return Err(TooDeep);
        }
        self.skip_space();
        match self.byte() {
            b'{' => self.object(reached, depth, found)?,
            b'[' => self.array(reached, depth, found)?,
            b'"' => {
                let place = self.string();
                let text = self.decoded(&place);
                if let Some(redacted) = self.walk.text(&text, found) {
                    self.change(place, &redacted);
                }
            }
            _ => {
                let place = self.literal();
                let number = serde_json::from_str::<Number>(&self.text[place.clone()]).ok();
                if let Some(redacted) = number.and_then(|number| card(&number, found)) {
                    self.change(place, &redacted);
                }
            }
        }
        Ok(())
    }

    fn object(
        &mut self,
        reached: &PatternPositions,
        depth: usize,
        found: &mut RemovedValues,
    ) -> Result<(), TooDeep> {
        let mut whole = OpenObject { start: self.at, members: None };
        self.at += 1;
        loop {
            self.skip_space();
            match self.byte() {
                b'"' => {
                    let key = self.string();
                    let key = self.decoded(&key);
                    self.skip_space();
                    self.at += 1;
                    self.skip_space();
                    self.member(&mut whole, &key, reached, depth, found)?;
                }
                b',' => self.at += 1,
                _ => {
                    self.at += 1;
                    return Ok(());
                }
            }
        }
    }

    fn member(
        &mut self,
        whole: &mut OpenObject,
        key: &str,
        reached: &PatternPositions,
        depth: usize,
        found: &mut RemovedValues,
    ) -> Result<(), TooDeep> {
        if is_secret_key(key) && self.can_be_secret() {
            self.take_out(HiddenKind::Secret, found);
            return Ok(());
        }
        if binary::may_be_binary_member(key) && self.byte() == b'"' {
            let (start, place) = (self.at, self.string());
            let text = self.decoded(&place);
            let members = whole.members.get_or_insert_with(|| self.members_at(whole.start));
            if binary::is_binary_member(members, key, &text) {
                found.hide(HiddenKind::Binary, false);
                self.change(place, &binary::marker(&text));
                return Ok(());
            }
            self.at = start;
        }
        self.child(&self.walk.below(reached, key), depth, found)
    }

    fn array(
        &mut self,
        reached: &PatternPositions,
        depth: usize,
        found: &mut RemovedValues,
    ) -> Result<(), TooDeep> {
        self.at += 1;
        let mut index = 0;
        loop {
            self.skip_space();
            match self.byte() {
                b']' => {
                    self.at += 1;
                    return Ok(());
                }
                b',' => {
                    self.at += 1;
                    index += 1;
                }
                _ => self.child(&self.walk.advanced(reached, WalkStep::Index(index)), depth, found)?,
            }
        }
    }

    fn child(
        &mut self,
        reached: &PatternPositions,
        depth: usize,
        found: &mut RemovedValues,
    ) -> Result<(), TooDeep> {
        if self.walk.is_meant(reached) {
            self.take_out(HiddenKind::Rule, found);
            return Ok(());
        }
        self.value(reached, depth + 1, found)
    }

    /// Removes a whole value because of its place. The caller wrote that place too, into a text that its
    /// reader may understand differently: people may only agree to a hidden value that can be nothing but a
    /// credential.
    fn take_out(&mut self, kind: HiddenKind, found: &mut RemovedValues) {
        let place = self.skip_value();
        let text = match self.text.as_bytes()[place.start] {
            b'"' => self.decoded(&place),
            _ => Cow::Borrowed(&self.text[place.clone()]),
        };
        if is_mark(&text) {
            return;
        }
        let mark = found.take_text(kind, &text);
        if let Some(hidden) = found.hidden.last_mut() {
            hidden.may_stay_unseen = text.bytes().all(is_harmless);
        }
        self.change(place, &mark);
    }

    fn can_be_secret(&self) -> bool {
        !matches!(self.byte(), b'n' | b't' | b'f')
    }

    fn members_at(&self, start: usize) -> Map<String, Value> {
        let mut whole = EmbeddedJson { walk: self.walk, text: self.text, at: start, changes: Vec::new() };
        let place = whole.skip_value();
        serde_json::from_str(&self.text[place]).unwrap_or_default()
    }

    fn change(&mut self, place: Range<usize>, mark: &str) {
        self.changes.push((place, Value::from(mark).to_string()));
    }

    fn decoded(&self, place: &Range<usize>) -> Cow<'t, str> {
        let written = &self.text[place.clone()];
        let plain = &written[1..written.len() - 1];
        match plain.contains('\\') {
            true => Cow::Owned(serde_json::from_str(written).unwrap_or_default()),
            false => Cow::Borrowed(plain),
        }
    }

    /// The current byte; at the end one that ends everything.
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(b']')
    }

    fn skip_space(&mut self) {
        while matches!(self.byte(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    /// Goes over a string, quotes included.
    fn string(&mut self) -> Range<usize> {
        let start = self.at;
        let mut escaped = true;
        let length = self.text.as_bytes()[start..].iter().position(|byte| {
            let ends = !escaped && *byte == b'"';
            escaped = !escaped && *byte == b'\\';
            ends
        });
        self.at = length.map_or(self.text.len(), |length| start + length + 1);
        start..self.at
    }

    /// Goes over a number, `true`, `false` or `null`.
    fn literal(&mut self) -> Range<usize> {
        let start = self.at;
        let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
        let length = self.text.as_bytes()[start..].iter().position(ends);
        self.at = length.map_or(self.text.len(), |length| start + length.max(1));
        start..self.at
    }

    /// Goes over any value.
    fn skip_value(&mut self) -> Range<usize> {
        let start = self.at;
        let mut open = 0_usize;
        loop {
            match self.byte() {
                b'"' => drop(self.string()),
                b'{' | b'[' => {
                    open += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    open = open.saturating_sub(1);
                    self.at += 1;
                }
                b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                _ => drop(self.literal()),
            }
            if open == 0 || self.at >= self.text.len() {
                return start..self.at.min(self.text.len());
            }
        }
    }
}

/// No character that a shell or another reader would take for more than a word.
fn is_harmless(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'_'
                | b'.'
                | b'~'
                | b'+'
                | b'/'
                | b'='
                | b'!'
                | b'@'
                | b'#'
                | b'%'
                | b'^'
                | b':'
                | b','
                | b'?'
        )
}
