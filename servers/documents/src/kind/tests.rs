//! The types of files, whatever their names.

use crate::testing::{docx, epub, odt, plain, pptx, xlsx, zip};
use crate::{DocumentError, DocumentKind, OpenOptions, open};

fn kind(bytes: &[u8]) -> DocumentKind {
    DocumentKind::of(bytes, None).unwrap()
}

fn found(bytes: &[u8]) -> String {
    DocumentKind::of(bytes, None).unwrap_err().to_string()
}

#[test]
fn every_format_is_known_by_its_content() {
    assert_eq!(kind(&docx("", &[])), DocumentKind::Docx);
    assert_eq!(kind(&odt("", "")), DocumentKind::Odt);
    assert_eq!(kind(&pptx(&[], &[])), DocumentKind::Pptx);
    assert_eq!(kind(&xlsx(&[], "")), DocumentKind::Xlsx);
    assert_eq!(kind(&epub(&[], &[])), DocumentKind::Epub);
    assert_eq!(kind(b"%PDF-1.7\n"), DocumentKind::Pdf);
    assert_eq!(kind(b"\n\n<!-- hi -->\n<!DOCTYPE HTML><p>x"), DocumentKind::Html);
    assert_eq!(kind(b"<p>a piece of a page</p>"), DocumentKind::Html);
    assert_eq!(kind(b"<note>some XML</note>"), DocumentKind::Text);
    assert_eq!(kind("plain — text".as_bytes()), DocumentKind::Text);
}

#[test]
fn what_is_said_settles_only_what_bytes_cannot_tell() {
    assert_eq!(DocumentKind::of(b"hello", Some("text/markdown; charset=utf-8")), Ok(DocumentKind::Markdown));
    assert_eq!(DocumentKind::of(b"just words", Some("page.html")), Ok(DocumentKind::Html));
    assert_eq!(DocumentKind::of(b"%PDF-1.4", Some("docx")), Ok(DocumentKind::Pdf));
    assert_eq!(DocumentKind::of(b"<!doctype html><p>x", Some("pdf")), Ok(DocumentKind::Html));
}

#[test]
fn a_mislabelled_file_is_read_as_what_it_is_with_a_warning() {
    let document = open(&docx(&plain("x"), &[]), Some("application/pdf"), &OpenOptions::default()).unwrap();
    assert_eq!(document.kind, DocumentKind::Docx);
    assert_eq!(
        document.warnings,
        ["the file was declared as \"application/pdf\" but is a Word document (DOCX), and was read as such"]
    );
}

#[test]
fn what_cannot_be_read_is_named() {
    let old = |stream: &str| {
        let name: Vec<u8> = stream.encode_utf16().flat_map(u16::to_le_bytes).collect();
        [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), &[0; 600], &name].concat()
    };
    let png = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0; 20]].concat();
    assert_eq!(
        found(&old("WordDocument")),
        "this is an old Word document (DOC), which cannot be read as a document"
    );
    assert!(found(&old("PowerPoint Document")).contains("an old presentation (PPT)"));
    assert!(found(&old("Workbook")).contains("an old workbook (XLS)"));
    assert!(found(b"{\\rtf1 hello}").contains("an RTF document"));
    assert!(found(&png).contains("a picture (PNG)"));
    assert!(found(b"\x1f\x8b\x08\0\0\0\0\0\0\x03abc\0\0\0").contains("an archive (GZ)"));
    assert!(found(&zip(&[("a.txt", b"hi")])).contains("a ZIP archive"));
    assert!(found(&[0, 1, 2, 3, 4, 250, 0, 7].repeat(50)).contains("data of an unknown kind"));
}

#[test]
fn words_that_begin_like_a_picture_are_words() {
    assert_eq!(kind(b"BMW and MZ are makers of motorcycles."), DocumentKind::Text);
}

#[test]
fn nothing_and_blanks_are_empty() {
    assert_eq!(DocumentKind::of(b"", None), Err(DocumentError::Empty));
    assert_eq!(DocumentKind::of(b" \n\t ", Some("pdf")), Err(DocumentError::Empty));
}

#[test]
fn an_office_document_behind_a_password_is_locked() {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bytes = [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), &[0; 600], &name].concat();
    assert_eq!(
        DocumentKind::of(&bytes, Some("docx")),
        Err(DocumentError::Locked { format: "Office document" })
    );
}
