//! Calls by a part of their text: names, ids, error, arguments, and the result of a tool that failed.
//!
//! No index has this text, so calls are gone through from the latest, a limited number for each page. Bodies lie in the order in
//! which they came: those of neighbouring calls are near each other, and are looked for there.

use std::collections::HashSet;

use toolgate_core::Digest;
use toolgate_core::event::{Event, Outcome};
use toolgate_core::id::CallId;

use super::entry::{CallEntry, CallState};
use super::events::CallEvents;
use super::{CALLS_SEARCHED_MAX, CallCursor, CallFilter, CallPage, CallsRead};
use crate::error::doing;
use crate::{Store, StoreError};

/// The part of a body that is searched.
const BODY_CHARS_MAX: i64 = 16 << 10;
/// Bodies that one statement looks for.
const BODIES_AT_ONCE: usize = 16;
/// The boxes that are looked into around the place of the bodies before.
const BOXES_BEHIND: i64 = 255;
const BOXES_AHEAD: i64 = 2;
/// Looks into all boxes for one body, for one page.
const LOCATIONS_MAX: usize = 16;

/// The box of one body, the latest first. As where bodies are read, a cross join keeps the boxes first.
const LOCATE: &str = "WITH RECURSIVE boxes (number) AS (SELECT MAX(place) >> 8 FROM ledger_bodies UNION ALL \
     SELECT number - 1 FROM boxes WHERE number > (SELECT MIN(place) >> 8 FROM ledger_bodies)) \
     SELECT number FROM boxes CROSS JOIN ledger_bodies WHERE place >> 8 = number AND digest = $1 AND tenant = $2 LIMIT 1";

/// A text that is looked for in others, in any case of letters.
struct SoughtText {
    plain: String,
    /// As it stands in a text of JSON.
    in_json: String,
}

impl SoughtText {
    fn of(text: &str) -> Self {
        let plain = text.to_lowercase();
        let quoted = serde_json::to_string(&plain).unwrap_or_default();
        let in_json = quoted.trim_start_matches('"');
        Self { in_json: in_json.strip_suffix('"').unwrap_or(in_json).to_owned(), plain }
    }

    fn is_in(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.plain)
    }

    fn is_in_json(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        text.contains(&self.in_json) || text.contains(&self.plain)
    }

    fn is_in_entry(&self, call: &CallEntry) -> bool {
        let about = &call.about;
        let error = call.error.as_ref();
        let words = [
            Some(call.id.as_str()),
            Some(call.principal.as_str()),
            about.tool.as_ref().map(|tool| tool.as_str()),
            about.server.as_ref().map(|server| server.as_str()),
            about.session.as_ref().map(|session| session.as_str()),
            about.run.as_ref().map(|run| run.as_str()),
            call.approval.as_ref().map(|approval| approval.as_str()),
            error.and_then(|error| error.code.as_deref()),
            error.and_then(|error| error.message.as_deref()),
        ];
        words.into_iter().flatten().any(|word| self.is_in(word))
    }

    fn is_in_details(&self, events: CallEvents<'_>) -> bool {
        events.all().filter_map(|event| event.detail.as_ref()).any(|detail| self.is_in_json(detail.as_str()))
    }
}

impl Store {
    /// A page is full when it is half full: the rest would be looked for one by one.
    pub(super) async fn calls_with_text(
        &self,
        text: &str,
        filter: &CallFilter,
        cursor: Option<&CallCursor>,
        limit: usize,
    ) -> Result<CallPage, StoreError> {
        let sought = SoughtText::of(text);
        let any = CallFilter { text: None, ..filter.clone() };
        let mut bodies = BodySearch::new(self);
        let (mut page, mut looked_at) = (CallPage { calls: Vec::new(), next: cursor.cloned() }, 0);
        loop {
            let wanted = limit - page.calls.len();
            let some = self.calls_of_any_text(&any, page.next.as_ref(), wanted).await?;
            looked_at += some.page.calls.len().max(1);
            page.next = some.page.next.clone();
            page.calls.extend(bodies.keep(&sought, some).await?);
            let is_enough = page.calls.len() * 2 >= limit || looked_at >= CALLS_SEARCHED_MAX;
            if page.next.is_none() || is_enough {
                return Ok(page);
            }
        }
    }
}

/// The bodies of one search, from the latest on.
struct BodySearch<'a> {
    store: &'a Store,
    /// The box of the last ones.
    at: Option<i64>,
    locations_left: usize,
}

impl<'a> BodySearch<'a> {
    fn new(store: &'a Store) -> Self {
        Self { store, at: None, locations_left: LOCATIONS_MAX }
    }

    /// The calls with the text.
    async fn keep(&mut self, sought: &SoughtText, read: CallsRead) -> Result<Vec<CallEntry>, StoreError> {
        let CallsRead { page: CallPage { calls, .. }, mut events } = read;
        let others: HashSet<CallId> =
            calls.iter().filter(|call| !sought.is_in_entry(call)).map(|call| call.id.clone()).collect();
        let missing: Vec<CallId> = others.iter().filter(|call| !events.has(call)).cloned().collect();
        events.add(self.store.events_of(&missing).await?);
        let mut digests = Vec::new();
        for call in calls.iter().filter(|call| others.contains(&call.id)) {
            if !sought.is_in_details(events.of(&call.id)) {
                digests.extend(bodies_of(call, events.of(&call.id)));
            }
        }
        let found = self.with_text(sought, &digests).await?;
        let has = |call: &CallEntry| {
            let events = events.of(&call.id);
            !others.contains(&call.id)
                || sought.is_in_details(events)
                || bodies_of(call, events).any(|digest| found.contains(&digest))
        };
        Ok(calls.into_iter().filter(has).collect())
    }

    /// Those of the bodies that have the text.
    async fn with_text(
        &mut self,
        sought: &SoughtText,
        digests: &[Digest],
    ) -> Result<HashSet<Digest>, StoreError> {
        let mut found = HashSet::new();
        for some in digests.chunks(BODIES_AT_ONCE) {
            let read = self.read(some).await.map_err(doing("search bodies of the ledger"))?;
            found.extend(
                read.into_iter().filter(|(_, body)| sought.is_in_json(body)).map(|(digest, _)| digest),
            );
        }
        Ok(found)
    }

    async fn read(&mut self, digests: &[Digest]) -> Result<Vec<(Digest, String)>, sqlx::Error> {
        if let Some(at) = self.at {
            let found = self.near(at, digests).await?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        for digest in digests {
            if self.locations_left == 0 {
                break;
            }
            self.locations_left -= 1;
            let locate = self.store.db.sql(LOCATE).bind(&digest.as_bytes()[..]).bind(self.store.tenant);
            let found: Option<(i64,)> = locate.fetch_optional().await?;
            if let Some((at,)) = found {
                return self.near(at, digests).await;
            }
        }
        Ok(Vec::new())
    }

    /// The bodies that lie around a box.
    async fn near(&mut self, at: i64, digests: &[Digest]) -> Result<Vec<(Digest, String)>, sqlx::Error> {
        let mut statement = self.store.db.sql(sqlx::AssertSqlSafe(near_text(digests.len())));
        statement.push(self.store.tenant);
        statement.push(at + BOXES_AHEAD);
        statement.push(at - BOXES_BEHIND);
        statement.push(BODY_CHARS_MAX);
        digests.iter().for_each(|digest| statement.push(&digest.as_bytes()[..]));
        let rows: Vec<(Vec<u8>, i64, String)> = statement.fetch_all().await?;
        self.at = rows.iter().map(|(_, number, _)| *number).min().or(self.at);
        let read = |(digest, _, body): (Vec<u8>, i64, String)| {
            digests.iter().find(|one| one.as_bytes()[..] == digest[..]).map(|digest| (*digest, body))
        };
        Ok(rows.into_iter().filter_map(read).collect())
    }
}

/// Parameters: the tenant, the latest and the earliest box, the characters of each body, and `count` digests. Without the sum the
/// number of a box would have a type of its own, and SQLite would not use the index of places.
fn near_text(count: usize) -> String {
    let places = (5..5 + count).map(|place| format!("${place}")).collect::<Vec<_>>().join(", ");
    format!(
        "WITH RECURSIVE boxes (number) AS (SELECT CAST($2 AS BIGINT) + 0 UNION ALL \
         SELECT number - 1 FROM boxes WHERE number > $3) \
         SELECT digest, number, SUBSTR(body, 1, CAST($4 AS INTEGER)) FROM boxes \
         CROSS JOIN ledger_bodies WHERE place >> 8 = number AND digest IN ({places}) AND tenant = $1 LIMIT {count}"
    )
}

/// The arguments, and the result if it is an error of the tool.
fn bodies_of<'a>(call: &CallEntry, events: CallEvents<'a>) -> impl Iterator<Item = Digest> + use<'a> {
    let failed = call.state == CallState::Ended(Outcome::ToolError);
    let arguments = events.all().find_map(|event| event.input);
    let result = events.all().filter(move |_| failed).find_map(|event: &Event| event.output);
    arguments.into_iter().chain(result)
}

#[cfg(test)]
mod tests {
    use sqlx::{AssertSqlSafe, Connection as _, Row as _, SqliteConnection};

    use super::*;
    use crate::ledger::bodies;
    use crate::migrations;

    /// SQLite plans without knowing how large its tables are: for empty ones as for full ones.
    #[tokio::test]
    async fn bodies_are_found_by_the_index_of_their_places() {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.expect("SQLite opens");
        migrations::sqlite().run(&mut connection).await.expect("tables");
        for text in [near_text(16), LOCATE.to_owned(), bodies::READ.to_owned()] {
            let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {text}"));
            let rows = sqlx::query(explain).fetch_all(&mut connection).await.expect("a plan");
            let plan = rows.iter().map(|row| row.get::<String, _>(3)).collect::<Vec<_>>().join("\n");
            assert!(plan.contains("USING INDEX ledger_bodies_by_digest (<expr>=? AND digest=?)"), "{plan}");
        }
    }

    #[test]
    fn a_text_is_found_in_any_case_and_as_json_has_it() {
        let sought = SoughtText::of("Say \"Hi\"");
        assert!(sought.is_in("they say \"hi\"") && sought.is_in_json(r#"{"note":"SAY \"HI\" now"}"#));
        assert!(!sought.is_in_json(r#"{"note":"say hi"}"#));
    }
}
