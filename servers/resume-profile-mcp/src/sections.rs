//! The lines of each part of a resume: by the words of headings in many languages, and by their looks.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::dates;
use crate::parsed::{ByteSpan, ParsedDocument, TextLine};
pub use crate::section::{ResumeSection, SectionKind};
use crate::words::{self, lines_of, plain};

static HEADINGS: LazyLock<HashMap<String, SectionKind>> = LazyLock::new(|| {
    let mut headings = HashMap::new();
    for line in lines_of(include_str!("../data/headings.txt")) {
        let Some((kind, names)) = line.split_once(": ") else { continue };
        for name in names.split('|') {
            headings.entry(plain(name)).or_insert(SectionKind::named(kind));
        }
    }
    headings
});

/// Headings are short.
const HEADING_CHARS_MAX: usize = 48;
const HEADING_WORDS_MAX: usize = 6;

/// The distinctness of one line.
pub(crate) struct LineLooks {
    body_size: f32,
}

impl LineLooks {
    pub(crate) fn of(parsed: &ParsedDocument) -> Self {
        let mut sizes: Vec<(f32, usize)> = Vec::new();
        for line in &parsed.lines {
            let length = line.span.end - line.span.start;
            match sizes.iter_mut().find(|(size, _)| (*size - line.size).abs() < 0.25) {
                Some((_, count)) => *count += length,
                None => sizes.push((line.size, length)),
            }
        }
        let body_size = sizes.iter().max_by_key(|(_, count)| *count).map_or(0.0, |(size, _)| *size);
        Self { body_size }
    }

    /// Larger than most lines, by this factor.
    pub(crate) fn scale(&self, line: &TextLine) -> f32 {
        if self.body_size > 0.0 && line.size > 0.0 { line.size / self.body_size } else { 1.0 }
    }

    pub(crate) fn is_prominent(&self, parsed: &ParsedDocument, index: usize) -> bool {
        let line = &parsed.lines[index];
        line.heading.is_some() || line.bold || self.scale(line) > 1.08 || is_capitals(parsed.line(index))
    }
}

/// Written in capitals only.
pub(crate) fn is_capitals(text: &str) -> bool {
    let letters = || text.chars().filter(|character| character.is_alphabetic());
    letters().count() >= 3
        && letters().all(|letter| !letter.is_lowercase())
        && letters().any(char::is_uppercase)
}

/// The sections in the order of the text.
pub fn find(parsed: &ParsedDocument) -> Vec<ResumeSection> {
    let looks = LineLooks::of(parsed);
    let mut sections = vec![ResumeSection { kind: SectionKind::Top, heading: None, spans: Vec::new() }];
    for index in 0..parsed.lines.len() {
        let current = sections.last().expect("there is one from the beginning").kind;
        match heading(parsed, &looks, index, current) {
            Some((kind, rest)) => {
                let spans = if rest.is_empty() { Vec::new() } else { vec![(index, rest)] };
                sections.push(ResumeSection { kind, heading: Some(index), spans });
            }
            None => {
                let section = sections.last_mut().expect("there is one from the beginning");
                section.spans.push((index, parsed.lines[index].span));
            }
        }
    }
    split_at_styled_headings(parsed, sections)
        .into_iter()
        .filter(|section| section.heading.is_some() || !section.spans.is_empty())
        .collect()
}

/// The kind of a heading, and the part of its line that already belongs to the section.
fn heading(
    parsed: &ParsedDocument,
    looks: &LineLooks,
    index: usize,
    current: SectionKind,
) -> Option<(SectionKind, ByteSpan)> {
    let line = &parsed.lines[index];
    let text = parsed.line(index);
    let none = ByteSpan::new(line.span.end, line.span.end);
    if line.item {
        return None;
    }
    if let Some(kind) = known(text) {
        // `Languages` in bold among skills may be a group of them; a heading looks like the others.
        return Some((kind, none));
    }
    if let Some((before, after)) = text.split_once([':', '：'])
        && let Some(kind) = inline(before, after, current)
    {
        let rest = ByteSpan::new(line.span.end - after.len(), line.span.end).trimmed(&parsed.text);
        return Some((kind, rest));
    }
    let short =
        text.chars().count() <= HEADING_CHARS_MAX && words::words_of(text).count() <= HEADING_WORDS_MAX;
    let sticks_out = looks.is_prominent(parsed, index) && !text.ends_with(['.', ',', ';']);
    let undated = dates::periods(text, 0).is_empty();
    (short && sticks_out && undated).then(|| by_words(text)).flatten().map(|kind| (kind, none))
}

/// True if a line is a heading by its words alone.
pub(crate) fn is_known(text: &str) -> bool {
    known(text).is_some()
}

fn known(text: &str) -> Option<SectionKind> {
    if text.chars().count() > HEADING_CHARS_MAX {
        return None;
    }
    let folded = plain(text);
    HEADINGS.get(&folded).or_else(|| HEADINGS.get(&unspaced(text)?)).copied()
}

/// `E X P E R I E N C E` is one word.
fn unspaced(text: &str) -> Option<String> {
    let spaced = text.split(' ').filter(|part| !part.is_empty()).all(|part| part.chars().count() == 1);
    spaced.then(|| plain(&text.split("  ").map(|word| word.replace(' ', "")).collect::<Vec<_>>().join(" ")))
}

/// `Skills: Rust, Go`. Among skills, `Languages: Rust, Go` is a group of skills.
fn inline(before: &str, after: &str, current: SectionKind) -> Option<SectionKind> {
    let listed =
        [SectionKind::Skills, SectionKind::Languages, SectionKind::Interests, SectionKind::Certificates];
    let kind = known(before).filter(|kind| listed.contains(kind))?;
    let nested =
        current == SectionKind::Skills || matches!(current, SectionKind::Work | SectionKind::Projects);
    let spoken = kind == SectionKind::Languages && crate::spoken::is_list(after);
    (!after.trim().is_empty() && (!nested || spoken)).then_some(kind)
}

/// A heading with a known one and other words, such as `Selected professional experience`.
fn by_words(text: &str) -> Option<SectionKind> {
    let folded = plain(text);
    let words: Vec<&str> = folded.split(' ').collect();
    let runs = (1..words.len()).rev().flat_map(|length| words.windows(length));
    let kinds =
        runs.filter(|run| run.len() > 1 || run[0].len() > 4).filter_map(|run| HEADINGS.get(&run.join(" ")));
    kinds.copied().next().filter(|_| {
        words.len() > 1 && words::TITLES.count(text) == 0 && words::ORGANISATIONS.count(text) == 0
    })
}

/// A line in the middle of a section that looks like the headings but has unknown words begins its own
/// section; its content shows its subject.
fn split_at_styled_headings(parsed: &ParsedDocument, sections: Vec<ResumeSection>) -> Vec<ResumeSection> {
    let Some(style) = HeadingStyle::of_headings(parsed, &sections) else { return sections };
    let mut split = Vec::new();
    for section in sections {
        let mut current = ResumeSection { spans: Vec::new(), ..section.clone() };
        for (index, span) in section.spans {
            if section.kind != SectionKind::Top && style.fits(parsed, index) {
                split.push(std::mem::replace(
                    &mut current,
                    ResumeSection { kind: SectionKind::Other, heading: Some(index), spans: Vec::new() },
                ));
            } else {
                current.spans.push((index, span));
            }
        }
        split.push(current);
    }
    split.into_iter().map(|section| guessed(parsed, section)).collect()
}

/// The common looks of a document's headings.
struct HeadingStyle {
    size: f32,
    bold: bool,
    level: Option<u8>,
}

impl HeadingStyle {
    /// Only a style that is set apart from the text tells headings.
    fn of_headings(parsed: &ParsedDocument, sections: &[ResumeSection]) -> Option<Self> {
        let headings: Vec<&TextLine> =
            sections.iter().filter_map(|section| Some(&parsed.lines[section.heading?])).collect();
        let first = *headings.first()?;
        let same = headings.iter().filter(|line| {
            (line.size - first.size).abs() < 0.3 && line.bold == first.bold && line.heading == first.heading
        });
        let larger =
            LineLooks::of(parsed).scale(first) > 1.15 || first.heading.is_some_and(|level| level <= 2);
        (headings.len() >= 2 && same.count() * 3 >= headings.len() * 2 && larger).then_some(Self {
            size: first.size,
            bold: first.bold,
            level: first.heading,
        })
    }

    fn fits(&self, parsed: &ParsedDocument, index: usize) -> bool {
        let line = &parsed.lines[index];
        let short = parsed.line(index).chars().count() <= HEADING_CHARS_MAX;
        let alike =
            (line.size - self.size).abs() < 0.3 && line.bold == self.bold && line.heading == self.level;
        alike && short && !line.item && dates::periods(parsed.line(index), 0).is_empty()
    }
}

/// The subject of a section with an unknown heading, by its content.
fn guessed(parsed: &ParsedDocument, section: ResumeSection) -> ResumeSection {
    if section.kind != SectionKind::Other
        || section.heading.is_some_and(|at| known(parsed.line(at)).is_some())
    {
        return section;
    }
    let text: Vec<&str> = section.spans.iter().map(|(_, span)| span.of(&parsed.text)).collect();
    let all = text.join("\n");
    let periods = dates::periods(&all, 0).len();
    let kind = if crate::spoken::is_list(&all) {
        SectionKind::Languages
    } else if periods > 0 && words::SCHOOLS.count(&all) >= periods {
        SectionKind::Education
    } else if periods > 0 && words::TITLES.count(&all) > 0 {
        SectionKind::Work
    } else if periods == 0 && crate::skills::is_list(&all) {
        SectionKind::Skills
    } else {
        SectionKind::Other
    };
    ResumeSection { kind, ..section }
}
