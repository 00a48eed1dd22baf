//! Followers of a real ledger, with real receivers on this machine.

mod ledger;
mod listener;
mod mail_story;
mod mailbox;
mod meter_story;
mod otlp_story;
mod question;
mod webhook_story;

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolgate_core::event::{Event, EventKind, EventSubject, Outcome};
use toolgate_core::id::{CallId, RunId};
use toolgate_core::{CanonicalName, PrincipalId, ServerName};

use crate::follower::FollowerPace;
use crate::{Courier, Receiver, ReceiverBoard};
use ledger::TestLedger;

const SECRET: &str = "whsec_dGhpcyBpcyBhIHNlY3JldA==";
/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn quick() -> FollowerPace {
    FollowerPace {
        idle: Duration::from_millis(5),
        attempt_limit: Duration::from_secs(2),
        retry_first: Duration::from_millis(1),
        retry_longest: Duration::from_millis(20),
    }
}

/// A courier that can be stopped.
struct Running {
    courier: Courier,
    board: ReceiverBoard,
    shutdown: CancellationToken,
}

async fn start(ledger: &TestLedger, receiver: Receiver) -> Running {
    let (board, shutdown) = (ReceiverBoard::default(), CancellationToken::new());
    let started = Courier::start_at(quick(), &ledger.store, vec![receiver], &board, &shutdown).await;
    Running { courier: started.expect("it starts"), board, shutdown }
}

impl Running {
    async fn stop(self) {
        self.shutdown.cancel();
        tokio::time::timeout(PATIENCE, self.courier.finish()).await.expect("it ends");
    }
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let wait = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.unwrap_or_else(|_| panic!("in vain: {what}"));
}

/// The end of a call of `bank:transfer`.
fn completed(call: &str, outcome: Outcome) -> Event {
    let server = ServerName::new("bank").expect("a name");
    let about = EventSubject {
        call: Some(CallId::new(call)),
        run: Some(RunId::new("run_1")),
        tool: Some(CanonicalName::of(&server, "transfer")),
        server: Some(server),
        ..EventSubject::default()
    };
    let mut event =
        Event::new(EventKind::CallCompleted, 1_785_585_600_123, PrincipalId::new("agent-7"), Arc::new(about));
    event.outcome = Some(outcome);
    event.duration_us = Some(41_500);
    event
}
