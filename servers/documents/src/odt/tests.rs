//! OpenDocument texts, element by element.

use crate::DocumentError;
use crate::testing::{odt, read, refused, zip_of};

fn markdown(text: &str) -> String {
    read(&odt("", text)).markdown()
}

#[test]
fn headings_paragraphs_and_blanks_are_read() {
    let text = "<text:h text:outline-level=\"2\">Head</text:h>\n<text:p>One<text:s text:c=\"3\"/>two<text:tab/>three\n   \
        four<text:line-break/>five</text:p><text:p/>";
    assert_eq!(markdown(text), "## Head\n\nOne   two\tthree four\nfive");
}

#[test]
fn a_title_is_known_by_the_style_it_descends_from() {
    let styles = r#"<style:style style:name="P1" style:parent-style-name="Title"/>"#;
    let document = read(&odt(styles, r#"<text:p text:style-name="P1">Report</text:p>"#));
    assert_eq!(document.markdown(), "# Report");
}

#[test]
fn lists_nest_and_count() {
    let styles = r#"<text:list-style style:name="L1">
        <text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
        <text:list-level-style-bullet text:level="2"/></text:list-style>"#;
    let text = r#"<text:list text:style-name="L1"><text:list-item><text:p>a</text:p>
        <text:list><text:list-item><text:p>b</text:p></text:list-item></text:list></text:list-item>
        <text:list-item><text:p>c</text:p><text:p>more</text:p></text:list-item></text:list>"#;
    assert_eq!(read(&odt(styles, text)).text(), "1. a\n  • b\n2. c\nmore");
}

#[test]
fn tables_have_spans_headings_and_repeats() {
    let text = r#"<table:table><table:table-column table:number-columns-repeated="3"/>
        <table:table-header-rows><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>Name</text:p></table:table-cell>
        <table:covered-table-cell/><table:table-cell><text:p>Age</text:p></table:table-cell></table:table-row></table:table-header-rows>
        <table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell>
        <table:table-cell><text:p>1</text:p></table:table-cell></table:table-row>
        <table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
        </table:table>"#;
    let document = read(&odt("", text));
    let table = document.tables().next().unwrap();
    assert_eq!(
        (table.rows.clone(), table.header_rows),
        (vec![vec!["Name".into(), String::new(), "Age".into()], vec!["x".into(), "x".into(), "1".into()]], 1)
    );
}

#[test]
fn repeats_within_repeats_are_bounded() {
    let cell = |inner: &str| {
        format!("<table:table-cell table:number-columns-repeated=\"16384\">{inner}</table:table-cell>")
    };
    let rows = |inner: &str| {
        format!("<table:table-row table:number-rows-repeated=\"1048576\">{inner}</table:table-row>")
    };
    let table = |inner: &str| format!("<table:table>{}</table:table>", rows(&cell(inner)).repeat(5));
    let document = read(&odt("", &table(&table("<text:p>x</text:p>"))));
    let cells: usize = document.tables().map(|table| table.rows.iter().map(Vec::len).sum::<usize>()).sum();
    assert!(cells <= 1_000_000, "{cells}");
}

#[test]
fn notes_links_and_boxes_are_read_and_changes_and_comments_are_not() {
    let text = r#"<text:tracked-changes><text:changed-region><text:deletion><text:p>old</text:p></text:deletion></text:changed-region></text:tracked-changes>
        <text:p>See <text:a xlink:href="https://a.example">this</text:a><text:note><text:note-citation>7</text:note-citation>
        <text:note-body><text:p>The note.</text:p></text:note-body></text:note><office:annotation><text:p>remark</text:p></office:annotation></text:p>
        <text:p><draw:frame><draw:text-box><text:p>Boxed</text:p></draw:text-box></draw:frame></text:p>"#;
    assert_eq!(read(&odt("", text)).text(), "See this (https://a.example)[1]\n\nBoxed\n\n[1] The note.");
}

#[test]
fn headers_footers_and_facts_come_from_their_own_parts() {
    let bytes = zip_of(&[
        ("mimetype", "application/vnd.oasis.opendocument.text".into()),
        ("content.xml", "<c><office:body><office:text><text:p>Body</text:p></office:text></office:body></c>".into()),
        ("styles.xml", "<s><office:master-styles><style:master-page><style:header><text:p>Top</text:p></style:header>\
            <style:footer><text:p>Bottom</text:p></style:footer></style:master-page></office:master-styles></s>".into()),
        ("meta.xml", "<m><office:meta><dc:title>T</dc:title><meta:initial-creator>Ann</meta:initial-creator></office:meta></m>".into()),
    ]);
    let document = read(&bytes);
    assert_eq!(document.text(), "Top\n\nBody\n\nBottom");
    assert_eq!((document.facts.title.as_deref(), document.facts.author.as_deref()), (Some("T"), Some("Ann")));
}

#[test]
fn an_encrypted_document_is_locked() {
    let manifest = "<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>";
    let bytes = zip_of(&[
        ("mimetype", "application/vnd.oasis.opendocument.text".into()),
        ("META-INF/manifest.xml", manifest.into()),
        ("content.xml", "noise".into()),
    ]);
    assert_eq!(refused(&bytes), DocumentError::Locked { format: "OpenDocument text" });
}
