//! The parts of a result that do not belong in the context, and the rest of it, byte for byte.
//!
//! Nothing is stored here: a result becomes parts, some of which stand for pieces that the caller has to
//! store.

mod pieces;

use std::borrow::Cow;

use toolgate_core::Raw;
use toolgate_wire::Members;
use toolgate_wire::object::{elements, push_string, raw};

pub(super) use pieces::{Content, PIECES_MAX, Piece, Taken};

use pieces::{Mark, Pieces};

use super::base64_run::{self, RUN_BYTES_MIN};
use super::strings::strings;
use crate::settings::{Binary, ResultSettings};

/// Shorter strings contain nothing that is worth a ref.
const STRING_BYTES_MIN: usize = 256;
/// The maximum nesting of JSON within strings of JSON.
const NESTED_MAX: usize = 3;
/// The approximate size of a mark.
const MARK_BYTES: usize = 96;
/// Additional members of a block are kept only if they are short.
const EXTRA_BYTES_MAX: usize = 1024;

/// A part of a result, as it goes to the agent.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Part<'a> {
    Kept(Cow<'a, str>),
    /// Within a string.
    Mark(Taken),
    /// A whole string that is an address.
    Address(Taken),
    /// Instead of a block of content.
    Block(Taken, Extra<'a>),
    /// Instead of `structuredContent`.
    Object(Taken),
}

impl Part<'_> {
    pub(super) fn taken(&self) -> Option<Taken> {
        match self {
            Part::Kept(_) => None,
            Part::Mark(taken) | Part::Address(taken) | Part::Object(taken) | Part::Block(taken, _) => {
                Some(*taken)
            }
        }
    }
}

/// The rest of a block whose content was taken out.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Extra<'a> {
    pub(super) annotations: Option<&'a str>,
    pub(super) meta: Option<&'a str>,
}

pub(super) type Parts<'a> = Vec<Part<'a>>;

/// A result without the parts that do not belong in the context.
pub(super) struct Cleaned<'a> {
    /// `None` if the result stays as it is.
    pub(super) parts: Option<Parts<'a>>,
    pub(super) pieces: Vec<Piece>,
    /// About how long `structuredContent` is that had to stay although it is too long.
    pub(super) long_structure: Option<usize>,
}

/// The permission to replace `structuredContent` as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Structure {
    Free,
    /// The tool declares its schema.
    Promised,
}

/// Takes a result apart. It must be valid JSON.
pub(super) fn clean<'a>(result: &'a str, settings: &ResultSettings, structure: Structure) -> Cleaned<'a> {
    let mut cleaner = Cleaner { settings, structure, pieces: Pieces::default(), long_structure: None };
    let parts = cleaner.result(result);
    Cleaned { parts, pieces: cleaner.pieces.into_all(), long_structure: cleaner.long_structure }
}

/// The treatment of a block of content.
enum Block {
    Taken(Taken),
    Stays,
    /// Its strings are checked one by one.
    Looked,
}

impl From<Option<Taken>> for Block {
    fn from(taken: Option<Taken>) -> Self {
        taken.map_or(Block::Looked, Block::Taken)
    }
}

struct Cleaner<'s> {
    settings: &'s ResultSettings,
    structure: Structure,
    pieces: Pieces,
    long_structure: Option<usize>,
}

impl Cleaner<'_> {
    fn result<'a>(&mut self, text: &'a str) -> Option<Parts<'a>> {
        let Ok(members) = Members::of_str(text) else { return self.json(text, 0) };
        let mut edit = Edit::of(text);
        for (name, value) in members.iter() {
            let parts = match name {
                "content" => self.content(value),
                "structuredContent" => self.structured(value),
                _ => self.json(value.get(), 0),
            };
            edit.replace(value.get(), parts);
        }
        edit.end()
    }

    fn content<'a>(&mut self, array: Raw<'a>) -> Option<Parts<'a>> {
        let Ok(blocks) = elements(array) else { return self.json(array.get(), 0) };
        let mut edit = Edit::of(array.get());
        for block in blocks {
            let parts = self.block(block);
            edit.replace(block.get(), parts);
        }
        edit.end()
    }

    fn block<'a>(&mut self, block: Raw<'a>) -> Option<Parts<'a>> {
        let Ok(members) = Members::parse(block) else { return self.json(block.get(), 0) };
        if members.has_duplicates() {
            // Two readers may see two different blocks, and only one of them was checked.
            let whole = self.pieces.add(Piece::text(block.get().to_owned(), None));
            return Some(vec![Part::Block(whole, Extra::default())]);
        }
        let taken = match members.get_str("type").as_deref() {
            Some("image" | "audio") => self.binary(members.get_str("data")),
            Some("resource") => match members.get("resource").and_then(|inner| Members::parse(inner).ok()) {
                Some(inner) if inner.get("blob").is_some() => self.binary(inner.get_str("blob")),
                Some(inner) => self.long_text(&inner).into(),
                None => Block::Looked,
            },
            Some("text") => self.long_text(&members).into(),
            _ => Block::Looked,
        };
        match taken {
            Block::Taken(taken) => Some(vec![Part::Block(taken, self.extra(&members))]),
            Block::Stays => None,
            Block::Looked => self.json(block.get(), 0),
        }
    }

    fn binary(&mut self, encoded: Option<Cow<'_, str>>) -> Block {
        match (encoded, self.settings.binary) {
            (Some(_), Binary::Inline) => Block::Stays,
            (Some(encoded), Binary::TakeOut) => Block::Taken(self.pieces.add_encoded(&encoded)),
            (None, _) => Block::Looked,
        }
    }

    /// The text of a block, if it is too long even without the parts that were taken out.
    fn long_text(&mut self, members: &Members<'_>) -> Option<Taken> {
        let text = members.get_str("text").filter(|text| text.len() > self.settings.text_bytes_max)?;
        let before = self.pieces.mark();
        let parts = self.within(&text, 0);
        let fits = self.fits(before, parts.as_ref(), &text);
        self.pieces.back_to(before);
        let declared = members.get_str("mimeType");
        (!fits).then(|| self.pieces.add(Piece::text(text.into_owned(), declared.as_deref())))
    }

    fn extra<'a>(&mut self, members: &Members<'a>) -> Extra<'a> {
        let mut short = |name: &str| {
            let text = members.get(name)?.get();
            let before = self.pieces.mark();
            let changed = self.json(text, 0);
            self.pieces.back_to(before);
            (text.len() <= EXTRA_BYTES_MAX && changed.is_none()).then_some(text)
        };
        Extra { annotations: short("annotations"), meta: short("_meta") }
    }

    fn structured<'a>(&mut self, value: Raw<'a>) -> Option<Parts<'a>> {
        let before = self.pieces.mark();
        let parts = self.json(value.get(), 0);
        if self.fits(before, parts.as_ref(), value.get()) {
            return parts;
        }
        if self.structure == Structure::Promised {
            self.long_structure = Some(parts.as_ref().map_or(value.get().len(), |parts| length(parts)));
            return parts;
        }
        self.pieces.back_to(before);
        Some(vec![Part::Object(self.pieces.add(Piece::text(value.get().to_owned(), None)))])
    }

    /// Every string of a JSON text, keys included.
    fn json<'a>(&mut self, json: &'a str, nested: usize) -> Option<Parts<'a>> {
        let mut edit = Edit::of(json);
        for found in strings(json) {
            if found.bytes_max() < STRING_BYTES_MIN {
                continue;
            }
            let text = found.decoded();
            let Some(parts) = self.string(&text, nested) else { continue };
            let parts = if is_address(&text, found.key, &parts) { to_address(parts) } else { parts };
            edit.replace(&json[found.place], Some(quoted(parts)));
        }
        edit.end()
    }

    fn string(&mut self, text: &str, nested: usize) -> Option<Parts<'static>> {
        let before = self.pieces.mark();
        let parts = self.within(text, nested);
        if self.fits(before, parts.as_ref(), text) {
            return parts;
        }
        self.pieces.back_to(before);
        Some(vec![Part::Mark(self.pieces.add(Piece::text(text.to_owned(), None)))])
    }

    fn within(&mut self, text: &str, nested: usize) -> Option<Parts<'static>> {
        let is_json = text.trim_start().starts_with(['{', '[']) && nested < NESTED_MAX && raw(text).is_ok();
        let parts = if is_json { self.json(text, nested + 1) } else { self.plain(text) };
        parts.map(into_owned)
    }

    /// True if a text may stay, without the parts taken out since `before`. If too much would be withheld, it
    /// is better stored as a whole.
    fn fits(&self, before: Mark, parts: Option<&Parts<'_>>, text: &str) -> bool {
        let left = parts.map_or(text.len(), |parts| length(parts));
        left <= self.settings.text_bytes_max && !self.pieces.is_over_since(before)
    }

    fn plain<'a>(&mut self, text: &'a str) -> Option<Parts<'a>> {
        let mut edit = Edit::of(text);
        for run in base64_run::runs(text, RUN_BYTES_MIN) {
            let taken = self.pieces.add_encoded(&text[run.letters]);
            edit.replace(&text[run.place], Some(vec![Part::Mark(taken)]));
        }
        edit.end()
    }
}

/// True if a string is an address with embedded content, in a place for an address.
fn is_address(text: &str, key: Option<&str>, parts: &[Part<'_>]) -> bool {
    matches!(key, Some("uri" | "url")) && text.starts_with("data:") && matches!(parts, [Part::Mark(_)])
}

fn to_address(parts: Parts<'_>) -> Parts<'_> {
    let to_address = |part| match part {
        Part::Mark(taken) => Part::Address(taken),
        other => other,
    };
    parts.into_iter().map(to_address).collect()
}

/// The parts of a text as those of a JSON string. Marks and addresses need no escaping.
fn quoted(parts: Parts<'static>) -> Parts<'static> {
    let escape = |part| match part {
        Part::Kept(text) => {
            let mut escaped = String::with_capacity(text.len() + 2);
            push_string(&mut escaped, &text);
            Part::Kept(Cow::Owned(escaped[1..escaped.len() - 1].to_owned()))
        }
        other => other,
    };
    let quote = || std::iter::once(Part::Kept(Cow::Borrowed("\"")));
    quote().chain(parts.into_iter().map(escape)).chain(quote()).collect()
}

fn into_owned(parts: Parts<'_>) -> Parts<'static> {
    let own = |part| match part {
        Part::Kept(text) => Part::Kept(Cow::Owned(text.into_owned())),
        Part::Mark(taken) => Part::Mark(taken),
        Part::Address(taken) => Part::Address(taken),
        Part::Object(taken) => Part::Object(taken),
        Part::Block(taken, _) => Part::Block(taken, Extra::default()),
    };
    parts.into_iter().map(own).collect()
}

/// About how long parts are as text.
fn length(parts: &[Part<'_>]) -> usize {
    let one = |part: &Part<'_>| match part {
        Part::Kept(text) => text.len(),
        _ => MARK_BYTES,
    };
    parts.iter().map(one).sum()
}

/// A text with some ranges replaced, from its start to its end.
struct Edit<'a> {
    text: &'a str,
    /// Up to here everything is in `parts`.
    at: usize,
    parts: Parts<'a>,
}

impl<'a> Edit<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, at: 0, parts: Vec::new() }
    }

    /// `stretch` must be part of the text.
    fn replace(&mut self, stretch: &str, parts: Option<Parts<'a>>) {
        let Some(parts) = parts else { return };
        let start = stretch.as_ptr() as usize - self.text.as_ptr() as usize;
        self.keep_to(start);
        self.at = start + stretch.len();
        self.parts.extend(parts);
    }

    fn keep_to(&mut self, end: usize) {
        if self.at < end {
            self.parts.push(Part::Kept(Cow::Borrowed(&self.text[self.at..end])));
        }
    }

    fn end(mut self) -> Option<Parts<'a>> {
        if self.parts.is_empty() {
            return None;
        }
        self.keep_to(self.text.len());
        Some(self.parts)
    }
}

#[cfg(test)]
mod tests;
