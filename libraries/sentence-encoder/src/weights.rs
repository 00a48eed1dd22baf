//! Tensors by name, each with the shape it must have.
//!
//! The format is safetensors: the length of a header, the header as JSON, then the numbers of all tensors. Reading it is
//! these few lines; the crates that do it are made for mapping files and for writing them.

use std::collections::HashMap;
use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;

use crate::LoadError;
use crate::folder::{Folder, WEIGHTS};

/// A prefix of every name in some files.
const PREFIX: &str = "bert.";
/// A header of more bytes is not one of a sentence encoder.
const HEADER_BYTES_MAX: usize = 16 << 20;
/// The one name in a header that is no tensor.
const METADATA: &str = "__metadata__";

pub(crate) struct Weights<'a> {
    entries: HashMap<String, TensorEntry>,
    data: &'a [u8],
}

#[derive(Deserialize)]
struct TensorEntry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

impl<'a> Weights<'a> {
    pub(crate) fn parse(folder: &Folder, bytes: &'a [u8]) -> Result<Self, LoadError> {
        read(bytes).map_err(|reason| LoadError::Weights { path: folder.path(WEIGHTS), reason })
    }

    /// The numbers of a tensor, row after row.
    pub(crate) fn take(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, LoadError> {
        let missing = || LoadError::NoTensor { name: name.to_owned() };
        let entry = self.entries.remove(name).ok_or_else(missing)?;
        if entry.shape != shape {
            let (found, wanted) = (entry.shape, shape.to_vec());
            return Err(LoadError::Shape { name: name.to_owned(), found, wanted });
        }
        let damaged = || LoadError::Tensor { name: name.to_owned(), kind: entry.dtype.clone() };
        let bytes = self.data.get(entry.range()).ok_or_else(damaged)?;
        let numbers = numbers(&entry.dtype, bytes).ok_or_else(damaged)?;
        (numbers.len() == shape.iter().product::<usize>()).then_some(numbers).ok_or_else(damaged)
    }
}

impl TensorEntry {
    fn range(&self) -> Range<usize> {
        self.data_offsets.0..self.data_offsets.1
    }
}

fn read(bytes: &[u8]) -> Result<Weights<'_>, String> {
    let (length, rest) = bytes.split_first_chunk().ok_or("it is too short")?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    if length > HEADER_BYTES_MAX.min(rest.len()) {
        return Err(format!("its header cannot have {length} bytes"));
    }
    let (header, data) = rest.split_at(length);
    let header: HashMap<String, Value> =
        serde_json::from_slice(header).map_err(|error| format!("its header is not JSON: {error}"))?;
    let mut entries = HashMap::new();
    for (name, entry) in header.into_iter().filter(|(name, _)| name != METADATA) {
        let entry = TensorEntry::deserialize(entry).map_err(|error| format!("its tensor {name}: {error}"))?;
        let name = name.strip_prefix(PREFIX).map(str::to_owned).unwrap_or(name);
        entries.insert(name, entry);
    }
    Ok(Weights { entries, data })
}

/// `None` for kinds of numbers that no sentence encoder has.
fn numbers(kind: &str, bytes: &[u8]) -> Option<Vec<f32>> {
    Some(match kind {
        "F64" => bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes) as f32).collect(),
        "F32" => bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
        "BF16" => bytes.as_chunks().0.iter().map(|bytes| bfloat(u16::from_le_bytes(*bytes))).collect(),
        "F16" => bytes.as_chunks().0.iter().map(|bytes| half(u16::from_le_bytes(*bytes))).collect(),
        _ => return None,
    })
}

/// The upper half of a number of 32 bits.
fn bfloat(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_sixteen_bits_are_read() {
        let halves = [0x3c00, 0xc000, 0x3555, 0x0001, 0x7bff, 0x0000, 0x7c00].map(half);
        assert_eq!(halves, [1.0, -2.0, 0.333_251_95, 5.960_464_5e-8, 65_504.0, 0.0, f32::INFINITY]);
        assert!(half(0x7e00).is_nan());
        assert_eq!([0x3f80, 0xc040, 0x0000].map(bfloat), [1.0, -3.0, 0.0]);
    }

    #[test]
    fn headers_that_cannot_be_are_refused() {
        for bytes in [&b""[..], b"\x01\0\0", &u64::MAX.to_le_bytes(), b"\x02\0\0\0\0\0\0\0[]"] {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn a_tensor_that_lies_outside_of_the_file_is_refused() {
        let header = br#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
        let file = [&(header.len() as u64).to_le_bytes()[..], header, &[0; 4]].concat();
        let error = read(&file).unwrap().take("a", &[2]).unwrap_err();
        assert!(matches!(error, LoadError::Tensor { .. }), "{error}");
    }
}
