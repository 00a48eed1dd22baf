//! The parts of a result that do not belong in the context, and the rest of it, byte for byte.
//!
//! Nothing is stored here: a result becomes parts, some of which stand for pieces that the caller has to
//! store.

mod pieces;

use std::borrow::Cow;

use toolgate_core::Raw;
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::{elements, push_string, raw};

pub(super) use pieces::{PIECES_MAX, PieceContent, PiecePosition, TakenPiece};

use pieces::{PiecesMark, TakenPieces};

use super::base64_run::{self, RUN_BYTES_MIN};
use super::strings::strings;
use crate::settings::{BinaryTreatment, ResultSettings};

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
pub(super) enum ResultPart<'a> {
    Kept(Cow<'a, str>),
    /// Within a string.
    Mark(PiecePosition),
    /// A whole string that is an address.
    Address(PiecePosition),
    /// Instead of a block of content.
    Block(PiecePosition, BlockExtra<'a>),
    /// Instead of `structuredContent`.
    Object(PiecePosition),
}

impl ResultPart<'_> {
    pub(super) fn taken(&self) -> Option<PiecePosition> {
        match self {
            ResultPart::Kept(_) => None,
            ResultPart::Mark(taken)
            | ResultPart::Address(taken)
            | ResultPart::Object(taken)
            | ResultPart::Block(taken, _) => Some(*taken),
        }
    }
}

/// The rest of a block whose content was taken out.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct BlockExtra<'a> {
    pub(super) annotations: Option<&'a str>,
    pub(super) meta: Option<&'a str>,
}

pub(super) type ResultParts<'a> = Vec<ResultPart<'a>>;

/// A result without the parts that do not belong in the context.
pub(super) struct CleanedResult<'a> {
    /// `None` if the result stays as it is.
    pub(super) parts: Option<ResultParts<'a>>,
    pub(super) pieces: Vec<TakenPiece>,
    /// About how long `structuredContent` is that had to stay although it is too long.
    pub(super) long_structure: Option<usize>,
}

/// The permission to replace `structuredContent` as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StructureRule {
    Free,
    /// The tool declares its schema.
    Promised,
}

/// Takes a result apart. It must be valid JSON.
pub(super) fn clean<'a>(
    result: &'a str,
    settings: &ResultSettings,
    structure: StructureRule,
) -> CleanedResult<'a> {
    let mut cleaner =
        ResultCleaner { settings, structure, pieces: TakenPieces::default(), long_structure: None };
    let parts = cleaner.result(result);
    CleanedResult { parts, pieces: cleaner.pieces.into_all(), long_structure: cleaner.long_structure }
}

/// The treatment of a block of content.
enum BlockTreatment {
    Taken(PiecePosition),
    Stays,
    /// Its strings are checked one by one.
    Looked,
}

impl From<Option<PiecePosition>> for BlockTreatment {
    fn from(taken: Option<PiecePosition>) -> Self {
        taken.map_or(BlockTreatment::Looked, BlockTreatment::Taken)
    }
}

struct ResultCleaner<'s> {
    settings: &'s ResultSettings,
    structure: StructureRule,
    pieces: TakenPieces,
    long_structure: Option<usize>,
}

impl ResultCleaner<'_> {
    fn result<'a>(&mut self, text: &'a str) -> Option<ResultParts<'a>> {
        let Ok(members) = ObjectMembers::of_str(text) else { return self.json(text, 0) };
        let mut edit = TextEdit::of(text);
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

    fn content<'a>(&mut self, array: Raw<'a>) -> Option<ResultParts<'a>> {
        let Ok(blocks) = elements(array) else { return self.json(array.get(), 0) };
        let mut edit = TextEdit::of(array.get());
        for block in blocks {
            let parts = self.block(block);
            edit.replace(block.get(), parts);
        }
        edit.end()
    }

    fn block<'a>(&mut self, block: Raw<'a>) -> Option<ResultParts<'a>> {
        let Ok(members) = ObjectMembers::parse(block) else { return self.json(block.get(), 0) };
        if members.has_duplicates() {
            // Two readers may see two different blocks, and only one of them was checked.
            let whole = self.pieces.add(TakenPiece::text(block.get().to_owned(), None));
            return Some(vec![ResultPart::Block(whole, BlockExtra::default())]);
        }
        let taken = match members.get_str("type").as_deref() {
            Some("image" | "audio") => self.binary(members.get_str("data")),
            Some("resource") => {
                match members.get("resource").and_then(|inner| ObjectMembers::parse(inner).ok()) {
                    Some(inner) if inner.get("blob").is_some() => self.binary(inner.get_str("blob")),
                    Some(inner) => self.long_text(&inner).into(),
                    None => BlockTreatment::Looked,
                }
            }
            Some("text") => self.long_text(&members).into(),
            _ => BlockTreatment::Looked,
        };
        match taken {
            BlockTreatment::Taken(taken) => Some(vec![ResultPart::Block(taken, self.extra(&members))]),
            BlockTreatment::Stays => None,
            BlockTreatment::Looked => self.json(block.get(), 0),
        }
    }

    fn binary(&mut self, encoded: Option<Cow<'_, str>>) -> BlockTreatment {
        match (encoded, self.settings.binary) {
            (Some(_), BinaryTreatment::Inline) => BlockTreatment::Stays,
            (Some(encoded), BinaryTreatment::TakeOut) => {
                BlockTreatment::Taken(self.pieces.add_encoded(&encoded))
            }
            (None, _) => BlockTreatment::Looked,
        }
    }

    /// The text of a block, if it is too long even without the parts that were taken out.
    fn long_text(&mut self, members: &ObjectMembers<'_>) -> Option<PiecePosition> {
        let text = members.get_str("text").filter(|text| text.len() > self.settings.text_bytes_max)?;
        let before = self.pieces.mark();
        let parts = self.within(&text, 0);
        let fits = self.fits(before, parts.as_ref(), &text);
        self.pieces.back_to(before);
        let declared = members.get_str("mimeType");
        (!fits).then(|| self.pieces.add(TakenPiece::text(text.into_owned(), declared.as_deref())))
    }

    fn extra<'a>(&mut self, members: &ObjectMembers<'a>) -> BlockExtra<'a> {
        let mut short = |name: &str| {
            let text = members.get(name)?.get();
            let before = self.pieces.mark();
            let changed = self.json(text, 0);
            self.pieces.back_to(before);
            (text.len() <= EXTRA_BYTES_MAX && changed.is_none()).then_some(text)
        };
        BlockExtra { annotations: short("annotations"), meta: short("_meta") }
    }

    fn structured<'a>(&mut self, value: Raw<'a>) -> Option<ResultParts<'a>> {
        let before = self.pieces.mark();
        let parts = self.json(value.get(), 0);
        if self.fits(before, parts.as_ref(), value.get()) {
            return parts;
        }
        if self.structure == StructureRule::Promised {
            self.long_structure = Some(parts.as_ref().map_or(value.get().len(), |parts| length(parts)));
            return parts;
        }
        self.pieces.back_to(before);
        Some(vec![ResultPart::Object(self.pieces.add(TakenPiece::text(value.get().to_owned(), None)))])
    }

    /// Every string of a JSON text, keys included.
    fn json<'a>(&mut self, json: &'a str, nested: usize) -> Option<ResultParts<'a>> {
        let mut edit = TextEdit::of(json);
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

    fn string(&mut self, text: &str, nested: usize) -> Option<ResultParts<'static>> {
        let before = self.pieces.mark();
        let parts = self.within(text, nested);
        if self.fits(before, parts.as_ref(), text) {
            return parts;
        }
        self.pieces.back_to(before);
        Some(vec![ResultPart::Mark(self.pieces.add(TakenPiece::text(text.to_owned(), None)))])
    }

    fn within(&mut self, text: &str, nested: usize) -> Option<ResultParts<'static>> {
        let is_json = text.trim_start().starts_with(['{', '[']) && nested < NESTED_MAX && raw(text).is_ok();
        let parts = if is_json { self.json(text, nested + 1) } else { self.plain(text) };
        parts.map(into_owned)
    }

    /// True if a text may stay, without the parts taken out since `before`. If too much would be withheld, it
    /// is better stored as a whole.
    fn fits(&self, before: PiecesMark, parts: Option<&ResultParts<'_>>, text: &str) -> bool {
        let left = parts.map_or(text.len(), |parts| length(parts));
        left <= self.settings.text_bytes_max && !self.pieces.is_over_since(before)
    }

    fn plain<'a>(&mut self, text: &'a str) -> Option<ResultParts<'a>> {
        let mut edit = TextEdit::of(text);
        for run in base64_run::runs(text, RUN_BYTES_MIN) {
            let taken = self.pieces.add_encoded(&text[run.letters]);
            edit.replace(&text[run.place], Some(vec![ResultPart::Mark(taken)]));
        }
        edit.end()
    }
}

/// True if a string is an address with embedded content, in a place for an address.
fn is_address(text: &str, key: Option<&str>, parts: &[ResultPart<'_>]) -> bool {
    matches!(key, Some("uri" | "url")) && text.starts_with("data:") && matches!(parts, [ResultPart::Mark(_)])
}

fn to_address(parts: ResultParts<'_>) -> ResultParts<'_> {
    let to_address = |part| match part {
        ResultPart::Mark(taken) => ResultPart::Address(taken),
        other => other,
    };
    parts.into_iter().map(to_address).collect()
}

/// The parts of a text as those of a JSON string. Marks and addresses need no escaping.
fn quoted(parts: ResultParts<'static>) -> ResultParts<'static> {
    let escape = |part| match part {
        ResultPart::Kept(text) => {
            let mut escaped = String::with_capacity(text.len() + 2);
            push_string(&mut escaped, &text);
            ResultPart::Kept(Cow::Owned(escaped[1..escaped.len() - 1].to_owned()))
        }
        other => other,
    };
    let quote = || std::iter::once(ResultPart::Kept(Cow::Borrowed("\"")));
    quote().chain(parts.into_iter().map(escape)).chain(quote()).collect()
}

fn into_owned(parts: ResultParts<'_>) -> ResultParts<'static> {
    let own = |part| match part {
        ResultPart::Kept(text) => ResultPart::Kept(Cow::Owned(text.into_owned())),
        ResultPart::Mark(taken) => ResultPart::Mark(taken),
        ResultPart::Address(taken) => ResultPart::Address(taken),
        ResultPart::Object(taken) => ResultPart::Object(taken),
        ResultPart::Block(taken, _) => ResultPart::Block(taken, BlockExtra::default()),
    };
    parts.into_iter().map(own).collect()
}

/// About how long parts are as text.
fn length(parts: &[ResultPart<'_>]) -> usize {
    let one = |part: &ResultPart<'_>| match part {
        ResultPart::Kept(text) => text.len(),
        _ => MARK_BYTES,
    };
    parts.iter().map(one).sum()
}

/// A text with some ranges replaced, from its start to its end.
struct TextEdit<'a> {
    text: &'a str,
    /// Up to here everything is in `parts`.
    at: usize,
    parts: ResultParts<'a>,
}

impl<'a> TextEdit<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, at: 0, parts: Vec::new() }
    }

    /// `stretch` must be part of the text.
    fn replace(&mut self, stretch: &str, parts: Option<ResultParts<'a>>) {
        let Some(parts) = parts else { return };
        let start = stretch.as_ptr() as usize - self.text.as_ptr() as usize;
        self.keep_to(start);
        self.at = start + stretch.len();
        self.parts.extend(parts);
    }

    fn keep_to(&mut self, end: usize) {
        if self.at < end {
            self.parts.push(ResultPart::Kept(Cow::Borrowed(&self.text[self.at..end])));
        }
    }

    fn end(mut self) -> Option<ResultParts<'a>> {
        if self.parts.is_empty() {
            return None;
        }
        self.keep_to(self.text.len());
        Some(self.parts)
    }
}

#[cfg(test)]
mod tests;
