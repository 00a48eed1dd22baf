//! Documents as text, as Markdown, and tables as CSV.

use crate::document::{Block, Document, Page, Table};

impl Document {
    /// Plain text in reading order; a blank line between pages.
    pub fn text(&self) -> String {
        join(self.pages.iter().map(Page::text))
    }

    pub fn markdown(&self) -> String {
        join(self.pages.iter().map(Page::markdown))
    }

    /// All tables in reading order.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        let blocks = self.pages.iter().flat_map(|page| &page.blocks);
        blocks.filter_map(|block| match block {
            Block::Table(table) => Some(table),
            _ => None,
        })
    }
}

impl Page {
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (index, block) in self.blocks.iter().enumerate() {
            separate(&mut text, index.checked_sub(1).map(|before| &self.blocks[before]), block);
            write_text(&mut text, block);
        }
        text
    }

    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for (index, block) in self.blocks.iter().enumerate() {
            separate(&mut text, index.checked_sub(1).map(|before| &self.blocks[before]), block);
            write_markdown(&mut text, block);
        }
        text
    }
}

impl Table {
    /// Comma-separated values as RFC 4180 has them.
    pub fn csv(&self) -> String {
        let mut csv = String::new();
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(|cell| csv_cell(cell)).collect();
            csv.push_str(&cells.join(","));
            csv.push_str("\r\n");
        }
        csv
    }

    /// Rows as lines, cells parted by tabs.
    pub fn text(&self) -> String {
        let row =
            |row: &Vec<String>| row.iter().map(|cell| one_line(cell, " ")).collect::<Vec<_>>().join("\t");
        self.rows.iter().map(row).collect::<Vec<_>>().join("\n")
    }

    /// A pipe table. Markdown requires a heading row, so a table without one gets an empty one.
    pub fn markdown(&self) -> String {
        let width = self.rows.first().map_or(0, Vec::len);
        let line = |cells: &[String]| {
            let cells: Vec<String> =
                cells.iter().map(|cell| one_line(cell, "<br>").replace('|', "\\|")).collect();
            format!("| {} |", cells.join(" | "))
        };
        let (head, body) = match self.header_rows {
            0 => (vec![String::new(); width], self.rows.as_slice()),
            _ => (self.rows[0].clone(), &self.rows[1..]),
        };
        let mut lines = vec![line(&head), format!("|{}", " --- |".repeat(width))];
        lines.extend(body.iter().map(|row| line(row)));
        lines.join("\n")
    }
}

fn csv_cell(cell: &str) -> String {
    match cell.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

fn one_line(cell: &str, separator: &str) -> String {
    let lines = cell.split(['\n', '\t']).map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(separator)
}

fn join(pages: impl Iterator<Item = String>) -> String {
    pages.filter(|page| !page.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Items of a list are adjacent; everything else is separated by a blank line.
fn separate(text: &mut String, before: Option<&Block>, block: &Block) {
    match (before, block) {
        (None, _) => {}
        (Some(Block::Item { .. }), Block::Item { .. }) => text.push('\n'),
        _ => text.push_str("\n\n"),
    }
}

fn write_text(into: &mut String, block: &Block) {
    match block {
        Block::Heading { text, .. } | Block::Paragraph(text) | Block::Code(text) => into.push_str(text),
        Block::Item { depth, marker, text } => {
            let indent = "  ".repeat(usize::from(*depth));
            let gap = if marker.is_empty() { "" } else { " " };
            into.push_str(&format!("{indent}{marker}{gap}{text}"));
        }
        Block::Table(table) => into.push_str(&table.text()),
    }
}

fn write_markdown(into: &mut String, block: &Block) {
    match block {
        Block::Heading { level, text } => {
            let level = usize::from((*level).clamp(1, 6));
            into.push_str(&format!("{} {}", "#".repeat(level), one_line(text, " ")));
        }
        Block::Paragraph(text) => into.push_str(&escaped(text)),
        Block::Item { depth, marker, text } => into.push_str(&item(*depth, marker, text)),
        Block::Table(table) => into.push_str(&table.markdown()),
        Block::Code(text) => into.push_str(&fenced(text)),
    }
}

fn item(depth: u8, marker: &str, text: &str) -> String {
    let indent = "   ".repeat(usize::from(depth));
    let number = marker.trim_end_matches(['.', ')']);
    let is_number =
        !number.is_empty() && number.len() < 9 && number.bytes().all(|byte| byte.is_ascii_digit());
    let sign = if is_number { format!("{number}.") } else { "-".to_owned() };
    // Signs that only mean "an item" are not repeated; letters and Roman numerals are.
    let said = match marker.chars().any(char::is_alphanumeric) && !is_number {
        true => format!("{marker} "),
        false => String::new(),
    };
    let text = text.replace('\n', &format!("\n{indent}   "));
    if marker.is_empty() {
        return format!("{indent}   {text}");
    }
    format!("{indent}{sign} {said}{text}")
}

/// A fence longer than any in the code itself.
fn fenced(code: &str) -> String {
    let longest = code.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}", code.trim_end_matches('\n'))
}

/// Escapes text that would be a heading, a list or a quotation at the beginning of a line.
fn escaped(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(escaped_line).collect();
    lines.join("\n")
}

fn escaped_line(line: &str) -> String {
    let trimmed = line.trim_start();
    let begins = |signs: &[char]| trimmed.starts_with(signs);
    let is_item = begins(&['-', '+', '*']) && trimmed[1..].starts_with(' ');
    let is_number = trimmed.find(|c: char| !c.is_ascii_digit()).is_some_and(|end| {
        (1..9).contains(&end) && trimmed[end..].starts_with(['.', ')']) && trimmed[end + 1..].starts_with(' ')
    });
    if is_number {
        let end = trimmed.find(['.', ')']).expect("a number ends in one of these");
        return format!("{}\\{}", &trimmed[..end], &trimmed[end..]);
    }
    if is_item || begins(&['#', '>', '`']) || trimmed.starts_with("---") || trimmed.starts_with("===") {
        return format!("\\{trimmed}");
    }
    line.to_owned()
}

#[cfg(test)]
mod tests;
