//! The loops of driven runs follow the states of their runs: here, and nowhere else.

use toolgate_core::run::{Run, RunState};

use crate::db::{Transaction, without_nul};

const PAUSE: &str =
    "UPDATE run_loops SET state = 'waiting' WHERE tenant = $1 AND run = $2 AND state = 'ready'";
/// A person who lets a run go on that repeats itself gives it another chance to be told so.
const WAKE: &str = "UPDATE run_loops SET state = 'ready', wake_at_ms = $3,
        nudged = CASE WHEN action_kind = 'stuck' THEN 0 ELSE nudged END,
        action_kind = NULL, action_id = NULL, action_since_ms = NULL, action_how = NULL
    WHERE tenant = $1 AND run = $2 AND state <> 'done'";
/// Calls of its last answer that have no results yet get them from whoever has the lease, or takes it next.
const END: &str = "UPDATE run_loops SET state = 'done', wake_at_ms = $3,
        action_kind = NULL, action_id = NULL, action_since_ms = NULL, action_how = NULL,
        unclosed = CASE WHEN EXISTS (SELECT 1 FROM run_turns t WHERE t.tenant = run_loops.tenant AND t.run = run_loops.run
            AND t.turn = run_loops.turn AND t.phase = 'answered' AND t.calls > 0) THEN 1 ELSE 0 END
    WHERE tenant = $1 AND run = $2";

/// Brings the loop of a run, if it has one, to the state of the run. The lease stays as it is: its owner writes down what is
/// under way.
pub(super) async fn follow(
    tx: &mut Transaction,
    tenant: &'static str,
    run: &Run,
    now_ms: i64,
) -> Result<(), sqlx::Error> {
    let id = without_nul(run.id.as_str());
    let followed = match run.state {
        RunState::Pending => return Ok(()),
        RunState::Running => tx.sql(WAKE).bind(tenant).bind(id).bind(now_ms),
        RunState::Paused => tx.sql(PAUSE).bind(tenant).bind(id),
        RunState::Completed | RunState::Partial | RunState::Failed | RunState::Cancelled => {
            tx.sql(END).bind(tenant).bind(id).bind(now_ms)
        }
    };
    followed.execute().await.map(drop)
}
