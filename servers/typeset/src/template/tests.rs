//! Filled templates, and their errors.

use serde_json::json;

use crate::article::{Article, Block};
use crate::error::TypesetError;
use crate::template::fill;

#[test]
fn names_loops_and_conditions_are_filled() {
    let template = "# Offer for {{ customer.name }}\n\n{% for item in items %}\n- {{ item.name }}: {{ item.price }}\n\
                    {% endfor %}\n\n{% if vip %}\nThank you!\n{% endif %}\n";
    let data = json!({ "customer": { "name": "Ada" }, "items": [{ "name": "A", "price": 3.5 }, { "name": "B", "price": 2 }], "vip": true });
    let filled = fill(template, &data).unwrap();
    assert_eq!(filled, "# Offer for Ada\n\n- A: 3.5\n- B: 2\n\nThank you!\n");
}

#[test]
fn data_is_text_and_never_markup() {
    let evil = "**x** <script> [a](javascript:1) | # h\n- list {{ name }}";
    let filled = fill("Text: {{ name }}", &json!({ "name": evil })).unwrap();
    let article = Article::from_markdown(&filled).unwrap();
    let [Block::Paragraph { text }] = article.blocks.as_slice() else { panic!("{:?}", article.blocks) };
    assert_eq!(text.to_plain(), format!("Text: {evil}"));
    assert_eq!(fill("{{ name | safe }}", &json!({ "name": "**x**" })).unwrap(), "**x**");
}

#[test]
fn what_is_wrong_is_named_by_its_line() {
    let line = |template: &str, data| match fill(template, &data) {
        Err(TypesetError::Template { line, why }) => (line, why),
        other => panic!("{other:?}"),
    };
    let (at, why) = line("a\n\nDear {{ nmae }},", json!({ "name": "Ada" }));
    assert_eq!(at, 3);
    assert!(why.contains("missing from the data") && why.contains("nmae"), "{why}");
    assert_eq!(line("a\n{% for x in y %}", json!({ "y": [] })).0, 2);
    assert_eq!(line("{% if %}", json!({})).0, 1);
    let (_, why) =
        line("{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}", json!({}));
    assert!(why.contains("too many steps"), "{why}");
}

#[test]
fn missing_names_may_be_asked_for() {
    assert_eq!(fill("{% if x %}a{% else %}b{% endif %}", &json!({})).unwrap(), "b");
    assert_eq!(fill("{{ x | default('none') }}", &json!({})).unwrap(), "none");
    assert_eq!(fill(" ", &json!({})), Err(TypesetError::Empty { what: "template" }));
}
