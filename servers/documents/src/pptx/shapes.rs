//! The content of a slide: shapes with text, groups of them, and tables.

use std::collections::HashMap;

use crate::document::Block;
use crate::grid::{CellBudget, CellCover, Grid, GridCell};
use crate::links;
use crate::numbering::{BULLET, NumberFormat};
use crate::package::Relations;
use crate::xml::{Child, Element};

const DEPTH_MAX: u8 = 8;

pub(super) struct Shapes<'s> {
    number: u32,
    relations: &'s Relations,
    cells: &'s mut CellBudget,
    titles: Vec<Block>,
    blocks: Vec<Block>,
}

/// The purpose of a shape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ShapeRole {
    Title,
    /// Holds points: each paragraph is one.
    Body,
    Free,
    /// Numbers and dates of slides.
    Left,
}

impl<'s> Shapes<'s> {
    pub(super) fn new(number: u32, relations: &'s Relations, cells: &'s mut CellBudget) -> Self {
        Self { number, relations, cells, titles: Vec::new(), blocks: Vec::new() }
    }

    /// The title first, wherever it is in the file.
    pub(super) fn finish(mut self) -> Vec<Block> {
        self.titles.append(&mut self.blocks);
        self.titles
    }

    pub(super) fn read(&mut self, parent: Element<'_>) {
        for element in parent.children() {
            match element.name() {
                "sp" => self.shape(element),
                "tbl" => self.table(element),
                "AlternateContent" => {
                    let shown = element.child("Choice").or_else(|| element.child("Fallback"));
                    shown.into_iter().for_each(|shown| self.read(shown));
                }
                "nvGrpSpPr" | "grpSpPr" | "nvGraphicFramePr" | "pic" | "extLst" => {}
                _ => self.read(element),
            }
        }
    }

    fn shape(&mut self, shape: Element<'_>) {
        let Some(body) = shape.child("txBody") else { return };
        match role(shape) {
            ShapeRole::Left => {}
            ShapeRole::Title => {
                let lines: Vec<String> = body.children_named("p").map(|line| self.line(line)).collect();
                let text = lines.join(" ").trim().to_owned();
                if !text.is_empty() {
                    self.titles.push(Block::Heading { level: 1, text });
                }
            }
            role => self.paragraphs(body, role),
        }
    }

    fn paragraphs(&mut self, body: Element<'_>, role: ShapeRole) {
        let filled = body.children_named("p").filter(|line| !plain(*line).is_empty()).count();
        // A single paragraph in a list placeholder is a sentence or a subtitle.
        let usual = (role == ShapeRole::Body && filled > 1).then_some(BULLET);
        let mut numbers: HashMap<u8, u32> = HashMap::new();
        for paragraph in body.children_named("p") {
            let text = self.line(paragraph);
            if text.is_empty() {
                continue;
            }
            let depth = depth(paragraph);
            let block = match marker(paragraph, depth, usual, &mut numbers) {
                Some(marker) => Block::Item { depth, marker, text },
                None => Block::Paragraph(text),
            };
            self.blocks.push(block);
        }
    }

    fn line(&self, paragraph: Element<'_>) -> String {
        let mut text = String::new();
        self.inline(paragraph, &mut text);
        text.trim().to_owned()
    }

    fn inline(&self, parent: Element<'_>, text: &mut String) {
        for element in parent.children() {
            match element.name() {
                "r" => {
                    let words = element.child("t").map(characters).unwrap_or_default();
                    text.push_str(&words);
                    text.push_str(&self.address(element, &words).unwrap_or_default());
                }
                "t" => text.push_str(&characters(element)),
                "br" => text.push('\n'),
                "pPr" | "rPr" | "endParaRPr" => {}
                _ => self.inline(element, text),
            }
        }
    }

    fn address(&self, run: Element<'_>, words: &str) -> Option<String> {
        let id = run.path(&["rPr", "hlinkClick"])?.prefixed("id")?;
        links::after_words(words, self.relations.address(id)?)
    }

    fn table(&mut self, table: Element<'_>) {
        let mut grid = Grid::within(self.cells);
        let properties = table.child("tblPr");
        let has_header = properties.and_then(|properties| properties.attribute("firstRow")) == Some("1");
        grid.header_rows = usize::from(has_header);
        for row in table.children_named("tr") {
            grid.begin_row();
            for cell in row.children_named("tc") {
                grid.push(self.cell(cell));
            }
        }
        let made = grid.finish(self.number, self.cells);
        self.blocks.extend(made);
    }

    /// Covered cells are present and empty, and say so.
    fn cell(&self, cell: Element<'_>) -> GridCell {
        let lines = cell.child("txBody").into_iter().flat_map(|body| body.children_named("p"));
        let lines: Vec<String> = lines.map(|line| self.line(line)).filter(|line| !line.is_empty()).collect();
        let is_set = |name: &str| matches!(cell.attribute(name), Some("1" | "true"));
        let cover = match (is_set("vMerge"), is_set("hMerge")) {
            (true, _) => Some(CellCover::FromAbove),
            (false, true) => Some(CellCover::FromLeft),
            (false, false) => None,
        };
        GridCell::of(lines.join("\n")).covered(cover)
    }
}

fn role(shape: Element<'_>) -> ShapeRole {
    let place = shape.children().find_map(|child| child.path(&["nvPr", "ph"]));
    let Some(place) = place else { return ShapeRole::Free };
    match place.attribute("type") {
        Some("title" | "ctrTitle") => ShapeRole::Title,
        Some("sldNum" | "dt" | "sldImg") => ShapeRole::Left,
        Some("body" | "obj") | None => ShapeRole::Body,
        Some(_) => ShapeRole::Free,
    }
}

fn depth(paragraph: Element<'_>) -> u8 {
    let level = paragraph.child("pPr").and_then(|properties| properties.number("lvl"));
    level.unwrap_or(0).min(DEPTH_MAX)
}

/// The marker of a point; `None` for a plain paragraph. `usual` is for paragraphs without a setting.
fn marker(
    paragraph: Element<'_>,
    depth: u8,
    usual: Option<&str>,
    numbers: &mut HashMap<u8, u32>,
) -> Option<String> {
    let properties = paragraph.child("pPr");
    let has = |name: &str| properties.and_then(|properties| properties.child(name));
    if let Some(scheme) = has("buAutoNum") {
        let start = scheme.number("startAt").unwrap_or(1);
        let number =
            numbers.entry(depth).and_modify(|number| *number = number.saturating_add(1)).or_insert(start);
        return Some(numbered(scheme.attribute("type").unwrap_or_default(), *number));
    }
    numbers.remove(&depth);
    if has("buNone").is_some() {
        return None;
    }
    let own = has("buChar").or(has("buBlip")).map(|_| BULLET);
    own.or(usual).map(str::to_owned)
}

/// Schemes are named by their look: `alphaLcParenR`, `romanUcPeriod`.
fn numbered(scheme: &str, number: u32) -> String {
    let count = match scheme {
        scheme if scheme.starts_with("alphaLc") => NumberFormat::LowerLetter,
        scheme if scheme.starts_with("alphaUc") => NumberFormat::UpperLetter,
        scheme if scheme.starts_with("romanLc") => NumberFormat::LowerRoman,
        scheme if scheme.starts_with("romanUc") => NumberFormat::UpperRoman,
        _ => NumberFormat::Decimal,
    };
    let number = count.write(number);
    match scheme {
        scheme if scheme.ends_with("ParenBoth") => format!("({number})"),
        scheme if scheme.ends_with("ParenR") => format!("{number})"),
        scheme if scheme.ends_with("Plain") => number,
        _ => format!("{number}."),
    }
}

/// The words of a paragraph, without addresses.
pub(super) fn plain(paragraph: Element<'_>) -> String {
    let texts = paragraph.descendants().filter(|element| element.name() == "t").map(characters);
    texts.collect::<String>().trim().to_owned()
}

fn characters(element: Element<'_>) -> String {
    let texts = element.content().filter_map(|child| match child {
        Child::Text(text) => Some(text),
        Child::Element(_) => None,
    });
    // A vertical tab is how PowerPoint breaks a line in a title.
    let shown =
        texts.flat_map(str::chars).map(|character| if character == '\u{b}' { ' ' } else { character });
    shown.filter(|character| !character.is_control()).collect()
}
