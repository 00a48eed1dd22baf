//! Citations, and whether a document still says them.

use docir::{
    Citation, CitationStanding, DocIr, DocIrBuilder, DocumentNotes, NewText, QUOTE_LETTERS_MIN, Quote,
    TextKind, check, cite, count_places, quote_letters,
};

use crate::sample::sample;

fn document(texts: &[&str]) -> DocIr {
    let mut builder = DocIrBuilder::new("texts", None);
    builder.page(1, 0.0, 0.0);
    for text in texts {
        let text = NewText { text: (*text).to_owned(), page: 1, ..NewText::default() };
        builder.text(TextKind::Paragraph, text);
    }
    builder.finish(DocumentNotes::default())
}

fn quoting(prefix: &str, exact: &str, suffix: &str) -> Citation {
    let quote = Quote { exact: exact.to_owned(), prefix: prefix.to_owned(), suffix: suffix.to_owned() };
    let (artifact, docir) = ("a".repeat(64), "b".repeat(64));
    Citation {
        artifact,
        docir,
        item: "#/texts/0".to_owned(),
        start: 0,
        end: 0,
        page: None,
        quads: Vec::new(),
        quote,
    }
}

fn moved(item: &str, start: usize, end: usize) -> CitationStanding {
    CitationStanding::Moved { item: item.to_owned(), start, end }
}

#[test]
fn a_citation_says_what_stands_there_and_what_is_around_it() {
    let document = sample();
    let citation = cite(&document, "aa", "bb", "#/texts/3", 36..51).unwrap();
    assert_eq!(citation.quote.exact, "; café guests m");
    assert_eq!(citation.quote.prefix, "s open at nine and close at dusk");
    assert_eq!(citation.quote.suffix, "ay stay. Dogs stay outside.");
    assert_eq!((citation.page, citation.quads.len()), (Some(1), 1));
    assert_eq!(check(&document, &citation), CitationStanding::Verified);
    let through_json: Citation = serde_json::from_str(&serde_json::to_string(&citation).unwrap()).unwrap();
    assert_eq!(through_json, citation);
}

#[test]
fn nothing_and_what_is_not_there_cannot_be_cited() {
    let document = sample();
    for (item, span) in [
        ("#/texts/3", 5..6),
        ("#/texts/3", 70..900),
        ("#/texts/99", 0..1),
        ("#/pictures/0", 0..0),
        ("#/groups/0", 0..1),
    ] {
        assert_eq!(cite(&document, "aa", "bb", item, span.clone()), None, "{item} {span:?}");
    }
    assert_eq!(cite(&document, "aa", "bb", "#/texts/3", std::ops::Range { start: 9, end: 3 }), None);
}

#[test]
fn spelling_makes_no_difference() {
    let document = document(&["The oﬃce's “ﬁrst” rule — no\u{A0} noise: cafe\u{301} and exam-\nples."]);
    let mut citation = quoting("", "The office’s \"first\" rule - no\nnoise: café and examples.", "");
    citation.end = document.text("#/texts/0").unwrap().chars().count();
    assert_eq!(check(&document, &citation), CitationStanding::Verified);
    citation.quote.exact = citation.quote.exact.replace("first", "last");
    assert_eq!(check(&document, &citation), CitationStanding::Absent);
}

#[test]
fn a_quotation_that_moved_is_found_where_it_is_now() {
    let document = document(&["A new sentence.", "It says: dogs  must stay outside. Always."]);
    let citation = quoting("", "dogs must stay outside.", "");
    assert_eq!(check(&document, &citation), moved("#/texts/1", 9, 33));
    assert_eq!(document.text("#/texts/1").unwrap().get(9..33), Some("dogs  must stay outside."));
}

#[test]
fn a_short_quotation_is_not_looked_for() {
    let document = document(&["Nothing.", "It is so."]);
    assert_eq!(check(&document, &quoting("", "It is so.", "")), CitationStanding::Absent);
    assert_eq!(check(&document, &quoting("", " \n ", "")), CitationStanding::Absent);
}

#[test]
fn surroundings_decide_between_equal_quotations() {
    let texts = [
        "Other.",
        "First: the gate opens at nine. Bring water.",
        "Second: the gate opens at nine. Bring food.",
    ];
    let document = document(&texts);
    let exact = "the gate opens at nine.";
    assert_eq!(check(&document, &quoting("", exact, "")), CitationStanding::Absent);
    assert_eq!(check(&document, &quoting("Second: ", exact, " Bring")), moved("#/texts/2", 8, 31));
    assert_eq!(check(&document, &quoting("", exact, " Bring")), CitationStanding::Absent, "both go on so");
    assert_eq!(check(&document, &quoting("Third: ", exact, "")), CitationStanding::Absent);
}

#[test]
fn a_quotation_of_a_table_is_checked_too() {
    let document = sample();
    let text = document.text("#/tables/0").unwrap();
    let citation = cite(&document, "aa", "bb", "#/tables/0", 0..text.chars().count()).unwrap();
    assert_eq!(check(&document, &citation), CitationStanding::Verified);
    let elsewhere = Citation { item: "#/texts/3".to_owned(), ..citation };
    assert_eq!(check(&document, &elsewhere), moved("#/tables/0", 0, text.trim_end().chars().count()));
}

#[test]
fn places_are_counted_and_letters_are_those_that_are_compared() {
    let document = document(&["The gate opens  at nine. The gate\nopens at nine.", "the gate opens at nine"]);
    assert_eq!(count_places(&document, "The gate opens at nine"), 2);
    assert_eq!(count_places(&document, "gate opens at nine"), 3);
    assert_eq!((count_places(&document, "nowhere"), count_places(&document, " \n")), (0, 0));
    assert_eq!(quote_letters(" a \n\n b\u{200b} "), 3);
    assert!(quote_letters("in May.") < QUOTE_LETTERS_MIN);
}
