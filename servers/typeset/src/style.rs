//! The style of a document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::day::Day;
use crate::error::TypesetError;

/// A set of choices for sizes, spaces and the head of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Title, then text.
    #[default]
    Article,
    /// A title page, then text.
    Report,
    /// Small and dense, for much text on few pages.
    Compact,
    /// For résumés: no hyphens, no ligatures, so that machines can read it too.
    Resume,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageSize {
    A3,
    #[default]
    A4,
    A5,
    Letter,
    Legal,
}

impl PageSize {
    /// Width and height in millimetres.
    pub fn millimetres(self) -> (f64, f64) {
        match self {
            PageSize::A3 => (297.0, 420.0),
            PageSize::A4 => (210.0, 297.0),
            PageSize::A5 => (148.0, 210.0),
            PageSize::Letter => (215.9, 279.4),
            PageSize::Legal => (215.9, 355.6),
        }
    }
}

/// Numbers before headings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Numbering {
    #[default]
    None,
    /// 1, 1.1, 1.1.1.
    Decimal,
}

/// The table of contents, and its number of heading levels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ContentsLevels {
    #[default]
    None,
    Levels(u8),
}

/// The standard that the PDF conforms to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub enum Standard {
    /// A tagged PDF 1.7.
    #[default]
    #[serde(rename = "none")]
    None,
    /// For archiving.
    #[serde(rename = "pdf/a-2b")]
    PdfA2b,
    /// For screen readers: every picture has a description, headings are in order.
    #[serde(rename = "pdf/ua-1")]
    PdfUa1,
}

/// The source of fonts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FontSource {
    /// The built-in ones; the machine's if they lack letters or a family is requested.
    #[default]
    Machine,
    /// Only those inside this program: the same file on every machine.
    Embedded,
}

/// The common style of PDF and DOCX.
#[derive(Clone, PartialEq, Debug)]
pub struct Style {
    pub theme: Theme,
    pub page: PageSize,
    pub landscape: bool,
    /// `None` for the theme's value.
    pub margin_mm: Option<f64>,
    pub font_size_pt: Option<f64>,
    /// A family, such as `DejaVu Sans`.
    pub font_family: Option<String>,
    pub columns: u8,
    pub numbering: Numbering,
    pub contents: ContentsLevels,
    /// `None` for the theme's value.
    pub page_numbers: Option<bool>,
    pub header: Option<String>,
    pub footer: Option<String>,
    /// The day the file is dated with. Files without it are the same whenever they are made.
    pub written: Option<Day>,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            theme: Theme::Article,
            page: PageSize::A4,
            landscape: false,
            margin_mm: None,
            font_size_pt: None,
            font_family: None,
            columns: 1,
            numbering: Numbering::None,
            contents: ContentsLevels::None,
            page_numbers: None,
            header: None,
            footer: None,
            written: None,
        }
    }
}

impl Style {
    pub const FONT_SIZE_PT: std::ops::RangeInclusive<f64> = 5.0..=36.0;
    pub const COLUMNS: std::ops::RangeInclusive<u8> = 1..=4;

    /// Width and height in millimetres, as the page lies.
    pub(crate) fn page_mm(&self) -> (f64, f64) {
        let (width, height) = self.page.millimetres();
        if self.landscape { (height, width) } else { (width, height) }
    }

    pub(crate) fn margin(&self) -> f64 {
        self.margin_mm.unwrap_or(match (self.theme, self.page) {
            (Theme::Resume, _) => 18.0,
            (Theme::Compact, _) | (_, PageSize::A5) => 16.0,
            (Theme::Article | Theme::Report, _) => 25.0,
        })
    }

    pub(crate) fn font_size(&self) -> f64 {
        self.font_size_pt.unwrap_or(match self.theme {
            Theme::Article | Theme::Report => 11.0,
            Theme::Compact => 9.0,
            Theme::Resume => 10.5,
        })
    }

    pub(crate) fn has_page_numbers(&self) -> bool {
        self.page_numbers.unwrap_or(self.theme != Theme::Resume)
    }

    pub(crate) fn text_width_mm(&self) -> f64 {
        self.page_mm().0 - 2.0 * self.margin()
    }

    pub(crate) fn check(&self) -> Result<(), TypesetError> {
        let wrong = |option, given: String, why| Err(TypesetError::Option { option, given, why });
        if !Self::FONT_SIZE_PT.contains(&self.font_size()) {
            return wrong("the font size", self.font_size().to_string(), "it must be from 5 to 36 points");
        }
        if !Self::COLUMNS.contains(&self.columns) {
            return wrong("the number of columns", self.columns.to_string(), "it must be from 1 to 4");
        }
        let (width, height) = self.page_mm();
        if !(0.0..=width.min(height) / 3.0).contains(&self.margin()) {
            return wrong(
                "the margin",
                self.margin().to_string(),
                "it must be at most a third of the page, in millimetres",
            );
        }
        Ok(())
    }
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct PdfOptions {
    pub style: Style,
    pub standard: Standard,
    pub fonts: FontSource,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct DocxOptions {
    pub style: Style,
}
