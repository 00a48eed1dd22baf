//! The printing of results: a table on a terminal, plain aligned columns in a pipe, JSON with `--json`.
//!
//! Cells may contain text of servers, so control characters never reach the terminal.

use std::io::IsTerminal;

use comfy_table::{ContentArrangement, presets};
use serde::Serialize;

use crate::output::written_out;

/// The reader of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OutputReader {
    Terminal,
    Pipe,
    /// `--json`
    Program,
}

impl OutputReader {
    /// The reader of standard output, unless `--json` is given.
    pub(crate) fn of_stdout() -> OutputReader {
        if std::io::stdout().is_terminal() { OutputReader::Terminal } else { OutputReader::Pipe }
    }
}

/// Rows under a header.
#[derive(Clone, Debug)]
pub(crate) struct TextTable {
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    pub(crate) fn new<const N: usize>(header: [&'static str; N]) -> Self {
        Self { header: header.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        debug_assert_eq!(N, self.header.len(), "a row has as many cells as the header");
        self.rows.push(cells.iter().map(|cell| clean(cell)).collect());
    }

    /// The text to print, with a final line break. `data` is the content for `--json` instead of the table.
    pub(crate) fn render(&self, reader: OutputReader, data: &impl Serialize) -> String {
        match reader {
            OutputReader::Terminal => bold_header(&self.framed(terminal_width())),
            OutputReader::Pipe => self.plain(),
            OutputReader::Program => json(data),
        }
    }

    /// `width` in columns; as wide as it needs to be if it is not given.
    fn framed(&self, width: Option<u16>) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
        if let Some(width) = width {
            table.set_width(width);
        }
        table.set_header(&self.header);
        table.add_rows(&self.rows);
        format!("{}\n", table.trim_fmt())
    }

    fn plain(&self) -> String {
        let header: Vec<String> = self.header.iter().map(|name| (*name).to_owned()).collect();
        let widths: Vec<usize> = (0..header.len())
            .map(|column| {
                self.rows.iter().chain([&header]).map(|row| row[column].chars().count()).max().unwrap_or(0)
            })
            .collect();
        let mut text = String::new();
        for row in std::iter::once(&header).chain(&self.rows) {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}

fn terminal_width() -> Option<u16> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0)
}

/// Emphasizes the rows above the line under the header.
fn bold_header(table: &str) -> String {
    let mut in_header = true;
    let lines = table.lines().map(|line| {
        in_header &= !line.starts_with('╞');
        if in_header && line.starts_with('│') {
            format!("\x1b[1m{line}\x1b[0m\n")
        } else {
            format!("{line}\n")
        }
    });
    lines.collect()
}

/// JSON for programs and people.
pub(crate) fn json(data: &impl Serialize) -> String {
    let text =
        serde_json::to_string_pretty(data).expect("our own types serialise: string keys, no failing impls");
    text + "\n"
}

/// One line without control characters, and with escapes for characters that reverse or hide text.
pub(crate) fn clean(cell: &str) -> String {
    let words = cell.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    written_out(words.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    fn table() -> TextTable {
        let mut table = TextTable::new(["NAME", "STATE", "WHY"]);
        table.row(["git".into(), "healthy".into(), String::new()]);
        table.row([
            "größe".into(),
            "degraded".into(),
            "exited\twith\n\u{1b}[31m1 after a long and winding road".into(),
        ]);
        table
    }

    #[test]
    fn a_pipe_gets_aligned_columns() {
        assert_snapshot!(table().render(OutputReader::Pipe, &()), @r#"
        NAME   STATE     WHY
        git    healthy
        größe  degraded  exited with [31m1 after a long and winding road
        "#);
    }

    #[test]
    fn a_terminal_gets_a_table_that_fits() {
        assert_snapshot!(table().framed(Some(40)), @r#"
        ┌───────┬──────────┬───────────────────┐
        │ NAME  ┆ STATE    ┆ WHY               │
        ╞═══════╪══════════╪═══════════════════╡
        │ git   ┆ healthy  ┆                   │
        │ größe ┆ degraded ┆ exited with [31m1 │
        │       ┆          ┆ after a long and  │
        │       ┆          ┆ winding road      │
        └───────┴──────────┴───────────────────┘
        "#);
    }

    #[test]
    fn a_program_gets_the_data() {
        assert_snapshot!(table().render(OutputReader::Program, &serde_json::json!({"servers": ["git"]})), @r#"
        {
          "servers": [
            "git"
          ]
        }
        "#);
    }

    #[test]
    fn only_the_header_is_bold() {
        let mut table = TextTable::new(["ID"]);
        table.row(["one".to_owned()]);
        assert_eq!(
            bold_header(&table.framed(None)),
            "┌─────┐\n\x1b[1m│ ID  │\x1b[0m\n╞═════╡\n│ one │\n└─────┘\n"
        );
    }

    #[test]
    fn an_empty_table_still_has_its_header() {
        assert_snapshot!(TextTable::new(["ID", "ROLE"]).render(OutputReader::Pipe, &()), @r#"
        ID  ROLE
        "#);
    }

    #[test]
    fn escape_sequences_of_servers_do_not_reach_the_terminal() {
        for reader in [OutputReader::Pipe, OutputReader::Program] {
            let text = table().render(reader, &"\u{1b}[31m");
            assert!(!text.contains('\u{1b}'), "{text:?}");
        }
        assert_eq!(clean("a\u{1b}]0;title\u{7}b\r\nc"), "a ]0;title b c");
    }
}
