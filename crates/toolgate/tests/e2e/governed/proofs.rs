//! Proof for people who do not trust the operator: checkpoints, proofs of calls, and what happens to a ledger
//! that is no longer what was signed.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use toolgate_testkit::gateway::until;
use toolgate_testkit::openbao::StandIn;

use super::bank::{Bank, NO_HOLD, envelope, money, status, stderr};
use super::database::Backing;
use super::on_both;
use super::receiver::{ReceivedMessage, Receiver};
use super::tampering::tamper;
use crate::doors::WAIT;
use crate::kit::call;
use crate::outside::repository;
use crate::toolgate;

on_both!(
    a_call_is_proved_with_nothing_but_the_key,
    a_proof_that_is_downloaded_passes_the_check,
    a_ledger_that_was_emptied_is_noticed,
    a_stream_that_was_removed_is_noticed,
    a_ledger_that_went_back_is_noticed,
);

const EVERYTHING: [&str; 4] = ["ledger_lines", "ledger_heads", "ledger_blocks", "ledger_terms"];

/// A bank with a key and a folder for checkpoints, and the public key.
fn open(backing: Backing, more: &str) -> (Bank, String) {
    let bank = Bank::open_on(backing, NO_HOLD);
    let key = bank.say(&["ledger", "key", "--new", "own.key"]).trim().to_owned();
    configure(&bank, &format!("key_file = \"own.key\"\nfolder = \"kept\"\n{more}"));
    (bank, key)
}

/// Sets the table of checkpoints, which counts for commands at once and for the gateway after a restart.
fn configure(bank: &Bank, table: &str) {
    let path = bank.gateway.folder().join("toolgate.toml");
    let text = std::fs::read_to_string(&path).expect("the configuration");
    let text = text.split("\n[checkpoints]").next().expect("a beginning").to_owned();
    std::fs::write(path, format!("{text}\n[checkpoints]\n{table}")).expect("written");
}

async fn transfer(bank: &Bank, amount: u64) -> String {
    assert_eq!(status(&call(&bank.agent(), "bank__transfer", money(amount)).await), "succeeded");
    let last = bank.events(&["--kind", "tool.call.completed"]).pop().expect("an end");
    last["call"].as_str().expect("a call").to_owned()
}

/// Signs a checkpoint in the folder that is verified against.
fn sign(bank: &Bank, name: &str) {
    std::fs::create_dir_all(bank.gateway.folder().join("kept")).expect("a folder");
    bank.say(&["ledger", "checkpoint", "--output", &format!("kept/{name}.checkpoint")]);
}

/// The program on another machine: no configuration, no data.
fn elsewhere(words: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(toolgate());
    command.current_dir(folder.path()).env("HOME", folder.path()).env_remove("XDG_DATA_HOME");
    let output = command.args(words).output().expect("the binary runs");
    let left = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 0, "{words:?} made something");
    output
}

fn text_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn half(text: &str) -> String {
    text.chars().take(text.chars().count() / 2).collect()
}

fn checked(proof: &Path, key: &str) -> Output {
    elsewhere(&["ledger", "check", &proof.display().to_string(), "--key", key])
}

/// The implementation in Python.
fn checked_in_python(proof: &Path, key: &str) -> Output {
    let script = repository().join("tests/clients/python/check_proof.py");
    Command::new("python3").arg("-B").arg(script).arg(proof).arg(key).output().expect("Python is there")
}

fn refused(output: &Output, told: &str) {
    assert!(!output.status.success(), "{output:?}");
    let said = stderr(output);
    assert!(said.contains(told), "not {told:?}: {said}");
}

/// The fault that verification finds.
fn fault(bank: &Bank) -> Value {
    let output = bank.gateway.cli(&["--json", "ledger", "verify"]);
    assert!(!output.status.success(), "{output:?}");
    let said: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    said["fault"].clone()
}

async fn a_call_is_proved_with_nothing_but_the_key(backing: Backing) {
    let (bank, key) = open(backing, "");
    let (one, other) = (transfer(&bank, 471_147_114).await, transfer(&bank, 815_815_815).await);
    let proof = bank.gateway.folder().join("call.proof");
    bank.say(&["ledger", "prove", &one, "--output", "call.proof"]);
    let text = std::fs::read_to_string(&proof).expect("a proof");
    assert!(text.contains(&one) && !text.contains(&other) && !text.contains("471147114"), "{text}");
    let output = checked(&proof, &key);
    assert!(output.status.success(), "{output:?}");
    let told = text_of(&output);
    for part in [
        "proved",
        "bank:transfer",
        "tool.call.completed",
        "succeeded",
        "not shown",
        one.as_str(),
        key.as_str(),
    ] {
        assert!(told.contains(part), "no {part}: {told}");
    }
    let output = checked_in_python(&proof, &key);
    assert!(output.status.success(), "{output:?}");
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let numbers = |events: &Value| -> Vec<i64> {
        events.as_array().expect("events").iter().filter_map(|one| one["number"].as_i64()).collect()
    };
    let output = elsewhere(&["--json", "ledger", "check", &proof.display().to_string(), "--key", &key]);
    let own: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&own["call"], numbers(&own["events"])), (&said["call"], numbers(&said["events"])));
    assert_eq!(own["events"][0]["call"], json!(one));

    bank.say(&["ledger", "prove", &one, "--disclose", "--output", "call.proof"]);
    let told = text_of(&checked(&proof, &key));
    assert!(told.contains("471147114") && !told.contains("815815815"), "{told}");
    let shown = std::fs::read_to_string(&proof).expect("a proof");
    std::fs::write(&proof, shown.replace("471147114", "471147115")).expect("changed");
    refused(&checked(&proof, &key), "are not its own");
}

#[tokio::test]
async fn a_proof_shows_what_came_beside_the_arguments_only_on_wish() {
    let (bank, key) = open(Backing::Sqlite, "");
    let meta = json!({ "bank/desk": 471_147_114 });
    let params = json!({ "name": "bank__refund", "arguments": money(5), "_meta": meta });
    let done = bank.agent().modern("tools/call", params).await.result();
    let call = envelope(&done)["tool_call_id"].as_str().expect("an id").to_owned();
    let proof = bank.gateway.folder().join("call.proof");
    bank.say(&["ledger", "prove", &call, "--output", "call.proof"]);
    let told = text_of(&checked(&proof, &key));
    assert!(told.contains("_meta (sha256:") && !told.contains("471147114"), "{told}");
    bank.say(&["ledger", "prove", &call, "--disclose", "--output", "call.proof"]);
    let told = text_of(&checked(&proof, &key));
    assert!(told.contains("471147114"), "{told}");
    let shown = std::fs::read_to_string(&proof).expect("a proof");
    std::fs::write(&proof, shown.replace("471147114", "471147115")).expect("changed");
    refused(&checked(&proof, &key), "are not its own");
}

async fn a_proof_that_is_downloaded_passes_the_check(backing: Backing) {
    let (bank, key) = open(backing, "");
    let admin = bank.gateway.admin.clone();
    let one = transfer(&bank, 471_147_114).await;
    let off = bank.get(&admin, &format!("/ledger/{one}/proof")).await;
    assert_eq!((off.status, &off.json()["code"]), (409, &json!("checkpoints_off")), "{off:?}");
    // The table counts for the gateway after a restart.
    let bank = bank.killed();
    let other = transfer(&bank, 815_815_815).await;
    let auditor = bank.token("--role auditor --principal ines");
    let proof = bank.get(&auditor, &format!("/ledger/{one}/proof")).await;
    assert_eq!(proof.status, 200, "{proof:?}");
    assert!(proof.text.contains(&one) && !proof.text.contains(&other), "{}", proof.text);
    assert!(!proof.text.contains("471147114"), "arguments are not shown");
    let file = bank.gateway.folder().join("call.proof");
    std::fs::write(&file, &proof.text).expect("written");
    let output = checked(&file, &key);
    assert!(output.status.success() && text_of(&output).contains(&one), "{output:?}");
    let output = checked_in_python(&file, &key);
    assert!(output.status.success(), "{output:?}");

    let kept = bank.gateway.folder().join("kept");
    let signed = until(WAIT, || (!checkpoints_in(&kept).is_empty()).then_some(()));
    signed.expect("the gateway signs at its start");
    let listed = bank.get(&auditor, "/ledger/checkpoints").await.json();
    assert_eq!((&listed["configured"], &listed["key"]), (&json!(true), &json!(key)), "{listed}");
    assert_eq!(listed["checkpoints"][0]["agrees"], true, "{listed}");
    assert!(listed["places"][0]["name"].as_str().is_some_and(|name| name.ends_with("kept")), "{listed}");
}

async fn a_ledger_that_was_emptied_is_noticed(backing: Backing) {
    let (mut bank, _) = open(backing, "");
    transfer(&bank, 1).await;
    sign(&bank, "one");
    bank.verify();
    bank.gateway.end(false);
    for table in EVERYTHING {
        tamper(&bank, &format!("DELETE FROM {table};"));
    }
    assert_eq!(fault(&bank)["what"], "stream_removed");
    std::fs::remove_dir_all(bank.gateway.folder().join("kept")).expect("removed");
    refused(&bank.gateway.cli(&["ledger", "verify"]), "nothing is verified");
    let path = bank.gateway.folder().join("toolgate.toml");
    let text = std::fs::read_to_string(&path).expect("the configuration");
    std::fs::write(&path, text.split("\n[checkpoints]").next().expect("a beginning")).expect("written");
    refused(&bank.gateway.cli(&["ledger", "verify"]), "nothing is verified");
}

async fn a_stream_that_was_removed_is_noticed(backing: Backing) {
    let (mut bank, _) = open(backing, "");
    transfer(&bank, 1).await;
    bank.token("--role agent --principal ann");
    bank.gateway.end(false);
    sign(&bank, "one");
    bank.verify();
    for table in EVERYTHING {
        tamper(&bank, &format!("DELETE FROM {table} WHERE stream = 'gateway';"));
    }
    let fault = fault(&bank);
    assert_eq!((&fault["stream"], &fault["what"]), (&json!("gateway"), &json!("stream_removed")), "{fault}");
}

/// Whoever can write to the database has the key that seals it: only what was signed elsewhere tells.
#[tokio::test]
async fn a_stream_that_was_written_again_is_noticed() {
    let (mut bank, _) = open(Backing::Sqlite, "");
    transfer(&bank, 1).await;
    bank.gateway.end(false);
    sign(&bank, "one");
    bank.verify();
    for table in EVERYTHING {
        tamper(&bank, &format!("DELETE FROM {table} WHERE stream = 'gateway';"));
    }
    let mut bank = bank.killed();
    // More than there was before.
    for amount in 1..=40 {
        assert_eq!(status(&call(&bank.agent(), "bank__transfer", money(amount)).await), "succeeded");
    }
    bank.gateway.end(false);
    let found = fault(&bank);
    assert_eq!((&found["stream"], &found["what"]), (&json!("gateway"), &json!("rewritten")), "{found}");
}

/// As if an older backup had been put back.
async fn a_ledger_that_went_back_is_noticed(backing: Backing) {
    let (mut bank, _) = open(backing, "");
    let call = transfer(&bank, 1).await;
    bank.gateway.end(false);
    for table in EVERYTHING {
        tamper(&bank, &format!("CREATE TABLE old_{table} AS SELECT * FROM {table};"));
    }
    let mut bank = bank.killed();
    transfer(&bank, 2).await;
    bank.gateway.end(false);
    sign(&bank, "one");
    bank.verify();
    for table in EVERYTHING {
        tamper(&bank, &format!("DELETE FROM {table};"));
        tamper(&bank, &format!("INSERT INTO {table} SELECT * FROM old_{table};"));
    }
    let found = fault(&bank);
    assert_eq!((&found["stream"], &found["what"]), (&json!("gateway"), &json!("older_database")), "{found}");
    // The past that was signed is not signed over.
    for words in [&["ledger", "checkpoint"][..], &["ledger", "prove", call.as_str()]] {
        refused(&bank.gateway.cli(words), "no longer what was signed");
    }
    // Its own seals are right, which proves nothing where checkpoints are configured.
    std::fs::remove_dir_all(bank.gateway.folder().join("kept")).expect("removed");
    let unproven = bank.gateway.cli(&["ledger", "verify"]);
    assert!(text_of(&unproven).contains("held against no checkpoint"), "{unproven:?}");
    refused(&unproven, "--against");
    configure(&bank, "key_file = \"own.key\"\nurls = [\"https://example.com/kept\"]\n");
    refused(&bank.gateway.cli(&["ledger", "verify"]), "--against");
}

#[tokio::test]
async fn the_key_may_lie_in_openbao() {
    let (bank, key) = open(Backing::Sqlite, "");
    let own = bank.gateway.folder().join("own.key");
    let bao = StandIn::start();
    bao.put("team/toolgate", "checkpoint_key", &std::fs::read_to_string(&own).expect("a key"));
    std::fs::remove_file(&own).expect("removed");
    let table = |secret: &str, token: &str| {
        std::fs::write(bank.gateway.folder().join("bao.token"), token).expect("written");
        let address = &bao.address;
        let openbao = format!("[openbao]\naddress = {address:?}\ntoken_file = \"bao.token\"\n");
        configure(&bank, &format!("key_openbao = {secret:?}\nfolder = \"kept\"\n{openbao}"));
    };
    table("team/toolgate#checkpoint_key", StandIn::ROOT);
    assert_eq!(bank.say(&["ledger", "key"]).trim(), key);
    let call = transfer(&bank, 1).await;
    bank.say(&["ledger", "prove", &call, "--output", "call.proof"]);
    assert!(checked(&bank.gateway.folder().join("call.proof"), &key).status.success());
    // Each failure says what is missing.
    table("team/toolgate#another_field", StandIn::ROOT);
    refused(&bank.gateway.cli(&["ledger", "checkpoint"]), "another_field from OpenBao");
    table("team/toolgate#checkpoint_key", "another token");
    refused(&bank.gateway.cli(&["ledger", "checkpoint"]), "does not let the gateway read");
    bao.put("team/toolgate", "checkpoint_key", "no key");
    table("team/toolgate#checkpoint_key", StandIn::ROOT);
    refused(&bank.gateway.cli(&["ledger", "checkpoint"]), "does not hold a key of checkpoints");
}

#[tokio::test]
async fn a_damaged_proof_proves_nothing() {
    let (bank, key) = open(Backing::Sqlite, "");
    let call = transfer(&bank, 1).await;
    let proof = bank.gateway.folder().join("call.proof");
    bank.say(&["ledger", "prove", &call, "--output", "call.proof"]);
    let text = std::fs::read_to_string(&proof).expect("a proof");
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    let other = bank.say(&["ledger", "key", "--new", "other.key"]).trim().to_owned();
    let damaged = |damage: &dyn Fn(&mut Value)| {
        let mut proof = whole.clone();
        damage(&mut proof);
        proof.to_string()
    };
    let line = whole["streams"][0]["events"][0]["line"].as_str().expect("a line").to_owned();
    let middle = line.len() / 2;
    let letter = if &line[middle..=middle] == "A" { "B" } else { "A" };
    let changed = format!("{}{letter}{}", &line[..middle], &line[middle + 1..]);
    let checkpoint = whole["streams"][0]["checkpoint"].as_str().expect("a note").to_owned();
    for (text, why) in [
        (damaged(&|proof| proof["streams"][0]["events"][0]["line"] = json!(changed)), "not in the tree"),
        (damaged(&|proof| proof["streams"][0]["events"][0]["number"] = json!(1_000_000)), "not in the tree"),
        (
            damaged(&|proof| {
                proof["streams"][0]["checkpoint"] = json!(checkpoint.replace("store ", "store f"))
            }),
            "signature",
        ),
        (damaged(&|proof| proof["streams"] = json!([])), "no event"),
        (half(&text), "not a proof"),
        (String::new(), "not a proof"),
    ] {
        std::fs::write(&proof, text).expect("written");
        refused(&checked(&proof, &key), why);
        assert!(!checked_in_python(&proof, &key).status.success(), "{why}");
    }
    std::fs::write(&proof, damaged(&|proof| proof["call"] = json!("tc_other"))).expect("written");
    refused(&checked(&proof, &key), "not about the call");
    let twice = damaged(&|proof| {
        let stream = proof["streams"][0].clone();
        proof["streams"].as_array_mut().expect("streams").push(stream);
    });
    std::fs::write(&proof, twice).expect("written");
    refused(&checked(&proof, &key), "more than once");
    std::fs::write(&proof, whole.to_string()).expect("written");
    refused(&checked(&proof, &other), "none of the given keys");
    assert!(!checked_in_python(&proof, &other).status.success());
    refused(&elsewhere(&["ledger", "check", &proof.display().to_string()]), "public key");
    refused(&elsewhere(&["ledger", "check", "nowhere", "--key", &key]), "could not read");
    assert!(checked(&proof, &key).status.success());
}

#[tokio::test]
async fn a_checkpoint_that_cannot_be_trusted_is_refused() {
    let (bank, key) = open(Backing::Sqlite, "");
    transfer(&bank, 1).await;
    sign(&bank, "one");
    let path = bank.gateway.folder().join("kept/one.checkpoint");
    let text = std::fs::read_to_string(&path).expect("a checkpoint");
    let against = |file: &str| bank.gateway.cli(&["ledger", "verify", "--against", file]);
    assert!(against("kept").status.success() && against("kept/one.checkpoint").status.success());
    bank.write("bad.checkpoint", &text.replacen("\n\n", "0\n\n", 1));
    refused(&against("bad.checkpoint"), "signature");
    bank.write("bad.checkpoint", &half(&text));
    refused(&against("bad.checkpoint"), "no checkpoint that can be trusted");
    refused(&against("nowhere"), "could not read");
    std::fs::create_dir(bank.gateway.folder().join("empty")).expect("a folder");
    refused(&against("empty"), "no checkpoint in");

    // The same key on another ledger.
    let (other, _) = open(Backing::Sqlite, "");
    std::fs::copy(bank.gateway.folder().join("own.key"), other.gateway.folder().join("own.key"))
        .expect("copied");
    sign(&other, "foreign");
    let foreign = other.gateway.folder().join("kept/foreign.checkpoint").display().to_string();
    refused(&against(&foreign), "and this is the ledger");

    // Without the configuration's key, the public one is enough.
    configure(&bank, "key_file = \"lost.key\"\nfolder = \"kept\"\n");
    refused(&against("kept"), "none of the given keys");
    let output = bank.gateway.cli(&["ledger", "verify", "--key", &key]);
    assert!(text_of(&output).contains("matching 1 checkpoint"), "{output:?}");
    refused(&bank.gateway.cli(&["ledger", "checkpoint"]), "old_keys");
    let doctor = bank.gateway.cli(&["doctor"]);
    assert!(text_of(&doctor).contains("WRONG checkpoints"), "{doctor:?}");
}

/// A row that belongs to no stream does not keep the others from being signed.
#[tokio::test]
async fn a_stream_that_cannot_be_named_stops_no_checkpoint() {
    let (bank, _) = open(Backing::Sqlite, "");
    transfer(&bank, 1).await;
    for (stream, number) in [("x/y", 0), ("a/b", 7)] {
        let forge = format!(
            "INSERT INTO ledger_heads (tenant, stream, number, time, part, hash, seal) \
             SELECT tenant, '{stream}', {number}, 0, 1, hash, seal FROM ledger_heads WHERE stream = 'gateway';"
        );
        tamper(&bank, &forge);
    }
    sign(&bank, "one");
    let text =
        std::fs::read_to_string(bank.gateway.folder().join("kept/one.checkpoint")).expect("a checkpoint");
    assert!(text.contains("/gateway\n") && !text.contains("x/y") && !text.contains("a/b"), "{text}");
    let doctor = bank.gateway.cli(&["doctor"]);
    assert!(text_of(&doctor).contains("x/y"), "{doctor:?}");
    assert_eq!(fault(&bank)["what"], "head_forged");
}

#[tokio::test]
async fn old_keys_stay_valid_for_old_checkpoints() {
    let (bank, old) = open(Backing::Sqlite, "");
    let call = transfer(&bank, 1).await;
    sign(&bank, "1");
    bank.say(&["ledger", "key", "--new", "new.key"]);
    configure(&bank, "key_file = \"new.key\"\nfolder = \"kept\"\n");
    refused(&bank.gateway.cli(&["ledger", "verify"]), "none of the given keys");
    configure(&bank, &format!("key_file = \"new.key\"\nfolder = \"kept\"\nold_keys = [{old:?}]\n"));
    transfer(&bank, 2).await;
    sign(&bank, "2");
    assert!(bank.say(&["ledger", "verify"]).contains("matching 2 checkpoints"));
    let new = bank.say(&["ledger", "key"]).trim().to_owned();
    assert_ne!(new, old);
    for (checkpoint, key) in [("1", &old), ("2", &new)] {
        let file = format!("kept/{checkpoint}.checkpoint");
        bank.say(&["ledger", "prove", &call, "--checkpoint", &file, "--output", "call.proof"]);
        let proof: PathBuf = bank.gateway.folder().join("call.proof");
        assert!(checked(&proof, key).status.success(), "{checkpoint}");
    }
    let later = transfer(&bank, 3).await;
    let output = bank.gateway.cli(&["ledger", "prove", &later, "--checkpoint", "kept/2.checkpoint"]);
    refused(&output, "after the checkpoint");
}

/// The receiver answers while this waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkpoints_are_kept_on_a_schedule_and_tried_again() {
    let receiver = Receiver::refusing(2).await;
    let (bank, key) = open(Backing::Sqlite, &format!("every_seconds = 0.2\nurls = [{:?}]\n", receiver.url));
    let bank = bank.killed();
    let call = transfer(&bank, 1).await;
    let folder = bank.gateway.folder().join("kept");
    let proved = until(WAIT, || {
        let newest = checkpoints_in(&folder).into_iter().max()?.display().to_string();
        let words: [&str; 7] = ["ledger", "prove", &call, "--checkpoint", &newest, "--output", "call.proof"];
        bank.gateway.cli(&words).status.success().then_some(())
    });
    proved.expect("a checkpoint that has the call");
    assert!(checked(&bank.gateway.folder().join("call.proof"), &key).status.success());
    let again = until(WAIT, || {
        let came = receiver.came();
        let is_repeated =
            |one: &ReceivedMessage| came.iter().filter(|other| other.body == one.body).count() > 1;
        came.iter().any(is_repeated).then_some(())
    });
    again.expect("what was refused came again");
    let output = bank.gateway.cli(&["ledger", "verify"]);
    assert!(text_of(&output).contains("checkpoint"), "{output:?}");
    let metrics = bank.get(&bank.gateway.admin, "/metrics").await;
    assert!(metrics.text.contains("toolgate_checkpoints_waiting{anchor="), "{metrics:?}");
    assert!(text_of(&bank.gateway.cli(&["doctor"])).contains("checkpoints: are signed by"));
}

fn checkpoints_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "checkpoint")).collect()
}

/// The receiver takes connections and never answers; it would hold up the next signature for twenty seconds.
#[tokio::test]
async fn a_silent_anchor_delays_no_other() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/kept", silent.local_addr().expect("it is bound"));
    let (bank, _) = open(Backing::Sqlite, &format!("every_seconds = 0.1\nurls = [{url:?}]\n"));
    let bank = bank.killed();
    let folder = bank.gateway.folder().join("kept");
    for count in 1..=3 {
        transfer(&bank, 1).await;
        let kept = until(WAIT, || (checkpoints_in(&folder).len() >= count).then_some(()));
        kept.unwrap_or_else(|| panic!("checkpoint {count} was not kept"));
    }
}

#[test]
fn a_key_is_made_once_and_its_private_part_never_shown() {
    let bank = Bank::open(NO_HOLD);
    let output = bank.gateway.cli(&["ledger", "key", "--new", "own.key", "--name", "example.com/bank"]);
    assert!(output.status.success() && text_of(&output).starts_with("example.com/bank+"), "{output:?}");
    let private = std::fs::read_to_string(bank.gateway.folder().join("own.key")).expect("a key");
    assert!(private.starts_with("PRIVATE+KEY+example.com/bank+"));
    let said = format!("{}{}", text_of(&output), stderr(&output));
    assert!(!said.contains(private.trim().rsplit('+').next().expect("bytes")), "{said}");
    refused(&bank.gateway.cli(&["ledger", "key", "--new", "own.key"]), "never overwritten");
    refused(&bank.gateway.cli(&["ledger", "key"]), "no `[checkpoints]`");
    refused(&bank.gateway.cli(&["ledger", "checkpoint"]), "no `[checkpoints]`");
}
