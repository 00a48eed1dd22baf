//! The article for the template: JSON in which every choice is made, so that the template only typesets.

use serde_json::{Value, json};

use crate::article::{Align, Article, Block, ListItem, StyledText, Table, TextRun};
use crate::day::Day;
use crate::direction::{Direction, language_of_letters};
use crate::pdf::fonts::{Fonts, MONO_FAMILY};
use crate::pdf::words::{breakable, letters_per_line};
use crate::picture::Picture;
use crate::style::{ContentsLevels, Numbering, PdfOptions, Standard, Style, Theme};

/// Longer paragraphs are set line by line: optimising all breaks takes time that grows faster.
const PARAGRAPH_BYTES_MAX: usize = 20_000;
/// Larger tables size their columns by text length instead of measuring every cell.
const MEASURED_CELLS_MAX: usize = 1_000;

/// The input of the template.
pub(super) struct Sheet {
    pub(super) data: Value,
    pub(super) pictures: Vec<Vec<u8>>,
    pub(super) cells: usize,
    pub(super) warnings: Vec<String>,
}

pub(super) fn of(article: &Article, options: &PdfOptions, fonts: &Fonts) -> Sheet {
    let mut setter = Setter::new(article, options);
    let blocks = setter.blocks(&article.blocks, setter.line);
    let mut data = head(article, options, &setter);
    data["fonts"] = json!(fonts.families());
    data["blocks"] = Value::Array(blocks);
    Sheet { data, pictures: setter.pictures, cells: setter.cells, warnings: setter.warnings }
}

fn head(article: &Article, options: &PdfOptions, setter: &Setter<'_>) -> Value {
    let style = &options.style;
    let resume = style.theme == Theme::Resume;
    let (width, height) = style.page_mm();
    let narrow = setter.line < 45;
    json!({
        "theme": style.theme,
        "title": article.title.as_deref().map(str::trim).filter(|title| !title.is_empty()),
        "subtitle": setter.text(&article.subtitle, setter.line),
        "author": article.author,
        "date": date_of(article, options).map(|day| json!([day.year, day.month, day.day])),
        "shown_date": article.date,
        "language": setter.language.0,
        "region": setter.language.1,
        "direction": setter.direction.as_str(),
        "mono": MONO_FAMILY,
        "size": style.font_size(),
        "justify": !resume && !narrow,
        "hyphenate": !resume,
        "ligatures": !resume,
        "leading": if style.theme == Theme::Article || style.theme == Theme::Report { 0.68 } else { 0.6 },
        "spacing": if style.theme == Theme::Article || style.theme == Theme::Report { 1.1 } else { 0.85 },
        "page": { "width": width, "height": height, "margin": style.margin(), "columns": style.columns },
        "header": style.header,
        "footer": style.footer,
        "page_numbers": style.has_page_numbers(),
        "numbered": style.numbering == Numbering::Decimal,
        "contents": levels_of(style.contents),
    })
}

fn levels_of(contents: ContentsLevels) -> u8 {
    match contents {
        ContentsLevels::None => 0,
        ContentsLevels::Levels(levels) => levels.clamp(1, 6),
    }
}

/// Archival formats require a date; other files are dated only on request.
fn date_of(article: &Article, options: &PdfOptions) -> Option<Day> {
    let said = article.date.as_deref().and_then(|date| date.parse().ok());
    let today = || (options.standard == Standard::PdfA2b).then(Day::today);
    said.or(options.style.written).or_else(today)
}

/// The state of the walk over the blocks.
struct Setter<'a> {
    style: &'a Style,
    standard: Standard,
    language: (String, Option<String>),
    direction: Direction,
    /// Letters that fit into a line of text.
    line: usize,
    /// The level of the heading before, for standards that allow no gaps.
    level: u8,
    pictures: Vec<Vec<u8>>,
    cells: usize,
    warnings: Vec<String>,
}

impl<'a> Setter<'a> {
    fn new(article: &Article, options: &'a PdfOptions) -> Self {
        let mut warnings = Vec::new();
        let language = language_of(article, &mut warnings);
        let style = &options.style;
        let width = style.text_width_mm() / f64::from(style.columns);
        Self {
            style,
            standard: options.standard,
            direction: Direction::of_language(&language.0),
            language,
            line: letters_per_line(width, style.font_size()),
            level: 0,
            pictures: Vec::new(),
            cells: 0,
            warnings,
        }
    }

    fn blocks(&mut self, blocks: &[Block], line: usize) -> Vec<Value> {
        let follows = |at: usize| blocks.get(at + 1).is_some();
        blocks.iter().enumerate().map(|(at, block)| self.block(block, line, follows(at))).collect()
    }

    fn block(&mut self, block: &Block, line: usize, followed: bool) -> Value {
        match block {
            Block::Heading { level, text } => self.heading(*level, text, line),
            Block::Paragraph { text } => self.paragraph(text, line),
            Block::List { ordered, start, items } => self.list(*ordered, *start, items, line),
            Block::Table(table) => self.table(table, line),
            Block::Quote { blocks } => {
                json!({ "type": "quote", "blocks": self.blocks(blocks, line * 9 / 10) })
            }
            Block::Code { text, .. } => json!({ "type": "code", "text": breakable(text, line * 8 / 10) }),
            Block::Image { data, alt, caption } => self.image(data, alt, caption.as_deref()),
            Block::Rule => json!({ "type": "rule" }),
            Block::PageBreak => json!({ "type": "page_break" }),
            Block::Entry { text, note } => json!({
                "type": "entry",
                "text": self.text(text, line * 6 / 10),
                "note": self.text(note, line * 4 / 10),
                "sticky": followed,
            }),
        }
    }

    fn heading(&mut self, level: u8, text: &StyledText, line: usize) -> Value {
        // Screen readers need heading levels without gaps.
        let level = if self.standard == Standard::PdfUa1 { level.min(self.level + 1) } else { level };
        self.level = level;
        let mut text = text.clone();
        // A table of contents would repeat the note with the heading.
        text.0.iter_mut().for_each(|run| run.note = None);
        let value = json!({ "type": "heading", "level": level, "text": self.text(&text, line / 2) });
        self.directed(value, &text)
    }

    fn paragraph(&self, text: &StyledText, line: usize) -> Value {
        let long = text.0.iter().map(|run| run.text.len()).sum::<usize>() > PARAGRAPH_BYTES_MAX;
        let value = json!({ "type": "paragraph", "text": self.text(text, line), "long": long });
        self.directed(value, text)
    }

    /// Says which way it runs where that is not the way of the document.
    fn directed(&self, mut value: Value, text: &StyledText) -> Value {
        if let Some(direction) =
            Direction::of(&text.to_plain()).filter(|direction| *direction != self.direction)
        {
            value["direction"] = direction.as_str().into();
        }
        value
    }

    fn list(&mut self, ordered: bool, start: Option<u32>, items: &[ListItem], line: usize) -> Value {
        let tight = items.iter().all(|item| {
            let texts = item.blocks.iter().filter(|block| !matches!(block, Block::List { .. })).count();
            texts <= 1
        });
        let set: Vec<Value> = items
            .iter()
            .map(|item| {
                let mut value = json!({ "blocks": self.blocks(&item.blocks, line * 9 / 10) });
                if let Some(checked) = item.checked {
                    value["checked"] = checked.into();
                }
                value
            })
            .collect();
        let tasks = items.iter().any(|item| item.checked.is_some());
        json!({
            "type": "list", "ordered": ordered && !tasks, "tasks": tasks, "tight": tight, "start": start.unwrap_or(1),
            "items": set,
        })
    }

    fn table(&mut self, table: &Table, line: usize) -> Value {
        let columns = table.columns().max(1);
        self.cells += columns * (table.rows.len() + 1);
        let scale = match columns {
            1..=5 => 0.95,
            6..=8 => 0.8,
            9..=12 => 0.65,
            _ => 0.5,
        };
        let cell_line = ((line as f64 / scale / columns as f64 * 0.8) as usize).max(6);
        let row = |cells: &[StyledText]| -> Vec<Value> {
            (0..columns)
                .map(|at| cells.get(at).map_or(json!(""), |cell| self.cell(cell, cell_line)))
                .collect()
        };
        let header = if table.header.is_empty() { Vec::new() } else { row(&table.header) };
        json!({
            "type": "table",
            "columns": widths_of(table, columns),
            "scale": scale,
            "align": (0..columns).map(|at| table.align.get(at).copied().unwrap_or(Align::Start)).collect::<Vec<_>>(),
            "header": header,
            "rows": table.rows.iter().map(|cells| row(cells)).collect::<Vec<_>>(),
            "caption": table.caption,
        })
    }

    /// A plain cell is passed as a string: there may be thousands.
    fn cell(&self, cell: &StyledText, line: usize) -> Value {
        match cell.0.as_slice() {
            [run] if *run == TextRun::plain(run.text.as_str()) && !run.text.contains('\n') => {
                breakable(&run.text, line).into()
            }
            _ => self.text(cell, line),
        }
    }

    fn image(&mut self, picture: &Picture, alt: &str, caption: Option<&str>) -> Value {
        let (_, height) = self.style.page_mm();
        let points = 72.0 / 25.4;
        let width_max = self.style.text_width_mm() / f64::from(self.style.columns) * points;
        let (width, _) = picture.fit(width_max, (height - 2.0 * self.style.margin()) * 0.8 * points);
        self.pictures.push(picture.bytes().to_vec());
        let alt = if alt.is_empty() { caption.unwrap_or("picture") } else { alt };
        json!({
            "type": "image", "number": self.pictures.len() - 1, "alt": alt, "width": width, "caption": caption,
        })
    }

    fn text(&self, text: &StyledText, line: usize) -> Value {
        let runs = text.0.iter().map(|run| {
            let note = run
                .note
                .as_ref()
                .map(|note| StyledText(note.0.iter().map(|run| without_note(run, line)).collect()));
            TextRun { text: breakable(&run.text, line), note, ..run.clone() }
        });
        serde_json::to_value(runs.collect::<Vec<_>>()).expect("runs have only strings and flags")
    }
}

fn without_note(run: &TextRun, line: usize) -> TextRun {
    TextRun { text: breakable(&run.text, line), note: None, ..run.clone() }
}

/// The number of columns where typst may measure them, else their shares of the width.
fn widths_of(table: &Table, columns: usize) -> Value {
    if columns * table.rows.len() <= MEASURED_CELLS_MAX {
        return json!(columns);
    }
    let mut lengths = vec![(0_usize, 0_usize); columns];
    for row in table.rows.iter().chain([&table.header]) {
        for (at, cell) in row.iter().enumerate() {
            let length = cell.0.iter().map(|run| run.text.chars().count()).sum();
            lengths[at] = (lengths[at].0 + length, lengths[at].1.max(length));
        }
    }
    let rows = table.rows.len().max(1);
    json!(lengths.iter().map(|(sum, longest)| ((sum / rows + longest) / 2).clamp(4, 60)).collect::<Vec<_>>())
}

/// Language and region as typst knows them: two or three letters, and two.
fn language_of(article: &Article, warnings: &mut Vec<String>) -> (String, Option<String>) {
    let Some(said) = article.language.as_deref().map(str::trim).filter(|said| !said.is_empty()) else {
        return (language_of_letters(&article.plain_text()).unwrap_or("en").to_owned(), None);
    };
    let mut parts = said.split(['-', '_']);
    let language = parts.next().unwrap_or_default().to_ascii_lowercase();
    if !(2..=3).contains(&language.len()) || !language.bytes().all(|byte| byte.is_ascii_lowercase()) {
        warnings.push(format!("{said:?} is not a language code such as en or de-CH; en was used"));
        return ("en".to_owned(), None);
    }
    let region = parts.find(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_alphabetic()));
    (language, region.map(str::to_ascii_uppercase))
}
