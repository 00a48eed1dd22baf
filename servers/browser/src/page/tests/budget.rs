//! Pages that are too large.

use serde_json::{Value, json};

use super::super::tokens::tokens;
use super::{SnapshotWish, body, button, seen, text, wished};

/// A page with much above, in and below the viewport.
fn long_page() -> Value {
    let rows = |first: u64, zone: u8| -> Vec<Value> {
        (first..first + 300)
            .map(|number| json!({ "r": "link", "n": format!("Result {number}"), "e": number, "i": number, "z": zone }))
            .collect()
    };
    json!([
        { "r": "list", "n": "Above", "e": 5000, "i": 5000, "k": rows(1000, 2) },
        { "r": "text", "n": "long words ".repeat(60), "i": 1, "z": 0 },
        { "r": "button", "n": "Search", "e": 2, "i": 2, "z": 0 },
        { "r": "list", "n": "Below", "e": 6000, "i": 6000, "k": rows(2000, 1) },
        { "r": "more", "m": 4000, "e": 7, "i": 7, "z": 2 },
    ])
}

#[test]
fn a_long_page_fits_and_says_how_to_see_the_rest() {
    let shown = seen(long_page());
    assert!(shown.tokens <= 2_000, "{}", shown.tokens);
    assert!(shown.tokens > 1_500, "{}", shown.tokens);
    assert!(shown.text.contains("button \"Search\" e2"), "{}", shown.text);
    let last = shown.text.lines().last().unwrap();
    assert!(last.starts_with("… ") && last.contains("e5000 (") && last.ends_with("query"), "{last}");
    assert!(shown.text.contains("\"Result 2000\""), "what is near comes before what is far");
}

#[test]
fn what_acts_in_view_stays_when_little_fits() {
    let shown = wished(long_page(), &SnapshotWish { max_tokens: 150, ..SnapshotWish::default() });
    assert!(shown.tokens <= 150, "{} {}", shown.tokens, shown.text);
    assert!(shown.text.contains("button \"Search\" e2"), "{}", shown.text);
}

#[test]
fn a_query_shows_the_lines_with_its_words_and_what_is_around_them() {
    let wish = SnapshotWish { query: Some("RESULT 2007".to_owned()), ..SnapshotWish::default() };
    let shown = wished(long_page(), &wish).text;
    let below = shown.split_once('\n').unwrap().1;
    assert_eq!(below, "list \"Below\"\n link \"Result 2007\" e2007");
    let wish = SnapshotWish { query: Some("nowhere".to_owned()), ..SnapshotWish::default() };
    assert!(wished(long_page(), &wish).text.contains("no line has the words"));
}

#[test]
fn what_stands_behind_a_modal_dialog_is_counted_only() {
    let mut behind = button(1, "Outside");
    behind["b"] = json!(1);
    let shown = body(json!([behind, { "r": "dialog", "e": 3, "i": 3, "k": [button(2, "Yes")] }]));
    let expected =
        "dialog e3\n button \"Yes\" e2\n(a dialog takes all input; 1 lines behind it are not shown)";
    assert_eq!(shown, expected);
}

#[test]
fn the_estimate_of_tokens_is_near_the_truth_and_not_below_it() {
    let form = "Page: Apply — Example Jobs (https://jobs.example/apply/7)\nheading 1 \"Apply for Welder\"\nform \
                \"Application\"\n textbox \"Full name\" e3 = \"Ada Lovelace\" required\n combobox \"Country\" e5 = \
                \"Norway\" (12 options)\n checkbox \"I agree\" e6 checked\n button \"Submit application\" e7 \
                disabled\n";
    // Counted with o200k.
    for (counted, words) in [
        (79, form),
        (
            27,
            "Lorem ipsum dolor sit amet, consectetur adipiscing elit. Rutrum adipiscing. Pretium,. Egestas ultrices nam scelerisque sit nunc tortor.",
        ),
        (32, "checkbox \"kQHh8j\" e2\ncheckbox \"2uMiJWr\" e4\ncheckbox \"DKkQH\" e12"),
        (
            32,
            "Søknaden må være levert før fristen går ut. Vennligst fyll ut alle påkrevde felter på skjemaet.",
        ),
        (18, "Это страница вакансии сварщика в Осло. Отправить заявку сегодня."),
        (9, "请填写您的姓名和电子邮件地址。"),
        (
            24,
            "The gateway moves, judges and records; heavy work lives in programs of their own that are started, limited and confined.",
        ),
    ] {
        let guessed = tokens(words);
        assert!(guessed * 100 >= counted * 93, "{guessed} for {counted}: {words}");
        assert!(guessed * 10 <= counted * 17, "{guessed} for {counted}: {words}");
    }
    assert_eq!(tokens(""), 0);
}

#[test]
fn an_empty_page_says_so() {
    assert_eq!(body(json!([])), "(nothing to see yet)");
    assert_eq!(body(json!([text(1, "x")])), "\"x\"");
}
