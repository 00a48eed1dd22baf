//! The content of a paragraph: runs of text, links, fields, notes, and floating text boxes.

use crate::document::Block;
use crate::links;
use crate::xml::{Child, Element};

use super::body::{DocxReader, choice};
use super::styles;

/// The text of a paragraph, with its floating content.
#[derive(Default)]
pub(super) struct ParagraphText {
    pub(super) text: String,
    pub(super) floating: Vec<Block>,
    /// Fields that are open: their code is not shown, their result is.
    fields: Vec<OpenField>,
}

#[derive(Default)]
struct OpenField {
    code: String,
    /// The start of the text of its result, once that began.
    result: Option<usize>,
}

pub(super) struct InlineReader<'r, 'p> {
    reader: &'r mut DocxReader<'p>,
}

impl<'r, 'p> InlineReader<'r, 'p> {
    pub(super) fn new(reader: &'r mut DocxReader<'p>) -> Self {
        Self { reader }
    }

    pub(super) fn read(&mut self, parent: Element<'_>, line: &mut ParagraphText) {
        for element in parent.children() {
            self.element(element, line);
        }
    }

    fn element(&mut self, element: Element<'_>, line: &mut ParagraphText) {
        match element.name() {
            "pPr" | "rPr" | "sdtPr" | "del" | "moveFrom" | "delText" | "delInstrText" | "rt" => {}
            "r" if self.is_hidden(element) => self.reader.has_hidden = true,
            "t" => push(line, element),
            "tab" | "ptab" => line.text.push('\t'),
            "br" | "cr" => line.text.push('\n'),
            "noBreakHyphen" => line.text.push('-'),
            "sym" => line.text.extend(symbol(element)),
            "footnoteReference" => self.note("footnote", element, line),
            "endnoteReference" => self.note("endnote", element, line),
            "hyperlink" => self.link(element, line),
            "fldChar" => field(element, line),
            "instrText" => code(element, line),
            "txbxContent" => {
                let mut floating = Vec::new();
                self.reader.blocks(element, &mut floating);
                line.floating.append(&mut floating);
            }
            "AlternateContent" => self.read(choice(element), line),
            _ => self.read(element, line),
        }
    }

    fn is_hidden(&self, run: Element<'_>) -> bool {
        let Some(properties) = run.child("rPr") else { return false };
        let style = properties.child("rStyle").and_then(|style| style.attribute("val"));
        styles::is_hidden(properties) || style.is_some_and(|style| self.reader.parts.styles.is_hidden(style))
    }

    fn note(&mut self, kind: &'static str, reference: Element<'_>, line: &mut ParagraphText) {
        if let Some(id) = reference.attribute("id") {
            let number = self.reader.note(kind, id);
            line.text.push_str(&format!("[{number}]"));
        }
    }

    fn link(&mut self, link: Element<'_>, line: &mut ParagraphText) {
        let from = line.text.len();
        self.read(link, line);
        let Some(id) = link.prefixed("id") else { return };
        if let Some(address) = self.reader.relations.address(id) {
            follow(line, from, address);
        }
    }
}

fn follow(line: &mut ParagraphText, from: usize, address: &str) {
    let words = line.text.get(from..).unwrap_or_default();
    if let Some(after) = links::after_words(words, address) {
        line.text.push_str(&after);
    }
}

fn push(line: &mut ParagraphText, element: Element<'_>) {
    for child in element.content() {
        if let Child::Text(text) = child {
            // A line break that is no element is only a blank.
            let shown =
                text.chars().map(|character| if matches!(character, '\n' | '\t') { ' ' } else { character });
            line.text.extend(shown.filter(|character| !character.is_control()));
        }
    }
}

/// Characters of symbol fonts have codes that are meaningless in other fonts.
fn symbol(element: Element<'_>) -> Option<char> {
    let code = u32::from_str_radix(element.attribute("char")?, 16).ok()?;
    let is_private = (0xe000..=0xf8ff).contains(&code);
    if is_private { Some('•') } else { char::from_u32(code).filter(|character| !character.is_control()) }
}

fn field(element: Element<'_>, line: &mut ParagraphText) {
    match element.attribute("fldCharType") {
        Some("begin") => line.fields.push(OpenField::default()),
        Some("separate") => {
            let at = line.text.len();
            if let Some(field) = line.fields.last_mut() {
                field.result = Some(at);
            }
        }
        Some("end") => {
            let Some(OpenField { code, result: Some(from) }) = line.fields.pop() else { return };
            if let Some(address) = address_in(&code) {
                follow(line, from, address);
            }
        }
        _ => {}
    }
}

fn code(element: Element<'_>, line: &mut ParagraphText) {
    if let Some(field) = line.fields.last_mut() {
        field.code.push_str(&element.text());
    }
}

/// `HYPERLINK "https://…"`.
fn address_in(code: &str) -> Option<&str> {
    let rest = code.trim_start().strip_prefix("HYPERLINK")?.trim_start();
    rest.strip_prefix('"')?.split('"').next()
}
