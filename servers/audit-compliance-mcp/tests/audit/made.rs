//! PDFs for tests, written by hand.

use std::fmt::Write;

/// Objects, numbered from 1; the first is the catalogue.
pub(crate) fn assembled(objects: &[String]) -> Vec<u8> {
    let mut text = String::from("%PDF-1.7\n%\u{e2}\u{e3}\u{cf}\u{d3}\n");
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(text.len());
        write!(text, "{} 0 obj\n{object}\nendobj\n", index + 1).unwrap();
    }
    let table = text.len();
    write!(text, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).unwrap();
    for offset in offsets {
        writeln!(text, "{offset:010} 00000 n ").unwrap();
    }
    let size = objects.len() + 1;
    write!(text, "trailer\n<< /Size {size} /Root 1 0 R /Info 6 0 R >>\nstartxref\n{table}\n%%EOF\n").unwrap();
    text.into_bytes()
}

pub(crate) fn stream(dictionary: &str, content: &str) -> String {
    format!("<< {dictionary} /Length {} >>\nstream\n{content}\nendstream", content.len())
}

/// One page with lines of text, an author in its metadata, and more objects from the seventh on.
pub(crate) fn page(lines: &[&str], catalogue: &str, page: &str, more: &[String]) -> Vec<u8> {
    let mut content = String::from("BT /F1 12 Tf 14 TL 50 700 Td\n");
    for line in lines {
        writeln!(content, "({line}) Tj T*").unwrap();
    }
    content.push_str("ET");
    let objects = [
        format!("<< /Type /Catalog /Pages 2 0 R {catalogue} >>"),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R \
             /Resources << /Font << /F1 5 0 R >> >> {page} >>"
        ),
        stream("", &content),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        "<< /Author (Ottilie Quandt) /Producer (By hand) >>".to_owned(),
    ];
    assembled(&[&objects[..], more].concat())
}

/// Metadata that claims both standards.
pub(crate) fn claims() -> String {
    let xmp = "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\
        <rdf:Description rdf:about=\"\" xmlns:pdfaid=\"http://www.aiim.org/pdfa/ns/id/\" pdfaid:part=\"2\" pdfaid:conformance=\"B\" \
        xmlns:pdfuaid=\"http://www.aiim.org/pdfua/ns/id/\" pdfuaid:part=\"1\"/></rdf:RDF></x:xmpmeta>";
    stream("/Type /Metadata /Subtype /XML", xmp)
}
