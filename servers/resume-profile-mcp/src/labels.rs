//! Forms: `Name: …`, `Dates …`, and the labels that Europass puts before every value.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::parsed::{ByteSpan, ParsedDocument, TextLine};
use crate::words::{fold, lines_of};

/// The meaning of a label.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum LineLabel {
    Name,
    Address,
    Phone,
    Email,
    Occupation,
    Dates,
    Position,
    Employer,
    Duties,
    Degree,
    Subject,
    School,
    Grade,
    MotherTongue,
    OtherLanguages,
    Ignored,
}

impl LineLabel {
    fn named(name: &str) -> Self {
        match name {
            "name" => Self::Name,
            "address" => Self::Address,
            "phone" => Self::Phone,
            "email" => Self::Email,
            "label" => Self::Occupation,
            "dates" => Self::Dates,
            "position" => Self::Position,
            "employer" => Self::Employer,
            "duties" => Self::Duties,
            "degree" => Self::Degree,
            "subject" => Self::Subject,
            "school" => Self::School,
            "grade" => Self::Grade,
            "mother" => Self::MotherTongue,
            "other" => Self::OtherLanguages,
            _ => Self::Ignored,
        }
    }
}

static LABELS: LazyLock<HashMap<String, LineLabel>> = LazyLock::new(|| {
    let mut labels = HashMap::new();
    for line in lines_of(include_str!("../data/labels.txt")) {
        let Some((name, words)) = line.split_once(": ") else { continue };
        for word in words.split('|') {
            labels.entry(fold(word.trim())).or_insert(LineLabel::named(name));
        }
    }
    labels
});

/// Labels of one word come before many sentences; without a colon only longer ones count.
const WORDS_WITHOUT_COLON: usize = 2;
const LABEL_WORDS_MAX: usize = 8;

/// The label at the beginning of a text, and the rest.
pub(crate) fn leading(text: &str) -> Option<(LineLabel, &str)> {
    if let Some((before, after)) = text.split_once([':', '：', '\t'])
        && let Some(label) = exact(before)
    {
        return Some((label, after));
    }
    if let Some(label) = exact(text) {
        return Some((label, ""));
    }
    if let Some((first, rest)) = text.split_once(' ')
        && let Some(label @ (LineLabel::Address | LineLabel::Phone | LineLabel::Email | LineLabel::Dates)) =
            exact(first)
        && (label != LineLabel::Dates
            || rest.trim_start().starts_with(|character: char| character.is_ascii_digit()))
    {
        return Some((label, rest));
    }
    let ends = text.match_indices(' ').map(|(at, _)| at).take(LABEL_WORDS_MAX).collect::<Vec<_>>();
    let long = ends.into_iter().skip(WORDS_WITHOUT_COLON - 1).rev();
    long.filter_map(|at| Some((exact(&text[..at])?, &text[at..]))).next()
}

/// A long label may continue in the next line; this many words of it are enough.
const WORDS_OF_LONG: usize = 3;

fn exact(text: &str) -> Option<LineLabel> {
    let folded = fold(text.trim());
    LABELS.get(&folded).copied().or_else(|| {
        let begun =
            |label: &&String| label.strip_prefix(folded.as_str()).is_some_and(|rest| rest.starts_with(' '));
        let long = folded.split(' ').count() >= WORDS_OF_LONG;
        LABELS.keys().filter(|_| long).filter(begun).min().map(|label| LABELS[label])
    })
}

/// True if a line is only the end of a long label.
fn is_end_of_label(text: &str) -> bool {
    let folded = fold(text.trim());
    let ended = |label: &String| {
        label
            .strip_suffix(folded.as_str())
            .is_some_and(|rest| rest.ends_with(' ') && rest.trim().split(' ').count() >= WORDS_OF_LONG)
    };
    LABELS.keys().any(ended)
}

/// A value with the label before it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct LabelledValue {
    pub(crate) label: LineLabel,
    pub(crate) span: ByteSpan,
}

/// Reads lines as a form. A label alone in its line takes the lines up to the next label.
pub(crate) fn read(parsed: &ParsedDocument, lines: &[(usize, ByteSpan)]) -> Vec<LabelledValue> {
    let mut found: Vec<LabelledValue> = Vec::new();
    let mut previous: Option<&TextLine> = None;
    for (index, span) in lines {
        let line = &parsed.lines[*index];
        match leading(span.of(&parsed.text)) {
            Some((label, rest)) => {
                let value = ByteSpan::new(span.end - rest.len(), span.end).trimmed(&parsed.text);
                found.push(LabelledValue { label, span: value });
            }
            None if is_end_of_label(span.of(&parsed.text)) => {}
            None => extend(&mut found, *span, previous.is_some_and(|before| before.page == line.page)),
        }
        previous = Some(line);
    }
    found.retain(|labelled| !labelled.span.is_empty());
    found
}

fn extend(found: &mut [LabelledValue], span: ByteSpan, same_page: bool) {
    let Some(last) = found.last_mut().filter(|_| same_page) else { return };
    last.span = if last.span.is_empty() { span } else { last.span.to(span) };
}

/// True if lines are a form: a minimum number of them begin with a label of an entry.
pub(crate) fn is_form(parsed: &ParsedDocument, lines: &[(usize, ByteSpan)]) -> bool {
    const LABELS_MIN: usize = 2;
    let labels = lines.iter().filter_map(|(_, span)| leading(span.of(&parsed.text)));
    let mut kinds: Vec<LineLabel> =
        labels.map(|(label, _)| label).filter(|label| is_of_entry(*label)).collect();
    kinds.dedup();
    kinds.len() >= LABELS_MIN
}

fn is_of_entry(label: LineLabel) -> bool {
    matches!(
        label,
        LineLabel::Dates
            | LineLabel::Position
            | LineLabel::Employer
            | LineLabel::Duties
            | LineLabel::Degree
            | LineLabel::Subject
            | LineLabel::School
    )
}
