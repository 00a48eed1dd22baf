//! Documents for tests: archives of small parts.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::{Document, DocumentError, OpenOptions, open};

pub(crate) const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// An archive with these members.
pub(crate) fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in parts {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// The same for texts.
pub(crate) fn zip_of(parts: &[(&str, String)]) -> Vec<u8> {
    let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    zip(&parts)
}

pub(crate) fn content_types(main: &str) -> (&'static str, String) {
    let types = format!(
        r#"<Types><Override PartName="/main.xml" ContentType="application/vnd.{main}+xml"/></Types>"#
    );
    ("[Content_Types].xml", types)
}

/// Relations as `(id, kind, target)`; targets with a scheme are outside.
pub(crate) fn relations(relations: &[(&str, &str, &str)]) -> String {
    let each = relations.iter().map(|(id, kind, target)| {
        let mode = if target.contains(':') { r#" TargetMode="External""# } else { "" };
        format!(r#"<Relationship Id="{id}" Type="{RELATIONS}/{kind}" Target="{target}"{mode}/>"#)
    });
    format!("<Relationships>{}</Relationships>", each.collect::<String>())
}

/// A Word document of a body and other parts.
pub(crate) fn docx(body: &str, more: &[(&str, String)]) -> Vec<u8> {
    let main = format!(
        r#"<?xml version="1.0"?><w:document xmlns:w="{WORD}" xmlns:r="{RELATIONS}"><w:body>{body}</w:body></w:document>"#
    );
    let mut parts = vec![
        content_types("openxmlformats-officedocument.wordprocessingml.document.main"),
        ("word/document.xml", main),
    ];
    parts.extend(more.iter().cloned());
    zip_of(&parts)
}

/// A paragraph of a Word document, in a style.
pub(crate) fn paragraph(style: &str, text: &str) -> String {
    format!(r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#)
}

pub(crate) fn plain(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

/// An OpenDocument text.
pub(crate) fn odt(styles: &str, text: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:automatic-styles>{styles}</office:automatic-styles>\
         <office:body><office:text>{text}</office:text></office:body></office:document-content>"
    );
    zip_of(&[("mimetype", "application/vnd.oasis.opendocument.text".to_owned()), ("content.xml", content)])
}

/// A presentation of slides, each given by the content of its shape tree.
pub(crate) fn pptx(slides: &[String], more: &[(&str, String)]) -> Vec<u8> {
    let ids: String =
        (1..=slides.len()).map(|at| format!(r#"<p:sldId id="{}" r:id="rId{at}"/>"#, at + 255)).collect();
    let names: Vec<String> = (1..=slides.len()).map(|at| format!("slides/slide{at}.xml")).collect();
    let keys: Vec<String> = (1..=slides.len()).map(|at| format!("rId{at}")).collect();
    let related: Vec<(&str, &str, &str)> =
        keys.iter().zip(&names).map(|(key, name)| (key.as_str(), "slide", name.as_str())).collect();
    let main = format!("<p:presentation><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>");
    let mut parts = vec![
        content_types("openxmlformats-officedocument.presentationml.presentation.main"),
        ("ppt/presentation.xml", main),
        ("ppt/_rels/presentation.xml.rels", relations(&related)),
    ];
    let paths: Vec<String> = names.iter().map(|name| format!("ppt/{name}")).collect();
    for (path, slide) in paths.iter().zip(slides) {
        parts.push((path, format!("<p:sld><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>")));
    }
    parts.extend(more.iter().cloned());
    zip_of(&parts)
}

/// A workbook of sheets, each a name and its rows.
pub(crate) fn xlsx(sheets: &[(String, String)], styles: &str) -> Vec<u8> {
    let numbers = 1..=sheets.len();
    let listed: String = sheets
        .iter()
        .zip(numbers.clone())
        .map(|((name, _), at)| format!(r#"<sheet name="{name}" sheetId="{at}" r:id="rId{at}"/>"#))
        .collect();
    let workbook = format!(
        r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{RELATIONS}"><sheets>{listed}</sheets></workbook>"#
    );
    let names: Vec<String> = numbers.clone().map(|at| format!("worksheets/sheet{at}.xml")).collect();
    let keys: Vec<String> = numbers.map(|at| format!("rId{at}")).collect();
    let mut related: Vec<(&str, &str, &str)> =
        keys.iter().zip(&names).map(|(key, name)| (key.as_str(), "worksheet", name.as_str())).collect();
    related.push(("styles", "styles", "styles.xml"));
    let mut parts = vec![
        content_types("openxmlformats-officedocument.spreadsheetml.sheet.main"),
        ("_rels/.rels", relations(&[("main", "officeDocument", "xl/workbook.xml")])),
        ("xl/workbook.xml", workbook),
        ("xl/_rels/workbook.xml.rels", relations(&related)),
        ("xl/styles.xml", format!("<styleSheet>{styles}</styleSheet>")),
    ];
    let paths: Vec<String> = names.iter().map(|name| format!("xl/{name}")).collect();
    for (path, (_, rows)) in paths.iter().zip(sheets) {
        parts.push((path, format!("<worksheet><sheetData>{rows}</sheetData></worksheet>")));
    }
    zip_of(&parts)
}

/// A book of chapters, each the body of a page.
pub(crate) fn epub(chapters: &[&str], more: &[(&str, String)]) -> Vec<u8> {
    let at = 1..=chapters.len();
    let items: String = at
        .clone()
        .map(|at| {
            format!(r#"<item id="c{at}" href="text/c%20{at}.xhtml" media-type="application/xhtml+xml"/>"#)
        })
        .collect();
    // Chapters are listed in reverse, so that only the spine gives the right order.
    let spine: String = at.clone().map(|at| format!(r#"<itemref idref="c{at}"/>"#)).collect();
    let description = format!(
        "<package><metadata><dc:title>The Book</dc:title><dc:creator>Ann Author</dc:creator><dc:creator>Bob</dc:creator>\
         <dc:date>2020-05-01</dc:date></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    );
    let container =
        r#"<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"#.to_owned();
    let mut parts = vec![
        ("mimetype", "application/epub+zip".to_owned()),
        ("META-INF/container.xml", container),
        ("OEBPS/book.opf", description),
    ];
    let paths: Vec<String> = at.map(|at| format!("OEBPS/text/c {at}.xhtml")).collect();
    for (path, chapter) in paths.iter().zip(chapters).rev() {
        parts.push((
            path,
            format!(r#"<?xml version="1.0"?><html><head><title/></head><body>{chapter}</body></html>"#),
        ));
    }
    parts.extend(more.iter().cloned());
    zip_of(&parts)
}

pub(crate) fn read(bytes: &[u8]) -> Document {
    open(bytes, None, &OpenOptions::default()).unwrap()
}

pub(crate) fn refused(bytes: &[u8]) -> DocumentError {
    open(bytes, None, &OpenOptions::default()).unwrap_err()
}
