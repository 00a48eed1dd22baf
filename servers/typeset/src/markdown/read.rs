//! Markdown to an article.

use std::collections::BTreeMap;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::article::walk::each_text;
use crate::article::{Align, Article, Block, ListItem, StyledText, Table, TextRun};
use crate::error::TypesetError;
use crate::html::fragment;
use crate::limits::ArticleLimits;
use crate::markdown::inline::{InlineLooks, InlineStep};
use crate::picture::Picture;

/// More than any document has; deeper ones could exhaust the stack of those who read on.
const FRAMES_MAX: usize = 64;

impl Article {
    /// The only heading of level 1, if it comes first, becomes the title unless the head has one.
    pub fn from_markdown(markdown: &str) -> Result<Self, TypesetError> {
        if markdown.trim().is_empty() {
            return Err(TypesetError::Empty { what: "Markdown" });
        }
        if markdown.len() > ArticleLimits::DEFAULT.input_bytes_max {
            return Err(TypesetError::TooLarge {
                what: "Markdown with bytes",
                limit: ArticleLimits::DEFAULT.input_bytes_max,
            });
        }
        let mut reader = MarkdownReader::default();
        for event in Parser::new_ext(markdown, options()) {
            reader.event(event)?;
        }
        reader.finish().lift_title().cleaned().check()
    }
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
}

/// The current elements. The innermost comes last.
enum MarkdownFrame {
    /// A quote.
    Quote(Vec<Block>),
    /// A list with the items that are finished.
    List {
        start: Option<u64>,
        items: Vec<ListItem>,
    },
    Item(ListItem),
    Table {
        table: Table,
        row: Vec<StyledText>,
    },
    Note {
        label: String,
        blocks: Vec<Block>,
    },
    /// A picture: where it is, its title, and the text that was being read before it.
    Picture {
        address: String,
        title: String,
        before: StyledText,
    },
}

#[derive(Default)]
struct MarkdownReader {
    article: Article,
    frames: Vec<MarkdownFrame>,
    text: StyledText,
    looks: InlineLooks,
    code: Option<(String, Option<String>)>,
    html: Option<String>,
    head: Option<String>,
    notes: BTreeMap<String, StyledText>,
    far_pictures: usize,
}

impl MarkdownReader {
    fn event(&mut self, event: Event<'_>) -> Result<(), TypesetError> {
        match event {
            Event::Start(tag) => self.start(tag)?,
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.add_text(&text),
            Event::Code(code) => self.text.push(TextRun { code: true, ..self.looks.run(code.into_string()) }),
            Event::InlineMath(math) | Event::DisplayMath(math) => {
                self.text.push(self.looks.run(math.into_string()))
            }
            Event::Html(html) => self.add_html(&html),
            Event::InlineHtml(html) => self.inline_html(&html),
            Event::FootnoteReference(label) => {
                let note = Some(StyledText::plain(label.into_string()));
                self.text.push(TextRun { note, ..self.looks.run("") });
            }
            Event::SoftBreak => self.text.push(self.looks.run(" ")),
            Event::HardBreak => self.text.push(self.looks.run("\n")),
            Event::Rule => self.push(Block::Rule),
            Event::TaskListMarker(checked) => {
                if let Some(MarkdownFrame::Item(item)) = self.frames.last_mut() {
                    item.checked = Some(checked);
                }
            }
        }
        Ok(())
    }

    fn start(&mut self, tag: Tag<'_>) -> Result<(), TypesetError> {
        match tag {
            Tag::Emphasis => self.looks.italic += 1,
            Tag::Strong => self.looks.bold += 1,
            Tag::Strikethrough => self.looks.strike += 1,
            Tag::Link { dest_url, .. } => self.looks.links.push(dest_url.into_string()),
            Tag::HtmlBlock => self.html = Some(String::new()),
            Tag::MetadataBlock(_) => self.head = Some(String::new()),
            Tag::CodeBlock(kind) => self.code = Some((String::new(), language_of(&kind))),
            Tag::Image { dest_url, title, .. } => {
                let before = std::mem::take(&mut self.text);
                let (address, title) = (dest_url.into_string(), title.into_string());
                self.frames.push(MarkdownFrame::Picture { address, title, before });
            }
            Tag::BlockQuote(_) => self.open(MarkdownFrame::Quote(Vec::new()))?,
            Tag::List(start) => self.open(MarkdownFrame::List { start, items: Vec::new() })?,
            Tag::Item => self.open(MarkdownFrame::Item(ListItem::default()))?,
            Tag::FootnoteDefinition(label) => {
                self.open(MarkdownFrame::Note { label: label.into_string(), blocks: Vec::new() })?;
            }
            Tag::Table(sides) => {
                let table = Table { align: sides.iter().map(side).collect(), ..Table::default() };
                self.open(MarkdownFrame::Table { table, row: Vec::new() })?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Text of a tight item comes without a paragraph around it, so the text so far is stored first.
    fn open(&mut self, frame: MarkdownFrame) -> Result<(), TypesetError> {
        self.flush();
        if self.frames.len() >= FRAMES_MAX {
            let limit = ArticleLimits::DEFAULT.depth_max;
            return Err(TypesetError::TooLarge { what: "lists and quotes within each other", limit });
        }
        self.frames.push(frame);
        Ok(())
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.looks.italic = self.looks.italic.saturating_sub(1),
            TagEnd::Strong => self.looks.bold = self.looks.bold.saturating_sub(1),
            TagEnd::Strikethrough => self.looks.strike = self.looks.strike.saturating_sub(1),
            TagEnd::Link => drop(self.looks.links.pop()),
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(level) => {
                let text = std::mem::take(&mut self.text);
                self.push(Block::Heading { level: level_of(level), text });
            }
            TagEnd::HtmlBlock => self.end_html(),
            TagEnd::MetadataBlock(_) => self.end_head(),
            TagEnd::CodeBlock => {
                if let Some((text, language)) = self.code.take() {
                    self.push(Block::Code { text, language });
                }
            }
            TagEnd::TableCell => self.end_cell(),
            TagEnd::TableHead | TagEnd::TableRow => self.end_row(tag),
            TagEnd::Image => self.close(),
            TagEnd::BlockQuote(_)
            | TagEnd::List(_)
            | TagEnd::Item
            | TagEnd::FootnoteDefinition
            | TagEnd::Table => {
                self.flush();
                self.close();
            }
            _ => {}
        }
    }

    /// Puts the innermost frame into the one around it.
    fn close(&mut self) {
        match self.frames.pop() {
            Some(MarkdownFrame::Quote(blocks)) => self.push(Block::Quote { blocks }),
            Some(MarkdownFrame::List { start, items }) => {
                let begin = start.and_then(|start| u32::try_from(start).ok()).filter(|start| *start != 1);
                self.push(Block::List { ordered: start.is_some(), start: begin, items });
            }
            Some(MarkdownFrame::Item(item)) => {
                if let Some(MarkdownFrame::List { items, .. }) = self.frames.last_mut() {
                    items.push(item);
                }
            }
            Some(MarkdownFrame::Table { table, .. }) => self.push(Block::Table(table)),
            Some(MarkdownFrame::Note { label, blocks }) => drop(self.notes.insert(label, joined(blocks))),
            Some(MarkdownFrame::Picture { address, title, before }) => {
                self.end_picture(&address, title, before)
            }
            None => {}
        }
    }

    fn push(&mut self, block: Block) {
        match self.frames.last_mut() {
            Some(MarkdownFrame::Quote(blocks) | MarkdownFrame::Note { blocks, .. }) => blocks.push(block),
            Some(MarkdownFrame::Item(item)) => item.blocks.push(block),
            _ => self.article.blocks.push(block),
        }
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text).trim();
        match text.to_plain().as_str() {
            "\\newpage" | "\\pagebreak" => self.push(Block::PageBreak),
            _ if !text.is_empty() => self.push(Block::Paragraph { text }),
            _ => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        if let Some(head) = &mut self.head {
            head.push_str(text);
        } else if let Some((code, _)) = &mut self.code {
            code.push_str(text);
        } else {
            self.text.push(self.looks.run(text));
        }
    }

    fn add_html(&mut self, html: &str) {
        match &mut self.html {
            Some(all) => all.push_str(html),
            None => self.inline_html(html),
        }
    }

    /// A few elements are known in the middle of a text; of the others only the text stays.
    fn inline_html(&mut self, html: &str) {
        let inner = html.trim_matches(['<', '>', ' ']);
        let (name, step) = match inner.strip_prefix('/') {
            Some(name) => (name, InlineStep::Close),
            None => (inner, InlineStep::Open),
        };
        let name = name.trim_end_matches('/').trim().to_ascii_lowercase();
        if name == "br" {
            self.text.push(self.looks.run("\n"));
        } else {
            self.looks.html(&name, step);
        }
    }

    fn end_html(&mut self) {
        let html = self.html.take().unwrap_or_default();
        let comment = html.trim().trim_start_matches("<!--").trim_end_matches("-->").trim();
        if matches!(comment, "pagebreak" | "page-break" | "newpage") {
            return self.push(Block::PageBreak);
        }
        let inner = fragment(&html);
        self.article.warnings.extend(inner.warnings);
        inner.blocks.into_iter().for_each(|block| self.push(block));
    }

    /// `key: value` lines of YAML; other features of YAML have no place in the head of a text.
    fn end_head(&mut self) {
        for line in self.head.take().unwrap_or_default().lines() {
            let Some((key, value)) = line.split_once(':') else { continue };
            let value = value.trim().trim_matches(['"', '\'']).trim().to_owned();
            let place = match key.trim().to_ascii_lowercase().as_str() {
                "title" => &mut self.article.title,
                "author" | "authors" => &mut self.article.author,
                "date" => &mut self.article.date,
                "lang" | "language" => &mut self.article.language,
                "subtitle" => {
                    self.article.subtitle = StyledText::plain(value);
                    continue;
                }
                _ => continue,
            };
            *place = Some(value).filter(|value| !value.is_empty());
        }
    }

    fn end_cell(&mut self) {
        let text = std::mem::take(&mut self.text).trim();
        if let Some(MarkdownFrame::Table { row, .. }) = self.frames.last_mut() {
            row.push(text);
        }
    }

    fn end_row(&mut self, tag: TagEnd) {
        let Some(MarkdownFrame::Table { table, row }) = self.frames.last_mut() else { return };
        let row = std::mem::take(row);
        match tag {
            TagEnd::TableHead if row.iter().all(StyledText::is_empty) => {}
            TagEnd::TableHead => table.header = row,
            _ => table.rows.push(row),
        }
    }

    /// A picture inside the document is included; a remote one becomes a link to it.
    fn end_picture(&mut self, address: &str, title: String, before: StyledText) {
        let alt = std::mem::replace(&mut self.text, before).to_plain();
        let in_cell = matches!(self.frames.last(), Some(MarkdownFrame::Table { .. }));
        match picture_at(address) {
            Some(Ok(data)) if !in_cell => {
                self.flush();
                self.push(Block::Image { data, alt, caption: Some(title).filter(|title| !title.is_empty()) });
            }
            Some(Err(error)) => {
                self.article.warnings.push(format!("a picture was left out: {error}"));
                self.text.push(self.looks.run(alt));
            }
            _ => {
                self.far_pictures += usize::from(!in_cell);
                let shown = if alt.is_empty() { address.to_owned() } else { alt };
                self.text.push(TextRun { link: Some(address.to_owned()), ..self.looks.run(shown) });
            }
        }
    }

    fn finish(mut self) -> Article {
        self.flush();
        while !self.frames.is_empty() {
            self.close();
        }
        let notes = self.notes;
        each_text(&mut self.article.blocks, &mut |text| resolve(text, &notes));
        if self.far_pictures > 0 {
            let count = self.far_pictures;
            self.article.warnings.push(format!(
                "{count} pictures are not inside the document and were set as links: give them as data: URLs"
            ));
        }
        self.article
    }
}

/// A picture that is inside the document.
pub(crate) fn picture_at(address: &str) -> Option<Result<Picture, TypesetError>> {
    address.starts_with("data:").then(|| Picture::from_base64(address))
}

/// Replaces note labels by the notes' texts; a label without a text is shown as written.
fn resolve(text: &mut StyledText, notes: &BTreeMap<String, StyledText>) {
    for run in &mut text.0 {
        let Some(label) = run.note.as_ref().map(StyledText::to_plain) else { continue };
        match notes.get(&label) {
            Some(note) => run.note = Some(note.clone()),
            None => {
                run.note = None;
                run.text.push_str(&format!("[^{label}]"));
            }
        }
    }
}

/// The texts of blocks in one, as a footnote has it.
fn joined(mut blocks: Vec<Block>) -> StyledText {
    let mut all = StyledText::default();
    each_text(&mut blocks, &mut |text| {
        if !all.is_empty() {
            all.push(TextRun::plain("\n"));
        }
        std::mem::take(&mut text.0).into_iter().for_each(|run| all.push(TextRun { note: None, ..run }));
    });
    all
}

fn language_of(kind: &CodeBlockKind<'_>) -> Option<String> {
    let CodeBlockKind::Fenced(info) = kind else { return None };
    info.split_whitespace().next().map(str::to_owned)
}

fn level_of(level: HeadingLevel) -> u8 {
    level as usize as u8
}

fn side(alignment: &Alignment) -> Align {
    match alignment {
        Alignment::None => Align::Start,
        Alignment::Left => Align::Left,
        Alignment::Center => Align::Center,
        Alignment::Right => Align::Right,
    }
}
