//! Lines to the bytes of a Parquet file. The same lines always give the same bytes.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, GzipLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use toolgate_store::{ArchivalLine, LineFields};

use crate::columns::{COLUMNS, ColumnValues, LINE, SegmentRow, schema_text};
use crate::segment::SegmentFacts;

/// The key of the facts in the metadata of a file.
pub(crate) const FACTS_KEY: &str = "toolgate.segment";
/// Written into each file in place of a version, which would change the bytes.
const CREATED_BY: &str = "toolgate";
/// The number of lines whose fields are in memory at once. Readers skip whole groups by their statistics.
const GROUP_LINES: usize = 65_536;

pub(crate) fn encode(facts: &SegmentFacts, lines: &[ArchivalLine]) -> Result<Bytes, ParquetError> {
    let schema = Arc::new(parse_message_type(&schema_text())?);
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties(facts)?))?;
    for group in lines.chunks(GROUP_LINES) {
        let rows = rows(group)?;
        let mut group = writer.next_row_group()?;
        for column in &COLUMNS {
            let Some(mut to) = group.next_column()? else { break };
            write(&mut to, column.values, &rows)?;
            to.close()?;
        }
        group.close()?;
    }
    writer.into_inner().map(Bytes::from)
}

fn properties(facts: &SegmentFacts) -> Result<WriterProperties, ParquetError> {
    let facts = serde_json::to_string(facts).map_err(|error| ParquetError::General(error.to_string()))?;
    let line = ColumnPath::from(LINE);
    let properties = WriterProperties::builder()
        .set_created_by(CREATED_BY.to_owned())
        .set_compression(Compression::GZIP(GzipLevel::default()))
        .set_key_value_metadata(Some(vec![KeyValue::new(FACTS_KEY.to_owned(), facts)]))
        // No two lines are alike, and no query looks for one by its bytes.
        .set_column_dictionary_enabled(line.clone(), false)
        .set_column_statistics_enabled(line, EnabledStatistics::None);
    Ok(properties.build())
}

fn rows(lines: &[ArchivalLine]) -> Result<Vec<SegmentRow<'_>>, ParquetError> {
    let rows = lines.iter().map(|line| {
        let fields = LineFields::read(&line.bytes);
        fields.map(|fields| SegmentRow { line, fields })
    });
    let rows: Option<Vec<SegmentRow<'_>>> = rows.collect();
    rows.ok_or_else(|| ParquetError::General("a line cannot be read".to_owned()))
}

fn write(
    to: &mut SerializedColumnWriter<'_>,
    values: ColumnValues,
    rows: &[SegmentRow<'_>],
) -> Result<(), ParquetError> {
    match values {
        ColumnValues::Day(day) => {
            let days: Vec<i32> = rows.iter().map(day).collect();
            to.typed::<Int32Type>().write_batch(&days, None, None)
        }
        ColumnValues::Number(number) => {
            let numbers: Vec<i64> = rows.iter().map(number).collect();
            to.typed::<Int64Type>().write_batch(&numbers, None, None)
        }
        ColumnValues::MaybeNumber(number) => {
            let (levels, numbers) = present(rows.iter().map(number));
            to.typed::<Int64Type>().write_batch(&numbers, Some(&levels), None)
        }
        ColumnValues::Bytes(bytes) => {
            let all: Vec<ByteArray> = rows.iter().map(|row| ByteArray::from(bytes(row))).collect();
            to.typed::<ByteArrayType>().write_batch(&all, None, None)
        }
        ColumnValues::MaybeText(text) => {
            let texts = rows.iter().map(|row| text(row).map(|text| ByteArray::from(text.into_bytes())));
            let (levels, texts) = present(texts);
            to.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None)
        }
    }
    .map(drop)
}

/// For each value whether it is there, and those that are.
fn present<T>(values: impl Iterator<Item = Option<T>>) -> (Vec<i16>, Vec<T>) {
    let (mut levels, mut there) = (Vec::new(), Vec::new());
    for value in values {
        levels.push(i16::from(value.is_some()));
        there.extend(value);
    }
    (levels, there)
}
