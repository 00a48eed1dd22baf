//! Styles and numberings of a DOCX, under the names that word processors know.

use docx_rs::{
    AbstractNumbering, Docx, IndentLevel, Level, LevelJc, LevelText, LineSpacing, NumberFormat, Numbering,
    NumberingId, ParagraphBorder, ParagraphBorderPosition, RunFonts, Shading, SpecialIndentType, Start,
    Style as DocxStyle, StyleType,
};

use crate::style::{Style, Theme};

pub(super) const TITLE: &str = "Title";
pub(super) const SUBTITLE: &str = "Subtitle";
pub(super) const RUNNING: &str = "Footer";
pub(super) const QUOTE: &str = "Quote";
pub(super) const CODE: &str = "SourceCode";
pub(super) const CODE_RUN: &str = "SourceText";
pub(super) const LINK: &str = "Hyperlink";
pub(super) const LIST: &str = "ListParagraph";
pub(super) const CAPTION: &str = "Caption";
pub(super) const ENTRY: &str = "Entry";
pub(super) const NOTE: &str = "FootnoteText";
pub(super) const MONO: &str = "DejaVu Sans Mono";
/// The first id that the writer does not use itself.
pub(super) const BULLETS: usize = 2;
pub(super) const NUMBERS: usize = 3;
pub(super) const HEADINGS: usize = 4;
/// Ordered lists, each with its own beginning, have ids from here.
pub(super) const FIRST_LIST: usize = 10;
/// The indentation of each level.
pub(super) const STEP: i32 = 360;
const LEVELS: usize = 9;
const INK: &str = "1F3A5F";

pub(super) fn heading(level: u8) -> String {
    format!("Heading{level}")
}

/// Adds styles for everything that the body uses.
pub(super) fn styled(docx: Docx, style: &Style) -> Docx {
    let half_points = |points: f64| (points * 2.0).round() as usize;
    let size = style.font_size();
    let family = style.font_family.as_deref().unwrap_or("Calibri");
    let fonts = RunFonts::new().ascii(family).hi_ansi(family).cs(family);
    let mut docx =
        docx.default_fonts(fonts).default_size(half_points(size)).default_line_spacing(body_spacing(style));
    for level in 1..=6_u8 {
        docx = docx.add_style(heading_style(level, style));
    }
    for level in 1..=6_i32 {
        let indent = Some(STEP * (level - 1));
        let entry =
            paragraph(&format!("ToC{level}"), &format!("toc {level}")).indent(indent, None, None, None);
        docx = docx.add_style(entry.line_spacing(LineSpacing::new().after(40)));
    }
    for other in others(size, style) {
        docx = docx.add_style(other);
    }
    numberings(docx)
}

fn body_spacing(style: &Style) -> LineSpacing {
    match style.theme {
        Theme::Article | Theme::Report => LineSpacing::new().line(276).after(140),
        Theme::Compact | Theme::Resume => LineSpacing::new().line(252).after(60),
    }
}

fn paragraph(id: &str, name: &str) -> DocxStyle {
    DocxStyle::new(id, StyleType::Paragraph).name(name).based_on("Normal").next("Normal")
}

fn heading_style(level: u8, style: &Style) -> DocxStyle {
    let scale = [1.45, 1.2, 1.1, 1.0, 1.0, 1.0][usize::from(level - 1)];
    let resume = style.theme == Theme::Resume;
    let scale = if resume { f64::max(1.0, scale * 0.82) } else { scale };
    let (before, after) = if resume { (200, 80) } else { (320 - 30 * u32::from(level), 100) };
    let mut made = paragraph(&heading(level), &format!("heading {level}"))
        .size((style.font_size() * scale * 2.0).round() as usize)
        .bold()
        .color(INK)
        .outline_lvl(usize::from(level - 1))
        .line_spacing(LineSpacing::new().before(before).after(after));
    made.paragraph_property = made.paragraph_property.keep_next(true);
    if resume && level == 1 {
        let border = ParagraphBorder::new(ParagraphBorderPosition::Bottom).size(6).space(2).color(INK);
        made.paragraph_property = made.paragraph_property.set_border(border);
    }
    made
}

fn others(size: f64, style: &Style) -> Vec<DocxStyle> {
    let half_points = |scale: f64| (size * scale * 2.0).round() as usize;
    let mono = || RunFonts::new().ascii(MONO).hi_ansi(MONO).cs(MONO);
    let spacing = |before, after| LineSpacing::new().before(before).after(after);
    let mut quote = paragraph(QUOTE, "Quote").color("444444").indent(Some(STEP), None, None, None);
    let bar = ParagraphBorder::new(ParagraphBorderPosition::Left).size(12).space(8).color("C8C8C8");
    quote.paragraph_property = quote.paragraph_property.set_border(bar);
    let mut code = paragraph(CODE, "Source Code")
        .fonts(mono())
        .size(half_points(0.85))
        .align(docx_rs::AlignmentType::Left);
    code.paragraph_property = code.paragraph_property.shading(Shading::new().fill("F5F5F5")).keep_lines(true);
    let title_size = if style.theme.has_title_page() { 2.4 } else { 1.9 };
    let mut entry = paragraph(ENTRY, "Entry").line_spacing(spacing(100, 30));
    entry.paragraph_property = entry.paragraph_property.keep_next(true);
    vec![
        paragraph(TITLE, "Title")
            .size(half_points(title_size))
            .bold()
            .color(INK)
            .line_spacing(spacing(0, 80)),
        paragraph(SUBTITLE, "Subtitle").color("555555").line_spacing(spacing(0, 160)),
        paragraph(RUNNING, "footer").size(half_points(0.85)).color("666666"),
        paragraph(LIST, "List Paragraph").line_spacing(spacing(0, 50)),
        paragraph(CAPTION, "caption").size(half_points(0.9)).italic().color("555555"),
        paragraph(NOTE, "footnote text").size(half_points(0.85)),
        quote,
        code,
        entry,
        DocxStyle::new(LINK, StyleType::Character).name("Hyperlink").color("0563C1").underline("single"),
        DocxStyle::new(CODE_RUN, StyleType::Character)
            .name("Source Text")
            .fonts(mono())
            .size(half_points(0.9)),
    ]
}

fn numberings(docx: Docx) -> Docx {
    let mut bullets = AbstractNumbering::new(BULLETS);
    let mut numbers = AbstractNumbering::new(NUMBERS);
    let mut headings = AbstractNumbering::new(HEADINGS);
    for at in 0..LEVELS {
        let mark = ["•", "◦", "▪"][at % 3];
        bullets = bullets.add_level(indented(level(at, "bullet", mark), at));
        let (format, text) = [("decimal", "."), ("lowerLetter", "."), ("lowerRoman", ".")][at % 3];
        numbers = numbers.add_level(indented(level(at, format, &format!("%{}{text}", at + 1)), at));
        let path: Vec<String> = (1..=at + 1).map(|part| format!("%{part}")).collect();
        headings =
            headings.add_level(level(at, "decimal", &path.join(".")).suffix(docx_rs::LevelSuffixType::Space));
    }
    docx.add_abstract_numbering(bullets)
        .add_abstract_numbering(numbers)
        .add_abstract_numbering(headings)
        .add_numbering(Numbering::new(BULLETS, BULLETS))
        .add_numbering(Numbering::new(HEADINGS, HEADINGS))
}

fn level(at: usize, format: &str, text: &str) -> Level {
    Level::new(at, Start::new(1), NumberFormat::new(format), LevelText::new(text), LevelJc::new("left"))
}

fn indented(level: Level, at: usize) -> Level {
    let left = STEP * (at as i32 + 1);
    level.indent(Some(left), Some(SpecialIndentType::Hanging(STEP * 3 / 4)), None, None)
}

pub(super) fn numbering(id: usize, depth: usize) -> (NumberingId, IndentLevel) {
    (NumberingId::new(id), IndentLevel::new(depth.min(LEVELS - 1)))
}
