//! From arguments to a document that was read, scans included.

use capability_documents::{Document, open};
use capability_kit::{Trouble, Work};

use crate::arguments::{DocumentSource, GivenDocument, Ocr};
use crate::scans::ScanReader;
use crate::trouble::told;

/// A document that was read, with the bytes it was read from.
pub(crate) struct ReadDocument {
    pub(crate) document: Document,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) fn read(source: DocumentSource, work: &Work) -> Result<(ReadDocument, Option<String>), Trouble> {
    let GivenDocument { bytes, said, options } = source.load(work)?;
    let document =
        open(&bytes, said.as_deref(), &options).map_err(|error| told(&error, options.password.as_deref()))?;
    Ok((ReadDocument { document, bytes }, options.password))
}

pub(crate) fn read_with_scans(
    source: DocumentSource,
    ocr: Ocr,
    scans: &ScanReader,
    work: &Work,
) -> Result<ReadDocument, Trouble> {
    let (mut read, password) = read(source, work)?;
    scans.fill_in(&mut read.document, &read.bytes, password.as_deref(), ocr, work);
    Ok(read)
}
