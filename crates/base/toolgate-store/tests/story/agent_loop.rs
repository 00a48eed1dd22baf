//! Runs that the gateway drives: their leases, turns and messages, what they wait for and what they spend.

mod history;
mod leases;
mod spending;
mod tampering;
mod turns;
mod waiting;

use serde_json::json;
use toolgate_core::id::RunId;
use toolgate_core::model::{
    CallArguments, MessagePart, MessageRole, ModelCall, ModelCallResult, ModelMessage, ModelName, ModelUsage,
    StopReason,
};
use toolgate_core::run::{AgentLoop, NewLoop, StoredMessage};
use toolgate_core::{Digest, RawJson};
use toolgate_store::{AnsweredTurn, Books, LoopError, LoopLease, NewMessage, Store};

use crate::desk;
use crate::runs::{NOW_MS, a_run, ada, create, id, later};
use crate::world::StoreWorld;

/// A lease of the stories ends here.
const UNTIL_MS: i64 = NOW_MS + 30_000;

const USAGE: ModelUsage = ModelUsage { input: 100, cached: 60, written: 10, output: 20 };
const COST: u64 = 5;

fn writer() -> ModelName {
    ModelName::new("writer").expect("a legal name")
}

fn a_loop(name: &str) -> NewLoop {
    NewLoop {
        run: id(name),
        model: writer(),
        system: "Be brief.".to_owned(),
        goal: "Pay\u{0}\u{1F600}".to_owned(),
        outcome_schema: Some(RawJson::from(json!({ "type": "object" }))),
    }
}

/// A run with a loop, before its first turn.
async fn driven(books: &Books, name: &str) -> RunId {
    create(books, a_run(name)).await;
    begin(books, name).await
}

async fn begin(books: &Books, name: &str) -> RunId {
    let by = ada();
    books.create_loop(a_loop(name), 3, later(&by, 0)).await.expect("begun").run
}

async fn claim(store: &Store, run: &RunId) -> LoopLease {
    let claimed = store.claim_loop(run, desk::STREAM, NOW_MS + 100, UNTIL_MS).await.expect("asked");
    claimed.expect("claimed").0
}

async fn look(store: &Store, run: &RunId) -> AgentLoop {
    store.agent_loop(run).await.expect("read").expect("is there")
}

async fn messages(store: &Store, run: &RunId) -> Vec<StoredMessage> {
    store.loop_messages(run, 0, 500).await.expect("sound")
}

async fn due(store: &Store) -> Vec<RunId> {
    store.due_loops(NOW_MS + 10_000, 100).await.expect("read")
}

fn line(text: &str) -> NewMessage {
    NewMessage { message: ModelMessage::user(text), tokens: 2 }
}

/// An answer that plans so many calls.
fn planned(turn: u64, calls: usize) -> ModelMessage {
    let call = |place: usize| {
        MessagePart::Call(ModelCall {
            id: format!("{turn}.{place}"),
            name: "files__read".to_owned(),
            arguments: CallArguments::Object(RawJson::from(json!({ "a": "\u{0}" }))),
            raw: Some(RawJson::from(json!({ "signature": "x" }))),
        })
    };
    let mut parts = vec![MessagePart::Text("I look.".to_owned())];
    parts.extend((0..calls).map(call));
    ModelMessage { role: MessageRole::Assistant, parts }
}

fn results(turn: u64, calls: usize) -> NewMessage {
    let result = |place: usize| {
        MessagePart::Result(ModelCallResult {
            id: format!("{turn}.{place}"),
            name: "files__read".to_owned(),
            text: "a file".to_owned(),
            is_error: place == 1,
        })
    };
    let parts = (0..calls).map(result).collect();
    NewMessage { message: ModelMessage { role: MessageRole::Tool, parts }, tokens: 4 }
}

fn answered(turn: u64, calls: usize) -> AnsweredTurn {
    AnsweredTurn {
        turn,
        message: planned(turn, calls),
        tokens: 9,
        usage: USAGE,
        cost_micros: COST,
        stop: if calls > 0 { StopReason::Calls } else { StopReason::Finished },
        duration_ms: 12,
    }
}

async fn ask(books: &Books, lease: &LoopLease, turn: u64) -> Result<(), LoopError> {
    let by = ada();
    books.ask_turn(lease, turn, Digest::of(turn.to_string()), later(&by, 200)).await
}

async fn answer(books: &Books, lease: &LoopLease, turn: u64, calls: usize) -> Result<(), LoopError> {
    let by = ada();
    books.answer_turn(lease, answered(turn, calls), later(&by, 300)).await
}

async fn act(books: &Books, lease: &LoopLease, turn: u64, calls: usize) -> Result<(), LoopError> {
    let by = ada();
    books.act_turn(lease, turn, vec![results(turn, calls)], later(&by, 400)).await
}

/// A whole turn with so many calls.
async fn play(books: &Books, lease: &LoopLease, turn: u64, calls: usize) {
    ask(books, lease, turn).await.expect("asked");
    answer(books, lease, turn, calls).await.expect("answered");
    act(books, lease, turn, calls).await.expect("acted");
}

fn assert_lost<T: std::fmt::Debug>(written: Result<T, LoopError>) {
    assert!(matches!(written, Err(LoopError::Lost)), "{written:?}");
}
