//! PDFs without compression, so that damage reaches the content.

use std::fmt::Write;

/// Objects, numbered from 1; the first is the catalogue.
fn assembled(objects: &[String]) -> Vec<u8> {
    let mut text = String::from("%PDF-1.7\n");
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(text.len());
        write!(text, "{} 0 obj\n{object}\nendobj\n", index + 1).expect("a string takes everything");
    }
    let table = text.len();
    write!(text, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).expect("a string takes everything");
    for offset in offsets {
        writeln!(text, "{offset:010} 00000 n ").expect("a string takes everything");
    }
    write!(
        text,
        "trailer\n<< /Size {} /Root 1 0 R /Info 9 0 R >>\nstartxref\n{table}\n%%EOF\n",
        objects.len() + 1
    )
    .expect("a string takes everything");
    text.into_bytes()
}

fn stream(dictionary: &str, content: &str) -> String {
    format!("<< {dictionary} /Length {} >>\nstream\n{content}\nendstream", content.len())
}

fn document(content: &str, resources: &str, more: &[String]) -> Vec<u8> {
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> {resources} >> >>"
    );
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        page,
        stream("", content),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 6 0 R >>"
            .to_owned(),
        stream(
            "",
            "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange \
            1 beginbfrange <20> <7E> <0020> endbfrange endcmap end",
        ),
    ];
    assembled(&[&objects[..], more].concat())
}

/// Two columns, a heading, a table with lines.
pub(crate) fn plain() -> Vec<u8> {
    let mut content = String::from("BT /F1 18 Tf 30 360 Td (A heading) Tj ET\n");
    for line in 0..8 {
        let y = 330 - line * 12;
        writeln!(
            content,
            "BT /F1 10 Tf 30 {y} Td (left column {line}) Tj 130 0 Td (right column {line}) Tj ET"
        )
        .expect("a string takes everything");
    }
    for line in 0..4 {
        let y = 200 - line * 20;
        writeln!(
            content,
            "30 {y} m 270 {y} l S BT /F1 9 Tf 35 {} Td (name {line}) Tj 120 0 Td ({line}.5) Tj ET",
            y + 5
        )
        .expect("a string takes everything");
    }
    content.push_str("30 140 m 30 200 l S 150 140 m 150 200 l S 270 140 m 270 200 l S\n");
    document(&content, "", &[])
}

/// Forms in forms, and one that contains itself.
pub(crate) fn forms() -> Vec<u8> {
    let form = "/Type /XObject /Subtype /Form /BBox [0 0 100 100] /Resources << /Font << /F1 5 0 R >> /XObject << /X 8 0 R >> >>";
    let more = [
        stream(form, "q 1 0 0 1 10 10 cm BT /F1 12 Tf (in a form) Tj ET /X Do Q"),
        stream(&form.replace("8 0 R", "7 0 R"), "BT /F1 12 Tf (deeper) Tj ET /X Do"),
        "<< /Title (Forms) /CreationDate (D:20240131120000+01'00') >>".to_owned(),
    ];
    document("/X Do BT /F1 12 Tf 3 Tr 20 20 Td [(hid) -200 (den)] TJ ET", "/XObject << /X 7 0 R >>", &more)
}

/// A page that is a picture.
pub(crate) fn scanned() -> Vec<u8> {
    let picture = stream(
        "/Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 8 /ColorSpace /DeviceGray",
        "0123456701234567012345670123456701234567012345670123456701234567",
    );
    document("q 300 0 0 400 0 0 cm /I Do Q", "/XObject << /I 7 0 R >>", &[picture])
}

/// A PDF that claims to be encrypted.
pub(crate) fn encrypted_looking() -> Vec<u8> {
    let text = String::from_utf8(plain()).expect("it was made of text");
    let key = "00".repeat(32);
    let entry = format!(
        "/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{key}> /U <{key}> >> /ID [<00><00>] /Root"
    );
    text.replace("/Root", &entry).into_bytes()
}
