//! Citations: places in documents with the words that stand there.

use std::ops::Range;

use docir::{Citation, CitationStanding, Quad};
use schemars::JsonSchema;
use serde::Serialize;
use toolgate_core::Refusal;
use toolgate_core::substrate::{ArtifactDigest, parse_digest};

use crate::content::hex;
use crate::documents::Documents;
use crate::refusal::invalid;

/// A citation as tools give it.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct CitationOutput {
    /// The document
    pub artifact: String,
    /// The document as DocIR
    pub docir: String,
    /// A JSON pointer into the DocIR
    pub item: String,
    /// Characters of the item's text
    pub start: usize,
    pub end: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// One box for each line; none where the format has no pages
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quads: Vec<CitationQuad>,
    pub quote: CitationQuote,
}

/// A box in points from the top left corner of the page.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct CitationQuad {
    pub page: u32,
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

/// The quoted words, and those around them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct CitationQuote {
    pub exact: String,
    pub prefix: String,
    pub suffix: String,
}

impl From<Citation> for CitationOutput {
    fn from(citation: Citation) -> Self {
        let Citation { artifact, docir, item, start, end, page, quads, quote } = citation;
        let quads = quads.iter().map(CitationQuad::of).collect();
        let quote = CitationQuote { exact: quote.exact, prefix: quote.prefix, suffix: quote.suffix };
        Self { artifact, docir, item, start, end, page, quads, quote }
    }
}

impl CitationQuad {
    fn of(quad: &Quad) -> Self {
        Self { page: quad.page, left: quad.left, top: quad.top, right: quad.right, bottom: quad.bottom }
    }
}

impl Documents {
    /// Cites characters of an item of a document. `None` if the document has no such place.
    pub async fn cite(
        &self,
        artifact: ArtifactDigest,
        docir: ArtifactDigest,
        item: &str,
        span: Range<usize>,
    ) -> Result<Option<Citation>, Refusal> {
        let document = self.docir(docir).await?;
        Ok(docir::cite(&document, &hex(artifact), &hex(docir), item, span))
    }

    /// Looks whether a citation stands in its document.
    pub async fn check(&self, citation: &Citation) -> Result<CitationStanding, Refusal> {
        let docir = parse_digest(&citation.docir).map_err(|_| {
            invalid("the `docir` of the citation is no digest", "docir")
                .hint("give the citation as it was given to you")
        })?;
        let document = self.docir(docir).await?;
        Ok(docir::check(&document, citation))
    }
}
