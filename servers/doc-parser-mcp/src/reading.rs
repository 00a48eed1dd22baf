//! From arguments to a document that was read, scans included.

use capability_documents::{Document, open};
use capability_kit::{Trouble, Work};

use crate::arguments::{Given, Ocr, Source};
use crate::scans::Scans;
use crate::trouble::told;

/// A document that was read, with the bytes it was read from.
pub(crate) struct Read {
    pub(crate) document: Document,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) fn read(source: Source, work: &Work) -> Result<(Read, Option<String>), Trouble> {
    let Given { bytes, said, options } = source.load(work)?;
    let document =
        open(&bytes, said.as_deref(), &options).map_err(|error| told(&error, options.password.as_deref()))?;
    Ok((Read { document, bytes }, options.password))
}

pub(crate) fn read_with_scans(source: Source, ocr: Ocr, scans: &Scans, work: &Work) -> Result<Read, Trouble> {
    let (mut read, password) = read(source, work)?;
    scans.fill_in(&mut read.document, &read.bytes, password.as_deref(), ocr, work);
    Ok(read)
}
