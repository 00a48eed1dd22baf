//! Answers within their budget.

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn tool(name: &str, description: &str) -> (ToolCard, Value) {
    let schema =
        json!({ "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] });
    let definition = json!({ "name": name, "description": description, "inputSchema": schema });
    (ToolCard::of(name, &definition), definition)
}

fn many(n: usize) -> Vec<(ToolCard, Value)> {
    let name = |n: usize| format!("{}__tool_{n}", ["github", "slack", "sentry"][n % 3]);
    (0..n).map(|n| tool(&name(n), &format!("Does the thing number {n} to what you name."))).collect()
}

fn items(tools: &[(ToolCard, Value)]) -> Vec<SearchItem<'_>> {
    tools.iter().map(|(card, definition)| SearchItem { card, definition: Some(definition) }).collect()
}

fn answer(n: usize, matches: usize, detail: DetailLevel, tokens: usize) -> ToolSearchAnswer {
    ToolSearchAnswer::of(&items(&many(n)), matches, detail, AnswerBudget::of(tokens))
}

#[test]
fn the_best_come_as_signatures_then_lines_then_names() {
    let answer = answer(40, 90, DetailLevel::Signature, 270);
    assert_snapshot!(answer.text, @r"
    github__tool_0(id: string) — Does the thing number 0 to what you name.
    slack__tool_1(id: string) — Does the thing number 1 to what you name.
    sentry__tool_2(id: string) — Does the thing number 2 to what you name.
    github__tool_3(id: string) — Does the thing number 3 to what you name.
    slack__tool_4(id: string) — Does the thing number 4 to what you name.
    sentry__tool_5 — Does the thing number 5 to what you name
    github__tool_6 — Does the thing number 6 to what you name
    slack__tool_7 — Does the thing number 7 to what you name
    sentry__tool_8 — Does the thing number 8 to what you name
    github__tool_9 — Does the thing number 9 to what you name
    Also: slack__{tool_10,tool_13,tool_16,tool_19} sentry__{tool_11,tool_14,tool_17,tool_20} github__{tool_12,tool_15,tool_18}
    69 more match: use other words, name `servers`, or raise `budget_tokens`.
    ");
    assert_eq!((answer.shown.len(), answer.more), (21, 69));
}

#[test]
fn everything_is_shown_where_there_is_room() {
    let all = answer(12, 12, DetailLevel::Signature, 5_000);
    assert_eq!((all.shown.len(), all.more), (12, 0));
    assert!(!all.text.contains("more match"));
    assert_eq!(
        answer(1, 1, DetailLevel::Signature, 500).text,
        "github__tool_0(id: string) — Does the thing number 0 to what you name."
    );
}

#[test]
fn names_come_with_one_line_each() {
    assert_snapshot!(answer(3, 3, DetailLevel::Name, 500).text, @r"
    github__tool_0 — Does the thing number 0 to what you name
    slack__tool_1 — Does the thing number 1 to what you name
    sentry__tool_2 — Does the thing number 2 to what you name
    ");
}

#[test]
fn schemas_come_whole_or_not_at_all() {
    let answer = answer(4, 4, DetailLevel::Schema, 150);
    let forms: Vec<&str> = answer
        .shown
        .iter()
        .map(|shown| match shown.form {
            ShownForm::Definition(_) => "definition",
            ShownForm::Signature(_) => "signature",
            ShownForm::Line(_) => "line",
            ShownForm::Name => "name",
        })
        .collect();
    assert_eq!(forms, ["definition", "definition", "line", "line"], "{}", answer.text);
    let first: Value = serde_json::from_str(answer.text.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["inputSchema"]["required"], json!(["id"]));
}

#[test]
fn a_tool_with_a_huge_schema_is_shown_by_its_line() {
    let (card, mut definition) = tool("github__big", "Is big.");
    definition["inputSchema"]["description"] = Value::from("word ".repeat(5_000));
    let items = [SearchItem { card: &card, definition: Some(&definition) }];
    let answer = ToolSearchAnswer::of(&items, 1, DetailLevel::Schema, AnswerBudget::default());
    assert_eq!(answer.text, "github__big — Is big");
}

#[test]
fn one_tool_is_always_shown() {
    let long = tool(&format!("{}__x", "qz9".repeat(200)), &"混合キー ".repeat(60));
    let answer = ToolSearchAnswer::of(&items(&[long]), 1_000, DetailLevel::Signature, AnswerBudget::of(0));
    assert_eq!((answer.shown.len(), answer.more), (1, 999));
}

#[test]
fn nothing_found_says_where_to_look() {
    let nothing = |servers: &[&str], tokens| ToolSearchAnswer::nothing(servers, AnswerBudget::of(tokens));
    assert_snapshot!(nothing(&["github", "slack"], 500).text, @"No tool matches. Try other words for what it does or works on, or search without `servers`. There are: github, slack.");
    assert_snapshot!(nothing(&[], 500).text, @"No tool matches. Try other words for what it does or works on. There are no tools in this session.");
    let servers: Vec<String> = (0..500).map(|n| format!("server-{n}")).collect();
    let servers: Vec<&str> = servers.iter().map(String::as_str).collect();
    let cut = nothing(&servers, 100);
    assert!(cut.tokens <= 100 && cut.text.contains(" more."), "{}", cut.text);
}

#[test]
fn text_and_data_show_the_same_tools() {
    let answer = answer(30, 50, DetailLevel::Signature, 300);
    let data = answer.structured();
    let tools = data["tools"].as_array().expect("a list");
    assert_eq!((tools.len(), &data["more"]), (answer.shown.len(), &json!(50 - tools.len())));
    assert_eq!(tools[0]["signature"], answer.text.lines().next().expect("a line"));
    assert_eq!(tools[5]["line"], answer.text.lines().nth(5).expect("a line"));
    assert_eq!(tools.last(), Some(&json!({ "name": answer.shown.last().expect("some").name })));
}

#[test]
fn a_budget_has_limits() {
    let tokens = [0, 100, 777, usize::MAX].map(|tokens| AnswerBudget::of(tokens).tokens());
    assert_eq!(tokens, [AnswerBudget::TOKENS_MIN, 100, 777, AnswerBudget::TOKENS_MAX]);
    assert_eq!(
        DetailLevel::ALL.map(|detail| DetailLevel::named(detail.as_str())),
        DetailLevel::ALL.map(Some)
    );
    assert_eq!(DetailLevel::named("all"), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn an_answer_keeps_budget_and_order(
        tools in proptest::collection::vec(("[a-c]{1,2}(__)?[a-z_-]{1,20}", "[a-zäß漢م🚀 .]{0,80}|[a-z .]{0,80}"), 1..40),
        beyond in 0usize..100,
        tokens in 0usize..900,
        detail in proptest::sample::select(DetailLevel::ALL.to_vec()),
    ) {
        let tools: Vec<_> = tools.iter().map(|(name, description)| tool(name, description)).collect();
        let answer = ToolSearchAnswer::of(&items(&tools), tools.len() + beyond, detail, AnswerBudget::of(tokens));
        prop_assert_eq!(answer.tokens, tokens::count(&answer.text));
        prop_assert!(answer.tokens <= AnswerBudget::of(tokens).tokens() || answer.shown.len() == 1, "{}", answer.text);
        prop_assert!(!answer.shown.is_empty());
        prop_assert_eq!(answer.shown.len() + answer.more, tools.len() + beyond);
        for (shown, (card, _)) in answer.shown.iter().zip(&tools) {
            prop_assert_eq!(&shown.name, card.name());
            prop_assert!(answer.text.contains(card.parts().1), "{}", answer.text);
        }
    }
}
