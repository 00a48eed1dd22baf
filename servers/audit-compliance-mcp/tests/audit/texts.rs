//! Checks of texts.

use serde_json::json;

use crate::drive::start;

#[tokio::test]
async fn personal_data_has_kinds_spans_and_confidence() {
    let client = start().await;
    let text = "My name is Helga Brandt and my card is 4111 1111 1111 1111.";
    let answer = client.answer("find_personal_data", json!({ "text": text })).await;
    let found = answer["found"].as_array().unwrap();
    let card = found.iter().find(|it| it["kind"] == "credit_card").unwrap();
    assert_eq!((&card["chars"], &card["by"]), (&json!([39, 58]), &json!("check_digits")), "{answer}");
    let person = found.iter().find(|it| it["kind"] == "person").unwrap();
    assert_eq!(person["text"], "Helga Brandt");
    assert!(person["confidence"].as_f64().unwrap() > 0.5);
    let only = client.answer("find_personal_data", json!({ "text": text, "kinds": ["person"] })).await;
    assert_eq!(only["found"].as_array().unwrap().len(), 1, "{only}");
}

#[tokio::test]
async fn a_language_that_the_rules_do_not_know_is_said() {
    let client = start().await;
    let text =
        "Tämä on suomenkielinen teksti, jossa ei ole mitään erityistä luettavaa kenellekään ihmiselle.";
    for tool in ["find_personal_data", "check_contract", "check_readability"] {
        let answer = client.answer(tool, json!({ "text": text })).await;
        assert!(!answer["warnings"].as_array().unwrap().is_empty(), "{tool}: {answer}");
    }
    let answer = client.answer("check_contract", json!({ "text": text })).await;
    assert_eq!((&answer["present"], &answer["not_found"]), (&json!([]), &json!([])));
}

#[tokio::test]
async fn a_contract_is_gone_through_with_passages() {
    let client = start().await;
    let text = "This Agreement is entered into by and between Acme Ltd and Beta Inc. Each party shall keep the \
        Confidential Information secret. This Agreement is governed by the laws of England. Neither party may assign \
        this Agreement without consent.";
    let answer = client.answer("check_contract", json!({ "text": text })).await;
    let names: Vec<&str> =
        answer["present"].as_array().unwrap().iter().map(|it| it["clause"].as_str().unwrap()).collect();
    for clause in ["parties", "confidentiality", "governing law", "assignment"] {
        assert!(names.contains(&clause), "{clause} in {names:?}");
    }
    assert!(answer["not_found"].as_array().unwrap().contains(&json!("force majeure")));
    assert!(answer.get("score").is_none());
}

#[tokio::test]
async fn licences_are_known_by_tag_and_by_text() {
    let client = start().await;
    let isc = "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is \
        hereby granted, provided that the above copyright notice and this permission notice appear in all copies.";
    let answer = client.answer("check_licenses", json!({ "text": isc })).await;
    assert_eq!(answer["licenses"][0]["spdx"], "ISC", "{answer}");
    let tag = "// SPDX-License-Identifier: MIT OR Apache-2.0\nfn main() {}";
    let answer = client.answer("check_licenses", json!({ "text": tag })).await;
    assert_eq!(answer["licenses"][0]["spdx"], "MIT OR Apache-2.0", "{answer}");
    assert_eq!(answer["licenses"][0]["by_tag"], true);
    let answer = client.answer("check_licenses", json!({ "text": "No licence at all." })).await;
    assert_eq!(answer["licenses"], json!([]));
    assert!(!answer["warnings"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn readability_names_long_sentences() {
    let client = start().await;
    let long = "The committee which had met on the day before and which had not agreed on anything in particular decided \
        after a long discussion about the roof of the town hall and its costs that it would meet again in the following week.";
    let answer = client.answer("check_readability", json!({ "text": format!("The cat sat. {long}") })).await;
    assert_eq!(answer["formula"], "Flesch reading ease", "{answer}");
    assert_eq!(answer["findings"].as_array().unwrap().len(), 1, "{answer}");
    assert!(answer["findings"][0]["evidence"].as_str().unwrap().contains("words: The committee"));
}

#[tokio::test]
async fn changes_of_numbers_and_obligations_are_marked() {
    let client = start().await;
    let before = "The fee is 100 euros. The supplier shall deliver. We like trees.";
    let after = "The fee is 200 euros. The supplier may deliver. We like trees.";
    let answer = client.answer("compare_versions", json!({ "before": before, "after": after })).await;
    assert_eq!(answer["same"], 1, "{answer}");
    let changes = answer["changes"].as_array().unwrap();
    assert!(changes.iter().any(|it| it["marks"] == json!(["numbers"])), "{answer}");
    assert!(changes.iter().any(|it| it["marks"] == json!(["obligations"])), "{answer}");
}
