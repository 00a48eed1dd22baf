//! A document as counts of words by field.

mod vocabulary;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ToolDocument;
use crate::words::{self, WordKind};

pub(super) use vocabulary::StemVocabulary;

/// The part of a document with a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DocumentField {
    Server,
    Name,
    Title,
    /// The first sentence of the description: the purpose of the tool.
    Summary,
    /// The rest of it: how, when, and other details.
    Details,
    ArgumentName,
    ArgumentText,
    Tag,
    Example,
}

pub(super) const FIELDS: usize = 9;
/// The maximum number of words of one field: no description is that long, and a flood of words finds nothing.
const WORDS_MAX: usize = 2_000;

/// The occurrences of a word in each field.
pub(super) type FieldCounts = [u8; FIELDS];
/// The number of words of each field.
pub(super) type FieldLengths = [u16; FIELDS];

/// The data of a document that indexing needs.
pub(super) struct Analysis {
    pub(super) document: Arc<ToolDocument>,
    /// The numbers of its stems in the vocabulary.
    pub(super) terms: Vec<(u32, FieldCounts)>,
    pub(super) lengths: FieldLengths,
    /// The keys of its names.
    pub(super) keys: Vec<Arc<str>>,
}

impl Analysis {
    pub(super) fn of(document: &Arc<ToolDocument>, vocabulary: &mut StemVocabulary) -> Self {
        let mut lengths = [0; FIELDS];
        let mut terms: BTreeMap<u32, FieldCounts> = BTreeMap::new();
        for (field, text) in texts(document) {
            let length = &mut lengths[field as usize];
            let room = WORDS_MAX.saturating_sub(usize::from(*length));
            for word in words::words(text).into_iter().filter(|word| !words::is_filler(&word.text)).take(room)
            {
                let count = &mut terms.entry(vocabulary.stem_number(word.text)).or_default()[field as usize];
                *count = count.saturating_add(1);
                *length += u16::from(word.kind == WordKind::Plain);
            }
        }
        let keys = document.names().map(|name| words::name_key(name).into()).collect();
        Self { document: Arc::clone(document), terms: terms.into_iter().collect(), lengths, keys }
    }
}

fn texts(document: &ToolDocument) -> impl Iterator<Item = (DocumentField, &str)> {
    let (summary, details) = sentences(&document.description);
    let arguments = document.arguments.iter();
    [(DocumentField::Server, document.server.as_str()), (DocumentField::Name, &*document.own)]
        .into_iter()
        .chain(document.title.as_deref().map(|title| (DocumentField::Title, title)))
        .chain([(DocumentField::Summary, summary), (DocumentField::Details, details)])
        .chain(arguments.clone().map(|argument| (DocumentField::ArgumentName, argument.name.as_str())))
        .chain(arguments.map(|argument| (DocumentField::ArgumentText, argument.description.as_str())))
        .chain(document.tags.iter().map(|tag| (DocumentField::Tag, tag.as_str())))
        .chain(document.examples.iter().map(|example| (DocumentField::Example, example.as_str())))
}

/// The first sentence or paragraph, and the rest.
fn sentences(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.char_indices().find(|(at, c)| is_end(*c, &text[at + c.len_utf8()..]));
    text.split_at(end.map_or(text.len(), |(at, c)| at + c.len_utf8()))
}

fn is_end(c: char, after: &str) -> bool {
    match c {
        '.' | '!' | '?' => after.starts_with(char::is_whitespace),
        '\n' => after.trim_start_matches([' ', '\t', '\r']).starts_with('\n'),
        _ => c == '。',
    }
}
