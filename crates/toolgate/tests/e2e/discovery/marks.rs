//! Tools that need approval are marked, and a new policy changes the list for exactly the affected ones.

use serde_json::{Value, json};

use super::ears::EraListeners;
use super::stage::{list_text, names_of, older};
use crate::governed::bank::{Bank, NO_HOLD, money, pending, status};
use crate::governed::database::Backing;
use crate::kit::{call, names};

const AGENTS: &str = r#"
[[agents]]
name = "teller"
[[agents]]
name = "looker"
[[agents]]
name = "careful"
policy_template = "regulated"
[policy]
folder = "policy"
"#;
const ALL: &str = "permit (principal, action, resource);\n";

fn open(guard: &str, gates: &str) -> Bank {
    let files = [("policy/guard.cedar", guard), ("policy/gates.cedar", gates)];
    Bank::open_with(Backing::Sqlite, &format!("{AGENTS}{NO_HOLD}"), &files)
}

fn token(bank: &Bank, agent: &str) -> String {
    bank.token(&format!("--role agent --principal {agent}-bot --agent {agent}"))
}

fn tool<'v>(list: &'v Value, name: &str) -> &'v Value {
    let tools = list["tools"].as_array().expect("a list");
    tools.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("no {name}: {list}"))
}

fn mark(tool: &Value) -> (Option<&str>, Option<bool>) {
    (tool["_meta"]["dev.toolgate/approval"].as_str(), tool["annotations"]["approvalHint"].as_bool())
}

#[tokio::test]
async fn tools_for_which_people_are_asked_are_marked_in_both_eras() {
    let gates = "forbid (principal, action == Action::\"bank:transfer\", resource);\n\
        forbid (principal, action == Action::\"bank:refund\", resource) when { context.input.amount > 10 };\n";
    let bank = open(ALL, gates);
    let agent = bank.agent();
    bank.agent().tool_names(5).await;
    let newer = agent.modern("tools/list", json!({})).await.result();
    let older = older(&agent).await.legacy(1, "tools/list", json!({})).await.result();
    for list in [newer, older] {
        assert_eq!(mark(tool(&list, "bank__transfer")), (Some("always"), Some(true)), "{list}");
        assert_eq!(mark(tool(&list, "bank__refund")), (Some("sometimes"), Some(true)), "{list}");
        assert_eq!(mark(tool(&list, "bank__balance")), (None, None), "{list}");
        assert_eq!(tool(&list, "bank__refund")["annotations"]["idempotentHint"], true, "the others stay");
    }
    pending(&call(&agent, "bank__transfer", money(1)).await);
    assert_eq!(status(&call(&agent, "bank__refund", money(1)).await), "succeeded");
    pending(&call(&agent, "bank__refund", money(11)).await);
}

#[tokio::test]
async fn the_template_of_an_agent_marks_and_gates_for_it_alone() {
    let bank = open(ALL, "");
    let (teller, careful) =
        (bank.agent_with(&token(&bank, "teller")), bank.agent_with(&token(&bank, "careful")));
    teller.tool_names(5).await;
    let marks = |list: Value| mark(tool(&list, "bank__transfer")).0.map(str::to_owned);
    assert_eq!(marks(careful.modern("tools/list", json!({})).await.result()).as_deref(), Some("always"));
    let usual = marks(teller.modern("tools/list", json!({})).await.result());
    let done = call(&teller, "bank__transfer", money(1)).await;
    assert_eq!(usual.is_some(), status(&done) == "pending_approval", "the mark tells what happens: {done}");
    pending(&call(&careful, "bank__transfer", money(2)).await);
}

#[tokio::test]
async fn a_new_policy_is_told_to_exactly_those_whose_list_it_changes() {
    let mut bank = open(ALL, "");
    let (teller, looker) =
        (bank.agent_with(&token(&bank, "teller")), bank.agent_with(&token(&bank, "looker")));
    teller.tool_names(5).await;
    let before = list_text(&looker).await;
    let mut ears = EraListeners::open(&teller).await;
    let quiet = EraListeners::open(&looker).await;
    let forbid =
        "forbid (principal == Agent::\"teller-bot\", action == Action::\"bank:transfer\", resource);\n";
    bank.write("policy/guard.cedar", &format!("{ALL}{forbid}"));
    ears.hear().await;
    let list = teller.modern("tools/list", json!({})).await.result();
    assert!(!names_of(&list).contains(&"bank__transfer".to_owned()), "{list}");
    assert!(names(&looker).await.contains(&"bank__transfer".to_owned()));
    let gate = "forbid (principal == Agent::\"teller-bot\", action == Action::\"bank:refund\", resource);\n";
    bank.write("policy/gates.cedar", gate);
    ears.hear().await;
    let list = teller.modern("tools/list", json!({})).await.result();
    assert_eq!(mark(tool(&list, "bank__refund")).0, Some("always"), "{list}");
    assert_eq!(list_text(&looker).await, before);
    bank.gateway.end(false);
    quiet.heard_nothing_more("whom it does not concern").await;
    ears.heard_nothing_more("whom it concerns").await;
}
