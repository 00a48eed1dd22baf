//! The document as data: the result of every reader and the input of every writer.

mod check;
mod json;
#[cfg(test)]
mod tests;
pub(crate) mod walk;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::picture::Picture;

/// A document.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Article {
    /// Above the text. Headings of level 1 are the parts below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Below the title.
    #[serde(default, skip_serializing_if = "StyledText::is_empty")]
    pub subtitle: StyledText,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// As displayed. Files are dated with it if it is written as `2026-11-15`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// `en`, `de-CH`, `ar`, …: determines hyphenation, the direction of writing and the word for “Contents”.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(default)]
    pub blocks: Vec<Block>,
    /// Parts that the reader left out, in sentences.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

/// A piece of a document on its own lines.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Block {
    /// Levels 1 to 6.
    Heading {
        #[serde(default = "first_level")]
        level: u8,
        text: StyledText,
    },
    Paragraph {
        text: StyledText,
    },
    List {
        #[serde(default)]
        ordered: bool,
        /// The number of the first item of an ordered list.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start: Option<u32>,
        items: Vec<ListItem>,
    },
    Table(Table),
    Quote {
        blocks: Vec<Block>,
    },
    /// Literal text, line by line.
    Code {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        language: Option<String>,
    },
    Image {
        data: Picture,
        /// Its description, for screen readers.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        alt: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caption: Option<String>,
    },
    /// A horizontal line.
    Rule,
    PageBreak,
    /// A line with a note at its end, as in résumés: a position and its dates.
    Entry {
        text: StyledText,
        note: StyledText,
    },
}

fn first_level() -> u8 {
    1
}

/// An item of a list: mostly one paragraph, maybe with lists below it.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct ListItem {
    /// True if its box is checked; `None` for items without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    pub blocks: Vec<Block>,
}

/// Rows of cells. Short rows are filled up.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The cells of the head, which is repeated on each page. Omit it for a table without one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub header: Vec<StyledText>,
    pub rows: Vec<Vec<StyledText>>,
    /// For each column; missing ones are aligned at the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub align: Vec<Align>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// At the start of the writing direction.
    #[default]
    Start,
    Left,
    Center,
    Right,
}

/// Text with its looks. In JSON: a string, which is plain text, or a list of strings and runs.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct StyledText(pub Vec<TextRun>);

/// A piece of text with one style. A new line in it is a line break.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextRun {
    pub text: String,
    #[serde(default, skip_serializing_if = "is_off")]
    pub bold: bool,
    #[serde(default, skip_serializing_if = "is_off")]
    pub italic: bool,
    #[serde(default, skip_serializing_if = "is_off")]
    pub code: bool,
    #[serde(default, skip_serializing_if = "is_off")]
    pub strike: bool,
    /// Its target: `https:`, `mailto:` or `tel:`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// A footnote after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<StyledText>,
}

fn is_off(value: &bool) -> bool {
    !value
}

impl StyledText {
    pub fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() { Self::default() } else { Self(vec![TextRun { text, ..TextRun::default() }]) }
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|run| run.text.is_empty() && run.note.is_none())
    }

    /// The characters without looks and notes.
    pub fn to_plain(&self) -> String {
        self.0.iter().map(|run| run.text.as_str()).collect()
    }

    /// Joins it to the run before if both look the same, so that writers make few pieces.
    pub(crate) fn push(&mut self, run: TextRun) {
        match self.0.last_mut() {
            Some(last) if last.note.is_none() && last.looks_like(&run) => {
                last.text.push_str(&run.text);
                last.note = run.note;
            }
            _ => self.0.push(run),
        }
    }

    /// Without white space at both ends, where it would be seen.
    pub(crate) fn trim(mut self) -> Self {
        if let Some(first) = self.0.first_mut() {
            first.text = first.text.trim_start().to_owned();
        }
        if let Some(last) = self.0.last_mut()
            && last.note.is_none()
        {
            last.text = last.text.trim_end().to_owned();
        }
        self.0.retain(|run| !run.text.is_empty() || run.note.is_some());
        self
    }
}

impl From<&str> for StyledText {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}

impl TextRun {
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub fn bold(text: impl Into<String>) -> Self {
        Self { text: text.into(), bold: true, ..Self::default() }
    }

    pub fn italic(text: impl Into<String>) -> Self {
        Self { text: text.into(), italic: true, ..Self::default() }
    }

    fn looks_like(&self, other: &Self) -> bool {
        let looks = |run: &Self| (run.bold, run.italic, run.code, run.strike);
        looks(self) == looks(other) && self.link == other.link
    }
}

impl Block {
    pub fn paragraph(text: impl Into<StyledText>) -> Self {
        Self::Paragraph { text: text.into() }
    }

    pub fn heading(level: u8, text: impl Into<StyledText>) -> Self {
        Self::Heading { level, text: text.into() }
    }
}

impl ListItem {
    pub fn new(text: impl Into<StyledText>) -> Self {
        Self { checked: None, blocks: vec![Block::paragraph(text)] }
    }
}

impl Table {
    /// Of its widest row.
    pub fn columns(&self) -> usize {
        self.rows.iter().map(Vec::len).chain([self.header.len()]).max().unwrap_or(0)
    }
}

impl Article {
    /// Turns the only heading of level 1, if it comes first, into the title: that is what it is in most
    /// texts. The others move up.
    pub fn lift_title(mut self) -> Self {
        let firsts =
            self.blocks.iter().filter(|block| matches!(block, Block::Heading { level: 1, .. })).count();
        if self.title.is_some() || firsts != 1 {
            return self;
        }
        let Some(Block::Heading { level: 1, text }) = self.blocks.first() else { return self };
        self.title = Some(text.to_plain().replace('\n', " "));
        self.blocks.remove(0);
        for block in &mut self.blocks {
            if let Block::Heading { level, .. } = block {
                *level = level.saturating_sub(1).max(1);
            }
        }
        self
    }

    /// All of its text without formatting, each piece on a separate line.
    pub fn plain_text(&self) -> String {
        let mut letters = String::new();
        letters.extend(self.title.as_deref());
        letters.push('\n');
        add_text(&self.subtitle, &mut letters);
        letters.extend(self.author.as_deref());
        add_blocks(&self.blocks, &mut letters);
        letters
    }
}

fn add_text(text: &StyledText, letters: &mut String) {
    for run in &text.0 {
        letters.push_str(&run.text);
        if let Some(note) = &run.note {
            add_text(note, letters);
        }
    }
    letters.push('\n');
}

fn add_blocks(blocks: &[Block], letters: &mut String) {
    for block in blocks {
        match block {
            Block::Heading { text, .. } | Block::Paragraph { text } => add_text(text, letters),
            Block::List { items, .. } => items.iter().for_each(|item| add_blocks(&item.blocks, letters)),
            Block::Table(table) => {
                table
                    .header
                    .iter()
                    .chain(table.rows.iter().flatten())
                    .for_each(|cell| add_text(cell, letters));
                letters.extend(table.caption.as_deref());
            }
            Block::Quote { blocks } => add_blocks(blocks, letters),
            Block::Code { text, .. } => letters.push_str(text),
            Block::Image { caption, .. } => letters.extend(caption.as_deref()),
            Block::Rule | Block::PageBreak => {}
            Block::Entry { text, note } => {
                add_text(text, letters);
                add_text(note, letters);
            }
        }
    }
}
