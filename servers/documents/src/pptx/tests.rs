//! Presentations, slide by slide.

use crate::testing::{pptx, read, relations};
use crate::{OpenOptions, open};

fn shape(place: &str, paragraphs: &[&str]) -> String {
    let paragraphs: String =
        paragraphs.iter().map(|text| format!("<a:p><a:r><a:t>{text}</a:t></a:r></a:p>")).collect();
    format!("<p:sp><p:nvSpPr><p:nvPr>{place}</p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>")
}

#[test]
fn titles_come_first_and_points_are_items() {
    let slide = [
        shape(r#"<p:ph idx="1"/>"#, &["First", "Second"]),
        shape(r#"<p:ph type="title"/>"#, &["The title"]),
        shape(r#"<p:ph type="sldNum"/>"#, &["7"]),
        shape("", &["Free text"]),
    ];
    let document = read(&pptx(&[slide.concat()], &[]));
    assert_eq!(document.markdown(), "# The title\n\n- First\n- Second\n\nFree text");
}

#[test]
fn slides_are_in_the_order_of_the_presentation_and_can_be_chosen() {
    let slides: Vec<String> = (1..=12).map(|at| shape("", &[&format!("Slide {at}")])).collect();
    let bytes = pptx(&slides, &[]);
    let all = read(&bytes);
    assert_eq!(all.pages.len(), 12);
    assert_eq!(all.pages[9].text(), "Slide 10");
    let options = OpenOptions { pages: Some("2,11-".parse().unwrap()), ..OpenOptions::default() };
    let some = open(&bytes, None, &options).unwrap();
    assert_eq!((some.page_count, some.text().as_str()), (12, "Slide 2\n\nSlide 11\n\nSlide 12"));
}

#[test]
fn numbered_points_count() {
    let point = |text: &str| {
        format!(
            r#"<a:p><a:pPr lvl="1"><a:buAutoNum type="alphaLcParenR"/></a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>"#
        )
    };
    let slide = format!("<p:sp><p:txBody>{}{}</p:txBody></p:sp>", point("x"), point("y"));
    assert_eq!(read(&pptx(&[slide], &[])).text(), "  a) x\n  b) y");
}

#[test]
fn tables_groups_and_notes_are_read() {
    let cell =
        |text: &str| format!("<a:tc><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>");
    let table = format!(
        r#"<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow="1"/><a:tr>{}{}</a:tr><a:tr>{}{}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>"#,
        cell("k"),
        cell("v"),
        cell("a|b"),
        cell("1")
    );
    let slide = format!("<p:grpSp><p:grpSp>{}</p:grpSp></p:grpSp>{table}", shape("", &["Deep"]));
    let notes = format!(
        "<p:notes><p:cSld><p:spTree>{}{}</p:spTree></p:cSld></p:notes>",
        shape(r#"<p:ph type="sldImg"/>"#, &["no"]),
        shape(r#"<p:ph type="body"/>"#, &["Say hello"])
    );
    let more = [
        ("ppt/slides/_rels/slide1.xml.rels", relations(&[("n", "notesSlide", "../notesSlides/n1.xml")])),
        ("ppt/notesSlides/n1.xml", notes),
    ];
    let document = read(&pptx(&[slide], &more));
    assert_eq!(document.markdown(), "Deep\n\n| k | v |\n| --- | --- |\n| a\\|b | 1 |\n\nNotes: Say hello");
}

#[test]
fn a_thousand_slides_are_read() {
    let slides: Vec<String> = (1..=1_000).map(|at| shape("", &[&format!("Slide {at}")])).collect();
    let document = read(&pptx(&slides, &[]));
    assert_eq!((document.page_count, document.pages[999].text().as_str()), (1_000, "Slide 1000"));
}
