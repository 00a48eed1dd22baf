//! Vectors as the bytes of a file, so that a catalogue is embedded once and not at every start.
//!
//! A header line, the model, the dimensions, the vectors by the digests of their texts, and a digest of all
//! that: a truncated file, or one made by another model, is refused, and the caller starts afresh.

use toolgate_core::Digest;

use super::vector::Vector;

const MAGIC: &[u8] = b"toolgate vectors 1\n";
const DIGEST_BYTES: usize = 32;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCache {
    #[error("these are not vectors of tools")]
    Foreign,
    #[error("the vectors of tools are damaged or cut short")]
    Damaged,
    #[error("the vectors of tools were made by another model")]
    OtherModel,
}

pub(super) fn encode<'a>(
    model: &str,
    dimensions: usize,
    vectors: impl Iterator<Item = (&'a Digest, &'a Vector)>,
) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(head(model, dimensions));
    for (digest, vector) in vectors {
        bytes.extend(digest.as_bytes());
        bytes.extend(vector.values()[..dimensions].iter().flat_map(|value| value.to_le_bytes()));
    }
    bytes.extend(Digest::of(&bytes).as_bytes());
    bytes
}

pub(super) fn decode(
    bytes: &[u8],
    model: &str,
    dimensions: usize,
) -> Result<Vec<(Digest, Vector)>, BadCache> {
    let content = bytes.strip_prefix(MAGIC).ok_or(BadCache::Foreign)?;
    let (content, digest) = content.split_last_chunk::<DIGEST_BYTES>().ok_or(BadCache::Damaged)?;
    if Digest::of(&bytes[..bytes.len() - DIGEST_BYTES]).as_bytes() != digest {
        return Err(BadCache::Damaged);
    }
    let rows = content.strip_prefix(&*head(model, dimensions)).ok_or(BadCache::OtherModel)?;
    let rows = rows.chunks(DIGEST_BYTES + 2 * dimensions);
    rows.map(|row| read(row, dimensions).ok_or(BadCache::Damaged)).collect()
}

fn head(model: &str, dimensions: usize) -> Vec<u8> {
    format!("{model}\n{dimensions}\n").into_bytes()
}

fn read(row: &[u8], dimensions: usize) -> Option<(Digest, Vector)> {
    let (digest, values) = row.split_first_chunk::<DIGEST_BYTES>()?;
    let (values, rest) = values.as_chunks::<2>();
    let is_whole = values.len() == dimensions && rest.is_empty();
    let values = values.iter().map(|value| i16::from_le_bytes(*value));
    is_whole.then(|| (Digest::from_bytes(*digest), Vector::of_whole(values.collect())))
}
