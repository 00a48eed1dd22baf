//! The blocks of an article as paragraphs and tables.

use docx_rs::{
    AlignmentType, BreakType, Docx, LevelOverride, Numbering, Paragraph, ParagraphBorder,
    ParagraphBorderPosition, Pic, Run as DocxRun, SpecialIndentType, Tab, TabValueType, Table as DocxTable,
    TableBorder, TableBorderPosition, TableBorders, TableCell, TableLayoutType, TableRow, WidthType,
};

use crate::article::{Align, Article, Block, ListItem, StyledText, Table, TextRun};
use crate::direction::Direction;
use crate::docx::{sheet, text, twips};
use crate::picture::{Picture, PictureKind};
use crate::style::{Numbering as HeadingNumbering, Style, Theme};

/// English metric units in a point.
const EMU: f64 = 12_700.0;

/// The position of a block.
#[derive(Clone, Default)]
pub(super) struct BlockPosition {
    /// Lists around it.
    lists: usize,
    /// Quotes around it.
    quotes: usize,
    /// The numbering that its first paragraph gets.
    marker: Option<usize>,
}

impl BlockPosition {
    fn indent(&self) -> i32 {
        sheet::STEP * (self.lists + self.quotes) as i32
    }
}

/// An inserted picture: its description, and whether it is a JPEG.
pub(super) struct PlacedPicture {
    pub(super) id: String,
    pub(super) alt: String,
    pub(super) kind: PictureKind,
}

pub(super) struct DocxBody<'a> {
    pub(super) docx: Docx,
    style: &'a Style,
    direction: Direction,
    lists: usize,
    pictures: Vec<PlacedPicture>,
}

impl<'a> DocxBody<'a> {
    pub(super) fn new(docx: Docx, style: &'a Style, direction: Direction) -> Self {
        Self { docx, style, direction, lists: 0, pictures: Vec::new() }
    }

    pub(super) fn finish(self) -> (Docx, Vec<PlacedPicture>) {
        (self.docx, self.pictures)
    }

    pub(super) fn head(&mut self, article: &Article) {
        let Some(title) = &article.title else { return };
        self.add(Paragraph::new().style(sheet::TITLE), &StyledText::plain(title.as_str()));
        if !article.subtitle.is_empty() {
            self.add(Paragraph::new().style(sheet::SUBTITLE), &article.subtitle);
        }
        let byline: Vec<&str> =
            [&article.author, &article.date].into_iter().flatten().map(String::as_str).collect();
        if self.style.theme != Theme::Resume && !byline.is_empty() {
            self.add(Paragraph::new().style(sheet::SUBTITLE), &StyledText::plain(byline.join(" · ")));
        }
        if self.style.theme.has_title_page() {
            self.block(&Block::PageBreak, &BlockPosition::default());
        }
    }

    pub(super) fn blocks(&mut self, blocks: &[Block], place: &BlockPosition) {
        let mut place = place.clone();
        for block in blocks {
            self.block(block, &place);
            // Only the first block of an item has its mark.
            place.marker = None;
        }
    }

    fn block(&mut self, block: &Block, place: &BlockPosition) {
        match block {
            Block::Heading { level, text } => self.heading(*level, text),
            Block::Paragraph { text } => self.add(self.placed(place), text),
            Block::List { ordered, start, items } => self.list(*ordered, *start, items, place),
            Block::Table(table) => self.table(table),
            Block::Quote { blocks } => {
                self.blocks(blocks, &BlockPosition { quotes: place.quotes + 1, ..place.clone() });
            }
            Block::Code { text, .. } => self.code(text, place),
            Block::Image { data, alt, caption } => self.image(data, alt, caption.as_deref()),
            Block::Rule => self.rule(),
            Block::PageBreak => {
                let run = DocxRun::new().add_break(BreakType::Page);
                self.push(Paragraph::new().add_run(run));
            }
            Block::Entry { text, note } => self.entry(text, note),
        }
    }

    fn push(&mut self, paragraph: Paragraph) {
        self.docx = std::mem::take(&mut self.docx).add_paragraph(paragraph);
    }

    /// Adds a text as the paragraph that was begun for it.
    fn add(&mut self, paragraph: Paragraph, content: &StyledText) {
        let paragraph = text::add(directed(paragraph, content, self.direction), content);
        self.push(paragraph);
    }

    fn placed(&self, place: &BlockPosition) -> Paragraph {
        let paragraph = match (place.lists, place.quotes) {
            (_, 1..) => Paragraph::new().style(sheet::QUOTE),
            (1.., _) => Paragraph::new().style(sheet::LIST),
            _ => Paragraph::new(),
        };
        match place.marker {
            Some(id) => {
                let (id, level) = sheet::numbering(id, place.lists - 1);
                paragraph.numbering(id, level)
            }
            None if place.indent() > 0 => paragraph.indent(Some(place.indent()), None, None, None),
            None => paragraph,
        }
    }

    fn heading(&mut self, level: u8, content: &StyledText) {
        let mut paragraph = Paragraph::new().style(&sheet::heading(level));
        if self.style.numbering == HeadingNumbering::Decimal {
            let (id, level) = sheet::numbering(sheet::HEADINGS, usize::from(level - 1));
            paragraph = paragraph.numbering(id, level);
        }
        self.add(paragraph, content);
    }

    fn list(&mut self, ordered: bool, start: Option<u32>, items: &[ListItem], place: &BlockPosition) {
        let id = if ordered { self.ordered(place.lists, start) } else { sheet::BULLETS };
        for item in items {
            let inside = BlockPosition { lists: place.lists + 1, quotes: place.quotes, marker: Some(id) };
            match item.checked {
                None => self.blocks(&item.blocks, &inside),
                Some(checked) => self.task(checked, item, inside),
            }
        }
    }

    /// Each ordered list has its own numbering.
    fn ordered(&mut self, depth: usize, start: Option<u32>) -> usize {
        let id = sheet::FIRST_LIST + self.lists;
        self.lists += 1;
        let begin = LevelOverride::new(depth.min(8)).start(start.unwrap_or(1) as usize);
        let numbering = Numbering::new(id, sheet::NUMBERS).add_override(begin);
        self.docx = std::mem::take(&mut self.docx).add_numbering(numbering);
        id
    }

    /// A box instead of a mark.
    fn task(&mut self, checked: bool, item: &ListItem, place: BlockPosition) {
        let mark = if checked { "☑ " } else { "☐ " };
        let (first, rest) = match item.blocks.split_first() {
            Some((Block::Paragraph { text }, rest)) => (text.clone(), rest),
            _ => (StyledText::default(), item.blocks.as_slice()),
        };
        let place = BlockPosition { marker: None, ..place };
        let text = StyledText(std::iter::once(TextRun::plain(mark)).chain(first.0).collect());
        let hanging = Some(SpecialIndentType::Hanging(sheet::STEP * 3 / 4));
        self.add(
            Paragraph::new().style(sheet::LIST).indent(Some(place.indent()), hanging, None, None),
            &text,
        );
        self.blocks(rest, &place);
    }

    fn table(&mut self, table: &Table) {
        let columns = table.columns();
        if columns == 0 {
            return;
        }
        let width = twips(self.style.text_width_mm()) as usize / usize::from(self.style.columns);
        let head = (!table.header.is_empty()).then(|| head_row(&table.header, table, columns));
        let rows = table.rows.iter().map(|row| TableRow::new(cells(row, table, columns)));
        let made = DocxTable::new(head.into_iter().chain(rows).collect())
            .set_grid(vec![width / columns; columns])
            .layout(TableLayoutType::Autofit)
            .width(5_000, WidthType::Pct)
            .set_borders(borders());
        self.docx = std::mem::take(&mut self.docx).add_table(made);
        match &table.caption {
            Some(caption) => {
                self.add(Paragraph::new().style(sheet::CAPTION), &StyledText::plain(caption.as_str()))
            }
            // Without a paragraph between them two tables would become one.
            None => self.push(Paragraph::new()),
        }
    }

    fn code(&mut self, code: &str, place: &BlockPosition) {
        let mut paragraph = Paragraph::new().style(sheet::CODE);
        if place.indent() > 0 {
            paragraph = paragraph.indent(Some(place.indent()), None, None, None);
        }
        self.push(paragraph.add_run(text::lines(DocxRun::new(), code)));
    }

    fn image(&mut self, picture: &Picture, alt: &str, caption: Option<&str>) {
        let points = 72.0 / 25.4;
        let (_, height) = self.style.page_mm();
        let width_max = self.style.text_width_mm() / f64::from(self.style.columns) * points;
        let (width, height) = picture.fit(width_max, (height - 2.0 * self.style.margin()) * 0.8 * points);
        let (pixels_wide, pixels_high) = picture.size();
        let pic = Pic::new_with_dimensions(picture.bytes().to_vec(), pixels_wide, pixels_high)
            .size((width * EMU) as u32, (height * EMU) as u32);
        let alt = if alt.is_empty() { caption.unwrap_or_default() } else { alt };
        self.pictures.push(PlacedPicture { id: pic.id.clone(), alt: alt.to_owned(), kind: picture.kind() });
        self.push(Paragraph::new().align(AlignmentType::Center).add_run(DocxRun::new().add_image(pic)));
        if let Some(caption) = caption {
            let paragraph = Paragraph::new().style(sheet::CAPTION).align(AlignmentType::Center);
            self.add(paragraph, &StyledText::plain(caption));
        }
    }

    fn rule(&mut self) {
        let border = ParagraphBorder::new(ParagraphBorderPosition::Bottom).size(4).space(1).color("A0A0A0");
        let mut paragraph = Paragraph::new();
        paragraph.property = paragraph.property.set_border(border);
        self.push(paragraph);
    }

    fn entry(&mut self, content: &StyledText, note: &StyledText) {
        let width = twips(self.style.text_width_mm()) / i32::from(self.style.columns);
        let paragraph =
            directed(Paragraph::new().style(sheet::ENTRY), content, self.direction).add_tab(far_tab(width));
        let mut paragraph = text::add(paragraph, content);
        if !note.is_empty() {
            paragraph = text::add(paragraph.add_run(DocxRun::new().add_tab()), note);
        }
        self.push(paragraph);
    }
}

pub(super) fn far_tab(at: i32) -> Tab {
    Tab::new().val(TabValueType::Right).pos(at.max(0) as usize)
}

/// Right to left if the text is, or if it has no letters and the document is.
fn directed(mut paragraph: Paragraph, text: &StyledText, document: Direction) -> Paragraph {
    if Direction::of(&text.to_plain()).unwrap_or(document) == Direction::RightToLeft {
        paragraph.property = paragraph.property.bidi(true);
    }
    paragraph
}

/// May not be split, which is how [`super::package`] knows it for the row to repeat on each page.
fn head_row(header: &[StyledText], table: &Table, columns: usize) -> TableRow {
    let bold = |cell: &StyledText| {
        StyledText(cell.0.iter().map(|run| TextRun { bold: true, ..run.clone() }).collect())
    };
    let header: Vec<StyledText> = header.iter().map(bold).collect();
    TableRow::new(cells(&header, table, columns)).cant_split()
}

fn cells(row: &[StyledText], table: &Table, columns: usize) -> Vec<TableCell> {
    let empty = StyledText::default();
    (0..columns)
        .map(|at| {
            let content = row.get(at).unwrap_or(&empty);
            let paragraph = match table.align.get(at).copied().unwrap_or_default() {
                Align::Start => Paragraph::new(),
                Align::Left => Paragraph::new().align(AlignmentType::Left),
                Align::Center => Paragraph::new().align(AlignmentType::Center),
                Align::Right => Paragraph::new().align(AlignmentType::Right),
            };
            let paragraph = paragraph.line_spacing(docx_rs::LineSpacing::new().before(30).after(30));
            TableCell::new()
                .add_paragraph(text::add(directed(paragraph, content, Direction::LeftToRight), content))
        })
        .collect()
}

/// Lines between rows, none between columns.
fn borders() -> TableBorders {
    let line = |position| TableBorder::new(position).size(4).color("B0B0B0");
    TableBorders::with_empty()
        .set(line(TableBorderPosition::Top))
        .set(line(TableBorderPosition::Bottom))
        .set(line(TableBorderPosition::InsideH))
}
