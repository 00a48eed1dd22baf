use super::*;

fn check(bytes: &[u8], name: Option<&str>, wanted: &str) {
    assert_eq!(
        sniff(&ByteSample::whole(bytes), name),
        wanted,
        "{name:?} {:?}",
        &bytes[..bytes.len().min(40)]
    );
}

/// An archive of stored files without checksums, which are not checked here.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let length = u32::try_from(content.len()).unwrap().to_le_bytes();
        let name_length = u16::try_from(name.len()).unwrap().to_le_bytes();
        bytes.extend([b"PK\x03\x04", &[0; 14][..], &length, &length, &name_length, &[0, 0]].concat());
        bytes.extend([name.as_bytes(), content].concat());
        directory.extend([b"PK\x01\x02", &[0; 16][..], &length, &length, &name_length, &[0; 16]].concat());
        directory.extend(name.as_bytes());
    }
    bytes.extend(directory);
    bytes.extend([b"PK\x05\x06", &[0; 18][..]].concat());
    bytes
}

#[test]
fn bytes_tell_what_they_are_whatever_they_are_called() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01";
    let jpeg = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01";
    let gif = b"GIF89a\x01\0\x01\0\x80\0\0";
    let webp = b"RIFF\x24\0\0\0WEBPVP8 ";
    let mp4 = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom";
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";
    for (bytes, wanted) in [
        (&png[..], "image/png"),
        (jpeg, "image/jpeg"),
        (gif, "image/gif"),
        (webp, "image/webp"),
        (mp4, "video/mp4"),
        (gzip, "application/gzip"),
        (b"%PDF-1.7\nall letters", "application/pdf"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "application/pdf"),
        (b"{\\rtf1\\ansi hello}", "application/rtf"),
        (b"\x00\x01\x02\x03 something", UNKNOWN),
    ] {
        check(bytes, None, wanted);
        check(bytes, Some("harmless.txt"), wanted);
        check(bytes, Some("holiday.png"), wanted);
    }
}

#[test]
fn letters_are_text_even_where_they_look_like_something_else() {
    for text in ["BMW builds cars", "MZ is a moped", "FWS and CWS", "BZh", "ID3", "GIF89a is a format", "II*"]
    {
        check(text.as_bytes(), Some("notes.txt"), TEXT);
    }
    check(b"", None, TEXT);
    check("Größe".as_bytes(), Some("virus.exe"), TEXT);
    check(&encoding_rs::WINDOWS_1252.encode("Die Größe der Straße ist für Fußgänger.").0, None, TEXT);
    check(b"\xff\xfeH\0i\0", Some("a.csv"), "text/csv");
}

#[test]
fn the_name_says_which_kind_of_text_it_is_unless_the_content_speaks_against_it() {
    for (text, name, wanted) in [
        ("# Title", Some("a.md"), "text/markdown"),
        ("a,b\n1,2", Some("A.CSV"), "text/csv"),
        ("{\"a\": 1}", Some("a.json"), "application/json"),
        ("hello", Some("a.json"), TEXT),
        ("{\"a\": 1}", None, "application/json"),
        ("{\"a\": 1}", Some("a.txt"), TEXT),
        ("{\"a\": 1", None, TEXT),
        ("<!doctype html><p>", Some("a.html"), "text/html"),
        ("<!DOCTYPE html><p>", None, "text/html"),
        ("hello", Some("a.html"), TEXT),
        ("<?xml version='1.0'?><svg/>", Some("a.svg"), "image/svg+xml"),
        ("hello", Some("a.svg"), TEXT),
        ("<?xml version='1.0'?><a/>", None, "application/xml"),
        ("hello", Some("a.png"), TEXT),
        ("-----BEGIN CERTIFICATE-----", Some("a.pem"), TEXT),
    ] {
        check(text.as_bytes(), name, wanted);
    }
}

#[test]
fn office_documents_are_told_from_other_archives() {
    let types: (&str, &[u8]) = ("[Content_Types].xml", b"<Types/>");
    let word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    let sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    let slides = "application/vnd.openxmlformats-officedocument.presentationml.presentation";
    check(&archive(&[types, ("word/document.xml", b"")]), None, word);
    check(&archive(&[types, ("xl/workbook.xml", b"")]), Some("a.docx"), sheet);
    check(&archive(&[types, ("ppt/presentation.xml", b"")]), None, slides);
    for said in ["application/epub+zip", "application/vnd.oasis.opendocument.text"] {
        check(&archive(&[("mimetype", said.as_bytes()), ("content.xml", b"")]), None, said);
    }
    check(&archive(&[("META-INF/MANIFEST.MF", b"")]), None, "application/java-archive");
    check(&archive(&[types, ("a.txt", b"word/")]), Some("a.docx"), "application/zip");
    check(&archive(&[("word/document.xml", b"")]), None, "application/zip");
    check(b"PK\x03\x04", None, "application/zip");
}

#[test]
fn the_directory_at_the_end_tells_what_the_beginning_does_not() {
    let large = vec![1u8; 200_000];
    let files: [(&str, &[u8]); 3] =
        [("[Content_Types].xml", b""), ("docProps/thumbnail.jpeg", &large), ("word/document.xml", b"")];
    let bytes = archive(&files);
    let length = u64::try_from(bytes.len()).unwrap();
    let range = wants_tail(&bytes[..100], length).unwrap();
    assert_eq!(range, length - TAIL_BYTES..length);
    let tail = &bytes[usize::try_from(range.start).unwrap()..];
    let sample = ByteSample { head: &bytes[..8192], tail, bytes: length };
    assert!(sniff(&sample, None).ends_with("wordprocessingml.document"));
    assert_eq!(
        sniff(&ByteSample { tail: &[], ..sample }, None),
        "application/zip",
        "without it, less is known"
    );
    assert_eq!(wants_tail(b"text", 4), None);
}

#[test]
fn old_office_documents_name_their_streams() {
    for (name, wanted) in [("WordDocument", "application/msword"), ("Workbook", "application/vnd.ms-excel")] {
        let utf16: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(&[OLE_MAGIC, &[0; 100], &utf16].concat(), None, wanted);
    }
    check(&[OLE_MAGIC, &[0; 100]].concat(), None, "application/x-ole-storage");
}

proptest::proptest! {
    #[test]
    fn nothing_makes_it_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200), cut in 0usize..200) {
        let archive = archive(&[("mimetype", &bytes), ("[Content_Types].xml", b"")]);
        let cut = &archive[..cut.min(archive.len())];
        let sample = ByteSample { head: cut, tail: cut, bytes: 1_000 };
        let _kinds = (sniff(&sample, None), sniff(&ByteSample::whole(&bytes), Some("a.json")));
    }
}
