//! Word documents, part by part.

use crate::testing::{docx, paragraph, plain, read, refused, relations};
use crate::{DocumentError, DocumentKind, PageSource};

fn markdown(body: &str) -> String {
    read(&docx(body, &[])).markdown()
}

fn with_parts(body: &str, parts: &[(&str, &str, String)]) -> crate::Document {
    let related: Vec<(&str, &str, &str)> =
        parts.iter().map(|(kind, name, _)| (*name, *kind, *name)).collect();
    let paths: Vec<String> = parts.iter().map(|(_, name, _)| format!("word/{name}")).collect();
    let mut more = vec![("word/_rels/document.xml.rels", relations(&related))];
    for (path, (_, _, text)) in paths.iter().zip(parts) {
        more.push((path, text.clone()));
    }
    read(&docx(body, &more))
}

#[test]
fn headings_are_found_by_name_outline_and_descent() {
    let styles = r#"<w:styles>
        <w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
        <w:style w:styleId="Own"><w:name w:val="House style"/><w:basedOn w:val="berschrift2"/></w:style>
        <w:style w:styleId="Outlined"><w:name w:val="x"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
        <w:style w:styleId="Loop"><w:name w:val="y"/><w:basedOn w:val="Loop"/></w:style>
        <w:style w:styleId="Titel"><w:name w:val="Title"/></w:style></w:styles>"#;
    let body =
        ["Titel", "berschrift2", "Own", "Outlined", "Loop"].map(|style| paragraph(style, style)).concat();
    let document = with_parts(&body, &[("styles", "styles.xml", styles.to_owned())]);
    assert_eq!(document.markdown(), "# Titel\n\n## berschrift2\n\n## Own\n\n### Outlined\n\nLoop");
}

#[test]
fn headings_are_found_without_styles() {
    assert_eq!(markdown(&(paragraph("Heading1", "One") + &plain("text"))), "# One\n\ntext");
}

#[test]
fn lists_count_as_their_definition_says() {
    let numbering = r#"<w:numbering>
        <w:abstractNum w:abstractNumId="7">
          <w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
          <w:lvl w:ilvl="1"><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>
        <w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val=""/></w:lvl></w:abstractNum>
        <w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>
        <w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>
        <w:num w:numId="3"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
        </w:numbering>"#;
    let item = |list: u8, level: u8, text: &str| {
        format!(
            r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list}"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#
        )
    };
    let body = [
        item(1, 0, "a"),
        item(1, 1, "b"),
        item(1, 1, "c"),
        item(1, 0, "d"),
        item(1, 1, "e"),
        item(2, 0, "f"),
        item(3, 0, "g"),
        item(0, 0, "h"),
    ];
    let document = with_parts(&body.concat(), &[("numbering", "numbering.xml", numbering.to_owned())]);
    assert_eq!(document.text(), "3. a\n  3.i) b\n  3.ii) c\n4. d\n  4.i) e\n• f\n1. g\n\nh");
}

#[test]
fn what_was_inserted_is_read_and_what_was_deleted_or_hidden_is_not() {
    let body = "<w:p><w:r><w:t xml:space=\"preserve\">We </w:t></w:r><w:del><w:r><w:delText>hate</w:delText></w:r></w:del>\
        <w:ins><w:r><w:t>like</w:t></w:r></w:ins><w:r><w:t xml:space=\"preserve\"> it</w:t></w:r>\
        <w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom></w:p>";
    let document = read(&docx(body, &[]));
    assert_eq!(document.text(), "We like it");
    assert_eq!(document.warnings, ["hidden text was left out"]);
}

#[test]
fn runs_break_tab_and_join() {
    let body = "<w:p><w:r><w:t>one</w:t><w:br/><w:t>two</w:t><w:tab/><w:t>non</w:t><w:noBreakHyphen/><w:t>stop</w:t>\
        <w:sym w:font=\"Wingdings\" w:char=\"F0FC\"/></w:r><w:smartTag><w:r><w:t>!</w:t></w:r></w:smartTag></w:p>";
    assert_eq!(markdown(body), "one\ntwo\tnon-stop•!");
}

#[test]
fn links_show_where_they_lead() {
    let body = r#"<w:p><w:hyperlink r:id="web"><w:r><w:t>My page</w:t></w:r></w:hyperlink></w:p>
        <w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "https://b.example" \o "x"</w:instrText>
        <w:fldChar w:fldCharType="separate"/><w:t>other</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>"#;
    let related = relations(&[("web", "hyperlink", "https://a.example/me")]);
    let document = read(&docx(body, &[("word/_rels/document.xml.rels", related)]));
    assert_eq!(document.text(), "My page (https://a.example/me)\n\nother (https://b.example)");
}

fn cell(properties: &str, text: &str) -> String {
    format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", plain(text))
}

#[test]
fn merged_cells_are_followed_by_empty_ones() {
    let wide = r#"<w:gridSpan w:val="2"/>"#;
    let rows = [
        format!("<w:tr><w:trPr><w:tblHeader/></w:trPr>{}{}</w:tr>", cell(wide, "Name"), cell("", "Age")),
        format!(
            "<w:tr>{}{}{}</w:tr>",
            cell(r#"<w:vMerge w:val="restart"/>"#, "Ann"),
            cell("", "B"),
            cell("", "30")
        ),
        format!("<w:tr>{}{}{}</w:tr>", cell("<w:vMerge/>", ""), cell("", "C"), cell("", "40")),
    ];
    let document = read(&docx(&format!("<w:tbl>{}</w:tbl>", rows.concat()), &[]));
    let table = document.tables().next().unwrap();
    assert_eq!(table.rows, [["Name", "", "Age"], ["Ann", "B", "30"], ["", "C", "40"]]);
    assert_eq!((table.header_rows, table.confidence), (1, 1.0));
    let spans: Vec<_> =
        table.spans.iter().map(|span| (span.row, span.column, span.rows, span.columns)).collect();
    assert_eq!(spans, [(0, 0, 1, 2), (1, 0, 2, 1)]);
}

#[test]
fn a_table_within_a_cell_is_not_lost() {
    let inner = format!("<w:tbl><w:tr>{}{}</w:tr></w:tbl>", cell("", "x"), cell("", "y"));
    let row = |first: &str, second: &str| format!("<w:tr><w:tc>{first}</w:tc><w:tc>{second}</w:tc></w:tr>");
    let body = format!("<w:tbl>{}{}</w:tbl>", row(&plain("a"), &inner), row(&plain("b"), &plain("c")));
    let text = markdown(&body);
    for word in ["a", "x", "y", "b", "c"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn a_table_that_places_parts_of_a_page_is_taken_apart() {
    let left = plain("2019 – 2021");
    let right = [paragraph("Heading2", "Engineer"), plain("Built things.")].concat();
    let body = format!("<w:tbl><w:tr><w:tc>{left}</w:tc><w:tc>{right}</w:tc></w:tr></w:tbl>");
    assert_eq!(markdown(&body), "2019 – 2021\n\n## Engineer\n\nBuilt things.");
}

#[test]
fn notes_headers_footers_and_text_boxes_are_read_once() {
    let body = r#"<w:p><w:r><w:t>Body</w:t><w:footnoteReference w:id="2"/></w:r></w:p>
        <w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent><w:p><w:r><w:t>In a box</w:t></w:r></w:p>
        </w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent><w:p><w:r><w:t>In a box</w:t></w:r></w:p>
        </w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"#;
    let note = format!(
        r#"<w:footnotes><w:footnote w:id="1">{0}</w:footnote><w:footnote w:id="2">{1}</w:footnote></w:footnotes>"#,
        plain("no"),
        plain("A note.")
    );
    let margin = |text: &str| format!("<w:hdr>{}</w:hdr>", plain(text));
    let document = with_parts(
        body,
        &[
            ("footnotes", "footnotes.xml", note),
            ("header", "header1.xml", margin("Top")),
            ("header", "header2.xml", margin("Top")),
            ("footer", "footer1.xml", margin("Bottom")),
        ],
    );
    assert_eq!(document.text(), "Top\n\nBody[1]\n\nIn a box\n\n[1] A note.\n\nBottom");
}

#[test]
fn facts_are_what_the_document_says_of_itself() {
    let core = "<cp:coreProperties><dc:title> A title </dc:title><dc:creator>Ann</dc:creator>\
        <dcterms:created>2024-01-02T03:04:05Z</dcterms:created></cp:coreProperties>";
    let app = "<Properties><Application>Some Writer</Application></Properties>";
    let more = [("docProps/core.xml", core.to_owned()), ("docProps/app.xml", app.to_owned())];
    let document = read(&docx(&plain("x"), &more));
    let facts = document.facts;
    assert_eq!(facts.title.as_deref(), Some("A title"));
    assert_eq!(facts.author.as_deref(), Some("Ann"));
    assert_eq!(facts.created.as_deref(), Some("2024-01-02T03:04:05Z"));
    assert_eq!(facts.producer.as_deref(), Some("Some Writer"));
    assert_eq!((document.kind, document.page_count), (DocumentKind::Docx, 1));
}

#[test]
fn every_script_comes_through() {
    let texts = ["שלום עולם", "مرحبا بالعالم", "你好，世界", "e\u{301}te\u{301} नमस्ते", "👩‍👩‍👧‍👦 ok"];
    let body: String = texts.iter().map(|text| plain(text)).collect();
    assert_eq!(read(&docx(&body, &[])).text(), texts.join("\n\n"));
}

#[test]
fn a_document_that_breaks_off_gives_what_is_there() {
    let main = format!("<w:document><w:body>{}<w:p><w:r><w:t>half", plain("whole"));
    let bytes = crate::testing::zip_of(&[("word/document.xml", main)]);
    assert_eq!(read(&bytes).text(), "whole\n\nhalf");
    let main = format!("<w:document><w:body>{}<w:p <<<", plain("whole"));
    let document = read(&crate::testing::zip_of(&[("word/document.xml", main)]));
    assert_eq!(document.text(), "whole");
    assert!(
        document.warnings[0].starts_with("the end of the document is damaged"),
        "{:?}",
        document.warnings
    );
}

#[test]
fn a_document_without_a_body_is_refused_or_empty() {
    let document = read(&docx("", &[]));
    assert_eq!((document.text().as_str(), document.pages[0].source), ("", PageSource::Empty));
    let bytes = crate::testing::zip_of(&[crate::testing::content_types(
        "openxmlformats-officedocument.wordprocessingml.document.main",
    )]);
    assert!(matches!(refused(&bytes), DocumentError::Damaged { .. }));
}

#[test]
fn comments_changes_and_hidden_text_are_counted_with_their_authors() {
    let comments = r#"<w:comments><w:comment w:author="Otto"><w:p><w:r><w:t>Really?</w:t></w:r></w:p></w:comment></w:comments>"#;
    let body = "<w:p><w:del w:author=\"Helga\"><w:r><w:delText>hate</w:delText></w:r></w:del>\
        <w:ins w:author=\"Helga\"><w:r><w:t>like</w:t></w:r></w:ins><w:ins w:author=\"Otto\"><w:r><w:t>it</w:t></w:r></w:ins>\
        <w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>";
    let relations = relations(&[("c", "comments", "comments.xml")]);
    let more = [("word/_rels/document.xml.rels", relations), ("word/comments.xml", comments.to_owned())];
    let found = crate::word_asides(&docx(body, &more), &crate::DocumentLimits::default()).unwrap();
    let told: Vec<(crate::WordAsideKind, usize, &str, String)> =
        found.iter().map(|(kind, it)| (*kind, it.count, it.first.as_str(), it.authors.join(", "))).collect();
    use crate::WordAsideKind::{Comment, Deletion, HiddenText, Insertion};
    let expected = [
        (Comment, 1, "Really?", "Otto".to_owned()),
        (Insertion, 2, "like", "Helga, Otto".to_owned()),
        (Deletion, 1, "hate", "Helga".to_owned()),
        (HiddenText, 1, "secret", String::new()),
    ];
    assert_eq!(told, expected);
    let plain = crate::word_asides(&docx(&plain("text"), &[]), &crate::DocumentLimits::default()).unwrap();
    assert!(plain.is_empty());
}
