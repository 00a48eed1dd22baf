//! Documents made for tests.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn zip(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A Word document with a heading and these paragraphs.
pub(crate) fn docx(paragraphs: &[&str]) -> Vec<u8> {
    let texts: String =
        paragraphs.iter().map(|text| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")).collect();
    let head = r#"<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Report</w:t></w:r></w:p>"#;
    let core = "<c><dc:title>Quarterly report</dc:title><dc:creator>Ann</dc:creator></c>";
    zip(&[
        ("word/document.xml", &format!("<w:document><w:body>{head}{texts}</w:body></w:document>")),
        ("docProps/core.xml", core),
    ])
}

/// A page with a table of that many rows.
pub(crate) fn table_page(rows: usize) -> String {
    let rows: String = (0..rows).map(|at| format!("<tr><td>row {at}</td><td>{at},5</td></tr>")).collect();
    format!("<!doctype html><h2>Values</h2><table><tr><th>Name</th><th>Value</th></tr>{rows}</table>")
}

/// A PDF of pages with text in its standard font; a page without text shows a grey picture.
pub(crate) fn pdf(pages: &[Option<&str>]) -> Vec<u8> {
    let mut objects = vec!["<< /Type /Catalog /Pages 2 0 R >>".to_owned(), String::new()];
    objects
        .push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned());
    let gray = "\x40".repeat(16);
    let head = "<< /Type /XObject /Subtype /Image /Width 4 /Height 4 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 16 >>";
    objects.push(format!("{head}\nstream\n{gray}\nendstream"));
    let mut kids = Vec::new();
    for page in pages {
        let content = match page {
            Some(text) => format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET"),
            None => "q 400 0 0 600 100 100 cm /Im Do Q".to_owned(),
        };
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
        let content_id = objects.len();
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {content_id} 0 R \
             /Resources << /Font << /F1 3 0 R >> /XObject << /Im 4 0 R >> >> >>"
        ));
        kids.push(format!("{} 0 R", objects.len()));
    }
    objects[1] = format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), kids.len());
    assemble(&objects)
}

fn assemble(objects: &[String]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (object, id) in objects.iter().zip(1..) {
        places.push(bytes.len());
        bytes.extend(format!("{id} 0 obj\n{object}\nendobj\n").into_bytes());
    }
    let start = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for place in places {
        bytes.extend(format!("{place:010} 00000 n \n").into_bytes());
    }
    bytes.extend(
        format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1)
            .into_bytes(),
    );
    bytes
}
