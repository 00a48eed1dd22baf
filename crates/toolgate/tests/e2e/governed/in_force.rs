//! The configuration in force: a changed one applies at once, a broken one does not.

use serde_json::json;
use toolgate_testkit::gateway::until_async;

use super::bank::{Bank, NO_HOLD, money, pending, status};
use super::database::Backing;
use crate::doors::WAIT;
use crate::kit::{call, text};

const TOOL: &str = "bank__transfer";
const GATE: &str = "[policy]\ngates = 'forbid (principal, action == Action::\"bank:transfer\", resource);'\n";

fn configuration(bank: &Bank) -> String {
    std::fs::read_to_string(bank.gateway.folder().join("toolgate.toml")).expect("it is there")
}

#[tokio::test]
async fn a_policy_that_is_added_to_a_running_gateway_is_obeyed() {
    let bank = Bank::open(NO_HOLD);
    let agent = bank.agent();
    assert_eq!(status(&call(&agent, TOOL, money(1)).await), "succeeded");
    let before = configuration(&bank);
    bank.write("toolgate.toml", &format!("{before}\n{GATE}"));
    let gated = until_async(WAIT, || async {
        (status(&call(&agent, TOOL, money(2)).await) == "pending_approval").then_some(())
    });
    gated.await.expect("the gate asks");
    assert!(bank.say(&["policy", "check"]).contains("in force"), "the command says what is in force");
    let doctor = bank.gateway.cli(&["doctor"]);
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    let line = said.lines().find(|line| line.starts_with("ok    policy: ")).unwrap_or_default();
    assert!(line.contains("in force: the running gateway decides by this"), "{said}");
    bank.write("toolgate.toml", &before);
    let open = until_async(WAIT, || async {
        (status(&call(&agent, TOOL, money(3)).await) == "succeeded").then_some(())
    });
    open.await.expect("without the gate nobody asks");
    let log = bank.gateway.log().join("\n");
    assert!(!log.contains("counts after a restart"), "{log}");
}

/// What the gateway says about its configuration file, where people and programs look.
async fn config_refused(bank: &Bank) -> Vec<bool> {
    let mut told = Vec::new();
    for path in ["/policy", "/overview", "/inbox"] {
        let answer = bank.get(&bank.gateway.admin, path).await.json();
        told.push(answer["config_refused"].as_str().is_some_and(|places| places.contains("toolgate.toml")));
    }
    told
}

#[tokio::test]
async fn a_configuration_that_does_not_load_is_told_wherever_one_looks() {
    let bank = Bank::open(&format!("{GATE}{NO_HOLD}"));
    let id = pending(&call(&bank.agent(), TOOL, money(1)).await);
    let before = configuration(&bank);
    assert_eq!(config_refused(&bank).await, [false; 3]);
    // A command that starts nothing does not need the variable; the gateway does.
    let server =
        "[[servers]]\nname = \"more\"\ncommand = \"more\"\nenv = { A = \"${TOOLGATE_TEST_NOT_SET}\" }\n";
    bank.write("toolgate.toml", &format!("{before}\n{server}"));
    let told = until_async(WAIT, || async { (config_refused(&bank).await == [true; 3]).then_some(()) });
    told.await.expect("it is told");
    let refused = bank.gateway.cli(&["approvals", "approve", &id]);
    let said = super::bank::stderr(&refused);
    assert!(!refused.status.success() && said.contains("refused the configuration file"), "{said}");
    assert_eq!(bank.approval(&id)["state"], "pending");
    let doctor = bank.gateway.cli(&["doctor"]);
    assert!(!doctor.status.success(), "{doctor:?}");
    bank.write("toolgate.toml", &before);
    let told = until_async(WAIT, || async { (config_refused(&bank).await == [false; 3]).then_some(()) });
    told.await.expect("it is over");
    bank.approve(&id);
}

#[tokio::test]
async fn how_long_people_have_and_a_yes_holds_changes_while_the_gateway_runs() {
    let bank = Bank::open(&format!("{GATE}{NO_HOLD}"));
    let agent = bank.agent();
    let toml = configuration(&bank)
        .replace("hold_seconds = 0", "hold_seconds = 0\ntimeout_seconds = 77\napproved_valid_seconds = 1");
    bank.write("toolgate.toml", &toml);
    let mut id = None;
    for amount in 1..=200 {
        let approval = bank.approval(&pending(&call(&agent, TOOL, money(amount)).await));
        let time = approval["expires_at_ms"].as_i64().zip(approval["created_at_ms"].as_i64());
        if time.is_some_and(|(expires, created)| expires - created == 77_000) {
            id = approval["id"].as_str().map(str::to_owned);
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let id = id.expect("people have as long as the file says now");
    bank.approve_as(&bank.gateway.admin, &id).await;
    bank.wait_state(&id, "lapsed");
}

#[tokio::test]
async fn a_policy_that_fails_on_a_tool_is_refused_and_the_old_ones_stay() {
    let gate = "forbid (principal, action == Action::\"bank:transfer\", resource) when { context.input.amount > 5 };";
    let toml = format!("[policy]\nfolder = \"policy\"\n{NO_HOLD}");
    let bank = Bank::open_with(Backing::Sqlite, &toml, &[("policy/gates.cedar", gate)]);
    let agent = bank.agent();
    pending(&call(&agent, TOOL, money(9)).await);
    bank.write("policy/gates.cedar", &gate.replace("amount", "amont"));
    let refused = until_async(WAIT, || async { bank.events(&["--kind", "policy.refused"]).pop() });
    let refused = refused.await.expect("the ledger says that a policy was refused");
    let why = refused["detail"]["error"].as_str().expect("a text");
    assert!(why.contains("gates.cedar:1") && why.contains("amont"), "{refused}");
    pending(&call(&agent, TOOL, money(8)).await);
    assert_eq!(status(&call(&agent, TOOL, money(1)).await), "succeeded", "the old ones judge");
    let shown = bank.get(&bank.gateway.admin, "/policy").await.json();
    assert!(shown["refused"].as_str().is_some_and(|why| why.contains("amont")), "{shown}");
    let check = bank.gateway.cli(&["policy", "check"]);
    let said = String::from_utf8_lossy(&check.stdout).into_owned();
    assert!(!check.status.success() && said.contains("not in force"), "{check:?}");
    let doctor = bank.gateway.cli(&["doctor"]);
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    let line = said.lines().find(|line| line.starts_with("WRONG policy: ")).unwrap_or_default();
    assert!(line.contains("not in force") && said.contains("amont"), "{said}");
    let explained = bank.gateway.cli(&["policy", "explain", "--tool", "bank:transfer"]);
    assert!(String::from_utf8_lossy(&explained.stderr).contains("not in force"), "{explained:?}");
}

#[tokio::test]
async fn a_policy_that_was_broken_from_the_start_is_shown_as_broken_and_is_the_gateways_fault() {
    let gate = "@id(\"odd\") forbid (principal, action == Action::\"bank:transfer\", resource) when { context.input.amont > 5 };";
    let toml = format!("[policy]\nfolder = \"policy\"\n{NO_HOLD}");
    let bank = Bank::open_with(Backing::Sqlite, &toml, &[("policy/gates.cedar", gate)]);
    let denied = call(&bank.agent(), TOOL, money(9)).await;
    assert_eq!(status(&denied), "denied", "{denied}");
    assert_eq!(denied["_meta"]["dev.toolgate/fault"]["fault"], "gateway", "{denied}");
    let said = text(&denied);
    assert!(said.contains("nothing is wrong with the call") && said.contains("odd"), "{said}");
    assert!(!said.contains("toolgate policy"), "no command that an agent cannot run: {said}");
    let shown = bank.get(&bank.gateway.admin, "/policy").await.json();
    assert!(shown["broken"].as_str().is_some_and(|why| why.contains("amont")), "{shown}");
    let logged = until_async(WAIT, || async {
        bank.gateway.log().join("\n").contains("fail on tools there are").then_some(())
    });
    logged.await.expect("the log says so");
    assert_eq!(json!(bank.ran()), json!([]));
}

#[tokio::test]
async fn a_tool_is_told_with_whom_people_are_asked_about_whoever_looks() {
    let gate =
        "[policy]\ngates = 'forbid (principal is Agent, action == Action::\"bank:transfer\", resource);'\n";
    let bank = Bank::open(&format!("{gate}{NO_HOLD}"));
    pending(&call(&bank.agent(), TOOL, money(1)).await);
    let shown = bank.get(&bank.gateway.admin, "/tools/bank:transfer").await.json();
    assert_eq!(shown["approval"], "never", "for the admin who looks");
    let of = |role: &str| {
        let asked = shown["asked"].as_array().into_iter().flatten().find(|one| one["role"] == role);
        asked.unwrap_or_else(|| panic!("no {role}: {shown}"))["asked"].clone()
    };
    assert_eq!((of("agent"), of("admin")), (json!("always"), json!("never")));
}
