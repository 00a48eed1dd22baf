//! A page as a picture, for showing a citation on it.

use capability_documents::{DocumentError, DocumentKind, pdf};
use capability_ocr::{OcrError, Picture};
use engine_protocol::{EngineErrorCode, EngineFault, PagePicture};

use super::reading::{decoded, unreadable};
use crate::fault::hinted;

/// The width of a drawn page, in pixels.
const WIDTH_MIN: u32 = 16;
const WIDTH_MAX: u32 = 4_000;
const POINTS_PER_INCH: f32 = 72.0;

/// A drawn page.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DrawnPage {
    pub(crate) png: Vec<u8>,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// In points, as the boxes of the DocIR.
    pub(crate) page_width: f32,
    pub(crate) page_height: f32,
}

/// Draws a page of a PDF, or a picture, about as wide as asked.
pub(crate) fn picture(bytes: &[u8], request: &PagePicture) -> Result<DrawnPage, EngineFault> {
    let width = request.width.clamp(WIDTH_MIN, WIDTH_MAX);
    match DocumentKind::of(bytes, request.media_type.as_deref()) {
        Ok(DocumentKind::Pdf) => of_pdf(bytes, request.page, width),
        Ok(other) => Err(hinted(
            EngineErrorCode::Unsupported,
            format!("{} has no pages that can be drawn", other.name()),
            "show the text of its DocIR",
        )),
        Err(DocumentError::Unsupported { found }) => {
            let picture = decoded(bytes, DocumentError::Unsupported { found })?;
            of_picture(&picture, request.page, width)
        }
        Err(error) => Err(unreadable(&error)),
    }
}

fn of_pdf(bytes: &[u8], page: u32, width: u32) -> Result<DrawnPage, EngineFault> {
    let (page_width, page_height) = pdf::page_size(bytes, page, None).map_err(|error| unreadable(&error))?;
    let dpi = width as f32 * POINTS_PER_INCH / page_width;
    let drawn = pdf::render(bytes, page, dpi, None).map_err(|error| unreadable(&error))?;
    let picture = Picture::from_rgb(drawn.width, drawn.height, drawn.rgb).map_err(|error| undrawn(&error))?;
    finished(&picture, page_width, page_height)
}

fn of_picture(picture: &Picture, page: u32, width: u32) -> Result<DrawnPage, EngineFault> {
    if page != 1 {
        return Err(unreadable(&DocumentError::NoSuchPage { asked: page, pages: 1 }));
    }
    finished(&picture.narrowed(width), picture.width() as f32, picture.height() as f32)
}

fn finished(picture: &Picture, page_width: f32, page_height: f32) -> Result<DrawnPage, EngineFault> {
    let png = picture.png().map_err(|error| undrawn(&error))?;
    Ok(DrawnPage { png, width: picture.width(), height: picture.height(), page_width, page_height })
}

fn undrawn(error: &OcrError) -> EngineFault {
    hinted(
        EngineErrorCode::Unreadable,
        format!("the page cannot be drawn: {error}"),
        "show the text of its DocIR",
    )
}
