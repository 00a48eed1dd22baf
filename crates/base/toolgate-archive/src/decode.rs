//! The bytes of a segment to its facts and lines.

use bytes::Bytes;
use parquet::column::reader::ColumnReader;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use toolgate_core::event::HybridTime;
use toolgate_store::ArchivalLine;

use crate::columns::{COLUMNS, LINE, NUMBER, TIME};
use crate::encode::FACTS_KEY;
use crate::segment::{FORM, SegmentFacts, SegmentLines};

/// A segment whose bytes are those that were written.
pub(crate) struct DecodedSegment {
    pub(crate) facts: SegmentFacts,
    pub(crate) lines: Vec<ArchivalLine>,
}

/// The reason why bytes are no segment.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DecodeError {
    #[error("it is no Parquet file: {0}")]
    Parquet(#[from] ParquetError),
    #[error("it is no segment of the ledger's archive")]
    NoSegment,
    #[error("it was written by a newer version of Toolgate")]
    Newer,
}

/// Only for bytes whose digest is known: they were written by [`crate::encode::encode`].
pub(crate) fn decode(bytes: Bytes) -> Result<DecodedSegment, DecodeError> {
    let reader = SerializedFileReader::new(bytes)?;
    let facts = facts(&reader)?;
    let mut lines = Vec::new();
    for group in 0..reader.num_row_groups() {
        read_group(&*reader.get_row_group(group)?, &mut lines)?;
    }
    Ok(DecodedSegment { facts, lines })
}

fn facts(reader: &SerializedFileReader<Bytes>) -> Result<SegmentFacts, DecodeError> {
    #[derive(serde::Deserialize)]
    struct FormOnly {
        form: u32,
    }
    let pairs = reader.metadata().file_metadata().key_value_metadata().ok_or(DecodeError::NoSegment)?;
    let text = pairs.iter().find(|pair| pair.key == FACTS_KEY).and_then(|pair| pair.value.as_deref());
    let text = text.ok_or(DecodeError::NoSegment)?;
    let form: FormOnly = serde_json::from_str(text).map_err(|_| DecodeError::NoSegment)?;
    if form.form > FORM {
        return Err(DecodeError::Newer);
    }
    serde_json::from_str(text).map_err(|_| DecodeError::NoSegment)
}

fn read_group(group: &dyn RowGroupReader, to: &mut Vec<ArchivalLine>) -> Result<(), DecodeError> {
    let count = usize::try_from(group.metadata().num_rows()).map_err(|_| DecodeError::NoSegment)?;
    let (numbers, times) = (numbers(group, NUMBER, count)?, numbers(group, TIME, count)?);
    let lines = byte_arrays(group, LINE, count)?;
    if numbers.len() != count || times.len() != count || lines.len() != count {
        return Err(DecodeError::NoSegment);
    }
    to.extend(numbers.into_iter().zip(times).zip(lines).map(|((number, time), line)| ArchivalLine {
        number,
        time: HybridTime::from_number(time),
        bytes: line.data().to_vec(),
    }));
    Ok(())
}

fn column(group: &dyn RowGroupReader, name: &str) -> Result<ColumnReader, DecodeError> {
    let place = COLUMNS.iter().position(|column| column.name == name).ok_or(DecodeError::NoSegment)?;
    if place >= group.num_columns() {
        return Err(DecodeError::NoSegment);
    }
    Ok(group.get_column_reader(place)?)
}

fn numbers(group: &dyn RowGroupReader, name: &str, count: usize) -> Result<Vec<i64>, DecodeError> {
    let ColumnReader::Int64ColumnReader(mut reader) = column(group, name)? else {
        return Err(DecodeError::NoSegment);
    };
    let mut values = Vec::new();
    reader.read_records(count, None, None, &mut values)?;
    Ok(values)
}

fn byte_arrays(group: &dyn RowGroupReader, name: &str, count: usize) -> Result<Vec<ByteArray>, DecodeError> {
    let ColumnReader::ByteArrayColumnReader(mut reader) = column(group, name)? else {
        return Err(DecodeError::NoSegment);
    };
    let mut values = Vec::new();
    reader.read_records(count, None, None, &mut values)?;
    Ok(values)
}

impl DecodedSegment {
    /// True if the lines are those of which the facts speak.
    pub(crate) fn is_sound(&self) -> bool {
        let SegmentFacts { tenant, stream, before, day, .. } = &self.facts;
        let mut lines = SegmentLines::after(tenant, stream, *before, *day);
        let all_fit = self.lines.iter().all(|line| lines.add(line.clone()).is_ok());
        all_fit && lines.facts().as_ref() == Some(&self.facts)
    }
}
