//! `document.extract_tables`: cells with their places, spans and headers.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use docir::{DocCell, DocIr, DocTable};
use futures_util::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_files::LongText;
use toolgate_store::Actor;

use super::parse::artifact_refs;
use super::source::{self, DocumentIds};
use super::tier::TierArgument;
use crate::documents::Documents;
use crate::refusal::invalid;

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
    rows: usize,
    columns: usize,
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
    row: usize,
    column: usize,
    row_span: usize,
    column_span: usize,
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
    let docir = documents.docir(parsed.docir).await?;
    let mut tables = tables_of(&docir);
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

/// All tables in the order of the document. One that is no part of its text has no page.
fn tables_of(docir: &DocIr) -> Vec<TableOutput> {
    let items = docir.items().into_iter();
    let pages: BTreeMap<String, u32> = items.filter_map(|item| Some((item.pointer, item.page?))).collect();
    let of = |(item, table): (String, &DocTable)| {
        let page = pages.get(&item).copied();
        let caption = docir.caption(&item).map(|caption| caption.into_owned());
        TableOutput::of(item, page, caption, table)
    };
    docir.tables().map(of).collect()
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
    fn of(item: String, page: Option<u32>, caption: Option<String>, table: &DocTable) -> Self {
        Self {
            item,
            page,
            rows: table.rows(),
            columns: table.columns(),
            caption,
            confidence: table.confidence(),
            cells: table.cells().iter().map(TableCellOutput::of).collect(),
        }
    }
}

impl TableCellOutput {
    fn of(cell: &DocCell) -> Self {
        Self {
            text: cell.text.clone(),
            row: cell.start_row_offset_idx,
            column: cell.start_col_offset_idx,
            row_span: cell.row_span,
            column_span: cell.col_span,
            column_header: cell.column_header,
            row_header: cell.row_header,
        }
    }
}

#[cfg(test)]
mod tests {
    use docir::{DocIrBuilder, DocumentNotes, NewCell, NewTable, NewText, TextKind};

    use super::*;

    #[test]
    fn cells_have_their_places_spans_and_headers() {
        let mut builder = DocIrBuilder::new("report", None);
        builder.page(1, 600.0, 800.0);
        let cell = |row, column, text: &str| NewCell {
            row,
            column,
            row_span: 1,
            column_span: 1,
            text: text.to_owned(),
            ..NewCell::default()
        };
        let head = NewCell { column_span: 2, column_header: true, ..cell(0, 0, "Year") };
        let table = builder.table(NewTable {
            page: 1,
            bounds: Some((10.0, 10.0, 200.0, 60.0)),
            rows: 2,
            columns: 2,
            cells: vec![head, cell(1, 0, "2026"), cell(1, 1, "12")],
            confidence: Some(0.5),
        });
        let words = NewText { text: "Table 1".to_owned(), page: 1, ..NewText::default() };
        let caption = builder.text(TextKind::Caption, words);
        builder.link_caption(&table, &caption);
        let tables = tables_of(&builder.finish(DocumentNotes::default()));
        let [shown] = &tables[..] else { panic!("one table") };
        assert_eq!((shown.item.as_str(), shown.rows, shown.columns), ("#/tables/0", 2, 2));
        assert_eq!((shown.caption.as_deref(), shown.confidence), (Some("Table 1"), Some(0.5)));
        assert_eq!(shown.page, Some(1));
        let first = &shown.cells[0];
        assert_eq!((first.text.as_str(), first.column_span, first.column_header), ("Year", 2, true));
        assert_eq!((shown.cells[2].row, shown.cells[2].column), (1, 1));
    }
}
