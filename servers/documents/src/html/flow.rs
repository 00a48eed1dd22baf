//! The text of a page as its tags go by.

use html5ever::LocalName;
use html5ever::tokenizer::Tag;

use crate::document::{Block, DocumentFacts};
use crate::grid::{CellBudget, Grid, GridCell};
use crate::limits::DocumentLimits;
use crate::links;
use crate::numbering::{BULLET, NumberFormat};
use crate::package::filled;

use super::zones::{self, Zone};
use super::{HtmlPage, MarkupRules, attribute, elements};

const LIST_DEPTH_MAX: usize = 8;

/// An open element, and the effect that ends with it.
struct OpenElement {
    name: LocalName,
    effect: ElementEffect,
}

enum ElementEffect {
    None,
    Unread,
    Heading,
    List,
    Item,
    Code,
    Table,
    Row,
    Cell,
    Link { from: usize, address: String },
    Title,
    Zone,
}

/// A list that is open.
struct OpenList {
    count: NumberFormat,
    next: u32,
}

/// A table that is open, with the cell that is being filled.
struct OpenTable {
    grid: Grid,
    cell: Option<GridCell>,
    /// True if all cells of the row so far are headings.
    row_heads: bool,
    has_row: bool,
}

pub(super) struct HtmlFlow {
    pub(super) rules: MarkupRules,
    number: u32,
    depth_max: usize,
    open: Vec<OpenElement>,
    /// The number of surrounding elements that are not read.
    unread: usize,
    line: String,
    heading: Option<u8>,
    lists: Vec<OpenList>,
    marker: Option<String>,
    /// The number of surrounding elements that keep their blanks.
    code: usize,
    tables: Vec<OpenTable>,
    zones: Vec<Zone>,
    pieces: Vec<(Zone, Block)>,
    cells: CellBudget,
    facts: DocumentFacts,
    in_title: bool,
    has_pictures: bool,
    was_deep: bool,
}

impl HtmlFlow {
    pub(super) fn new(number: u32, limits: &DocumentLimits, rules: MarkupRules) -> Self {
        Self {
            rules,
            number,
            depth_max: limits.depth_max,
            open: Vec::new(),
            unread: 0,
            line: String::new(),
            heading: None,
            lists: Vec::new(),
            marker: None,
            code: 0,
            tables: Vec::new(),
            zones: Vec::new(),
            pieces: Vec::new(),
            cells: CellBudget::new(limits.cells_max),
            facts: DocumentFacts::default(),
            in_title: false,
            has_pictures: false,
            was_deep: false,
        }
    }

    pub(super) fn finish(mut self) -> HtmlPage {
        while !self.open.is_empty() {
            self.close_last();
        }
        self.flush();
        let (blocks, warning) = zones::text_of_page(self.pieces);
        let deep = self.was_deep.then(|| {
            format!("elements nested more than {} deep were read as if they were not nested", self.depth_max)
        });
        let warnings = warning.into_iter().chain(self.cells.warning()).chain(deep).collect();
        self.facts.title = self.facts.title.and_then(filled);
        HtmlPage { blocks, facts: self.facts, warnings, has_pictures: self.has_pictures }
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.in_title {
            push_collapsed(self.facts.title.get_or_insert_default(), text);
            return;
        }
        match (self.unread, self.code) {
            (0, 0) => push_collapsed(&mut self.line, text),
            (0, _) => self.line.extend(text.chars().filter(|&character| is_kept_in_code(character))),
            _ => {}
        }
    }

    pub(super) fn start(&mut self, tag: &Tag) {
        let name = &*tag.name;
        if let Some((names, boundary)) = elements::implied_ends(name) {
            self.close_nearest(names, boundary);
        }
        if elements::is_block(name) && self.unread == 0 {
            self.flush();
        }
        if elements::is_void(name) {
            self.void(name, tag);
            return;
        }
        if self.open.len() >= self.depth_max {
            self.was_deep = true;
            return;
        }
        let effect = self.effect(name, tag);
        self.open.push(OpenElement { name: tag.name.clone(), effect });
    }

    pub(super) fn end(&mut self, name: &str) {
        if elements::is_void(name) {
            return;
        }
        self.close_nearest(&[name], elements::scope(name));
        if elements::is_block(name) && self.unread == 0 {
            self.flush();
        }
    }

    fn void(&mut self, name: &str, tag: &Tag) {
        match name {
            "br" if self.unread == 0 => self.line.push('\n'),
            "img" => self.has_pictures = true,
            "meta" => self.meta(tag),
            _ => {}
        }
    }

    fn meta(&mut self, tag: &Tag) {
        let key = attribute(tag, "name")
            .or_else(|| attribute(tag, "property"))
            .unwrap_or_default()
            .to_ascii_lowercase();
        let content = || attribute(tag, "content").map(str::to_owned).and_then(filled);
        match key.as_str() {
            "author" | "dc.creator" | "dcterms.creator" => self.facts.author = content(),
            "date" | "dc.date" | "dcterms.created" | "article:published_time" => {
                self.facts.created = content()
            }
            "generator" => self.facts.producer = content(),
            _ => {}
        }
    }

    /// The effect of an element, which its end ends.
    fn effect(&mut self, name: &str, tag: &Tag) -> ElementEffect {
        // Images have titles too; the page's own title comes first.
        if name == "title" && self.facts.title.is_none() && self.unread == 0 {
            self.in_title = true;
            return ElementEffect::Title;
        }
        if elements::is_unread(name) || elements::is_hidden(tag) || name == "title" || self.unread > 0 {
            self.unread += 1;
            return ElementEffect::Unread;
        }
        if let Some(level) = elements::heading_level(name) {
            self.heading = Some(level);
            return ElementEffect::Heading;
        }
        match name {
            "ul" | "ol" | "menu" | "dir" => self.list(name, tag),
            "li" => self.item(tag),
            "pre" | "xmp" | "listing" => {
                self.code += 1;
                ElementEffect::Code
            }
            "table" => {
                let mut grid = Grid::within(&self.cells);
                grid.is_layout = matches!(attribute(tag, "role"), Some("presentation" | "none"));
                self.tables.push(OpenTable { grid, cell: None, row_heads: false, has_row: false });
                ElementEffect::Table
            }
            "tr" => self.row(),
            "td" | "th" => self.cell(name, tag),
            "a" => {
                let address = attribute(tag, "href").unwrap_or_default().to_owned();
                ElementEffect::Link { from: self.line.len(), address }
            }
            _ => self.zone(name, tag),
        }
    }

    fn zone(&mut self, name: &str, tag: &Tag) -> ElementEffect {
        let is_in_main = self.zones.contains(&Zone::Main);
        let zone = match (name, attribute(tag, "role")) {
            ("nav", _) | (_, Some("navigation")) => Zone::Navigation,
            ("main" | "article", _) | (_, Some("main")) => Zone::Main,
            ("header" | "footer" | "aside", _) if !is_in_main => Zone::Margin,
            _ => return ElementEffect::None,
        };
        self.zones.push(zone);
        ElementEffect::Zone
    }

    fn list(&mut self, name: &str, tag: &Tag) -> ElementEffect {
        let count = match (name, attribute(tag, "type")) {
            ("ol", Some("a")) => NumberFormat::LowerLetter,
            ("ol", Some("A")) => NumberFormat::UpperLetter,
            ("ol", Some("i")) => NumberFormat::LowerRoman,
            ("ol", Some("I")) => NumberFormat::UpperRoman,
            ("ol", _) => NumberFormat::Decimal,
            _ => NumberFormat::Bullet,
        };
        let next = attribute(tag, "start").and_then(|start| start.trim().parse().ok()).unwrap_or(1);
        self.lists.push(OpenList { count, next });
        ElementEffect::List
    }

    fn item(&mut self, tag: &Tag) -> ElementEffect {
        let Some(list) = self.lists.last_mut() else {
            self.marker = Some(BULLET.to_owned());
            return ElementEffect::Item;
        };
        let number = attribute(tag, "value").and_then(|value| value.trim().parse().ok()).unwrap_or(list.next);
        list.next = number.saturating_add(1);
        self.marker = Some(match list.count {
            NumberFormat::Bullet => BULLET.to_owned(),
            count => format!("{}.", count.write(number)),
        });
        ElementEffect::Item
    }

    fn row(&mut self) -> ElementEffect {
        if let Some(table) = self.tables.last_mut() {
            table.grid.begin_row();
            (table.row_heads, table.has_row) = (true, true);
        }
        ElementEffect::Row
    }

    fn cell(&mut self, name: &str, tag: &Tag) -> ElementEffect {
        let span = |name: &str| attribute(tag, name).and_then(|span| span.trim().parse().ok()).unwrap_or(1);
        let Some(table) = self.tables.last_mut() else { return ElementEffect::None };
        if !table.has_row {
            table.grid.begin_row();
            (table.row_heads, table.has_row) = (true, true);
        }
        table.row_heads &= name == "th";
        table.cell = Some(GridCell::default().spanning(span("colspan"), span("rowspan")));
        ElementEffect::Cell
    }

    /// Closes the innermost of some elements and all within it, unless a boundary is in between.
    fn close_nearest(&mut self, names: &[&str], boundary: &[&str]) {
        let is_end = |open: &&OpenElement| names.contains(&&*open.name) || boundary.contains(&&*open.name);
        let Some(nearest) = self.open.iter().rev().find(is_end) else { return };
        if !names.contains(&&*nearest.name) {
            return;
        }
        while let Some(last) = self.open.last() {
            let is_it = names.contains(&&*last.name);
            self.close_last();
            if is_it {
                return;
            }
        }
    }

    fn close_last(&mut self) {
        // While it is still open, so that the line knows its context.
        if self.unread == 0 && self.open.last().is_some_and(|open| elements::is_block(&open.name)) {
            self.flush();
        }
        let Some(open) = self.open.pop() else { return };
        match open.effect {
            ElementEffect::None => {}
            ElementEffect::Unread => self.unread -= 1,
            ElementEffect::Heading => self.heading = None,
            ElementEffect::List => drop(self.lists.pop()),
            ElementEffect::Item => self.marker = None,
            ElementEffect::Code => self.code -= 1,
            ElementEffect::Table => self.close_table(),
            ElementEffect::Row => self.close_row(),
            ElementEffect::Cell => self.close_cell(),
            ElementEffect::Link { from, address } => self.close_link(from, &address),
            ElementEffect::Title => self.in_title = false,
            ElementEffect::Zone => drop(self.zones.pop()),
        }
    }

    fn close_link(&mut self, from: usize, address: &str) {
        let words = self.line.get(from..).unwrap_or_default();
        if let Some(after) = links::after_words(words, address) {
            self.line.truncate(self.line.trim_end_matches(' ').len());
            self.line.push_str(&after);
        }
    }

    fn close_cell(&mut self) {
        let Some(table) = self.tables.last_mut() else { return };
        if let Some(cell) = table.cell.take() {
            table.grid.push(cell);
        }
    }

    fn close_row(&mut self) {
        let Some(table) = self.tables.last_mut() else { return };
        let is_next = table.grid.rows() == table.grid.header_rows + 1;
        if table.has_row && table.row_heads && is_next {
            table.grid.header_rows += 1;
        }
        table.has_row = false;
    }

    fn close_table(&mut self) {
        self.close_cell();
        let Some(table) = self.tables.pop() else { return };
        for block in table.grid.finish(self.number, &mut self.cells) {
            self.push(block);
        }
    }

    /// Ends the line that is being written.
    fn flush(&mut self) {
        let line = std::mem::take(&mut self.line);
        let is_code = self.code > 0;
        let text = if is_code { line.trim_matches('\n').trim_end().to_owned() } else { tidy(&line) };
        if text.trim().is_empty() {
            return;
        }
        let block = if is_code {
            Block::Code(text)
        } else if let Some(level) = self.heading {
            Block::Heading { level, text: text.replace('\n', " ") }
        } else if self.is_in_item() {
            let depth = self.lists.len().saturating_sub(1).min(LIST_DEPTH_MAX) as u8;
            Block::Item { depth, marker: self.marker.replace(String::new()).unwrap_or_default(), text }
        } else {
            Block::Paragraph(text)
        };
        self.push(block);
    }

    /// An item reaches to the end of its cell, and not into tables within it.
    fn is_in_item(&self) -> bool {
        let inner = self.open.iter().rev().find(|open| {
            matches!(open.effect, ElementEffect::Item | ElementEffect::Cell | ElementEffect::Table)
        });
        self.marker.is_some() && inner.is_some_and(|open| matches!(open.effect, ElementEffect::Item))
    }

    /// Into the innermost cell that is open, else onto the page.
    fn push(&mut self, block: Block) {
        match self.tables.iter_mut().rev().find_map(|table| table.cell.as_mut()) {
            Some(cell) => cell.blocks.push(block),
            None => self.pieces.push((self.zones.last().copied().unwrap_or(Zone::Plain), block)),
        }
    }
}

fn is_kept_in_code(character: char) -> bool {
    !character.is_control() || matches!(character, '\n' | '\t')
}

/// Collapses white space to one space, and drops it at the beginning of a line.
fn push_collapsed(line: &mut String, text: &str) {
    for character in text.chars() {
        let is_blank = matches!(character, ' ' | '\n' | '\t' | '\r' | '\u{c}' | '\u{a0}');
        match character {
            _ if is_blank && (line.is_empty() || line.ends_with([' ', '\n'])) => {}
            _ if is_blank => line.push(' '),
            '\u{ad}' | '\u{200b}' | '\u{feff}' => {}
            character if character.is_control() => {}
            character => line.push(character),
        }
    }
}

fn tidy(line: &str) -> String {
    let lines: Vec<&str> = line.split('\n').map(str::trim).collect();
    lines.join("\n").trim().to_owned()
}
