//! The style of a document, in the callers' arguments.

use capability_typeset::{
    ContentsLevels, Day, DocxOptions, FontSource, Numbering, PageSize, PdfOptions, Standard, Style, Theme,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// The style of the document. Everything is optional.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentLooks {
    /// article (default), report (with a title page), compact, or resume.
    #[serde(default)]
    template: Theme,
    /// A4 by default.
    #[serde(default)]
    page_size: PageSize,
    #[serde(default)]
    landscape: bool,
    /// Margins on all sides, in millimetres.
    #[serde(default)]
    margin_mm: Option<f64>,
    /// In points, 5 to 36.
    #[serde(default)]
    font_size: Option<f64>,
    /// A font family of the machine the server runs on, such as `DejaVu Sans`.
    #[serde(default)]
    font: Option<String>,
    /// Columns of text, 1 to 4.
    #[serde(default = "one")]
    columns: u8,
    /// Numbers before headings: 1, 1.1, 1.1.1.
    #[serde(default)]
    heading_numbering: bool,
    /// A table of contents after the title.
    #[serde(default)]
    table_of_contents: bool,
    /// The number of heading levels in it, 1 to 6.
    #[serde(default)]
    contents_levels: Option<u8>,
    /// Page numbers. On by default, except for résumés.
    #[serde(default)]
    page_numbers: Option<bool>,
    /// A line at the top of every page.
    #[serde(default)]
    header: Option<String>,
    /// A line at the bottom of every page.
    #[serde(default)]
    footer: Option<String>,
    /// PDF only: `pdf/a-2b` for archives, `pdf/ua-1` for accessibility (requires a title and descriptions of
    /// pictures).
    #[serde(default)]
    standard: Standard,
}

fn one() -> u8 {
    1
}

impl DocumentLooks {
    const CONTENTS_LEVELS: u8 = 3;

    pub(crate) fn style(&self) -> Style {
        let contents = match (self.table_of_contents, self.contents_levels) {
            (false, None) => ContentsLevels::None,
            (_, levels) => ContentsLevels::Levels(levels.unwrap_or(Self::CONTENTS_LEVELS)),
        };
        Style {
            theme: self.template,
            page: self.page_size,
            landscape: self.landscape,
            margin_mm: self.margin_mm,
            font_size_pt: self.font_size,
            font_family: self.font.clone(),
            columns: if self.columns == 0 { 1 } else { self.columns },
            numbering: if self.heading_numbering { Numbering::Decimal } else { Numbering::None },
            contents,
            page_numbers: self.page_numbers,
            header: self.header.clone(),
            footer: self.footer.clone(),
            written: Some(Day::today()),
        }
    }

    pub(crate) fn pdf(&self, fonts: FontSource) -> PdfOptions {
        PdfOptions { style: self.style(), standard: self.standard, fonts }
    }

    pub(crate) fn docx(&self) -> DocxOptions {
        DocxOptions { style: self.style() }
    }

    pub(crate) fn standard(&self) -> Standard {
        self.standard
    }
}
