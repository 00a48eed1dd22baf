//! Archives that unpack to excessive sizes, and mutated ones.

use proptest::prelude::*;

use super::Archive;
use crate::error::DocumentError;
use crate::limits::DocumentLimits;
use crate::testing::{content_types, docx, epub, odt, plain, pptx, refused, xlsx, zip, zip_of};
use crate::{OpenOptions, open};

fn limit_of(error: DocumentError) -> &'static str {
    match error {
        DocumentError::TooLarge { what, .. } => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_file_that_unpacks_to_very_much_is_refused() {
    let bomb = zip_of(&[
        content_types("openxmlformats-officedocument.wordprocessingml.document.main"),
        ("word/document.xml", format!("<w:document>{}</w:document>", " ".repeat(20 << 20))),
    ]);
    assert!(bomb.len() < 1 << 20);
    assert_eq!(limit_of(refused(&bomb)), "a compression ratio");
}

#[test]
fn many_files_that_unpack_to_very_much_together_are_refused() {
    let part = "<a/>".repeat(64 << 10);
    let names: Vec<String> = (0..64).map(|at| format!("xl/worksheets/sheet{at}.xml")).collect();
    let mut parts = vec![content_types("openxmlformats-officedocument.spreadsheetml.sheet.main")];
    parts.extend(names.iter().map(|name| (name.as_str(), part.clone())));
    let bomb = zip_of(&parts);
    let limits = DocumentLimits { unpacked_bytes_max: 4 << 20, ..DocumentLimits::default() };
    let error = open(&bomb, None, &OpenOptions { limits, ..OpenOptions::default() }).unwrap_err();
    assert_eq!(limit_of(error), "an unpacked size in bytes");
}

#[test]
fn an_archive_within_an_archive_is_not_opened() {
    let inner = zip(&[("a", &vec![0; 1 << 20])]);
    let outer = zip(&[("inner.zip", &inner)]);
    assert!(matches!(refused(&outer), DocumentError::Unsupported { .. }));
}

#[test]
fn too_many_files_are_refused() {
    let names: Vec<String> = (0..10_001).map(|at| format!("f{at}")).collect();
    let parts: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"".as_slice())).collect();
    assert_eq!(limit_of(refused(&zip(&parts))), "a number of packed files");
}

#[test]
fn names_are_found_in_any_case_and_with_any_slash() {
    let bytes = zip(&[("Word\\Document.XML", b"x")]);
    let mut archive = Archive::open(&bytes, "test", &DocumentLimits::default()).unwrap();
    assert_eq!(archive.find("/word/document.xml").unwrap().as_deref(), Some(b"x".as_slice()));
    assert!(archive.get("other").is_err());
}

#[test]
fn a_truncated_archive_is_damaged() {
    let whole = docx(&plain("x"), &[]);
    for length in [5, whole.len() / 2, whole.len() - 1] {
        assert!(matches!(refused(&whole[..length]), DocumentError::Damaged { .. }), "{length}");
    }
}

#[test]
fn an_encrypted_archive_is_locked() {
    // The flag for it, in the local header and in the directory.
    let mut bytes = docx(&plain("x"), &[]);
    for (mark, at) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        let places: Vec<usize> = memchr::memmem::find_iter(&bytes, mark).collect();
        places.into_iter().for_each(|place| bytes[place + at] |= 1);
    }
    assert_eq!(refused(&bytes), DocumentError::Locked { format: "ZIP archive" });
}

fn documents() -> Vec<Vec<u8>> {
    let row = r#"<row r="1"><c r="A1"><v>1</v></c></row>"#.to_owned();
    vec![
        docx(&(plain("one") + "<w:tbl><w:tr><w:tc/></w:tr></w:tbl>"), &[]),
        odt("", "<text:p>one</text:p>"),
        pptx(&["<p:sp><p:txBody><a:p><a:r><a:t>one</a:t></a:r></a:p></p:txBody></p:sp>".to_owned()], &[]),
        xlsx(&[("S".to_owned(), row)], ""),
        epub(&["<p>one</p>"], &[]),
        b"<!doctype html><table><tr><td colspan=2>x<ul><li>y</table>".to_vec(),
        b"# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n".to_vec(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_mutated_document_is_read_or_refused(
        which in 0..7_usize,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        length in any::<prop::sample::Index>(),
    ) {
        let mut bytes = documents().swap_remove(which);
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        // Half of the archives are truncated as well.
        if length.index(2) == 0 {
            bytes.truncate(length.index(bytes.len()) + 1);
        }
        drop(open(&bytes, None, &OpenOptions::default()));
    }

    #[test]
    fn parts_of_noise_are_read_or_refused(noise in "[<>/a-z=\"&;: \\u{0}-\\u{ff}]{0,200}") {
        let body = format!("<w:p>{noise}</w:p>");
        drop(open(&docx(&body, &[]), None, &OpenOptions::default()));
        drop(open(&odt("", &noise), None, &OpenOptions::default()));
        drop(open(format!("<html>{noise}").as_bytes(), None, &OpenOptions::default()));
        drop(open(&xlsx(&[("S".to_owned(), noise)], ""), None, &OpenOptions::default()));
    }
}
