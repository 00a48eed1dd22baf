//! Archives of texts: the office formats and books.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn packed(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        archive
            .start_file(*name, SimpleFileOptions::default())
            .expect("an archive in memory takes everything");
        archive.write_all(text.as_bytes()).expect("an archive in memory takes everything");
    }
    archive.finish().expect("an archive in memory can be closed").into_inner()
}

fn types(part: &str, media_type: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Override PartName=\"/{part}\" ContentType=\"application/vnd.openxmlformats-officedocument.{media_type}.main+xml\"/></Types>"
    )
}

fn relations(entries: &[(&str, &str, &str)]) -> String {
    let entries: String = entries
        .iter()
        .map(|(id, kind, target)| {
            format!(
                "<Relationship Id=\"{id}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}\" Target=\"{target}\"/>"
            )
        })
        .collect();
    format!(
        "<?xml version=\"1.0\"?><Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{entries}</Relationships>"
    )
}

pub(crate) fn docx() -> Vec<u8> {
    let body = "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>\
        <w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr><w:r><w:t>One</w:t></w:r></w:p>\
        <w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"2\"/></w:numPr></w:pPr><w:r><w:t>item</w:t></w:r></w:p>\
        <w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:r><w:footnoteReference w:id=\"1\"/></w:r></w:p>\
        <w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr><w:p><w:r><w:t>h</w:t></w:r></w:p></w:tc></w:tr>\
        <w:tr><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc></w:tr></w:tbl></w:body></w:document>";
    packed(&[
        ("[Content_Types].xml", &types("word/document.xml", "wordprocessingml.document")),
        ("_rels/.rels", &relations(&[("r1", "officeDocument", "word/document.xml")])),
        ("word/document.xml", body),
    ])
}

pub(crate) fn odt() -> Vec<u8> {
    let content = "<office:document-content xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
        xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\">\
        <office:body><office:text><text:h text:outline-level=\"1\">One</text:h><text:p>a<text:s text:c=\"3\"/>b<text:tab/></text:p>\
        <text:list><text:list-item><text:p>item</text:p></text:list-item></text:list>\
        <table:table><table:table-row table:number-rows-repeated=\"2\"><table:table-cell table:number-columns-repeated=\"3\"><text:p>1</text:p>\
        </table:table-cell></table:table-row></table:table></office:text></office:body></office:document-content>";
    packed(&[("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", content)])
}

pub(crate) fn pptx() -> Vec<u8> {
    let slide = "<p:sld xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\">\
        <p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type=\"title\"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Title</a:t></a:r></a:p></p:txBody></p:sp>\
        <p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>1</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl>\
        </a:graphicData></a:graphic></p:graphicFrame></p:spTree></p:cSld></p:sld>";
    let presentation = "<p:presentation xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" \
        xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><p:sldIdLst><p:sldId id=\"256\" r:id=\"r1\"/></p:sldIdLst></p:presentation>";
    packed(&[
        ("[Content_Types].xml", &types("ppt/presentation.xml", "presentationml.presentation")),
        ("_rels/.rels", &relations(&[("r1", "officeDocument", "ppt/presentation.xml")])),
        ("ppt/presentation.xml", presentation),
        ("ppt/_rels/presentation.xml.rels", &relations(&[("r1", "slide", "slides/slide1.xml")])),
        ("ppt/slides/slide1.xml", slide),
    ])
}

pub(crate) fn xlsx() -> Vec<u8> {
    let sheet = "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><dimension ref=\"A1:C2\"/><sheetData>\
        <row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\"><v>1.5</v></c></row>\
        <row r=\"2\"><c r=\"A2\" t=\"inlineStr\"><is><t>in</t></is></c><c r=\"C2\"><f>1+1</f><v>2</v></c></row></sheetData></worksheet>";
    let workbook = "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
        xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets><sheet name=\"One\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>";
    let strings = "<sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><si><t>shared</t></si></sst>";
    packed(&[
        ("[Content_Types].xml", &types("xl/workbook.xml", "spreadsheetml.sheet")),
        ("_rels/.rels", &relations(&[("r1", "officeDocument", "xl/workbook.xml")])),
        ("xl/workbook.xml", workbook),
        (
            "xl/_rels/workbook.xml.rels",
            &relations(&[
                ("r1", "worksheet", "worksheets/sheet1.xml"),
                ("r2", "sharedStrings", "sharedStrings.xml"),
            ]),
        ),
        ("xl/worksheets/sheet1.xml", sheet),
        ("xl/sharedStrings.xml", strings),
    ])
}

pub(crate) fn epub() -> Vec<u8> {
    let container = "<container xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\"><rootfiles>\
        <rootfile full-path=\"book.opf\" media-type=\"application/oebps-package+xml\"/></rootfiles></container>";
    let book = "<package xmlns=\"http://www.idpf.org/2007/opf\"><metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>T</dc:title></metadata>\
        <manifest><item id=\"a\" href=\"a.xhtml\" media-type=\"application/xhtml+xml\"/></manifest><spine><itemref idref=\"a\"/></spine></package>";
    packed(&[
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", container),
        ("book.opf", book),
        (
            "a.xhtml",
            "<html xmlns=\"http://www.w3.org/1999/xhtml\"><body><h1>One</h1><p>words</p></body></html>",
        ),
    ])
}
