//! HTML to an article: text and structure are kept, everything active is dropped.

use crate::article::{Align, Article, Block, ListItem, StyledText, Table};
use crate::error::TypesetError;
use crate::limits::ArticleLimits;
use crate::markdown::{InlineLooks, InlineStep, picture_at};

use super::tree::{Child, Element, HtmlTree};

/// The maximum depth of elements; deeper ones are left out.
const DEPTH_MAX: usize = 150;
/// Elements that are open at a time. The parser looks through all of them for each new one.
const OPEN_MAX: usize = 1_000;
/// Elements that others close, or that are never closed.
const CLOSED_BY_OTHERS: [&str; 24] = [
    "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "br", "img", "hr", "input",
    "meta", "link", "source", "col", "wbr", "area", "base", "embed", "!doctype",
];
/// Elements that show nothing, or nothing that belongs on paper.
const LEFT_OUT: [&str; 22] = [
    "script", "style", "head", "template", "noscript", "iframe", "object", "embed", "svg", "canvas", "audio",
    "video", "form", "input", "select", "button", "textarea", "map", "nav", "dialog", "math", "title",
];

impl Article {
    /// The only `h1`, if it comes first, becomes the title unless the page has one.
    pub fn from_html(html: &str) -> Result<Self, TypesetError> {
        if html.trim().is_empty() {
            return Err(TypesetError::Empty { what: "HTML" });
        }
        if html.len() > ArticleLimits::DEFAULT.input_bytes_max {
            return Err(TypesetError::TooLarge {
                what: "HTML with bytes",
                limit: ArticleLimits::DEFAULT.input_bytes_max,
            });
        }
        if is_too_deep(html) {
            return Err(TypesetError::TooLarge { what: "HTML elements within each other", limit: OPEN_MAX });
        }
        let page = HtmlTree::of_page(html);
        let mut article = read(&page).lift_title();
        about(&page, &mut article);
        article.cleaned().check()
    }
}

/// A piece of HTML inside another text.
pub(crate) fn fragment(html: &str) -> Article {
    if is_too_deep(html) {
        return Article {
            warnings: vec!["HTML with too many elements within each other was left out".to_owned()],
            ..Article::default()
        };
    }
    read(&HtmlTree::of_fragment(html))
}

/// Counts start and end tags, without parsing.
fn is_too_deep(html: &str) -> bool {
    let mut open = 0_usize;
    for tag in html.split('<').skip(1) {
        let closes = tag.starts_with('/');
        let name = tag.trim_start_matches('/').split(|c: char| !c.is_ascii_alphanumeric() && c != '!').next();
        let name = name.unwrap_or_default().to_ascii_lowercase();
        if name.is_empty() || name.starts_with("!-") || CLOSED_BY_OTHERS.contains(&name.as_str()) {
            continue;
        }
        open = if closes { open.saturating_sub(1) } else { open + 1 };
        if open > OPEN_MAX {
            return true;
        }
    }
    false
}

fn read(page: &HtmlTree) -> Article {
    let mut reader = HtmlReader::default();
    reader.children(page.root(), 0);
    reader.flush();
    let mut article = Article { blocks: reader.blocks, warnings: reader.warnings, ..Article::default() };
    if reader.too_deep {
        article.warnings.push(format!("content nested in more than {DEPTH_MAX} elements was left out"));
    }
    if reader.far_pictures > 0 {
        article
            .warnings
            .push(format!("{} pictures are not inside the page and were left out", reader.far_pictures));
    }
    article
}

/// The metadata in the head of the page.
fn about(page: &HtmlTree, article: &mut Article) {
    article.language = page.root().attribute("lang").map(str::to_owned).filter(|code| !code.is_empty());
    for element in page.elements() {
        match element.name() {
            "title" if article.title.is_none() => {
                let title = squeezed(&element.text()).trim().to_owned();
                article.title = Some(title).filter(|title| !title.is_empty());
            }
            "meta" if element.attribute("name").is_some_and(|name| name.eq_ignore_ascii_case("author")) => {
                article.author =
                    element.attribute("content").map(str::to_owned).filter(|author| !author.is_empty());
            }
            _ => {}
        }
    }
}

#[derive(Default)]
struct HtmlReader {
    blocks: Vec<Block>,
    text: StyledText,
    looks: InlineLooks,
    warnings: Vec<String>,
    too_deep: bool,
    far_pictures: usize,
}

impl HtmlReader {
    fn children(&mut self, element: Element<'_>, depth: usize) {
        if depth > DEPTH_MAX {
            self.too_deep = true;
            return;
        }
        for child in element.children() {
            match child {
                Child::Text(text) => self.add_text(text),
                Child::Element(element) => self.element(element, depth + 1),
                Child::Other => {}
            }
        }
    }

    fn element(&mut self, element: Element<'_>, depth: usize) {
        let name = element.name();
        if LEFT_OUT.contains(&name) || is_hidden(element) {
            return;
        }
        match name {
            "br" => self.text.push(self.looks.run("\n")),
            "hr" => self.block(Block::Rule),
            "img" => self.picture(element),
            "pre" => {
                let text = element.text();
                self.block(Block::Code { text: text.trim_matches('\n').to_owned(), language: None });
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.heading(element, depth),
            "ul" | "ol" | "menu" => self.list(element, depth),
            "blockquote" => {
                let blocks = self.inside(element, depth);
                self.block(Block::Quote { blocks });
            }
            "table" => self.table(element, depth),
            "a" => self.link(element, depth),
            _ if is_inline(name) => {
                let known = self.looks.html(name, InlineStep::Open);
                self.children(element, depth);
                if known {
                    self.looks.html(name, InlineStep::Close);
                }
            }
            _ => {
                self.flush();
                let known = self.looks.html(name, InlineStep::Open);
                self.children(element, depth);
                if known {
                    self.looks.html(name, InlineStep::Close);
                }
                self.flush();
            }
        }
    }

    fn block(&mut self, block: Block) {
        self.flush();
        self.blocks.push(block);
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text).trim();
        if !text.is_empty() {
            self.blocks.push(Block::Paragraph { text });
        }
    }

    /// Collapses white space to one space, and drops it at the beginning of a line.
    fn add_text(&mut self, text: &str) {
        let text = squeezed(text);
        let at_start = self.text.0.last().is_none_or(|run| run.text.ends_with([' ', '\n']));
        let text = if at_start { text.trim_start() } else { &text };
        if !text.is_empty() {
            self.text.push(self.looks.run(text));
        }
    }

    fn heading(&mut self, element: Element<'_>, depth: usize) {
        let level = element.name().as_bytes()[1] - b'0';
        self.flush();
        let text = self.inline(element, depth);
        if !text.is_empty() {
            self.blocks.push(Block::Heading { level, text });
        }
    }

    fn link(&mut self, element: Element<'_>, depth: usize) {
        match element.attribute("href") {
            Some(address) => {
                self.looks.links.push(address.trim().to_owned());
                self.children(element, depth);
                self.looks.links.pop();
            }
            None => self.children(element, depth),
        }
    }

    /// The content as separate blocks.
    fn inside(&mut self, element: Element<'_>, depth: usize) -> Vec<Block> {
        self.flush();
        let before = std::mem::take(&mut self.blocks);
        self.children(element, depth);
        self.flush();
        std::mem::replace(&mut self.blocks, before)
    }

    /// The content as one text, for headings and cells.
    fn inline(&mut self, element: Element<'_>, depth: usize) -> StyledText {
        let before = std::mem::take(&mut self.text);
        let blocks = std::mem::take(&mut self.blocks);
        self.children(element, depth);
        self.flush();
        self.text = before;
        joined(std::mem::replace(&mut self.blocks, blocks))
    }

    fn list(&mut self, element: Element<'_>, depth: usize) {
        self.flush();
        let mut items: Vec<ListItem> = Vec::new();
        for child in element.elements() {
            let checked = box_of(child);
            let blocks = if child.name() == "li" {
                self.inside(child, depth + 1)
            } else {
                let before = std::mem::take(&mut self.blocks);
                self.element(child, depth + 1);
                self.flush();
                std::mem::replace(&mut self.blocks, before)
            };
            match (child.name(), items.last_mut()) {
                // Lists are often written as siblings of the item they belong to.
                ("ul" | "ol", Some(last)) => last.blocks.extend(blocks),
                _ if !blocks.is_empty() => items.push(ListItem { checked, blocks }),
                _ => {}
            }
        }
        let ordered = element.name() == "ol";
        let start =
            element.attribute("start").and_then(|start| start.trim().parse().ok()).filter(|_| ordered);
        if !items.is_empty() {
            self.blocks.push(Block::List { ordered, start, items });
        }
    }

    /// Tables within tables become text of their cell.
    fn table(&mut self, element: Element<'_>, depth: usize) {
        self.flush();
        let mut table = Table::default();
        let mut heads = 0;
        for row in rows_of(element) {
            let cells: Vec<_> = row.elements().filter(|cell| is_cell(*cell)).collect();
            let head = !cells.is_empty() && cells.iter().all(|cell| cell.name() == "th");
            let mut texts = Vec::new();
            for cell in &cells {
                set_side(&mut table.align, texts.len(), *cell);
                texts.push(self.inline(*cell, depth + 3));
                let span = cell.attribute("colspan").and_then(|span| span.parse().ok()).unwrap_or(1_usize);
                texts.extend(vec![
                    StyledText::default();
                    span.clamp(1, ArticleLimits::DEFAULT.columns_max) - 1
                ]);
            }
            match head && table.rows.is_empty() && heads == 0 {
                true => {
                    heads = 1;
                    table.header = texts;
                }
                false if !texts.is_empty() => table.rows.push(texts),
                false => {}
            }
        }
        let caption = element.elements().find(|it| it.name() == "caption");
        table.caption = caption.map(|it| squeezed(&it.text()).trim().to_owned());
        if table.columns() > 0 {
            self.blocks.push(Block::Table(table));
        }
    }

    fn picture(&mut self, element: Element<'_>) {
        let alt = element.attribute("alt").unwrap_or_default().trim().to_owned();
        match picture_at(element.attribute("src").unwrap_or_default().trim()) {
            Some(Ok(data)) => self.block(Block::Image { data, alt, caption: None }),
            Some(Err(error)) => self.warnings.push(format!("a picture was left out: {error}")),
            None => {
                self.far_pictures += 1;
                self.add_text(&alt);
            }
        }
    }
}

/// Rows of the table itself, not of those within.
fn rows_of(table: Element<'_>) -> Vec<Element<'_>> {
    let mut rows = Vec::new();
    for child in table.elements() {
        match child.name() {
            "tr" => rows.push(child),
            "thead" | "tbody" | "tfoot" => {
                rows.extend(child.elements().filter(|row| row.name() == "tr"));
            }
            _ => {}
        }
    }
    rows
}

fn is_cell(element: Element<'_>) -> bool {
    matches!(element.name(), "td" | "th")
}

fn set_side(sides: &mut Vec<Align>, at: usize, cell: Element<'_>) {
    let style = cell.attribute("style").unwrap_or_default().replace(' ', "").to_ascii_lowercase();
    let says =
        |side: &str| style.contains(&format!("text-align:{side}")) || cell.attribute("align") == Some(side);
    let side = match () {
        () if says("right") => Align::Right,
        () if says("center") => Align::Center,
        () if says("left") => Align::Left,
        () => return,
    };
    if sides.len() <= at {
        sides.resize(at + 1, Align::Start);
    }
    sides[at] = side;
}

/// The box at the beginning of a task.
fn box_of(item: Element<'_>) -> Option<bool> {
    let first = item.children().find(|it| !matches!(it, Child::Text(text) if text.trim().is_empty()))?;
    let Child::Element(input) = first else { return None };
    (input.name() == "input" && input.attribute("type") == Some("checkbox"))
        .then(|| input.attribute("checked").is_some())
}

fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "b" | "strong"
            | "i"
            | "em"
            | "cite"
            | "var"
            | "dfn"
            | "code"
            | "kbd"
            | "samp"
            | "tt"
            | "s"
            | "del"
            | "strike"
            | "ins"
            | "u"
            | "span"
            | "small"
            | "big"
            | "sup"
            | "sub"
            | "q"
            | "abbr"
            | "time"
            | "mark"
            | "font"
            | "label"
            | "bdi"
            | "bdo"
            | "wbr"
            | "data"
            | "ruby"
            | "rt"
            | "rp"
            | "nobr"
            | "acronym"
            | "picture"
    )
}

fn is_hidden(element: Element<'_>) -> bool {
    let style = element.attribute("style").unwrap_or_default().replace(' ', "").to_ascii_lowercase();
    element.attribute("hidden").is_some() || style.contains("display:none")
}

fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            ' ' | '\t' | '\n' | '\r' | '\u{c}' => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            letter => out.push(letter),
        }
    }
    out
}

/// Blocks inside a cell or heading as one text, line by line.
fn joined(mut blocks: Vec<Block>) -> StyledText {
    let mut all = StyledText::default();
    crate::article::walk::each_text(&mut blocks, &mut |text| {
        if !all.is_empty() && !text.is_empty() {
            all.push(crate::article::TextRun::plain("\n"));
        }
        std::mem::take(&mut text.0).into_iter().for_each(|run| all.push(run));
    });
    all
}
