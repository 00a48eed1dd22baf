//! The finished package: parts that the DOCX writer cannot express are added here, and everything is
//! compressed.

use std::io::Cursor;

use docx_rs::{Docx, XMLDocx};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::article::Article;
use crate::day::Day;
use crate::docx::body::PlacedPicture;
use crate::docx::twips;
use crate::error::TypesetError;
use crate::picture::PictureKind;
use crate::style::Style;

pub(super) fn pack(
    docx: Docx,
    article: &Article,
    style: &Style,
    language: &str,
    pictures: &[PlacedPicture],
) -> Result<Vec<u8>, TypesetError> {
    let mut parts = docx.build();
    parts.doc_props.core = core(article, style, language).into_bytes();
    amend(&mut parts, style, language, pictures);
    let mut loose = Cursor::new(Vec::new());
    parts.pack(&mut loose).map_err(|error| failed(&error))?;
    tighten(loose, pictures).map_err(|error| failed(&error))
}

fn failed(error: &impl std::fmt::Display) -> TypesetError {
    TypesetError::Set { why: format!("the DOCX could not be packed: {error}") }
}

/// Title, author, date and language, as programs show them without opening the document.
fn core(article: &Article, style: &Style, language: &str) -> String {
    let said: Option<Day> = article.date.as_deref().and_then(|date| date.parse().ok());
    let date = said.or(style.written).map(|day| {
        ["created", "modified"]
            .map(|name| {
                format!(r#"<dcterms:{name} xsi:type="dcterms:W3CDTF">{day}T00:00:00Z</dcterms:{name}>"#)
            })
            .concat()
    });
    let element = |name: &str, value: Option<&str>| {
        value.map(|value| format!("<{name}>{}</{name}>", escape(value))).unwrap_or_default()
    };
    format!(
        concat!(
            r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#,
            r#"<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" "#,
            r#"xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" "#,
            r#"xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">{}{}{}{}</cp:coreProperties>"#
        ),
        element("dc:title", article.title.as_deref()),
        element("dc:creator", article.author.as_deref()),
        element("dc:language", Some(language)),
        date.unwrap_or_default(),
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Text in these parts is escaped, so a match can only be an element.
fn amend(parts: &mut XMLDocx, style: &Style, language: &str, pictures: &[PlacedPicture]) {
    change(&mut parts.document, |document| {
        let document = document.replace("<w:cantSplit />", "<w:cantSplit /><w:tblHeader />").replace(
            r#"<w:cols w:space="425" w:num="1" />"#,
            &format!(r#"<w:cols w:space="425" w:num="{}" />"#, style.columns),
        );
        let width = (twips(style.text_width_mm()) / i32::from(style.columns)).to_string();
        // The writer's tables of contents have their tab far outside the page, and ids that others have too.
        let document = document.replace(r#"w:pos="80000""#, &format!(r#"w:pos="{width}""#));
        described(&without_ids(&document), pictures)
    });
    let code = escape(language);
    let tag =
        format!(r#"<w:lang w:val="{code}" w:eastAsia="{code}" w:bidi="{code}" /></w:rPr></w:rPrDefault>"#);
    change(&mut parts.styles, |styles| {
        // A paragraph without a style has this one.
        let normal = r#"w:default="1" w:styleId="Normal""#;
        styles.replacen("</w:rPr></w:rPrDefault>", &tag, 1).replacen(r#"w:styleId="Normal""#, normal, 1)
    });
    change(&mut parts.document_rels, |rels| {
        pictures.iter().filter(|picture| picture.kind == PictureKind::Jpeg).fold(rels, |rels, picture| {
            rels.replace(&format!("media/{}.png", picture.id), &format!("media/{}.jpeg", picture.id))
        })
    });
}

fn change(part: &mut Vec<u8>, with: impl FnOnce(String) -> String) {
    if let Ok(text) = String::from_utf8(std::mem::take(part)) {
        *part = with(text).into_bytes();
    }
}

/// Removes the paragraph ids; they are not needed.
fn without_ids(document: &str) -> String {
    const PLACE: &str = r#" w14:paraId=""#;
    let mut pieces = document.split(PLACE);
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |out, piece| out + piece.split_once('"').map_or(piece, |(_, rest)| rest))
}

/// Adds the description of each picture for screen readers.
fn described(document: &str, pictures: &[PlacedPicture]) -> String {
    const PLACE: &str = r#"<wp:docPr id="1" name="Figure" />"#;
    let mut pieces = document.split(PLACE);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for (at, piece) in pieces.enumerate() {
        let alt = pictures.get(at).map(|picture| escape(&picture.alt)).unwrap_or_default();
        let id = at + 1;
        out.push_str(&format!(r#"<wp:docPr id="{id}" name="Picture {id}" descr="{alt}" />"#));
        out.push_str(piece);
    }
    out
}

/// The writer stores its parts uncompressed; text compresses to a tenth.
fn tighten(loose: Cursor<Vec<u8>>, pictures: &[PlacedPicture]) -> zip::result::ZipResult<Vec<u8>> {
    let mut from = ZipArchive::new(loose)?;
    let mut to = ZipWriter::new(Cursor::new(Vec::new()));
    // The same document makes the same file, whenever it is made.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default());
    for at in 0..from.len() {
        let mut file = from.by_index(at)?;
        if file.is_dir() {
            continue;
        }
        to.start_file(renamed(&file.name()?, pictures), options)?;
        std::io::copy(&mut file, &mut to)?;
    }
    Ok(to.finish()?.into_inner())
}

fn renamed(name: &str, pictures: &[PlacedPicture]) -> String {
    let jpeg = pictures
        .iter()
        .filter(|picture| picture.kind == PictureKind::Jpeg)
        .find(|picture| name == format!("word/media/{}.png", picture.id));
    jpeg.map_or_else(|| name.to_owned(), |picture| format!("word/media/{}.jpeg", picture.id))
}
