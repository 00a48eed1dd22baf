//! An article as a standalone web page.

use crate::article::{Align, Article, Block, ListItem, StyledText, Table, TextRun};
use crate::direction::{Direction, language_of_letters};

const STYLE: &str = concat!(
    "body{max-width:44em;margin:2em auto;padding:0 1em;font:1em/1.5 system-ui,sans-serif;color:#1a1a1a;overflow-wrap:break-word}",
    "table{border-collapse:collapse;margin:1em 0}th,td{border-top:1px solid #ccc;border-bottom:1px solid #ccc;padding:.3em .6em;",
    "text-align:start;vertical-align:top}pre{background:#f5f5f5;padding:.8em;overflow:auto}blockquote{border-left:3px solid #ccc;",
    "margin-left:0;padding-left:1em;color:#444}img{max-width:100%}.entry{display:flex;justify-content:space-between;gap:1em}",
    ".subtitle,figcaption,caption{color:#555}@media print{.break{break-after:page}}"
);

/// Writes an article as a page. Everything in it is escaped.
pub fn html(article: &Article) -> String {
    let mut writer = HtmlWriter { shift: u8::from(article.title.is_some()), notes: Vec::new() };
    let language = match &article.language {
        Some(language) => language.as_str(),
        None => language_of_letters(&article.plain_text()).unwrap_or("en"),
    };
    let direction = Direction::of_language(language.split(['-', '_']).next().unwrap_or_default());
    let head = page_head(article);
    let top = writer.top(article);
    let body = writer.blocks(&article.blocks);
    let notes = writer.notes();
    format!(
        "<!doctype html>\n<html lang=\"{}\" dir=\"{}\">\n<head>\n{head}</head>\n<body>\n{top}{body}{notes}</body>\n</html>\n",
        escape(language),
        direction.as_str(),
    )
}

fn page_head(article: &Article) -> String {
    let title = escape(article.title.as_deref().unwrap_or("Document"));
    let author = (article.author.as_ref())
        .map(|author| format!("<meta name=\"author\" content=\"{}\">\n", escape(author)))
        .unwrap_or_default();
    format!("<meta charset=\"utf-8\">\n<title>{title}</title>\n{author}<style>{STYLE}</style>\n")
}

struct HtmlWriter {
    shift: u8,
    notes: Vec<String>,
}

impl HtmlWriter {
    fn top(&mut self, article: &Article) -> String {
        let mut out = String::new();
        if let Some(title) = &article.title {
            out.push_str(&format!("<h1>{}</h1>\n", escape(title)));
        }
        if !article.subtitle.is_empty() {
            out.push_str(&format!("<p class=\"subtitle\">{}</p>\n", self.text(&article.subtitle)));
        }
        out
    }

    fn blocks(&mut self, blocks: &[Block]) -> String {
        blocks.iter().map(|block| self.block(block)).collect()
    }

    fn block(&mut self, block: &Block) -> String {
        match block {
            Block::Heading { level, text } => {
                let level = (level + self.shift).clamp(1, 6);
                format!("<h{level}{}>{}</h{level}>\n", direction(text), self.text(text))
            }
            Block::Paragraph { text } => format!("<p{}>{}</p>\n", direction(text), self.text(text)),
            Block::List { ordered, start, items } => self.list(*ordered, *start, items),
            Block::Table(table) => self.table(table),
            Block::Quote { blocks } => format!("<blockquote>\n{}</blockquote>\n", self.blocks(blocks)),
            Block::Code { text, .. } => format!("<pre><code>{}</code></pre>\n", escape(text)),
            Block::Image { data, alt, caption } => {
                let image = format!("<img src=\"{}\" alt=\"{}\">", data.data_url(), escape(alt));
                let caption =
                    caption.as_ref().map(|caption| format!("<figcaption>{}</figcaption>", escape(caption)));
                format!("<figure>{image}{}</figure>\n", caption.unwrap_or_default())
            }
            Block::Rule => "<hr>\n".to_owned(),
            Block::PageBreak => "<div class=\"break\"></div>\n".to_owned(),
            Block::Entry { text, note } => {
                format!(
                    "<div class=\"entry\"><span>{}</span> <span>{}</span></div>\n",
                    self.text(text),
                    self.text(note)
                )
            }
        }
    }

    fn list(&mut self, ordered: bool, start: Option<u32>, items: &[ListItem]) -> String {
        let name = if ordered { "ol" } else { "ul" };
        let start = start.filter(|_| ordered).map(|start| format!(" start=\"{start}\"")).unwrap_or_default();
        let items: String = items.iter().map(|item| self.item(item)).collect();
        format!("<{name}{start}>\n{items}</{name}>\n")
    }

    fn item(&mut self, item: &ListItem) -> String {
        let mark = match item.checked {
            Some(true) => "<input type=\"checkbox\" disabled checked> ",
            Some(false) => "<input type=\"checkbox\" disabled> ",
            None => "",
        };
        let body = match item.blocks.split_first() {
            Some((Block::Paragraph { text }, rest)) => format!("{}{}", self.text(text), self.blocks(rest)),
            _ => self.blocks(&item.blocks),
        };
        format!("<li>{mark}{body}</li>\n")
    }

    fn table(&mut self, table: &Table) -> String {
        let columns = table.columns();
        let caption =
            table.caption.as_ref().map(|caption| format!("<caption>{}</caption>\n", escape(caption)));
        let head = match table.header.is_empty() {
            true => String::new(),
            false => format!("<thead>\n{}</thead>\n", self.row("th", &table.header, table, columns)),
        };
        let rows: String = table.rows.iter().map(|row| self.row("td", row, table, columns)).collect();
        format!("<table>\n{}{head}<tbody>\n{rows}</tbody>\n</table>\n", caption.unwrap_or_default())
    }

    fn row(&mut self, name: &str, cells: &[StyledText], table: &Table, columns: usize) -> String {
        let mut out = String::from("<tr>");
        for at in 0..columns {
            let side = match table.align.get(at).copied().unwrap_or_default() {
                Align::Start => "",
                Align::Left => " style=\"text-align:left\"",
                Align::Center => " style=\"text-align:center\"",
                Align::Right => " style=\"text-align:right\"",
            };
            let cell = cells.get(at).map(|cell| self.text(cell)).unwrap_or_default();
            out.push_str(&format!("<{name}{side}>{cell}</{name}>"));
        }
        out.push_str("</tr>\n");
        out
    }

    fn text(&mut self, text: &StyledText) -> String {
        let mut out = String::new();
        for run in &text.0 {
            out.push_str(&written(run));
            if let Some(note) = &run.note {
                self.notes.push(note.0.iter().map(written).collect());
                let number = self.notes.len();
                out.push_str(&format!(
                    "<sup><a href=\"#note-{number}\" id=\"ref-{number}\">{number}</a></sup>"
                ));
            }
        }
        out
    }

    fn notes(&self) -> String {
        if self.notes.is_empty() {
            return String::new();
        }
        let items: String = (self.notes.iter().enumerate())
            .map(|(at, note)| format!("<li id=\"note-{0}\">{note} <a href=\"#ref-{0}\">↩</a></li>\n", at + 1))
            .collect();
        format!("<hr>\n<ol>\n{items}</ol>\n")
    }
}

fn written(run: &TextRun) -> String {
    let mut out = escape(&run.text).replace('\n', "<br>");
    for (on, name) in [(run.code, "code"), (run.strike, "s"), (run.italic, "em"), (run.bold, "strong")] {
        if on && !out.is_empty() {
            out = format!("<{name}>{out}</{name}>");
        }
    }
    match &run.link {
        Some(link) => format!("<a href=\"{}\">{out}</a>", escape(link)),
        None => out,
    }
}

/// Written only if it differs from the default; a browser detects it otherwise.
fn direction(text: &StyledText) -> &'static str {
    match Direction::of(&text.to_plain()) {
        Some(Direction::RightToLeft) => " dir=\"auto\"",
        _ => "",
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
