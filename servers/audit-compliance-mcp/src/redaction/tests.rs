//! Redaction of markup, letter by letter, and words of a line by their gaps.

use capability_documents::pdf::RenderedPage;

use super::ink::word_columns;
use super::{MarkupKind, Redacted, RedactionError, RedactionOrder, markup, text};
use crate::personal::{PersonalKind, TEXT_CHARS_MAX};

fn order(term: &str) -> RedactionOrder {
    RedactionOrder { terms: vec![term.to_owned()], ..RedactionOrder::default() }
}

fn shown(result: Result<Redacted, RedactionError>) -> String {
    String::from_utf8(result.unwrap().bytes).unwrap()
}

#[track_caller]
fn check(kind: MarkupKind, source: &str, term: &str, expected: &str) {
    assert_eq!(shown(markup(source, kind, &order(term))), expected, "{source}");
}

#[test]
fn tags_and_references_between_letters_hide_nothing() {
    let html = |source, term, expected| check(MarkupKind::Html, source, term, expected);
    html("<p>Dear <b>Otti</b>lie!</p>", "Ottilie", "<p>Dear <b>█████</b>!</p>");
    html("<p>M&uuml;ller and M&#252;ller</p>", "müller", "<p>█████ and █████</p>");
    html("<p>Mu\u{308}ller, M\u{fc}ller</p>", "Müller", "<p>█████, █████</p>");
    html("<p>Otti<wbr>lie, Otti&shy;lie, Otti\u{200b}lie</p>", "Ottilie", "<p>█████<wbr>, █████, █████</p>");
    html("<p>&Ouml;sterreich&amp;Co</p>", "Österreich&Co", "<p>█████</p>");
    html("<h1>Otti</h1><h2>lie</h2>", "Ottilie", "<h1>█████</h1><h2></h2>");
}

#[test]
fn a_text_whose_end_would_pass_unsearched_is_refused() {
    let long = format!("{}Dear Ottilie Quandt of 12 Baker Street", "word ".repeat(TEXT_CHARS_MAX / 5));
    let people = RedactionOrder { kinds: vec![PersonalKind::Person], ..RedactionOrder::default() };
    let refused: Result<Redacted, RedactionError> = Err(RedactionError::TooMuch(TEXT_CHARS_MAX));
    assert_eq!(text(&long, &people), refused);
    for kind in [MarkupKind::Html, MarkupKind::Markdown] {
        assert_eq!(markup(&long, kind, &people), refused, "{kind:?}");
    }
}

#[test]
fn attributes_and_styles_are_searched_and_scripts_and_comments_go() {
    let html = |source, term, expected| check(MarkupKind::Html, source, term, expected);
    html(r#"<img alt="M&uuml;ller" src=a.png>"#, "Müller", r#"<img alt="█████" src=a.png>"#);
    html("<a href='mailto:o@example.org'>x</a>", "o@example.org", "<a href='mailto:█████'>x</a>");
    html(
        "<style>p::after{content:'Ottilie'}</style>x",
        "Ottilie",
        "<style>p::after{content:'█████'}</style>x",
    );
    html("a<script>write('Otti'+'lie')</script>b<!-- Ottilie -->c", "Ottilie", "abc");
    html(
        "<!doctype html><ottilie-quandt>x</ottilie-quandt>",
        "Ottilie",
        "<!doctype html><█████-quandt>x</█████-quandt>",
    );
}

#[test]
fn markdown_is_searched_as_it_is_shown() {
    let markdown = |source, term, expected| check(MarkupKind::Markdown, source, term, expected);
    markdown("Dear **Otti**lie!\n", "Ottilie", "Dear **█████**!\n");
    markdown("Dear [Otti](https://example.org)lie\n", "Ottilie", "Dear [█████](https://example.org)\n");
    markdown(
        "M&uuml;ller, <b>Otti</b>lie and O\\*Neil\n",
        "O*Neil",
        "M&uuml;ller, <b>Otti</b>lie and █████\\\n",
    );
    markdown("> Ottilie\n> Quandt\n", "Ottilie Quandt", "> █████\n> \n");
    markdown("See [x](https://example.org/ottilie).\n", "ottilie", "See [x](https://example.org/█████).\n");
    markdown("`Otti``lie` Ottilie\n", "Ottilie", "`Otti``lie` █████\n");
}

#[test]
fn text_with_tags_in_it_is_redacted_as_a_page() {
    assert_eq!(shown(text("Hello <b>Otti</b>lie", &order("Ottilie"))), "Hello <b>█████</b>");
    assert_eq!(shown(text("1 < 2 & Ottilie", &order("Ottilie"))), "1 < 2 & █████");
}

#[test]
fn what_a_browser_shows_and_this_does_not_find_is_refused() {
    let source = "<svg><title>Otti<b></b>lie</title></svg>";
    assert_eq!(
        markup(source, MarkupKind::Html, &order("Ottilie")),
        Err(RedactionError::StillThere("Ottilie".to_owned()))
    );
}

#[test]
fn a_picture_inside_a_page_is_not_searched_and_said() {
    let result =
        markup("<img src='data:image/png;base64,AAAA'>", MarkupKind::Html, &order("Ottilie")).unwrap();
    assert!(!result.is_verified && result.warnings[0].contains("not searched"), "{result:?}");
}

#[test]
fn personal_data_is_found_across_markup() {
    let kinds = vec![PersonalKind::EmailAddress];
    let order = RedactionOrder { kinds, ..RedactionOrder::default() };
    let source = "<p>Write to helga<b>.brandt</b>&#64;example.org now</p>";
    assert_eq!(shown(markup(source, MarkupKind::Html, &order)), "<p>Write to █████<b></b> now</p>");
}

/// A line of bars, as wide as said, ink and paper in turn.
fn bars(widths: &[usize]) -> RenderedPage {
    let width: usize = widths.iter().sum();
    let row: Vec<u8> = widths
        .iter()
        .enumerate()
        .flat_map(|(index, width)| std::iter::repeat_n(if index % 2 == 0 { 0 } else { 255 }, width * 3))
        .collect();
    // Paper above and below, so that most of it is paper.
    let rgb = [vec![255; width * 3 * 2], row, vec![255; width * 3 * 2]].concat();
    RenderedPage { width: width as u32, height: 5, rgb }
}

#[test]
fn words_are_told_apart_by_gaps_that_are_wider_than_all_others() {
    let line = bars(&[5, 1, 5, 6, 5, 1, 5]);
    let bounds = [0.0, 0.0, 28.0, 5.0];
    assert_eq!(word_columns(&line, bounds, 2), Some(vec![0..11, 17..28]));
    assert_eq!(word_columns(&line, bounds, 1), Some(std::iter::once(0..28).collect()));
    assert_eq!(word_columns(&line, bounds, 3), None, "two gaps are alike");
}
