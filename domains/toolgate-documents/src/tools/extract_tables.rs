//! `document.extract_tables`: cells with their places, spans and headers.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use docir::DocIr;
use futures_util::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_files::LongText;
use toolgate_store::{Actor, ParsedDocument};

use super::parse::artifact_refs;
use super::source::{self, DocumentIds};
use super::tier::TierArgument;
use crate::documents::Documents;
use crate::refusal::{invalid, no_docir};
use crate::tables::{ReadCell, ReadTable, TablesOfDocir};

const NAME: &str = "document.extract_tables";

pub(super) const EXTRACT_TABLES: ToolDefinition = ToolDefinition::reads(
    NAME,
    "Extract tables",
    "Gives the tables of a document with their cells, spans and headers. Many cells come as a ref with all of them as JSON.",
);

/// Tables with more bytes than this become a ref.
const INLINE_BYTES_MAX: usize = 24 << 10;
const REF_BYTES_MAX: u64 = 64 << 20;
const PAGES_MAX: usize = 1_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct ExtractTablesArguments {
    /// sha256:… of an artifact
    artifact: Option<String>,
    file_id: Option<String>,
    ref_id: Option<String>,
    #[serde(default)]
    tier: TierArgument,
    /// Only tables that begin on these, from 1
    pages: Option<Vec<u32>>,
    /// One table by its item, such as #/tables/0
    table: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ExtractTablesOutput {
    artifact: String,
    docir: String,
    /// Without cells, if those are in the ref
    tables: Vec<TableOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_id: Option<String>,
}

#[derive(Clone, Serialize, JsonSchema)]
struct TableOutput {
    item: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    rows: u32,
    columns: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    caption: Option<String>,
    /// From 0 to 1
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f32>,
    cells: Vec<TableCellOutput>,
}

#[derive(Clone, Serialize, JsonSchema)]
struct TableCellOutput {
    text: String,
    /// From 0
    row: u32,
    column: u32,
    row_span: u32,
    column_span: u32,
    column_header: bool,
    row_header: bool,
}

pub(super) async fn extract_tables(
    documents: Arc<Documents>,
    context: ToolContext,
    arguments: ExtractTablesArguments,
) -> Result<ToolReply<ExtractTablesOutput>, Refusal> {
    let ExtractTablesArguments { artifact, file_id, ref_id, tier, pages, table } = arguments;
    if pages.as_ref().is_some_and(|pages| pages.len() > PAGES_MAX) {
        let message = format!("`pages` has at most {PAGES_MAX} pages");
        return Err(invalid(message, "pages").hint("leave it out for all of them"));
    }
    let found = source::find(&documents, &context, DocumentIds { artifact, file_id, ref_id }).await?;
    let name = found.name.as_ref().map(|name| name.as_str());
    let (media_type, author) = (Some(found.media_type.as_str()), Actor::of(&context.holder));
    let parsed = documents.parsed(found.digest, media_type, name, tier.into(), &author).await?;
    let mut tables = read(&documents, &parsed).await?;
    if let Some(pages) = &pages {
        tables.retain(|table| table.page.is_some_and(|page| pages.contains(&page)));
    }
    if let Some(item) = &table {
        tables.retain(|table| table.item == *item);
        if tables.is_empty() {
            return Err(invalid(format!("there is no table {item:?} in the document"), "table")
                .hint("without `table` all of them are given, each with its item"));
        }
    }
    let refs = artifact_refs([parsed.artifact, parsed.docir]);
    let (tables, ref_id) = shown(&documents, &context, tables).await?;
    let data = ExtractTablesOutput {
        artifact: parsed.artifact.to_string(),
        docir: parsed.docir.to_string(),
        tables,
        ref_id,
    };
    Ok(ToolReply::new(data).refs(refs))
}

async fn read(documents: &Documents, parsed: &ParsedDocument) -> Result<Vec<TableOutput>, Refusal> {
    let docir = documents.docir(parsed.docir).await?;
    let bytes = documents.docir_bytes(parsed.docir).await?;
    let tables = tokio::task::spawn_blocking(move || TablesOfDocir::read(&bytes));
    let tables = tables.await.expect("reading tables does not panic");
    let tables = tables.map_err(|error| no_docir(parsed.docir, error))?.into_tables();
    let confidences = confidences(&docir);
    let of = |table: ReadTable| {
        let confidence = confidences.get(&table.item).copied();
        TableOutput::of(table, confidence)
    };
    Ok(tables.into_iter().map(of).collect())
}

/// The confidence of each item that has one.
fn confidences(docir: &DocIr) -> BTreeMap<String, f32> {
    let items = docir.items().into_iter();
    items.filter_map(|item| Some((item.pointer, item.confidence?))).collect()
}

/// The tables, or without their cells and with the ref that has them.
async fn shown(
    documents: &Documents,
    context: &ToolContext,
    tables: Vec<TableOutput>,
) -> Result<(Vec<TableOutput>, Option<String>), Refusal> {
    let all = serde_json::to_vec(&tables).expect("our own types serialise: string keys, no failing impls");
    if all.len() <= INLINE_BYTES_MAX {
        return Ok((tables, None));
    }
    let text = LongText {
        tool: NAME,
        media_type: "application/json",
        preview: String::new(),
        bytes_max: REF_BYTES_MAX,
    };
    let bytes = stream::iter([Ok::<_, Infallible>(Bytes::from(all))]);
    let kept = documents.files.keep_text(&context.holder, text, bytes).await?;
    let without_cells = tables.into_iter().map(|table| TableOutput { cells: Vec::new(), ..table });
    Ok((without_cells.collect(), Some(kept.id.to_string())))
}

impl TableOutput {
    fn of(table: ReadTable, confidence: Option<f32>) -> Self {
        let ReadTable { item, page, rows, columns, caption, cells } = table;
        let cells = cells.into_iter().map(TableCellOutput::of).collect();
        Self { item, page, rows, columns, caption, confidence, cells }
    }
}

impl TableCellOutput {
    fn of(cell: ReadCell) -> Self {
        let ReadCell { text, row, column, row_span, column_span, column_header, row_header } = cell;
        Self { text, row, column, row_span, column_span, column_header, row_header }
    }
}
