//! Tampering with the database itself: `ledger verify` names the changed event.

use std::process::Command;

use serde_json::{Value, json};

use super::bank::{Bank, NO_HOLD, money, status};
use super::database::Backing;
use super::on_both;
use crate::kit::call;

on_both!(
    an_edited_event_is_named,
    a_dropped_event_is_named,
    a_cut_off_end_is_noticed,
    events_that_changed_places_are_named,
);

/// A ledger with a few calls in it, and its events.
async fn written(backing: Backing) -> (Bank, Vec<Value>) {
    let mut bank = Bank::open_on(backing, NO_HOLD);
    let agent = bank.agent();
    for amount in 1..=3 {
        assert_eq!(status(&call(&agent, "bank__transfer", money(amount)).await), "succeeded");
    }
    bank.verify();
    bank.gateway.end(false);
    let events = bank.events(&[]);
    (bank, events)
}

pub(crate) fn tamper(bank: &Bank, statement: &str) {
    match bank.backing().database() {
        Some(database) => database.run(statement),
        None => {
            let script = "import sqlite3, sys\ndb = sqlite3.connect(sys.argv[1])\ndb.executescript(sys.argv[2])\ndb.commit()";
            let path = bank.gateway.data().join("toolgate.db");
            let output = Command::new("python3").args(["-c", script]).arg(path).arg(statement).output();
            let output = output.expect("Python is there");
            assert!(output.status.success(), "{output:?}");
        }
    }
}

/// The fault that verification finds.
fn fault(bank: &Bank) -> Value {
    let plain = bank.gateway.cli(&["ledger", "verify"]);
    assert!(!plain.status.success(), "{plain:?}");
    assert!(String::from_utf8_lossy(&plain.stdout).contains("not intact"), "{plain:?}");
    let output = bank.gateway.cli(&["--json", "ledger", "verify"]);
    assert_eq!(output.status.code(), plain.status.code());
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    said["fault"].clone()
}

/// The fault is the event at this place.
fn names(fault: &Value, event: &Value) {
    assert_eq!(fault["stream"], event["stream"], "{fault}");
    assert_eq!(fault["number"], event["number"], "{fault} is not about {event}");
}

/// The condition for the line of an event.
fn place(event: &Value) -> String {
    format!("stream = '{}' AND number = {}", event["stream"].as_str().expect("a stream"), event["number"])
}

async fn an_edited_event_is_named(backing: Backing) {
    let (bank, events) = written(backing).await;
    let victim = &events[4];
    tamper(&bank, &format!("UPDATE ledger_lines SET time = time + 1 WHERE {}", place(victim)));
    names(&fault(&bank), victim);
}

async fn a_dropped_event_is_named(backing: Backing) {
    let (bank, events) = written(backing).await;
    let victim = &events[4];
    tamper(&bank, &format!("DELETE FROM ledger_lines WHERE {}", place(victim)));
    names(&fault(&bank), victim);
}

async fn a_cut_off_end_is_noticed(backing: Backing) {
    let (bank, events) = written(backing).await;
    let last = events.last().expect("events");
    tamper(&bank, &format!("DELETE FROM ledger_lines WHERE {}", place(last)));
    let fault = fault(&bank);
    assert_eq!(fault["stream"], last["stream"], "{fault}");
}

async fn events_that_changed_places_are_named(backing: Backing) {
    let (bank, events) = written(backing).await;
    let ends: Vec<&Value> = events.iter().filter(|one| one["kind"] == "tool.call.completed").collect();
    let (one, two) = (place(ends[0]), place(ends[1]));
    let swap =
        format!("UPDATE ledger_lines SET line = (SELECT line FROM ledger_lines WHERE {two}) WHERE {one};");
    tamper(&bank, &swap);
    names(&fault(&bank), ends[0]);
}

#[tokio::test]
async fn the_api_says_so_too() {
    let bank = Bank::open(NO_HOLD);
    call(&bank.agent(), "bank__transfer", money(1)).await;
    let intact = bank.get(&bank.gateway.admin, "/ledger/verify").await.json();
    assert_eq!((&intact["intact"], intact.get("fault")), (&json!(true), None), "{intact}");
    let victim = bank.events(&["--kind", "tool.call.started"]).pop().expect("a start");
    tamper(&bank, &format!("UPDATE ledger_lines SET time = time + 1 WHERE {}", place(&victim)));
    let broken = bank.get(&bank.gateway.admin, "/ledger/verify").await.json();
    assert_eq!(broken["intact"], false, "{broken}");
    names(&broken["fault"], &victim);
}
