//! Checks of texts.

use capability_testkit::{Client, file};
use serde_json::{Value, json};

use crate::drive::start;
use crate::made::word;

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

/// The rules and the results of a SARIF file.
async fn sarif(client: &Client, answer: &Value) -> (Vec<String>, Vec<Value>) {
    let bytes = client.bytes(answer["sarif_ref_id"].as_str().unwrap_or_else(|| panic!("{answer}"))).await;
    let report: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(report["version"], "2.1.0");
    let run = &report["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(result["ruleId"], rules[index]["id"], "{report}");
        assert!(
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].is_string(),
            "{report}"
        );
    }
    (rules.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect(), results.clone())
}

#[tokio::test]
async fn every_check_of_a_text_can_be_had_as_sarif() {
    let client = start().await;
    let text = "This Agreement is entered into by and between Acme Ltd and Beta Inc. Write to helga@example.org about it.\n\
        SPDX-License-Identifier: MIT";
    let ask = async |tool: &str| {
        let answer = client.answer(tool, json!({ "text": text, "format": "sarif" })).await;
        sarif(&client, &answer).await
    };
    let (rules, results) = ask("find_personal_data").await;
    let email = rules.iter().position(|it| it == "personal-data email_address").expect("an address");
    assert!(
        results[email]["locations"][0]["physicalLocation"]["region"]["charOffset"].is_u64(),
        "{results:?}"
    );
    let (rules, _) = ask("check_contract").await;
    assert!(rules.contains(&"contract parties".to_owned()) && rules.contains(&"contract notices".to_owned()));
    let (rules, results) = ask("check_licenses").await;
    assert_eq!((rules, &results[0]["level"]), (vec!["license MIT".to_owned()], &json!("note")));
    ask("check_readability").await;
    let plain = client.answer("check_licenses", json!({ "text": text })).await;
    assert!(plain.get("sarif_ref_id").is_none(), "{plain}");
}

#[tokio::test]
async fn changes_have_places_in_both_versions() {
    let client = start().await;
    let before = "The fee is 100 euros. We like trees.";
    let after = "Well then. The fee is 200 euros. We like trees.";
    let arguments = json!({ "before": before, "after": after, "format": "sarif" });
    let answer = client.answer("compare_versions", arguments).await;
    let fee = answer["changes"].as_array().unwrap().iter().find(|it| it["after"] == "The fee is 200 euros.");
    assert_eq!(fee.unwrap()["after_spot"], json!({ "chars": [11, 32] }), "{answer}");
    let old = answer["changes"].as_array().unwrap().iter().find(|it| it["before"] == "The fee is 100 euros.");
    assert_eq!(old.unwrap()["before_spot"], json!({ "chars": [0, 21] }), "{answer}");
    let (rules, _) = sarif(&client, &answer).await;
    assert!(rules.contains(&"change numbers".to_owned()), "{rules:?}");
}

#[tokio::test]
async fn a_version_may_be_a_file_that_was_made_before() {
    let client = start().await;
    let made = client.answer("redact", json!({ "text": "Paid to Helga.", "terms": ["Helga"] })).await;
    let arguments = json!({ "before": "Paid to Helga.", "after_ref_id": made["ref_id"] });
    let answer = client.answer("compare_versions", arguments).await;
    assert_eq!(answer["changes"][0]["after"], "Paid to █████.", "{answer}");
    let (code, text) = client
        .trouble("compare_versions", json!({ "before": "x", "after": "y", "after_ref_id": "doc_0" }))
        .await;
    assert_eq!(code, "bad_arguments", "{text}");
}

#[tokio::test]
async fn contracts_and_licences_have_profiles_of_their_own() {
    let client = start().await;
    let contract = b"This Agreement is entered into by and between Acme Ltd and Beta Inc. Each party shall keep it secret.";
    let arguments = file(contract, json!({ "file_type": "text/plain", "profile": "contract" }));
    let answer = client.answer("check_document", arguments).await;
    assert_eq!(answer["checks"], json!(["metadata", "contract", "readability"]), "{answer}");
    let rules: Vec<&str> =
        answer["findings"].as_array().unwrap().iter().map(|it| it["rule"].as_str().unwrap()).collect();
    assert!(rules.contains(&"contract parties") && rules.contains(&"contract governing law"), "{rules:?}");
    let arguments = file(
        b"// SPDX-License-Identifier: MIT\n",
        json!({ "file_type": "text/plain", "profile": "license" }),
    );
    let answer = client.answer("check_document", arguments).await;
    assert_eq!(answer["checks"], json!(["metadata", "licences"]), "{answer}");
    assert_eq!(answer["findings"][0]["rule"], "license MIT", "{answer}");
}

#[tokio::test]
async fn a_word_document_tells_of_comments_changes_and_hidden_text() {
    let client = start().await;
    let answer = client.answer("check_metadata", file(&word(), json!({}))).await;
    let told: Vec<(&str, u64)> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["rule"].as_str().unwrap(), it["count"].as_u64().unwrap()))
        .collect();
    let expected = [
        ("metadata comments", 1),
        ("metadata insertions", 1),
        ("metadata deletions", 1),
        ("metadata hidden text", 1),
    ];
    assert_eq!(told, expected, "{answer}");
    assert!(
        answer["findings"][2]["evidence"].as_str().unwrap().contains("by Helga; the first: hate"),
        "{answer}"
    );
    assert!(!answer.to_string().contains("were not looked for"), "{answer}");
}
