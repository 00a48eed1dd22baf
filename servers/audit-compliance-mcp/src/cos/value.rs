//! The kinds of objects.

use std::sync::Arc;

/// An object. Streams share their bytes, so that a copy is cheap.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PdfValue {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Name(Vec<u8>),
    Text(Vec<u8>),
    List(Vec<PdfValue>),
    Dict(Dict),
    Stream(Stream),
    Ref(u32),
}

/// Keys and values in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Dict(pub(crate) Vec<(Vec<u8>, PdfValue)>);

/// A dictionary and bytes as they are in the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stream {
    pub(crate) dict: Dict,
    pub(crate) body: Arc<[u8]>,
}

const NULL: PdfValue = PdfValue::Null;

impl Dict {
    pub(crate) fn get(&self, key: &str) -> &PdfValue {
        self.0.iter().find(|(own, _)| own == key.as_bytes()).map_or(&NULL, |(_, value)| value)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(own, value)| own == key.as_bytes() && *value != PdfValue::Null)
    }

    pub(crate) fn set(&mut self, key: &str, value: PdfValue) {
        match self.0.iter_mut().find(|(own, _)| own == key.as_bytes()) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.into(), value)),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &PdfValue)> {
        self.0.iter().map(|(key, value)| (key.as_slice(), value))
    }
}

impl PdfValue {
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            PdfValue::Name(name) => std::str::from_utf8(name).ok(),
            _ => None,
        }
    }

    pub(crate) fn is_name(&self, name: &str) -> bool {
        matches!(self, PdfValue::Name(own) if own == name.as_bytes())
    }

    pub(crate) fn int(&self) -> Option<i64> {
        match self {
            PdfValue::Int(number) => Some(*number),
            PdfValue::Real(number) if number.fract() == 0.0 && number.abs() < 1e15 => Some(*number as i64),
            _ => None,
        }
    }

    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            PdfValue::Int(number) => Some(*number as f64),
            PdfValue::Real(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match self {
            PdfValue::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<String> {
        self.bytes().map(text_of)
    }

    /// The dictionary of a dictionary or of a stream.
    pub(crate) fn dict(&self) -> Option<&Dict> {
        match self {
            PdfValue::Dict(dict) => Some(dict),
            PdfValue::Stream(stream) => Some(&stream.dict),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> &[PdfValue] {
        match self {
            PdfValue::List(list) => list,
            _ => &[],
        }
    }

    pub(crate) fn stream(&self) -> Option<&Stream> {
        match self {
            PdfValue::Stream(stream) => Some(stream),
            _ => None,
        }
    }

    pub(crate) fn reference(&self) -> Option<u32> {
        match self {
            PdfValue::Ref(number) => Some(*number),
            _ => None,
        }
    }
}

/// A text string: UTF-16 or UTF-8 by their marks, else Latin-1, which is near enough to PDF's own encoding.
fn text_of(bytes: &[u8]) -> String {
    if let Some(wide) = bytes.strip_prefix(b"\xfe\xff") {
        let units = wide.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        return char::decode_utf16(units).map(|it| it.unwrap_or('\u{fffd}')).collect();
    }
    if let Some(text) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return String::from_utf8_lossy(text).into_owned();
    }
    bytes.iter().map(|byte| char::from(*byte)).collect()
}
