//! An opened PDF: its pages, and their content.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hayro_interpret::util::TransformExt;
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};
use hayro_syntax::page::Page;
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use kurbo::Rect;

use super::content::PageContent;
use super::device::PageRecorder;
use super::fonts::Fonts;
use super::repeats;
use crate::DocumentError;

pub(super) const FORMAT: &str = "PDF";
/// Pages are at most this large to us, in points; larger ones are a mistake or an attack.
const PAGE_SIDE_MAX: f32 = 100_000.0;

/// Opens a file; tries the empty password if none is given.
pub(super) fn open(bytes: &[u8], password: Option<&str>) -> Result<Pdf, DocumentError> {
    if bytes.is_empty() {
        return Err(DocumentError::Empty);
    }
    let data: Arc<Vec<u8>> = Arc::new(bytes.to_vec());
    let opened =
        catch_unwind(AssertUnwindSafe(|| Pdf::new_with_password(data, password.unwrap_or_default())));
    match opened {
        Ok(Ok(pdf)) => Ok(pdf),
        Ok(Err(LoadPdfError::Decryption(DecryptionError::PasswordProtected))) => {
            Err(DocumentError::Locked { format: FORMAT })
        }
        Ok(Err(LoadPdfError::Decryption(DecryptionError::UnsupportedAlgorithm))) => {
            Err(damaged("its encryption method is unknown"))
        }
        Ok(Err(LoadPdfError::Decryption(_))) => Err(damaged("its encryption is not valid")),
        Ok(Err(LoadPdfError::Invalid)) | Err(_) => Err(damaged("it contains no pages")),
    }
}

pub(super) fn damaged(why: &str) -> DocumentError {
    DocumentError::Damaged { format: FORMAT, why: why.to_owned() }
}

/// Reads the content of pages, one after the other; the knowledge about fonts is kept between pages.
pub(super) struct PageReader<'a> {
    pdf: &'a Pdf,
    cache: InterpreterCache<'a>,
    settings: InterpreterSettings,
    fonts: Fonts<'a>,
}

impl<'a> PageReader<'a> {
    pub(super) fn new(pdf: &'a Pdf) -> Self {
        let settings = InterpreterSettings::default();
        Self { pdf, cache: InterpreterCache::new(), fonts: Fonts::new(settings.clone()), settings }
    }

    pub(super) fn count(&self) -> usize {
        self.pdf.pages().len()
    }

    /// The content of a page. A page that cannot be interpreted completely has the content found until then.
    pub(super) fn page(&mut self, index: usize) -> Option<PageContent> {
        let page = self.pdf.pages().get(index)?;
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let learned = catch_unwind(AssertUnwindSafe(|| self.fonts.learn(page.resources())));
        let mut notes = PageRecorder::new(blank(page, number), &self.fonts);
        let interpreted = catch_unwind(AssertUnwindSafe(|| self.interpret(page, &mut notes)));
        let mut content = notes.content;
        content.cut_short |= learned.is_err() || interpreted.is_err();
        repeats::drop_overprinted(&mut content.glyphs);
        Some(content)
    }

    fn interpret(&self, page: &Page<'a>, notes: &mut PageRecorder<'_, 'a>) {
        let area = Rect::new(0.0, 0.0, f64::from(notes.content.width), f64::from(notes.content.height));
        let transform = page.initial_transform(true).to_kurbo();
        let mut context = Context::new(transform, area, &self.cache, self.pdf.xref(), self.settings.clone());
        interpret_page(page, &mut context, notes);
    }
}

fn blank(page: &Page<'_>, number: u32) -> PageContent {
    let (width, height) = size_of(page);
    PageContent { number, width, height, ..PageContent::default() }
}

/// The width and height of a page as it is viewed.
pub(super) fn size_of(page: &Page<'_>) -> (f32, f32) {
    let side =
        |length: f32| if length.is_finite() { length.clamp(1.0, PAGE_SIDE_MAX) } else { PAGE_SIDE_MAX };
    let (width, height) = page.render_dimensions();
    (side(width), side(height))
}
