//! Articles as DOCX: real styles, lists and fields, so that a word processor can edit it.

mod body;
mod package;
mod sheet;
#[cfg(test)]
mod tests;
mod text;

use docx_rs::{Docx, Footer, Header, PageNum, PageOrientationType, Paragraph, Run, TableOfContents};

use crate::article::Article;
use crate::direction::{Direction, language_of_letters};
use crate::error::TypesetError;
use crate::made::FinishedFile;
use crate::style::{ContentsLevels, DocxOptions, Style, Theme};
use body::DocxBody;

/// Twentieths of a point, which is how DOCX measures.
pub(crate) fn twips(millimetres: f64) -> i32 {
    (millimetres * 1_440.0 / 25.4).round() as i32
}

/// Sets an article.
pub fn docx(article: &Article, options: &DocxOptions) -> Result<FinishedFile, TypesetError> {
    let style = &options.style;
    style.check()?;
    let article = article.clone().cleaned().check()?;
    let language = match &article.language {
        Some(language) => language.trim().to_owned(),
        None => language_of_letters(&article.plain_text()).unwrap_or("en").to_owned(),
    };
    let direction = Direction::of_language(language.split(['-', '_']).next().unwrap_or_default());
    let mut body = DocxBody::new(page(Docx::new(), style), style, direction);
    body.head(&article);
    body.docx = contents(body.docx, style.contents);
    body.blocks(&article.blocks, &body::BlockPosition::default());
    let (docx, pictures) = body.finish();
    let bytes = package::pack(docx, &article, style, &language, &pictures)?;
    Ok(FinishedFile { bytes, pages: None, warnings: article.warnings })
}

fn page(docx: Docx, style: &Style) -> Docx {
    let (width, height) = style.page_mm();
    let margin = twips(style.margin());
    let margins = docx_rs::PageMargin::new().top(margin).bottom(margin).left(margin).right(margin);
    let docx = sheet::styled(docx, style)
        .page_size(twips(width) as u32, twips(height) as u32)
        .page_margin(margins.header(margin / 2).footer(margin / 2));
    let docx = match style.landscape {
        true => docx.page_orient(PageOrientationType::Landscape),
        false => docx,
    };
    let docx = match &style.header {
        Some(header) => docx.header(Header::new().add_paragraph(running(header))),
        None => docx,
    };
    match (style.has_page_numbers(), &style.footer) {
        (false, None) => docx,
        (true, footer) => docx.footer(Footer::new().add_paragraph(numbered(footer.as_deref(), style))),
        (false, Some(footer)) => docx.footer(Footer::new().add_paragraph(running(footer))),
    }
}

fn running(text: &str) -> Paragraph {
    Paragraph::new().style(sheet::RUNNING).add_run(Run::new().add_text(text))
}

/// The text at the start of the line, the number of the page at its end.
fn numbered(text: Option<&str>, style: &Style) -> Paragraph {
    let run = Run::new().add_text(text.unwrap_or_default()).add_tab();
    let tab = body::far_tab(twips(style.text_width_mm()));
    Paragraph::new().style(sheet::RUNNING).add_tab(tab).add_run(run).add_page_num(PageNum::new())
}

/// A field that a word processor fills with page numbers; the headings are there at once.
fn contents(docx: Docx, contents: ContentsLevels) -> Docx {
    let ContentsLevels::Levels(levels) = contents else { return docx };
    let levels = usize::from(levels.clamp(1, 6));
    docx.add_table_of_contents(
        TableOfContents::new().heading_styles_range(1, levels).hyperlink().auto().dirty(),
    )
}

impl Theme {
    /// True if the title has its own page.
    pub(crate) fn has_title_page(self) -> bool {
        self == Theme::Report
    }
}
