//! Small office files with a heading, a text and a table each.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const MAIN: &str = "http://schemas.openxmlformats.org";
const KINDS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

fn packed(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        archive.start_file(*name, SimpleFileOptions::default()).expect("a name");
        archive.write_all(text.as_bytes()).expect("memory takes everything");
    }
    archive.finish().expect("memory takes everything").into_inner()
}

fn types(part: &str, media_type: &str) -> String {
    format!(
        "<Types xmlns=\"{MAIN}/package/2006/content-types\"><Default Extension=\"rels\" \
         ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Override PartName=\"/{part}\" \
         ContentType=\"application/vnd.openxmlformats-officedocument.{media_type}.main+xml\"/></Types>"
    )
}

fn relation(kind: &str, target: &str) -> String {
    format!(
        "<Relationships xmlns=\"{MAIN}/package/2006/relationships\"><Relationship Id=\"r1\" Type=\"{KINDS}/{kind}\" \
         Target=\"{target}\"/></Relationships>"
    )
}

/// Headings, a list, and a table with cells that span others.
pub(super) fn docx() -> Vec<u8> {
    let text = |words: &str| format!("<w:p><w:r><w:t>{words}</w:t></w:r></w:p>");
    let body = format!(
        "<w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr><w:r><w:t>Lease</w:t></w:r></w:p>{}\
         <w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"2\"/></w:numPr></w:pPr><w:r><w:t>in writing</w:t></w:r></w:p>\
         <w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr>{}</w:tc></w:tr>\
         <w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>",
        text("The notice period is thirty days."),
        text("Rents"),
        text("May"),
        text("1000")
    );
    let document = format!(
        "<w:document xmlns:w=\"{MAIN}/wordprocessingml/2006/main\"><w:body>{body}</w:body></w:document>"
    );
    packed(&[
        ("[Content_Types].xml", &types("word/document.xml", "wordprocessingml.document")),
        ("_rels/.rels", &relation("officeDocument", "word/document.xml")),
        ("word/document.xml", &document),
    ])
}

/// One slide with a title, a text and a table.
pub(super) fn pptx() -> Vec<u8> {
    let text = |words: &str| format!("<a:p><a:r><a:t>{words}</a:t></a:r></a:p>");
    let shape = |kind: &str, words: &str| {
        format!(
            "<p:sp><p:nvSpPr><p:nvPr><p:ph type=\"{kind}\"/></p:nvPr></p:nvSpPr><p:txBody>{}</p:txBody></p:sp>",
            text(words)
        )
    };
    let cell = |words: &str| format!("<a:tc><a:txBody>{}</a:txBody></a:tc>", text(words));
    let slide = format!(
        "<p:sld xmlns:p=\"{MAIN}/presentationml/2006/main\" xmlns:a=\"{MAIN}/drawingml/2006/main\"><p:cSld><p:spTree>{}{}\
         <p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>{}{}</a:tr><a:tr>{}{}</a:tr></a:tbl></a:graphicData></a:graphic>\
         </p:graphicFrame></p:spTree></p:cSld></p:sld>",
        shape("title", "Lease"),
        shape("body", "The notice period is thirty days."),
        cell("Month"),
        cell("Rent"),
        cell("May"),
        cell("1000")
    );
    let presentation = format!(
        "<p:presentation xmlns:p=\"{MAIN}/presentationml/2006/main\" xmlns:r=\"{KINDS}\"><p:sldIdLst>\
         <p:sldId id=\"256\" r:id=\"r1\"/></p:sldIdLst></p:presentation>"
    );
    packed(&[
        ("[Content_Types].xml", &types("ppt/presentation.xml", "presentationml.presentation")),
        ("_rels/.rels", &relation("officeDocument", "ppt/presentation.xml")),
        ("ppt/presentation.xml", &presentation),
        ("ppt/_rels/presentation.xml.rels", &relation("slide", "slides/slide1.xml")),
        ("ppt/slides/slide1.xml", &slide),
    ])
}

/// One sheet with words, numbers and an empty cell.
pub(super) fn xlsx() -> Vec<u8> {
    let word = |at: &str, words: &str| format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{words}</t></is></c>");
    let sheet = format!(
        "<worksheet xmlns=\"{MAIN}/spreadsheetml/2006/main\"><dimension ref=\"A1:C3\"/><sheetData>\
         <row r=\"1\">{}{}</row><row r=\"2\">{}<c r=\"B2\"><v>1000</v></c></row>\
         <row r=\"3\">{}<c r=\"C3\"><f>1+1</f><v>2</v></c></row></sheetData></worksheet>",
        word("A1", "Month"),
        word("B1", "Rent"),
        word("A2", "May"),
        word("A3", "June")
    );
    let workbook = format!(
        "<workbook xmlns=\"{MAIN}/spreadsheetml/2006/main\" xmlns:r=\"{KINDS}\"><sheets>\
         <sheet name=\"Rents\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
    );
    packed(&[
        ("[Content_Types].xml", &types("xl/workbook.xml", "spreadsheetml.sheet")),
        ("_rels/.rels", &relation("officeDocument", "xl/workbook.xml")),
        ("xl/workbook.xml", &workbook),
        ("xl/_rels/workbook.xml.rels", &relation("worksheet", "worksheets/sheet1.xml")),
        ("xl/worksheets/sheet1.xml", &sheet),
    ])
}
