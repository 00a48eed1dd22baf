//! Articles as PDF, typeset by typst. The article goes to a fixed template as data; nothing of it is ever
//! typst code, and the typesetter sees no file, no package and no network.

mod fonts;
mod glyphs;
mod sheet;
mod shelf;
#[cfg(test)]
mod tests;
mod words;
mod world;

use typst::diag::SourceDiagnostic;
use typst::foundations::Smart;
use typst_layout::PagedDocument;
use typst_pdf::{PdfStandard, PdfStandards};

use crate::article::Article;
use crate::error::TypesetError;
use crate::limits::ArticleLimits;
use crate::made::FinishedFile;
use crate::style::{PdfOptions, Standard};
use fonts::Fonts;
use world::TypstWorld;

/// Tags for those who do not see it cost more than the pages where a document is mostly a table.
const TAGGED_CELLS_MAX: usize = 10_000;

/// Sets an article.
pub fn pdf(article: &Article, options: &PdfOptions) -> Result<FinishedFile, TypesetError> {
    options.style.check()?;
    let article = article.clone().cleaned().check()?;
    let letters = article.plain_text();
    let fonts = Fonts::choose(&letters, options);
    let sheet = sheet::of(&article, options, &fonts);
    let desk = TypstWorld::new(&sheet.data, sheet.pictures, fonts.shelf());
    let made = set(&desk, options, sheet.cells);
    // The typesetter's cache for a next run of the same document would only grow.
    typst::comemo::evict(0);
    let (document, bytes) = made?;
    let mut warnings = article.warnings;
    warnings.extend(sheet.warnings);
    warnings.extend(fonts.into_warnings());
    warnings.extend(glyphs::missing(&document));
    Ok(FinishedFile { bytes, pages: Some(document.pages().len()), warnings })
}

fn set(
    desk: &TypstWorld,
    options: &PdfOptions,
    cells: usize,
) -> Result<(PagedDocument, Vec<u8>), TypesetError> {
    let document: PagedDocument =
        typst::compile(desk).output.map_err(|errors| TypesetError::Set { why: sentence(&errors) })?;
    if document.pages().len() > ArticleLimits::DEFAULT.pages_max {
        return Err(TypesetError::TooLarge { what: "pages", limit: ArticleLimits::DEFAULT.pages_max });
    }
    let bytes = typst_pdf::pdf(&document, &export_options(options, cells)?)
        .map_err(|errors| not_kept(options.standard, &sentence(&errors)))?;
    Ok((document, bytes))
}

fn export_options(options: &PdfOptions, cells: usize) -> Result<typst_pdf::PdfOptions, TypesetError> {
    let standards: &[PdfStandard] = match options.standard {
        Standard::None => &[],
        Standard::PdfA2b => &[PdfStandard::A_2b],
        Standard::PdfUa1 => &[PdfStandard::Ua_1],
    };
    let standards =
        PdfStandards::new(standards).map_err(|error| not_kept(options.standard, error.message()))?;
    Ok(typst_pdf::PdfOptions {
        creator: Smart::Custom(Some("Toolgate".to_owned())),
        standards,
        tagged: options.standard == Standard::PdfUa1 || cells <= TAGGED_CELLS_MAX,
        ..typst_pdf::PdfOptions::default()
    })
}

fn not_kept(standard: Standard, why: &str) -> TypesetError {
    let why = why.to_owned();
    match standard {
        Standard::None => TypesetError::Set { why },
        Standard::PdfA2b => TypesetError::Standard { standard: "PDF/A-2b", why },
        Standard::PdfUa1 => TypesetError::Standard { standard: "PDF/UA-1", why },
    }
}

/// The first complaint, without the places in our template that it names.
fn sentence(errors: &[SourceDiagnostic]) -> String {
    errors.first().map_or_else(|| "for no known reason".to_owned(), |error| error.message.to_string())
}
