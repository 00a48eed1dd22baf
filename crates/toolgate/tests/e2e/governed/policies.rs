//! Policies from outside: broken ones are refused by file and line, new ones take effect at once, errors
//! deny.

use serde_json::json;
use toolgate_testkit::gateway::{HttpClient, until_async};

use super::bank::{Bank, NO_HOLD, money, pending, status, stderr};
use super::database::Backing;
use crate::doors::WAIT;
use crate::kit::{call, names, text};

const TOOL: &str = "bank__transfer";
const FOLDER: &str = "[policy]\nfolder = \"policy\"\n";
const FORBID: &str = "permit (principal, action, resource);\n\n@reason(\"closed on Sundays\")\n\
    forbid (principal, action == Action::\"bank:transfer\", resource);\n";

fn with_folder(files: &[(&str, &str)]) -> Bank {
    Bank::open_with(Backing::Sqlite, &format!("{FOLDER}{NO_HOLD}"), files)
}

/// True if an agent with this amount is told that the tool is unknown.
async fn is_unknown(agent: &HttpClient, amount: u64) -> bool {
    let params = json!({ "name": TOOL, "arguments": money(amount) });
    let response = agent.modern("tools/call", params).await.response();
    match response.get("result") {
        Some(result) => {
            assert_eq!(status(result), "succeeded", "{result}");
            false
        }
        None => {
            assert_eq!(response["error"]["message"], format!("unknown tool: {TOOL}"), "{response}");
            true
        }
    }
}

fn write(bank: &Bank, name: &str, policy: &str) {
    bank.write(&format!("policy/{name}"), policy);
}

#[tokio::test]
async fn a_gateway_does_not_start_on_broken_policies() {
    let mut bank = with_folder(&[("policy/gates.cedar", "")]);
    bank.gateway.end(false);
    let broken = [
        (
            "permit (principal, action, resource);\n\nforbid (principal action, resource);\n",
            "guard.cedar:3",
            "guard.cedar",
        ),
        ("@quorum(\"0\")\nforbid (principal, action, resource);\n", "gates.cedar:1", "gates.cedar"),
        ("\n@approver(\"finance\")\nforbid (principal, action, resource);\n", "gates.cedar:2", "gates.cedar"),
        ("permit (principal, action, resource);\n", "gates.cedar:1", "gates.cedar"),
    ];
    for (policy, place, name) in broken {
        write(&bank, name, policy);
        for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["policy", "check"][..]] {
            let output = bank.gateway.cli(command);
            assert!(!output.status.success(), "{command:?} took {policy:?}");
            let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), stderr(&output));
            assert!(said.contains(place) && said.contains("hint: "), "{command:?}: no {place} in: {said}");
        }
        std::fs::remove_file(bank.gateway.folder().join("policy").join(name)).expect("it can be removed");
    }
    assert!(bank.gateway.cli(&["policy", "check"]).status.success());
}

#[tokio::test]
async fn a_new_policy_takes_effect_within_seconds() {
    let bank = with_folder(&[("policy/gates.cedar", "")]);
    let agent = bank.agent();
    assert_eq!(status(&call(&agent, TOOL, money(1)).await), "succeeded");
    write(&bank, "guard.cedar", FORBID);
    let gone = until_async(WAIT, || async { is_unknown(&agent, 2).await.then_some(()) });
    gone.await.expect("the new policy is obeyed");
    assert!(!names(&agent).await.contains(&TOOL.to_owned()), "what is forbidden is not listed");
    let denied = call(&bank.agent_with(&bank.gateway.admin), TOOL, money(2)).await;
    assert_eq!(status(&denied), "denied", "{denied}");
    assert!(text(&denied).contains("closed on Sundays"), "{denied}");
    let loaded = bank.events(&["--kind", "policy.loaded"]);
    assert_eq!(loaded.len(), 2, "{loaded:?}");
    assert_ne!(loaded[0]["policy_version"], loaded[1]["policy_version"]);
    std::fs::remove_file(bank.gateway.folder().join("policy/guard.cedar")).expect("removed");
    let again = until_async(WAIT, || async { (!is_unknown(&agent, 3).await).then_some(()) });
    again.await.expect("a policy that is gone forbids nothing");
    assert!(names(&agent).await.contains(&TOOL.to_owned()));
    assert_eq!(status(&call(&agent, TOOL, money(4)).await), "succeeded");
}

#[tokio::test]
async fn a_new_policy_that_does_not_load_changes_nothing() {
    let bank = with_folder(&[("policy/guard.cedar", FORBID)]);
    let agent = bank.agent();
    assert!(is_unknown(&agent, 1).await);
    write(
        &bank,
        "guard.cedar",
        "permit (principal, action, resource);\nforbid (principal, action resource);\n",
    );
    let refused = until_async(WAIT, || async { bank.events(&["--kind", "policy.refused"]).pop() });
    let refused = refused.await.expect("the ledger says that a policy was refused");
    assert!(
        refused["detail"]["error"].as_str().is_some_and(|why| why.contains("guard.cedar:2")),
        "{refused}"
    );
    let log = bank.gateway.log().join("\n");
    assert!(log.contains("ERROR") && log.contains("guard.cedar:2"), "{log}");
    assert!(is_unknown(&agent, 1).await, "the old policy stays");
    assert_eq!(bank.ran(), Vec::<String>::new());
    write(&bank, "guard.cedar", "permit (principal, action, resource);\n");
    let mended = until_async(WAIT, || async { (!is_unknown(&agent, 1).await).then_some(()) });
    mended.await.expect("a mended policy is taken up");
    assert_eq!(bank.events(&["--kind", "policy.refused"]).len(), 1, "said once, not every second");
}

#[tokio::test]
async fn a_policy_that_cannot_be_evaluated_denies_and_says_so() {
    let guard = "permit (principal, action, resource);\n\
        forbid (principal, action == Action::\"bank:balance\", resource) when { context.input.account == \"DE9\" };\n";
    let bank = with_folder(&[("policy/guard.cedar", guard)]);
    let agent = bank.agent();
    assert_eq!(status(&call(&agent, "bank__balance", json!({ "account": "DE1" })).await), "succeeded");
    let said = call(&agent, "bank__balance", json!({})).await;
    assert_eq!(status(&said), "denied", "{said}");
    assert!(text(&said).contains("could not be evaluated"), "{said}");
    let decided = bank.events(&["--kind", "policy.decided", "--decision", "deny"]);
    assert!(decided[0]["detail"]["denial"]["error"].is_string(), "{decided:?}");
    assert_eq!(bank.ran().len(), 1);
}

#[tokio::test]
async fn a_gate_that_cannot_be_evaluated_denies_too() {
    let gates = "forbid (principal, action == Action::\"bank:balance\", resource) when { context.input.account == \"DE9\" };";
    let bank = with_folder(&[("policy/gates.cedar", gates)]);
    assert_eq!(status(&call(&bank.agent(), "bank__balance", json!({})).await), "denied");
    assert_eq!(bank.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn templates_gate_what_their_names_promise() {
    for (template, transfer) in [
        ("exploratory", "succeeded"),
        ("standard", "pending_approval"),
        ("regulated", "pending_approval"),
        ("audit_critical", "pending_approval"),
    ] {
        let vouched = "[[tools]]\nname = \"bank:balance\"\neffects = [\"read\"]\n";
        let bank = Bank::open(&format!("[policy]\ntemplate = {template:?}\n{NO_HOLD}{vouched}"));
        let agent = bank.agent();
        assert_eq!(status(&call(&agent, TOOL, money(1)).await), transfer, "{template}");
        assert_eq!(status(&call(&agent, "bank__balance", json!({})).await), "succeeded", "{template}");
    }
}

/// `bank:balance` declares itself read-only.
#[tokio::test]
async fn strict_templates_take_no_server_s_word_for_what_its_tools_do() {
    for (template, balance) in [("standard", "succeeded"), ("regulated", "pending_approval")] {
        let bank = Bank::open(&format!("[policy]\ntemplate = {template:?}\n{NO_HOLD}"));
        assert_eq!(status(&call(&bank.agent(), "bank__balance", json!({})).await), balance, "{template}");
        assert_eq!(bank.ran().len(), usize::from(balance == "succeeded"), "{template}");
    }
}

#[tokio::test]
async fn what_the_operator_knows_of_a_tool_counts_for_the_template() {
    let rules = "[[tools]]\nname = \"bank:transfer\"\neffects = [\"read\"]\n[[tools]]\nname = \"bank:balance\"\neffects = [\"write\", \"external\"]\n";
    let bank = Bank::open(&format!("[policy]\ntemplate = \"standard\"\n{NO_HOLD}{rules}"));
    let agent = bank.agent();
    assert_eq!(status(&call(&agent, TOOL, money(1)).await), "succeeded");
    pending(&call(&agent, "bank__balance", json!({})).await);
}

#[tokio::test]
async fn policies_in_shadow_mode_decide_nothing_and_are_noted() {
    let shadow = "permit (principal, action, resource);\nforbid (principal, action == Action::\"bank:transfer\", resource);";
    let bank = with_folder(&[("policy/guard.shadow.cedar", shadow)]);
    assert_eq!(status(&call(&bank.agent(), TOOL, money(1)).await), "succeeded");
    let decided = bank.events(&["--kind", "policy.decided", "--tool", "bank:transfer"]);
    assert_eq!(
        (&decided[0]["decision"], &decided[0]["detail"]["shadow"]),
        (&json!("permit"), &json!("deny")),
        "{decided:?}"
    );
    assert_eq!(decided[0]["detail"]["shadow_policies"][0]["id"], "guard.shadow.cedar:2", "{decided:?}");
}

#[tokio::test]
async fn the_policy_commands_check_explain_and_test() {
    let tests = |expect: &str| {
        format!(
            "[[test]]\nname = \"transfers\"\nprincipal = {{ id = \"bot\", kind = \"agent\", role = \"agent\" }}\ntool = \"bank:transfer\"\narguments = {{ amount = 5, account = \"DE1\" }}\nexpect = {expect:?}\n"
        )
    };
    let bank = with_folder(&[("policy/guard.cedar", FORBID), ("policy/a.test.toml", &tests("deny"))]);
    // The commands know the tools that the gateway has listed.
    bank.agent().tool_names(1).await;
    let known =
        until_async(WAIT, || async { bank.gateway.cli(&["policy", "table"]).status.success().then_some(()) });
    known.await.expect("the table is printed once tools are known");
    assert!(bank.say(&["policy", "check"]).contains("ok"));
    assert!(bank.say(&["policy", "table"]).contains("bank:transfer"));
    let explained =
        bank.say_json(&["policy", "explain", "--tool", "bank:transfer", "--args", &money(5).to_string()]);
    assert_eq!(explained["verdict"], "deny", "{explained}");
    let said = bank.say(&["policy", "explain", "--tool", "bank:transfer"]);
    assert!(said.contains("closed on Sundays") && said.contains("guard.cedar:"), "{said}");
    let unknown = bank.gateway.cli(&["policy", "explain", "--tool", "bank:transfr"]);
    assert!(
        !unknown.status.success() && stderr(&unknown).contains("did you mean bank:transfer"),
        "{unknown:?}"
    );
    bank.say(&["policy", "test"]);
    write(&bank, "a.test.toml", &tests("permit"));
    let failed = bank.gateway.cli(&["policy", "test"]);
    assert!(!failed.status.success(), "{failed:?}");
    assert!(String::from_utf8_lossy(&failed.stdout).contains("transfers"), "{failed:?}");
    write(&bank, "a.test.toml", &tests("perhaps"));
    assert!(!bank.gateway.cli(&["policy", "test"]).status.success());
    let misspelt = "permit (principal, action, resource);\nforbid (principal, action == Action::\"bank:transfer\", resource) when { context.input.amont > 5 };";
    write(&bank, "guard.cedar", misspelt);
    let output = bank.gateway.cli(&["policy", "check"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        !output.status.success() && said.contains("guard.cedar:2") && said.contains("amont"),
        "{output:?}"
    );
}
