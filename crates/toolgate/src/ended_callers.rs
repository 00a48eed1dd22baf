//! Tells servers that keep a state for their callers which sessions and runs have ended. Every gateway reads it in the ledger, so it
//! does not matter at which one they ended.

use std::sync::Arc;
use std::time::Duration;

use toolgate_core::event::{Event, EventFilter, EventKind, Position};
use toolgate_store::{LEDGER_PAGE_MAX, LedgerOrder, Outage, Store, StoreError};
use toolgate_upstream::{EndedCaller, ServerManager};

/// The interval for checking the end of the ledger, while there are such servers.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Follows the ledger from the first look after a server said that it wants to know. Ends before that are not told: hardly a caller was
/// named yet, and such servers forget idle callers by themselves.
pub(crate) async fn follow(store: Store, servers: Arc<ServerManager>) {
    let mut outage = Outage::default();
    let mut reader = None;
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        if !servers.knows_callers() {
            // A gateway without such servers does not read its ledger.
            reader = None;
            continue;
        }
        let looked = look(&store, &mut reader, &servers).await;
        outage.note("servers are not told of callers that have ended", &looked);
    }
}

async fn look(
    store: &Store,
    reader: &mut Option<EndingReader>,
    servers: &ServerManager,
) -> Result<(), StoreError> {
    let end = store.ledger_end().await?;
    match reader {
        None => *reader = Some(EndingReader::at(end)),
        Some(reader) if reader.seen == end => {}
        Some(reader) => {
            for place in &mut reader.places {
                place.read(store, &end, servers).await?;
            }
            reader.seen = end;
        }
    }
    Ok(())
}

struct EndingReader {
    /// The end of the ledger when it was last read.
    seen: Position,
    places: [EndingPlace; 2],
}

/// The position up to which the events of one kind were read.
struct EndingPlace {
    kind: EventKind,
    at: Position,
}

impl EndingReader {
    fn at(end: Position) -> Self {
        let place = |kind| EndingPlace { kind, at: end.clone() };
        let places = [place(EventKind::SessionClosed), place(EventKind::RunEnded)];
        Self { places, seen: end }
    }
}

impl EndingPlace {
    /// Reads on; `end` is an end of the ledger from before.
    async fn read(
        &mut self,
        store: &Store,
        end: &Position,
        servers: &ServerManager,
    ) -> Result<(), StoreError> {
        let filter = EventFilter { kind: Some(self.kind), ..EventFilter::default() };
        loop {
            let page =
                store.ledger_page(&filter, Some(&self.at), LEDGER_PAGE_MAX, LedgerOrder::OldestFirst).await?;
            let Some(last) = page.last() else {
                // Nothing of this kind is left before it, so the events of other kinds are not looked through again.
                self.at = end.clone();
                return Ok(());
            };
            self.at = last.position.clone();
            page.iter()
                .filter_map(|recorded| ended(&recorded.event))
                .for_each(|one| servers.caller_ended(&one));
            if page.len() < LEDGER_PAGE_MAX {
                return Ok(());
            }
        }
    }
}

/// The session or the run whose end an event tells.
fn ended(event: &Event) -> Option<EndedCaller> {
    match event.kind {
        EventKind::SessionClosed => event.about.session.clone().map(EndedCaller::Session),
        EventKind::RunEnded => event.about.run.clone().map(EndedCaller::Run),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::PrincipalId;
    use toolgate_core::event::EventSubject;
    use toolgate_core::id::{RunId, SessionId};

    use super::*;

    #[test]
    fn the_end_of_a_session_does_not_end_its_run() {
        let (session, run) = (SessionId::new("ses_1"), RunId::new("run_1"));
        let about = Arc::new(EventSubject {
            session: Some(session.clone()),
            run: Some(run.clone()),
            ..EventSubject::default()
        });
        let told = |kind| ended(&Event::new(kind, 0, PrincipalId::gateway(), Arc::clone(&about)));
        assert_eq!(told(EventKind::SessionClosed), Some(EndedCaller::Session(session)));
        assert_eq!(told(EventKind::RunEnded), Some(EndedCaller::Run(run)));
        assert_eq!(told(EventKind::SessionStarted), None);
    }
}
