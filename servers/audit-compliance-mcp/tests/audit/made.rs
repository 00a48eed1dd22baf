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

/// A page that shows a picture of some lines, and below it another line as text.
pub(crate) fn scan(lines: &[&str], text: &str) -> Vec<u8> {
    let drawn = capability_documents::pdf::render(&page(lines, "", "", &[]), 1, 150.0, None).unwrap();
    let hex: String = drawn.rgb.chunks_exact(3).map(|it| format!("{:02x}", it[0])).collect();
    let image = stream(
        &format!(
            "/Type /XObject /Subtype /Image /Width {} /Height {} /BitsPerComponent 8 /ColorSpace /DeviceGray \
             /Filter /ASCIIHexDecode",
            drawn.width, drawn.height
        ),
        &format!("{hex}>"),
    );
    assembled(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> /XObject << /Scan 7 0 R >> >> >>"
            .to_owned(),
        stream("", &format!("q 595 0 0 842 0 0 cm /Scan Do Q BT /F1 12 Tf 50 300 Td ({text}) Tj ET")),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        "<< /Producer (By hand) >>".to_owned(),
        image,
    ])
}

/// A page with a layer that is off, a note, a form field and invisible text, each with a word that nobody sees.
pub(crate) fn hiding(word: &str) -> Vec<u8> {
    let content = format!(
        "BT /F1 12 Tf 50 700 Td (In sight.) Tj ET /OC /Layer BDC BT /F1 12 Tf 50 600 Td (layer {word}) Tj ET EMC \
         BT 3 Tr /F1 12 Tf 50 500 Td (unseen {word}) Tj ET /Span << /ActualText (actual {word}) >> BDC EMC"
    );
    assembled(&[
        "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [7 0 R] /D << /OFF [7 0 R] /Order [7 0 R] >> >> \
         /AcroForm << /Fields [10 0 R] >> >>"
            .to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Annots [8 0 R 9 0 R 10 0 R] \
         /Resources << /Font << /F1 5 0 R >> /Properties << /Layer 7 0 R >> >> >>"
            .to_owned(),
        stream("", &content),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        format!("<< /Subject ({word}) >>"),
        format!("<< /Type /OCG /Name (about {word}) >>"),
        format!("<< /Type /Annot /Subtype /Text /Rect [9 9 20 20] /Contents (note {word}) /T ({word}) /F 2 >>"),
        format!("<< /Type /Annot /Subtype /Popup /Rect [9 9 20 20] /Parent 8 0 R /Contents (popup {word}) >>"),
        format!(
            "<< /Type /Annot /Subtype /Widget /FT /Tx /T (field) /V (field {word}) /Rect [50 100 200 120] /F 4 >>"
        ),
    ])
}

/// A Word document with a comment, a tracked insertion and deletion, and hidden text.
pub(crate) fn word() -> Vec<u8> {
    const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    let office = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
    let types =
        format!("<Types><Override PartName=\"/word/document.xml\" ContentType=\"{office}\"/></Types>");
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments";
    let relations = format!(
        "<Relationships><Relationship Id=\"c\" Type=\"{kind}\" Target=\"comments.xml\"/></Relationships>"
    );
    let body = "<w:p><w:r><w:t>We like trees.</w:t></w:r><w:del w:author=\"Helga\"><w:r><w:delText>hate</w:delText></w:r></w:del>\
        <w:ins w:author=\"Helga\"><w:r><w:t>love</w:t></w:r></w:ins>\
        <w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>";
    let document = format!("<w:document xmlns:w=\"{WORD}\"><w:body>{body}</w:body></w:document>");
    let comments = format!(
        "<w:comments xmlns:w=\"{WORD}\"><w:comment w:author=\"Otto\"><w:p><w:r><w:t>Really?</w:t></w:r></w:p></w:comment></w:comments>"
    );
    stored(&[
        ("[Content_Types].xml", &types),
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", &relations),
        ("word/comments.xml", &comments),
    ])
}

/// A ZIP archive of stored members.
fn stored(members: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in members {
        let options =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        writer.start_file(*name, options).unwrap();
        std::io::Write::write_all(&mut writer, text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}
