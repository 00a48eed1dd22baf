//! A base exists for those who see all of its pointers, and its documents for those who may read them.

use serde_json::json;

use super::library::{KnowledgeLibrary, LEASE};

#[tokio::test]
async fn a_base_is_unknown_to_those_who_do_not_see_all_of_its_pointers() {
    let library = KnowledgeLibrary::of_texts("legal-citations").await;
    library.fill("letters", "june", &[("letter.md", LEASE.as_bytes())]).await;
    let both =
        json!([{ "namespace": "legal", "name": "contracts" }, { "namespace": "letters", "name": "june" }]);
    library.done("knowledge.kb_create", json!({ "name": "everything", "pointers": both })).await;
    let (lawyer, clerk) = (library.agent("lawyer"), library.agent("clerk"));
    for (token, sees) in [(lawyer.as_str(), vec!["contracts"]), (clerk.as_str(), Vec::new())] {
        let listed = library.said(token, "knowledge.kb_list", json!({})).await;
        assert_eq!(listed.status, 200, "{listed:?}");
        let listed = listed.json();
        let names: Vec<&str> = listed["data"]["kbs"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|one| one["name"].as_str())
            .collect();
        assert_eq!(names, sees);
    }
    let asked = |kb: &str| json!({ "kb": kb, "query": "notice period" });
    for (token, kb) in
        [(&clerk, "contracts"), (&clerk, "everything"), (&lawyer, "everything"), (&lawyer, "nothing")]
    {
        let refused = library.refused(token, "knowledge.kb_query", asked(kb)).await;
        assert_eq!(refused, (404, "unknown_knowledge_base".to_owned()), "{kb}");
    }
    let answered = library.said(&lawyer, "knowledge.kb_query", asked("contracts")).await;
    assert_eq!(answered.status, 200, "{answered:?}");
    let foreign = json!({ "name": "mine", "pointers": [{ "namespace": "legal", "name": "contracts" }] });
    let refused = library.refused(&clerk, "knowledge.kb_create", foreign.clone()).await;
    assert_eq!(refused, (404, "unknown_pointer".to_owned()));
    let topic = json!({ "pointers": foreign["pointers"], "topic": "lease" });
    assert_eq!(library.refused(&clerk, "knowledge.research_domain", topic).await.0, 404);
}
