//! Closing calls that a crash left open.

use std::sync::Arc;

use toolgate_core::event::{Durability, Event, EventKind, EventSubject, LedgerEntry, Outcome};
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, PrincipalId, RawJson, ServerName};

use super::append::{KnownRows, append};
use super::head::{LedgerStream, StreamHead};
use super::row;
use crate::clock::now_ms;
use crate::error::doing;
use crate::row::row;
use crate::{Store, StoreError};

/// Calls that are closed in one transaction.
const SWEPT_AT_ONCE: i64 = 500;
/// A call that waits for its client is not running, and its client may come back to another gateway or after
/// a restart; but only for a limited time.
const PAUSED_TIME_MAX_MS: i64 = 24 * 60 * 60 * 1000;

const READ_OPEN: &str = "SELECT call, principal, session, run, task, tool, server, tool_version FROM open_calls \
     WHERE stream = $1 AND (paused_at_ms IS NULL OR paused_at_ms <= $2) ORDER BY call LIMIT $3";

row! {
    struct OpenCall {
        call: String,
        principal: String,
        session: Option<String>,
        run: Option<String>,
        task: Option<String>,
        tool: Option<String>,
        server: Option<String>,
        tool_version: Option<Vec<u8>>,
    }
}

impl Store {
    /// Ends the calls that a dead process of this stream had sent: their outcome is unknown. Must be called
    /// before the process sends any of its own. Returns them, oldest first.
    pub async fn sweep(&self, stream: &str) -> Result<Vec<CallId>, StoreError> {
        let pen = self.pen(stream).await?;
        let mut swept = Vec::new();
        loop {
            let some =
                self.sweep_some(&pen).await.map_err(doing("close the calls that a crash left open"))?;
            if some.is_empty() {
                return Ok(swept);
            }
            swept.extend(some);
        }
    }

    async fn sweep_some(&self, pen: &LedgerStream) -> Result<Vec<CallId>, sqlx::Error> {
        let now = now_ms();
        let mut tx = self.db.begin(Durability::OnDisk).await?;
        let taken = StreamHead::take(&mut tx, pen).await?;
        let open = tx.sql(READ_OPEN).bind(&*pen.stream).bind(now - PAUSED_TIME_MAX_MS).bind(SWEPT_AT_ONCE);
        let open: Vec<OpenCall> = open.fetch_all().await?;
        let calls = open.iter().map(|open| CallId::new(&*open.call)).collect();
        let events = open.into_iter().map(|open| end(open, now)).collect::<Result<_, _>>()?;
        let entry = LedgerEntry { events, bodies: Vec::new(), durability: Durability::OnDisk };
        append(&mut tx, pen, taken, &[&entry], &mut KnownRows::default()).await?;
        tx.commit().await?;
        Ok(calls)
    }
}

fn end(open: OpenCall, now_ms: i64) -> Result<Event, sqlx::Error> {
    let about = EventSubject {
        session: open.session.map(SessionId::new),
        run: open.run.map(RunId::new),
        task: open.task.map(Into::into),
        call: Some(CallId::new(open.call)),
        tool: open.tool.as_deref().map(CanonicalName::recorded),
        // An invalid name says nothing about the call.
        server: open.server.as_deref().and_then(|name| ServerName::new(name).ok()),
        tool_version: open.tool_version.as_deref().map(row::digest).transpose()?,
        trace: None,
    };
    let mut event = Event::new(EventKind::CallCompleted, now_ms, PrincipalId::gateway(), Arc::new(about));
    event.outcome = Some(Outcome::Unknown);
    let detail = serde_json::json!({ "swept": true, "principal": open.principal });
    event.detail = Some(RawJson::from(detail));
    Ok(event)
}
