//! Rankings by `tantivy` with its own tokenizers, its own query parser and its own BM25: the engine's words are compared with them by
//! `script/bench index`.
//!
//! The data folder has `documents.jsonl` (`id`, `title`, `text`) and `queries.jsonl` (`query`). A line of the output is the ids of a
//! query's documents, the best first.

use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{
    Field, IndexRecordOption, STORED, Schema, TantivyDocument, TextFieldIndexing, TextOptions, Value as _,
};
use tantivy::{Index, IndexWriter};

use crate::json_lines::json_lines;

const WRITER_BYTES: usize = 64 << 20;
const HITS: usize = 100;

#[derive(Deserialize)]
struct RankedDocument {
    id: String,
    title: String,
    text: String,
}

#[derive(Deserialize)]
struct RankedQuery {
    query: String,
}

/// Title and text are fields of their own, as in tantivy's examples.
struct RankedFields {
    id: Field,
    title: Field,
    text: Field,
}

/// Prints the ranking of each query as a line of JSON.
pub(crate) fn run(data: &Path, tokenizer: &str) -> anyhow::Result<()> {
    let (index, fields) = empty_index(tokenizer)?;
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
    for document in json_lines::<RankedDocument>(&data.join("documents.jsonl"))? {
        let document = document?;
        let mut added = TantivyDocument::default();
        added.add_text(fields.id, document.id);
        added.add_text(fields.title, document.title);
        added.add_text(fields.text, document.text);
        writer.add_document(added)?;
    }
    writer.commit()?;
    let parser = QueryParser::for_index(&index, vec![fields.title, fields.text]);
    let searcher = index.reader()?.searcher();
    for asked in json_lines::<RankedQuery>(&data.join("queries.jsonl"))? {
        let query = parser.parse_query(&plain(&asked?.query)).context("plain words are a query")?;
        let mut ids = Vec::new();
        for (_, address) in searcher.search(&query, &TopDocs::with_limit(HITS).order_by_score())? {
            let found: TantivyDocument = searcher.doc(address)?;
            let id = found.get_first(fields.id).context("every document has an id")?;
            ids.push(id.as_str().context("an id is a text")?.to_owned());
        }
        println!("{}", serde_json::to_string(&ids)?);
    }
    Ok(())
}

fn empty_index(tokenizer: &str) -> anyhow::Result<(Index, RankedFields)> {
    let words = TextFieldIndexing::default()
        .set_tokenizer(tokenizer)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let words = TextOptions::default().set_indexing_options(words);
    let mut schema = Schema::builder();
    let fields = RankedFields {
        id: schema.add_text_field("id", STORED),
        title: schema.add_text_field("title", words.clone()),
        text: schema.add_text_field("text", words),
    };
    let index = Index::create_in_ram(schema.build());
    index.tokenizers().get(tokenizer).with_context(|| format!("tantivy has no tokenizer {tokenizer}"))?;
    Ok((index, fields))
}

/// Words alone: signs and capitals would be operators of the query parser.
fn plain(query: &str) -> String {
    query.to_lowercase().replace(|letter: char| !letter.is_alphanumeric(), " ")
}
