//! Documents that cannot be read: damaged, locked, made to break readers.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Elements within elements: more than anybody writes.
const DEPTH: usize = 20_000;

/// The paths begin with `bad/`.
pub(crate) fn unreadable() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("bad/cut.pdf", b"%PDF-1.7\n1 0 obj\n<<".to_vec()),
        ("bad/empty.md", Vec::new()),
        ("bad/locked.docx", locked()),
        ("bad/nested.docx", nested()),
        ("bad/odd.bin", [0, 1, 2, 3, 4, 250, 0, 7].repeat(50)),
        ("bad/torn.docx", nested()[..200].to_vec()),
    ]
}

/// An Office document behind a password: a compound file with one known name in it.
fn locked() -> Vec<u8> {
    let mut bytes = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    bytes.extend([0; 504]);
    bytes.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    bytes
}

fn nested() -> Vec<u8> {
    let word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    let (open, close) = ("<w:sdt><w:sdtContent>".repeat(DEPTH), "</w:sdtContent></w:sdt>".repeat(DEPTH));
    let document = format!(r#"<w:document xmlns:w="{word}"><w:body>{open}{close}</w:body></w:document>"#);
    let types = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in [("[Content_Types].xml", types), ("word/document.xml", &document)] {
        writer.start_file(name, options).expect("a name");
        writer.write_all(content.as_bytes()).expect("memory takes everything");
    }
    writer.finish().expect("memory takes everything").into_inner()
}
