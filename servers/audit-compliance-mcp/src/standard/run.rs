//! One check from beginning to end.

use super::checker::Checker;
use super::kinds::{CheckError, Standard, Verdict};
use super::{document, xmp};
use crate::cos::PdfFile;

/// Checks a file.
pub fn check(bytes: &[u8], standard: Standard) -> Result<Verdict, CheckError> {
    if bytes.is_empty() {
        return Err(CheckError::Empty);
    }
    let file = PdfFile::read(bytes)?;
    let mut checker = Checker::new(&file, standard);
    document::check(&mut checker);
    let claimed = checker.claimed;
    let findings = checker.found.sorted();
    Ok(Verdict { standard, passes: findings.is_empty(), claimed, findings, encrypted: file.is_encrypted() })
}

/// Simple properties of a file's XMP metadata.
pub(crate) fn metadata(file: &PdfFile) -> Vec<(String, String)> {
    file.catalogue().map(|it| xmp::simple_properties(file, it)).unwrap_or_default()
}
