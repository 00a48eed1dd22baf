//! Documents: their DocIR, pictures of their pages, their classes.

use bytes::Bytes;
use engine_protocol::{Classified, Classify, EngineRequest, PagePicture, Parse, Parsed, RenderedPicture};
use toolgate_core::Refusal;

use crate::link::EngineLink;
use crate::places::RequestClass;

/// The largest picture of a page.
const PICTURE_BYTES_MAX: u64 = 32 << 20;

impl EngineLink {
    /// Reads a document. Its DocIR is stored as a blob; the caller has an hour to write the row that names it.
    pub async fn parse(&self, parse: Parse) -> Result<Parsed, Refusal> {
        let parsed: Parsed = self.ask(EngineRequest::Parse(parse), RequestClass::Document).await?;
        self.contents.store(&parsed.docir).await?;
        Ok(parsed)
    }

    /// Draws a page. The picture is not stored: it can be drawn again.
    pub async fn page_picture(&self, page: PagePicture) -> Result<(RenderedPicture, Bytes), Refusal> {
        let drawn: RenderedPicture =
            self.ask(EngineRequest::PagePicture(page), RequestClass::Document).await?;
        let bytes = self.contents.read(&drawn.picture, PICTURE_BYTES_MAX).await?;
        Ok((drawn, bytes))
    }

    /// Chooses among labels.
    pub async fn classify(&self, classify: Classify) -> Result<Classified, Refusal> {
        self.ask(EngineRequest::Classify(classify), RequestClass::Document).await
    }
}
