//! An article to Markdown that reads back as the same article.

use std::fmt::Write;

use crate::article::{Align, Article, Block, ListItem, StyledText, Table, TextRun};

/// Writes an article as Markdown.
pub fn markdown(article: &Article) -> String {
    let mut writer = MarkdownWriter { shift: u8::from(article.title.is_some()), notes: Vec::new() };
    let mut out = head(article);
    if let Some(title) = &article.title {
        push_block(&mut out, &format!("# {}", escape(title)));
    }
    if !article.subtitle.is_empty() {
        let subtitle = writer.text(&article.subtitle);
        push_block(&mut out, &subtitle);
    }
    let body = writer.blocks(&article.blocks);
    push_block(&mut out, &body);
    for (at, note) in writer.notes.iter().enumerate() {
        push_block(&mut out, &format!("[^{}]: {}", at + 1, note.replace("<br>", " ")));
    }
    out.push('\n');
    out
}

/// Author, date and language have no other place.
fn head(article: &Article) -> String {
    let said = [("author", &article.author), ("date", &article.date), ("language", &article.language)];
    let lines: String =
        said.iter().filter_map(|(key, value)| Some(format!("{key}: {}\n", value.as_ref()?))).collect();
    if lines.is_empty() { String::new() } else { format!("---\n{lines}---") }
}

fn push_block(out: &mut String, block: &str) {
    if !block.is_empty() {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        out.push_str(block);
    }
}

struct MarkdownWriter {
    /// The shift of headings because the title takes the first level.
    shift: u8,
    notes: Vec<String>,
}

impl MarkdownWriter {
    fn blocks(&mut self, blocks: &[Block]) -> String {
        let mut out = String::new();
        for (at, block) in blocks.iter().enumerate() {
            // Two lists of one kind would become one.
            if at > 0 && matches!((&blocks[at - 1], block), (Block::List { .. }, Block::List { .. })) {
                push_block(&mut out, "<!-- -->");
            }
            let block = self.block(block);
            push_block(&mut out, &block);
        }
        out
    }

    fn block(&mut self, block: &Block) -> String {
        match block {
            Block::Heading { level, text } => {
                let marks = "#".repeat(usize::from((level + self.shift).clamp(1, 6)));
                format!("{marks} {}", self.text(text))
            }
            Block::Paragraph { text } => self.text(text),
            Block::List { ordered, start, items } => self.list(*ordered, start.unwrap_or(1), items),
            Block::Table(table) => self.table(table),
            Block::Quote { blocks } => indented(&self.blocks(blocks), "> ", "> "),
            Block::Code { text, language } => fenced(text, language.as_deref().unwrap_or_default()),
            Block::Image { data, alt, caption } => {
                let title = caption.as_ref().map(|caption| format!(" \"{}\"", caption.replace('"', "'")));
                format!("![{}]({}{})", escape(alt), data.data_url(), title.unwrap_or_default())
            }
            Block::Rule => "---".to_owned(),
            Block::PageBreak => "<!-- pagebreak -->".to_owned(),
            Block::Entry { text, note } if note.is_empty() => self.text(text),
            Block::Entry { text, note } => format!("{} — {}", self.text(text), self.text(note)),
        }
    }

    fn list(&mut self, ordered: bool, start: u32, items: &[ListItem]) -> String {
        let mut lines = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let mark = if ordered { format!("{}. ", start as usize + at) } else { "- ".to_owned() };
            let task = match item.checked {
                Some(true) => "[x] ",
                Some(false) => "[ ] ",
                None => "",
            };
            let body = self.blocks(&item.blocks);
            lines.push(indented(&format!("{task}{body}"), &mark, &" ".repeat(mark.len())));
        }
        let loose = items.iter().any(|item| item.blocks.len() > 1);
        lines.join(if loose { "\n\n" } else { "\n" })
    }

    fn table(&mut self, table: &Table) -> String {
        let columns = table.columns();
        let mut out = String::new();
        let header = self.row(&table.header, columns);
        out.push_str(&header);
        out.push('|');
        for at in 0..columns {
            out.push_str(match table.align.get(at).copied().unwrap_or_default() {
                Align::Start => " --- |",
                Align::Left => " :-- |",
                Align::Center => " :-: |",
                Align::Right => " --: |",
            });
        }
        for row in &table.rows {
            out.push('\n');
            out.push_str(self.row(row, columns).trim_end());
        }
        if let Some(caption) = &table.caption {
            push_block(&mut out, &format!("*{}*", escape(caption)));
        }
        out
    }

    fn row(&mut self, cells: &[StyledText], columns: usize) -> String {
        let mut out = String::from("|");
        for at in 0..columns {
            let cell = cells.get(at).map(|cell| self.text(cell)).unwrap_or_default();
            // Writing to a string does not fail.
            let _ignored: std::fmt::Result = write!(out, " {} |", cell.replace('|', "\\|"));
        }
        out.push('\n');
        out
    }

    fn text(&mut self, text: &StyledText) -> String {
        let mut out = String::new();
        for run in &text.0 {
            out.push_str(&written(run));
            if let Some(note) = &run.note {
                let note = note.0.iter().map(written).collect();
                self.notes.push(note);
                let _ignored: std::fmt::Result = write!(out, "[^{}]", self.notes.len());
            }
        }
        out
    }
}

/// White space stays outside the marks, as Markdown requires.
fn written(run: &TextRun) -> String {
    let body = run.text.trim_matches([' ', '\n']);
    if body.is_empty() {
        return breaks(&run.text);
    }
    let at = run.text.find(body).unwrap_or_default();
    let (before, after) = (&run.text[..at], &run.text[at + body.len()..]);
    let mut marked = if run.code { code(body) } else { escape(body) };
    for (on, mark) in [(run.strike, "~~"), (run.italic, "*"), (run.bold, "**")] {
        if on {
            marked = format!("{mark}{marked}{mark}");
        }
    }
    if let Some(link) = &run.link {
        marked = format!("[{marked}](<{}>)", link.replace(['<', '>'], ""));
    }
    format!("{}{marked}{}", breaks(before), breaks(after))
}

fn breaks(text: &str) -> String {
    text.replace('\n', "<br>")
}

/// With enough backticks around it.
fn code(text: &str) -> String {
    let marks = "`".repeat(longest_run(text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{marks}{pad}{}{pad}{marks}", text.replace('\n', " "))
}

fn fenced(text: &str, language: &str) -> String {
    let marks = "`".repeat(longest_run(text, '`').max(2) + 1);
    format!("{marks}{}\n{text}\n{marks}", language.replace(['`', '\n', ' '], ""))
}

fn longest_run(text: &str, mark: char) -> usize {
    text.split(|c| c != mark).map(str::len).max().unwrap_or(0)
}

fn indented(text: &str, first: &str, others: &str) -> String {
    let lines = text.lines().enumerate().map(|(at, line)| match (at, line) {
        (0, line) => format!("{first}{line}"),
        (_, "") => others.trim_end().to_owned(),
        (_, line) => format!("{others}{line}"),
    });
    let all = lines.collect::<Vec<_>>().join("\n");
    if all.is_empty() { first.trim_end().to_owned() } else { all }
}

/// Text without any markup. A new line becomes a break that works in tables too.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut at_start = true;
    let mut number = false;
    for letter in text.chars() {
        let special = match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '&' | '~' | '#' | '|' | '$' => true,
            '-' | '+' | '=' | '>' | ':' => at_start,
            '.' | ')' => number,
            _ => false,
        };
        if special {
            out.push('\\');
        }
        match letter {
            '\n' => out.push_str("<br>"),
            letter => out.push(letter),
        }
        number = letter.is_ascii_digit() && (at_start || number);
        at_start = letter == '\n' || (at_start && letter == ' ');
    }
    out
}
