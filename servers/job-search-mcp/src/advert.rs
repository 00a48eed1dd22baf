//! An advertisement as lines, each with its place and the section it stands in.

use std::sync::LazyLock;

use regex::Regex;
use resume_profile_mcp::shared::{folded, occupation_words};

/// A range of the text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AdvertSpan {
    pub start: usize,
    pub end: usize,
}

impl AdvertSpan {
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    pub fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }

    /// Without blanks and marks at its ends.
    pub(crate) fn trimmed(self, text: &str) -> AdvertSpan {
        let skip =
            |letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '|' | '·' | '*' | '_');
        let piece = self.of(text);
        let start = self.start + piece.len() - piece.trim_start_matches(skip).len();
        AdvertSpan::new(start, start + text[start..self.end.max(start)].trim_end_matches(skip).len())
    }

    pub(crate) fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// The part of an advertisement that a line is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AdvertSection {
    /// Before the first heading.
    Head,
    Must,
    Nice,
    Tasks,
    Offer,
    About,
    Apply,
    Other,
}

/// A piece of a line: all of it, or what follows a label within it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AdvertLine {
    pub(crate) span: AdvertSpan,
    pub(crate) section: AdvertSection,
    pub(crate) is_heading: bool,
    pub(crate) is_item: bool,
    /// It follows a label on the same line, as in `Requirements: …`.
    pub(crate) is_inline: bool,
}

/// An advertisement.
pub struct Advert {
    pub text: String,
    pub(crate) lines: Vec<AdvertLine>,
}

/// Advertisements are read to here.
const LINES_MAX: usize = 2_000;
const HEADING_WORDS_MAX: usize = 9;
const HEADING_CHARS_MAX: usize = 70;

/// Words of headings, without case and accents; the first kind that fits is taken.
const HEADINGS: [(AdvertSection, &str); 6] = [
    (
        AdvertSection::Nice,
        r"nice[ -]to[ -]have|preferred|bonus|desirable|desired|good to have|would be great|a plus\b|pluses|extra points|ideally|optional|von vorteil|wunschenswert|idealerweise|pluspunkt|les plus\b|un plus\b|\batouts?\b|apprecie|souhaite|deseable|valorable|se valora|gradit|preferibil|desejavel|diferencia|pre\b",
    ),
    (
        AdvertSection::Offer,
        r"we offer|our offer|benefits|perks|what you get|what you will get|in it for you|why join|why us|wir bieten|bieten wir|benefits|leistungen|nous offrons|nous vous offrons|avantages|ofrecemos|beneficios|offriamo|wij bieden|wat bieden|compensation and|was wir",
    ),
    (
        AdvertSection::Apply,
        r"how to apply|^apply|application process|to apply|so bewerben|bewerbung|kontakt|^contact|candidature|postuler|como aplicar|solicitud|interested\?|next steps",
    ),
    (
        AdvertSection::Tasks,
        r"responsibilit|what you will do|what youll do|your tasks|your role|the role|about the job|the job|duties|your mission|job description|day to day|aufgaben|erwartet sie|erwartet dich|tatigkeiten|missions|le poste|funciones|responsabilidades|tareas|mansioni|taken\b",
    ),
    (
        AdvertSection::Must,
        r"requirement|required|must[ -]have|qualification|what you bring|what we expect|what were looking for|what we are looking for|looking for in you|you have|you bring|you should have|your profile|who you are|about you|skills|experience|essential|your background|anforderung|profil|voraussetzung|bringen sie mit|bringst du mit|qualifikation|competences|requisitos|perfil|requisiti|competenze|functie-eisen|wat vragen wij|exigences|prerequis",
    ),
    (
        AdvertSection::About,
        r"about us|about the company|^about |who we are|our company|uber uns|wir sind|qui sommes|sobre nosotros|quienes somos|chi siamo|over ons|the team|our team",
    ),
];

static HEADING_WORDS: LazyLock<Vec<(AdvertSection, Regex)>> = LazyLock::new(|| {
    HEADINGS.iter().map(|(kind, words)| (*kind, Regex::new(words).expect("the pattern is fixed"))).collect()
});

/// Headings that stand within a paragraph.
static INLINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:^|[.;!?]\s+)((?:key |minimum |basic |preferred |job )?(?:requirements?|qualifications|must[- ]haves?|nice[- ]to[- ]haves?|bonus|desirable|preferred|responsibilities|duties|benefits|we offer|what we offer|you bring|anforderungen|ihr profil|von vorteil|wünschenswert|wir bieten|ihre aufgaben|profil recherché|votre profil|serait un plus|nous offrons|requisitos|deseable|ofrecemos))\s?:\s+")
        .expect("the pattern is fixed")
});

impl Advert {
    pub fn read(text: &str) -> Self {
        let mut reader =
            AdvertReader { text, lines: Vec::new(), section: AdvertSection::Head, items: 0, apart: false };
        let mut start = 0;
        for line in text.split_inclusive('\n').take(LINES_MAX) {
            reader.line(AdvertSpan::new(start, start + line.trim_end_matches(['\n', '\r']).len()));
            start += line.len();
        }
        let lines = reader.lines;
        Self { text: text.to_owned(), lines }
    }

    /// The line as it is written.
    pub(crate) fn line(&self, line: &AdvertLine) -> &str {
        line.span.of(&self.text)
    }

    /// The lines before the first section.
    pub(crate) fn head(&self) -> impl Iterator<Item = &AdvertLine> {
        self.lines.iter().take_while(|line| line.section == AdvertSection::Head)
    }
}

struct AdvertReader<'a> {
    text: &'a str,
    lines: Vec<AdvertLine>,
    section: AdvertSection,
    /// Items of the section so far.
    items: usize,
    /// A blank line came before.
    apart: bool,
}

impl AdvertReader<'_> {
    fn line(&mut self, whole: AdvertSpan) {
        let written = whole.of(self.text);
        if written.trim().is_empty() {
            self.apart = true;
            return;
        }
        let (span, is_item, marked) = body(self.text, whole);
        let looks = LineLooks { is_item, marked, first: self.lines.is_empty(), apart: self.apart };
        match heading_of(span.of(self.text), looks) {
            Some(section) => {
                let is_inline = false;
                self.lines.push(AdvertLine { span, section, is_heading: true, is_item, is_inline });
                self.section = section;
                self.items = 0;
            }
            None => self.plain(span, is_item),
        }
        self.apart = false;
    }

    fn plain(&mut self, span: AdvertSpan, is_item: bool) {
        let ends = self.apart && self.items > 0 && !is_item;
        if ends && self.section != AdvertSection::Head {
            self.section = AdvertSection::Other;
        }
        let mut from = span.start;
        let mut inline = false;
        let pieces: Vec<(usize, usize, AdvertSection)> = INLINE
            .captures_iter(span.of(self.text))
            .filter_map(|found| {
                let (all, label) = (found.get(0)?, found.get(1)?);
                let section = section_of(label.as_str())?;
                Some((span.start + label.start(), span.start + all.end(), section))
            })
            .collect();
        for (label, body, section) in pieces {
            self.piece(AdvertSpan::new(from, label), is_item, inline);
            (self.section, from, inline) = (section, body, true);
        }
        self.piece(AdvertSpan::new(from, span.end), is_item, inline);
        if inline {
            // What follows the paragraph is not part of its last label.
            self.section = AdvertSection::Other;
        }
    }

    fn piece(&mut self, span: AdvertSpan, is_item: bool, is_inline: bool) {
        let span = span.trimmed(self.text);
        if span.is_empty() {
            return;
        }
        let section = self.section;
        self.lines.push(AdvertLine { span, section, is_heading: false, is_item, is_inline });
        self.items += 1;
    }
}

/// The line without its bullet, true if it has one, and true if it is marked as a heading.
fn body(text: &str, whole: AdvertSpan) -> (AdvertSpan, bool, bool) {
    const BULLETS: &str = "-–—•●○▪■◦‣·∙►▸➢✓✔◆❖*➤";
    let span = whole.trimmed_blanks(text);
    let written = span.of(text);
    let marks = written.len() - written.trim_start_matches('#').len();
    if marks > 0 && written[marks..].starts_with(' ') {
        return (AdvertSpan::new(span.start + marks, span.end).trimmed(text), false, true);
    }
    let bold =
        written.len() > 4 && written.starts_with("**") && written.trim_end_matches(':').ends_with("**");
    if bold {
        let inner = written.trim_matches(|letter: char| matches!(letter, '*' | ':'));
        let start = span.start + (inner.as_ptr() as usize - written.as_ptr() as usize);
        return (AdvertSpan::new(start, start + inner.len()), false, true);
    }
    let digits = written.len() - written.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let numbered = (1..=2).contains(&digits) && written[digits..].starts_with(['.', ')']);
    if numbered && written[digits + 1..].starts_with(' ') {
        let start = span.end - written[digits + 1..].trim_start().len();
        return (AdvertSpan::new(start, span.end), true, false);
    }
    let mut letters = written.chars();
    let bullet = letters.next().is_some_and(|first| BULLETS.contains(first));
    if bullet && letters.as_str().starts_with(char::is_whitespace) {
        let start = span.end - letters.as_str().trim_start().len();
        return (AdvertSpan::new(start, span.end), true, false);
    }
    (span, false, false)
}

impl AdvertSpan {
    fn trimmed_blanks(self, text: &str) -> AdvertSpan {
        let piece = self.of(text);
        let start = self.start + piece.len() - piece.trim_start().len();
        AdvertSpan::new(start, start + piece.trim().len())
    }
}

/// The looks of a line.
#[derive(Clone, Copy)]
struct LineLooks {
    is_item: bool,
    /// It is marked as a heading.
    marked: bool,
    /// Nothing comes before it.
    first: bool,
    /// A blank line comes before it.
    apart: bool,
}

/// The section that a heading begins; `None` for a line that is no heading. The first line is mostly the title.
fn heading_of(line: &str, looks: LineLooks) -> Option<AdvertSection> {
    const FIRST_WORDS_MAX: usize = 3;
    const OTHER_WORDS_MAX: usize = 6;
    let bare = line.trim_end_matches([':', ' ', '\u{a0}']);
    let colon = line.trim_end().ends_with(':');
    let words = bare.split_whitespace().count();
    let fits = (1..=HEADING_WORDS_MAX).contains(&words) && bare.chars().count() <= HEADING_CHARS_MAX;
    let closed = bare.ends_with(['.', '!', ',', ';']) || bare.contains(": ") || bare.contains(" : ");
    let titled = looks.first && (words > FIRST_WORDS_MAX || occupation_words(bare) > 0);
    if looks.is_item || titled || !fits || closed || bare.contains(['@', '/', '|']) {
        return None;
    }
    let is_loud = bare.chars().any(char::is_alphabetic) && !bare.chars().any(char::is_lowercase);
    let stands_out = colon || looks.marked || (is_loud && words > 1);
    match section_of(bare) {
        Some(section) if stands_out || looks.apart || looks.first => Some(section),
        None if stands_out && !looks.first && words <= OTHER_WORDS_MAX => Some(AdvertSection::Other),
        _ => None,
    }
}

fn section_of(heading: &str) -> Option<AdvertSection> {
    let folded = folded(heading).replace(['\'', '’'], "");
    HEADING_WORDS.iter().find(|(_, words)| words.is_match(&folded)).map(|(kind, _)| *kind)
}
