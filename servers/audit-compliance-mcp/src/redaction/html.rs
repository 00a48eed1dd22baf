//! The text of a page as people see it, with places: tags between letters and references such as `&uuml;` hide nothing.
//!
//! A browser may read a page otherwise than this does: the verification, which follows HTML's own rules, then finds what
//! is left.

use std::collections::BTreeMap;
use std::ops::Range;

use super::seen::SeenText;
use crate::web;

/// Elements that do not break the text around them.
const INLINE: [&str; 37] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
    "i", "img", "ins", "kbd", "label", "mark", "nobr", "q", "rt", "ruby", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];
/// Elements whose content is text without markup, out of sight.
const RAW: [&str; 5] = ["style", "xmp", "iframe", "noembed", "noframes"];
/// Characters of a reference.
const REFERENCE_CHARS_MAX: usize = 40;

/// Reads a page, or a part of one.
pub(super) fn seen(source: &str, part: Range<usize>) -> (SeenText, SeenText) {
    let mut reader = MarkupReader {
        source,
        at: part.start,
        end: part.end,
        main: SeenText::default(),
        asides: SeenText::default(),
        references: BTreeMap::new(),
    };
    reader.read();
    (reader.main, reader.asides)
}

struct MarkupReader<'s> {
    source: &'s str,
    at: usize,
    end: usize,
    /// Text in sight.
    main: SeenText,
    /// Values of attributes, and styles.
    asides: SeenText,
    /// Texts of references that were met.
    references: BTreeMap<String, String>,
}

impl<'s> MarkupReader<'s> {
    fn rest(&self) -> &'s str {
        &self.source[self.at..self.end]
    }

    fn read(&mut self) {
        while let Some(letter) = self.rest().chars().next() {
            match letter {
                '<' => self.markup(),
                _ => self.at += self.letter(TextSide::Main, self.at..self.end),
            }
        }
    }

    /// One letter or reference at the start of a range; returns its bytes.
    fn letter(&mut self, side: TextSide, range: Range<usize>) -> usize {
        let rest = &self.source[range.clone()];
        let known = if rest.starts_with('&') { self.reference(rest) } else { None };
        let target = match side {
            TextSide::Main => &mut self.main,
            TextSide::Aside => &mut self.asides,
        };
        if let Some((text, length)) = known {
            text.chars().for_each(|it| target.push(it, range.start..range.start + length));
            return length;
        }
        let Some(letter) = rest.chars().next() else { return 0 };
        target.push(letter, range.start..range.start + letter.len_utf8());
        letter.len_utf8()
    }

    /// The text of a reference at the start, as HTML has it, and its bytes.
    fn reference(&mut self, rest: &str) -> Option<(String, usize)> {
        let hash = usize::from(rest[1..].starts_with('#'));
        let name =
            rest[1 + hash..].bytes().take(REFERENCE_CHARS_MAX).take_while(u8::is_ascii_alphanumeric).count();
        if name == 0 {
            return None;
        }
        let end = 1 + hash + name;
        let length = end + usize::from(rest[end..].starts_with(';'));
        let source = &rest[..length];
        let decoded = self.references.entry(source.to_owned()).or_insert_with(|| {
            let read = web::texts(&format!("x{source}"));
            read.trim_end_matches('\n').strip_prefix('x').unwrap_or_default().to_owned()
        });
        (decoded.as_str() != source).then(|| (decoded.clone(), length))
    }

    fn markup(&mut self) {
        let mut next = self.rest().chars().skip(1);
        match (next.next(), next.next()) {
            (Some(it), _) if it.is_ascii_alphabetic() => self.tag(),
            (Some('/'), Some(it)) if it.is_ascii_alphabetic() => self.tag(),
            (Some('!' | '?' | '/'), _) => self.declaration(),
            _ => self.at += self.letter(TextSide::Main, self.at..self.end),
        }
    }

    /// A comment or something like it, which goes, or the document type, which stays.
    fn declaration(&mut self) {
        let rest = self.rest();
        let length = match rest.starts_with("<!--") {
            true => comment_length(rest),
            false => rest.find('>').map_or(rest.len(), |it| it + 1),
        };
        let range = self.at..self.at + length;
        if !rest.get(..9).is_some_and(|it| it.eq_ignore_ascii_case("<!doctype")) {
            self.main.dropped.push(range.clone());
        }
        self.at = range.end;
    }

    fn tag(&mut self) {
        let start = self.at;
        let closes = self.rest()[1..].starts_with('/');
        self.at += 1 + usize::from(closes);
        let name_start = self.at;
        self.skip(|it| !it.is_ascii_whitespace() && it != '/' && it != '>');
        let name = self.source[name_start..self.at].to_ascii_lowercase();
        self.attributes();
        if !INLINE.contains(&name.as_str()) && !name.contains('-') {
            self.main.break_line();
        }
        if !closes {
            self.content(&name, start);
        }
    }

    /// The content of elements that have no markup in them.
    fn content(&mut self, name: &str, start: usize) {
        let is_special = name == "script" || RAW.contains(&name) || matches!(name, "textarea" | "title");
        let until = if is_special { self.end_of(name) } else { return };
        if name == "script" {
            self.at = until;
            if !self.rest().is_empty() {
                self.tag();
            }
            self.main.dropped.push(start..self.at);
        } else if RAW.contains(&name) {
            self.main.pictures += self.source[self.at..until].matches("data:image").count();
            self.asides.push_source(self.source, self.at..until);
            self.asides.part();
            self.at = until;
        } else {
            while self.at < until {
                self.at += self.letter(TextSide::Main, self.at..until);
            }
        }
    }

    /// The place of the end tag of a name.
    fn end_of(&self, name: &str) -> usize {
        let rest = self.rest();
        let mut ends = rest.match_indices("</").map(|(at, _)| at);
        let is_own = |at: &usize| {
            let (from, to) = (at + 2, at + 2 + name.len());
            let ends = rest[from..].len() == name.len()
                || rest.as_bytes().get(to).is_some_and(|it| it.is_ascii_whitespace() || b"/>".contains(it));
            ends && rest.get(from..to).is_some_and(|it| it.eq_ignore_ascii_case(name))
        };
        ends.find(is_own).map_or(self.end, |at| self.at + at)
    }

    fn attributes(&mut self) {
        loop {
            self.skip(|it| it.is_ascii_whitespace() || it == '/');
            let Some(first) = self.rest().chars().next() else { return };
            self.at += first.len_utf8();
            if first == '>' {
                return;
            }
            self.skip(|it| !it.is_ascii_whitespace() && !"/>=".contains(it));
            self.skip(|it| it.is_ascii_whitespace());
            if self.rest().starts_with('=') {
                self.at += 1;
                self.skip(|it| it.is_ascii_whitespace());
                self.value();
            }
        }
    }

    fn value(&mut self) {
        let quote = self.rest().chars().next().filter(|it| "\"'".contains(*it));
        self.at += usize::from(quote.is_some());
        let from = self.at;
        self.skip(|it| quote.map_or(!it.is_ascii_whitespace() && it != '>', |quote| it != quote));
        let to = self.at;
        self.at = (to + usize::from(quote.is_some())).min(self.end);
        if is_picture(&self.source[from..to]) {
            self.main.pictures += 1;
            return;
        }
        let mut at = from;
        while at < to {
            at += self.letter(TextSide::Aside, at..to);
        }
        self.asides.part();
    }

    fn skip(&mut self, passes: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|it| !passes(it)).unwrap_or(rest.len());
    }
}

/// The text that a letter belongs to.
#[derive(Clone, Copy)]
enum TextSide {
    Main,
    Aside,
}

/// True for data that is no text: it cannot be searched.
pub(super) fn is_picture(address: &str) -> bool {
    let start: String = address.trim_start().chars().take(64).collect::<String>().to_ascii_lowercase();
    let is_plain = start.starts_with("data:,") || start.starts_with("data:text/");
    start.starts_with("data:") && (!is_plain || start.contains(";base64"))
}

fn comment_length(rest: &str) -> usize {
    if let Some(short) = ["<!-->", "<!--->"].into_iter().find(|it| rest.starts_with(it)) {
        return short.len();
    }
    let closes = |at: &usize| rest[4..4 + at].ends_with("--") || rest[4..4 + at].ends_with("--!");
    rest[4..].match_indices('>').map(|(at, _)| at).find(closes).map_or(rest.len(), |at| at + 5)
}
