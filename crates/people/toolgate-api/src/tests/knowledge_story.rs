//! Knowledge bases over REST: what they answer from, and whether their indexes are ready.

use http::StatusCode;
use serde_json::json;
use toolgate_core::id::KnowledgeBaseId;
use toolgate_core::pointer::{PointerKind, PointerPath};
use toolgate_core::{PrincipalId, Role};
use toolgate_store::{Actor, KnowledgeBaseWrite};

use super::file_kit::{agent, operator};
use super::gate::{Gate, approver, somebody};
use super::pointers_story::created;
use super::run_kit::told;

async fn based(gate: &Gate, name: &str, pointers: &[(&str, &str)]) {
    let path = |(namespace, name): &(&str, &str)| PointerPath::new(namespace, name).expect("a path");
    let write = KnowledgeBaseWrite {
        id: KnowledgeBaseId::new(format!("kb_{name}")),
        name: name.to_owned(),
        title: Some("<script>contracts</script>".to_owned()),
        description: None,
        pointers: pointers.iter().map(path).collect(),
        profile: "docs.default".to_owned(),
        manner: "legal-citations".to_owned(),
        seen: None,
        at_ms: 1_790_000_000_000,
    };
    let by = Actor::person(&PrincipalId::new("ann"));
    gate.books.put_knowledge_base(&write, &by).await.expect("written");
}

#[tokio::test]
async fn a_knowledge_base_says_what_it_answers_from() {
    let gate = Gate::open().await;
    created(&gate, "legal", "contracts", PointerKind::Bundle).await;
    based(&gate, "contracts", &[("legal", "contracts"), ("legal", "gone")]).await;
    based(&gate, "letters", &[("legal", "contracts")]).await;
    for role in [Role::Admin, Role::Operator, Role::Auditor] {
        for name in ["kb_contracts", "contracts"] {
            let shown = gate.get(&somebody("eve", role), &format!("/knowledge-bases/{name}")).await.json();
            assert_eq!((&shown["id"], &shown["manner"]), (&json!("kb_contracts"), &json!("legal-citations")));
            let statuses = (&shown["sources"][0]["status"], &shown["sources"][1]["status"]);
            assert_eq!(statuses, (&json!("empty"), &json!("missing")), "{shown}");
            assert_eq!(shown["sources"][0]["pointer"], json!("ptr_contracts"), "{shown}");
        }
    }
    let listed = gate.get(&operator(), "/knowledge-bases?limit=1").await.json();
    let cursor = listed["next_cursor"].as_str().expect("there are more");
    let rest = gate.get(&operator(), &format!("/knowledge-bases?cursor={cursor}")).await.json();
    assert_ne!(listed["knowledge_bases"][0]["id"], rest["knowledge_bases"][0]["id"], "{rest}");
}

#[tokio::test]
async fn what_is_no_knowledge_base_is_said_clearly_and_agents_have_tools() {
    let gate = Gate::open().await;
    let missing = gate.get(&operator(), "/knowledge-bases/kb_9").await;
    assert_eq!(told(&missing), (404, "unknown_knowledge_base".into()));
    for bad in ["/knowledge-bases?cursor=x", "/knowledge-bases?limit=0", "/knowledge-bases?name=x"] {
        assert_eq!(gate.get(&operator(), bad).await.status, StatusCode::BAD_REQUEST, "{bad}");
    }
    for who in [agent(), approver("ann")] {
        for path in ["/knowledge-bases", "/knowledge-bases/kb_9"] {
            assert_eq!(gate.get(&who, path).await.status, StatusCode::FORBIDDEN, "{path}");
        }
    }
}
