//! Markdown with tables, footnotes and front matter.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::document::{Block, Document, DocumentFacts, Page, PageSource};
use crate::grid::{self, CellBudget, Grid, GridCell};
use crate::html;
use crate::kind::DocumentKind;
use crate::limits::DocumentLimits;
use crate::links;
use crate::numbering::BULLET;
use crate::package::filled;
use crate::text::{self, DecodedText};

const LIST_DEPTH_MAX: usize = 8;

pub(crate) fn read(bytes: &[u8], limits: &DocumentLimits) -> Document {
    let DecodedText { text, warning } = text::decode(bytes);
    let text = text::tidy(&text);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut flow = MarkdownFlow::new(limits);
    for event in Parser::new_ext(&text, options) {
        flow.take(event);
    }
    flow.end_line();
    let mut facts = flow.facts;
    let first = flow.blocks.iter().find_map(|block| match block {
        Block::Heading { level: 1, text } => Some(text.clone()),
        _ => None,
    });
    facts.title = facts.title.or(first);
    let source = if flow.blocks.is_empty() { PageSource::Empty } else { PageSource::Text };
    let warnings = warning.into_iter().chain(flow.cells.warning()).collect();
    let page = Page { number: 1, source, blocks: flow.blocks, ..Page::default() };
    Document { kind: DocumentKind::Markdown, facts, page_count: 1, pages: vec![page], warnings }
}

struct MarkdownFlow {
    limits: DocumentLimits,
    blocks: Vec<Block>,
    line: String,
    state: LineState,
    /// The next number of each open list; `None` for unordered lists.
    lists: Vec<Option<u64>>,
    marker: Option<String>,
    links: Vec<(usize, String)>,
    grid: Option<Grid>,
    cells: CellBudget,
    facts: DocumentFacts,
    html: String,
}

/// The element of the current line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineState {
    Text,
    Heading(u8),
    Code,
    FrontMatter,
}

impl MarkdownFlow {
    fn new(limits: &DocumentLimits) -> Self {
        Self {
            limits: *limits,
            blocks: Vec::new(),
            line: String::new(),
            state: LineState::Text,
            lists: Vec::new(),
            marker: None,
            links: Vec::new(),
            grid: None,
            cells: CellBudget::new(limits.cells_max),
            facts: DocumentFacts::default(),
            html: String::new(),
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.line.push_str(&text);
            }
            Event::Html(html) => self.html.push_str(&html),
            Event::InlineHtml(html) if is_line_break(&html) => self.line.push('\n'),
            Event::InlineHtml(_) => {}
            Event::FootnoteReference(name) => self.line.push_str(&format!("[{name}]")),
            Event::SoftBreak => self.line.push(' '),
            Event::HardBreak => self.line.push('\n'),
            Event::Rule => self.end_line(),
            Event::TaskListMarker(true) => self.line.push_str("[x] "),
            Event::TaskListMarker(false) => self.line.push_str("[ ] "),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::BlockQuote(_) => self.end_line(),
            Tag::Heading { level, .. } => self.begin(LineState::Heading(level_of(level))),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => self.begin(LineState::Code),
            Tag::MetadataBlock(_) => self.begin(LineState::FrontMatter),
            Tag::List(number) => {
                self.end_line();
                self.lists.push(number);
            }
            Tag::Item => self.item(),
            Tag::FootnoteDefinition(name) => {
                self.end_line();
                self.line.push_str(&format!("[{name}] "));
            }
            Tag::Table(_) => {
                self.end_line();
                let mut grid = Grid::within(&self.cells);
                grid.header_rows = 1;
                self.grid = Some(grid);
            }
            Tag::TableHead | Tag::TableRow => self.grid.iter_mut().for_each(Grid::begin_row),
            Tag::Link { dest_url, .. } => self.links.push((self.line.len(), dest_url.into_string())),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::BlockQuote(_) => {
                self.end_line()
            }
            TagEnd::FootnoteDefinition => self.end_line(),
            TagEnd::MetadataBlock(_) => self.front_matter(),
            TagEnd::HtmlBlock => self.end_html(),
            TagEnd::List(_) => {
                self.end_line();
                self.lists.pop();
            }
            TagEnd::Item => {
                self.end_line();
                self.marker = None;
            }
            TagEnd::TableCell => {
                let text = std::mem::take(&mut self.line).trim().to_owned();
                self.grid.iter_mut().for_each(|grid| grid.push(GridCell::of(text.clone())));
            }
            TagEnd::Table => {
                let grid = self.grid.take();
                self.blocks.extend(grid.into_iter().flat_map(|grid| grid.finish(1, &mut self.cells)));
            }
            TagEnd::Link => self.end_link(),
            _ => {}
        }
    }

    fn begin(&mut self, state: LineState) {
        self.end_line();
        self.state = state;
    }

    fn item(&mut self) {
        self.end_line();
        self.marker = Some(match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}.");
                *number = number.saturating_add(1);
                marker
            }
            _ => BULLET.to_owned(),
        });
    }

    fn end_line(&mut self) {
        let state = std::mem::replace(&mut self.state, LineState::Text);
        let line = std::mem::take(&mut self.line);
        if line.trim().is_empty() {
            return;
        }
        let text = line.trim().to_owned();
        let depth = self.lists.len().saturating_sub(1).min(LIST_DEPTH_MAX) as u8;
        let block = match (state, &mut self.marker) {
            (LineState::Code, _) => Block::Code(line.trim_end().to_owned()),
            (LineState::Heading(level), _) => Block::Heading { level, text },
            (_, Some(marker)) => Block::Item { depth, marker: std::mem::take(marker), text },
            _ => Block::Paragraph(text),
        };
        self.blocks.push(block);
    }

    fn end_link(&mut self) {
        let Some((from, address)) = self.links.pop() else { return };
        let words = self.line.get(from..).unwrap_or_default();
        self.line.push_str(&links::after_words(words, &address).unwrap_or_default());
    }

    /// HTML between Markdown is read as HTML.
    fn end_html(&mut self) {
        self.end_line();
        let html = std::mem::take(&mut self.html);
        let web = html::parse_text(&html, 1, &self.limits);
        self.blocks.extend(
            web.blocks.into_iter().filter(|block| !grid::text_of(std::slice::from_ref(block)).is_empty()),
        );
    }

    fn front_matter(&mut self) {
        self.state = LineState::Text;
        let text = std::mem::take(&mut self.line);
        let told = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
            line.map(|value| value.trim().trim_matches(['"', '\'']).to_owned()).and_then(filled)
        };
        self.facts = DocumentFacts {
            title: told("title"),
            author: told("author"),
            created: told("date"),
            ..DocumentFacts::default()
        };
    }
}

fn is_line_break(html: &str) -> bool {
    html.to_ascii_lowercase().starts_with("<br")
}

fn level_of(level: HeadingLevel) -> u8 {
    level as u8
}

#[cfg(test)]
mod tests;
