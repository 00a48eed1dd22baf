//! Documents as DocIR: once for each content, each version of a parser and each tier.

use toolgate_core::Digest;
use toolgate_core::event::Durability;

use super::blob;
use super::shared::read_digest;
use crate::db::without_nul;
use crate::error::doing;
use crate::registry::{read_count, stored_count, unreadable};
use crate::row::row;
use crate::{Store, StoreError};

const READ: &str =
    "SELECT artifact, parser, tier, docir, media_type, pages, items, tables, confidence, warnings, at_ms
    FROM parsed_documents WHERE tenant = $1 AND artifact = $2 AND parser = $3 AND tier = $4";
const OF_DOCIR: &str =
    "SELECT artifact, parser, tier, docir, media_type, pages, items, tables, confidence, warnings, at_ms
    FROM parsed_documents WHERE tenant = $1 AND docir = $2 ORDER BY at_ms, artifact LIMIT 1";
/// The first one stays: citations name it.
const PUT: &str =
    "INSERT INTO parsed_documents (tenant, artifact, parser, tier, docir, media_type, pages, items, tables, confidence,
        warnings, at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING";

/// The unit of a stored confidence.
const MILLIONTHS: f32 = 1e6;

/// A document that was parsed.
#[derive(Clone, PartialEq, Debug)]
pub struct ParsedDocument {
    pub artifact: Digest,
    /// The version of the parser.
    pub parser: String,
    pub tier: String,
    pub docir: Digest,
    /// The media type that the bytes have.
    pub media_type: String,
    pub pages: u64,
    pub items: u64,
    pub tables: u64,
    /// From 0 to 1.
    pub confidence: f32,
    pub warnings: Vec<String>,
    pub at_ms: i64,
}

row! {
    struct ParsedDocumentRow {
        artifact: Vec<u8>,
        parser: String,
        tier: String,
        docir: Vec<u8>,
        media_type: String,
        pages: i64,
        items: i64,
        tables: i64,
        confidence: i64,
        warnings: String,
        at_ms: i64,
    }
}

impl ParsedDocumentRow {
    fn read(self, doing: &'static str) -> Result<ParsedDocument, StoreError> {
        let warnings = serde_json::from_str(&self.warnings);
        Ok(ParsedDocument {
            artifact: read_digest(&self.artifact, doing)?,
            parser: self.parser,
            tier: self.tier,
            docir: read_digest(&self.docir, doing)?,
            media_type: self.media_type,
            pages: read_count(self.pages),
            items: read_count(self.items),
            tables: read_count(self.tables),
            confidence: self.confidence as f32 / MILLIONTHS,
            warnings: warnings.map_err(|_| unreadable(doing, "warnings of a parsed document"))?,
            at_ms: self.at_ms,
        })
    }
}

impl Store {
    /// The DocIR that a parser made of bytes.
    pub async fn parsed_document(
        &self,
        artifact: &Digest,
        parser: &str,
        tier: &str,
    ) -> Result<Option<ParsedDocument>, StoreError> {
        const DOING: &str = "look for a parsed document";
        let read = self.db.sql(READ).bind(self.tenant).bind(&artifact.as_bytes()[..]);
        let read = read.bind(without_nul(parser)).bind(without_nul(tier));
        let row: Option<ParsedDocumentRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// The document that a DocIR was made of: the oldest, if there are several.
    pub async fn parsed_document_of(&self, docir: &Digest) -> Result<Option<ParsedDocument>, StoreError> {
        const DOING: &str = "look for the document of a DocIR";
        let read = self.db.sql(OF_DOCIR).bind(self.tenant).bind(&docir.as_bytes()[..]);
        let row: Option<ParsedDocumentRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// Stores it for as long as the source bytes exist, and keeps the bytes of the DocIR as long. If the source is gone, this is gone
    /// too. One that is there already stays.
    pub async fn keep_parsed_document(&self, parsed: &ParsedDocument) -> Result<(), StoreError> {
        const DOING: &str = "remember a parsed document";
        let mut tx = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
        if !blob::try_hold(&mut tx, self.tenant, &parsed.artifact).await.map_err(doing(DOING))? {
            return Ok(());
        }
        blob::hold(&mut tx, self.tenant, &parsed.docir, DOING).await?;
        let warnings = serde_json::to_string(&parsed.warnings).expect("a list of texts is JSON");
        let put = tx.sql(PUT).bind(self.tenant).bind(&parsed.artifact.as_bytes()[..]);
        let put = put.bind(without_nul(&parsed.parser)).bind(without_nul(&parsed.tier));
        let put = put.bind(&parsed.docir.as_bytes()[..]).bind(without_nul(&parsed.media_type));
        let put = put.bind(stored_count(parsed.pages)).bind(stored_count(parsed.items));
        let put = put.bind(stored_count(parsed.tables)).bind(stored_share(parsed.confidence));
        put.bind(warnings).bind(parsed.at_ms).execute().await.map_err(doing(DOING))?;
        tx.commit().await.map_err(doing(DOING))
    }
}

/// A number from 0 to 1 in millionths. One that is no number counts as 0.
fn stored_share(share: f32) -> i64 {
    (share.clamp(0.0, 1.0) * MILLIONTHS).round() as i64
}
