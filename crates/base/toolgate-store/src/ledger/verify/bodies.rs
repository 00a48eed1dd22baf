//! Bodies in a verification: each is hashed again, and each that a line says is kept must be there, unless an
//! erasure is recorded that concerns it.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::{Connection, params};
use toolgate_core::Digest;

use super::super::bodies::is_intact;
use super::super::erase::RecordedErasure;
use super::super::line::{KeptBodies, LedgerLine};
use super::super::row;
use super::super::sqlite::failed;
use super::pages::PageSource;
use super::walk::Tampering;
use crate::Store;
use crate::clock::now_ms;

/// Bodies that are read at once. The next ones are read while these are hashed.
const PAGE: i64 = 256;
/// No body has this place or one before it.
const BEFORE_ALL: i64 = i64::MIN;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

const READ: &str = "SELECT digest, salt, body, place FROM ledger_bodies WHERE tenant = $1 AND place > $2 \
     ORDER BY place LIMIT $3";

/// Digest, salt, body and place.
type StoredBody = (Vec<u8>, Option<Vec<u8>>, String, i64);

/// A digest, and true if its body is the one that was stored under it.
type CheckedBody = (Digest, bool);

/// The state of the bodies, for the lines that name them.
pub(super) struct BodyWatch {
    pub(super) count: u64,
    /// The first bytes of the digests of all bodies that are intact: they tell as much as all of them.
    there: HashSet<u64>,
    changed: BTreeSet<Digest>,
    erasures: Vec<RecordedErasure>,
    now_ms: i64,
}

/// A body that is not as the line says that names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NamedBody {
    pub(super) number: i64,
    pub(super) digest: Digest,
    pub(super) call: Option<String>,
    pub(super) what: Tampering,
    /// A call of its own that was erased may have shared the body with others of the same principal.
    is_erased: bool,
    /// Its time is not over.
    is_due: bool,
}

impl Store {
    /// Hashes all bodies. Erasures are read after them: what was erased meanwhile is known to be.
    pub(super) async fn watch_bodies(&self) -> Result<BodyWatch, sqlx::Error> {
        let (there, changed, erasures) = (HashSet::new(), BTreeSet::new(), Vec::new());
        let mut watch = BodyWatch { count: 0, there, changed, erasures, now_ms: now_ms() };
        match self.page_source()? {
            PageSource::Own(connection) => self.hash_own(&mut watch, &connection).await?,
            PageSource::Pool => self.hash_pages(&mut watch).await?,
        }
        watch.erasures = match self.erasures().await {
            // The walk through the lines comes next, and names the one that cannot be read.
            Err(sqlx::Error::Decode(_)) => Vec::new(),
            read => read?,
        };
        Ok(watch)
    }

    /// Hashes them where SQLite has them in memory, without a copy.
    async fn hash_own(
        &self,
        watch: &mut BodyWatch,
        connection: &Arc<Mutex<Connection>>,
    ) -> Result<(), sqlx::Error> {
        let mut after = BEFORE_ALL;
        loop {
            self.db.check_fault()?;
            let (tenant, connection) = (self.tenant, Arc::clone(connection));
            let hashing =
                tokio::task::spawn_blocking(move || read_and_check(&connection.lock(), tenant, after));
            let (last, hashed) = hashing.await.expect("hashing does not panic")?;
            let Some(last) = last else { return Ok(()) };
            after = last;
            watch.note(hashed);
        }
    }

    async fn hash_pages(&self, watch: &mut BodyWatch) -> Result<(), sqlx::Error> {
        let mut page = self.page_of_bodies(BEFORE_ALL).await?;
        while let Some((.., after)) = page.last() {
            let after = *after;
            let hashing = tokio::task::spawn_blocking(move || checked(&page));
            let (hashed, next) = tokio::join!(hashing, self.page_of_bodies(after));
            watch.note(hashed.expect("hashing does not panic")?);
            page = next?;
        }
        Ok(())
    }

    async fn page_of_bodies(&self, after: i64) -> Result<Vec<StoredBody>, sqlx::Error> {
        self.db.sql(READ).bind(self.tenant).bind(after).bind(PAGE).fetch_all().await
    }
}

/// A page, and the place of its last body.
fn read_and_check(
    connection: &Connection,
    tenant: &str,
    after: i64,
) -> Result<(Option<i64>, Vec<CheckedBody>), sqlx::Error> {
    let mut statement = connection.prepare_cached(READ).map_err(failed)?;
    let mut rows = statement.query(params![tenant, after, PAGE]).map_err(failed)?;
    let (mut last, mut checked) = (None, Vec::new());
    while let Some(row) = rows.next().map_err(failed)? {
        let part = |place: usize| row.get_ref(place).map_err(failed);
        let unreadable = |_| row::unreadable("a body of the ledger has another type");
        let digest = row::digest(part(0)?.as_blob().map_err(unreadable)?)?;
        let salt = part(1)?.as_blob_or_null().map_err(unreadable)?;
        let body = part(2)?.as_bytes().map_err(unreadable)?;
        checked.push((digest, is_intact(digest, salt, body)));
        last = Some(part(3)?.as_i64().map_err(unreadable)?);
    }
    Ok((last, checked))
}

fn checked(bodies: &[StoredBody]) -> Result<Vec<CheckedBody>, sqlx::Error> {
    let checked = bodies.iter().map(|(digest, salt, body, _)| {
        let digest = row::digest(digest)?;
        Ok((digest, is_intact(digest, salt.as_deref(), body.as_bytes())))
    });
    checked.collect()
}

fn short(digest: Digest) -> u64 {
    let first = digest.as_bytes().first_chunk().expect("a digest has 32 bytes");
    u64::from_le_bytes(*first)
}

impl BodyWatch {
    fn note(&mut self, hashed: Vec<CheckedBody>) {
        for (digest, is_intact) in hashed {
            self.count += 1;
            // A row that is no body of its digest stands for no other either.
            match is_intact {
                true => self.there.insert(short(digest)),
                false => self.changed.insert(digest),
            };
        }
    }

    pub(super) fn erased(&self) -> u64 {
        self.erasures.iter().map(|erasure| erasure.erased.bodies).sum()
    }

    /// Notes the bodies of a line that were changed or are missing.
    pub(super) fn look(&self, line: &LedgerLine<'_>, found: &mut Vec<NamedBody>) {
        let kept = line.kept.unwrap_or(KeptBodies { input: false, output: false, meta: false, days: 0 });
        let bodies = [(line.input, kept.input), (line.output, kept.output), (line.meta, kept.meta)];
        for (digest, is_kept) in bodies {
            let Some(digest) = digest else { continue };
            if !self.changed.is_empty() && self.changed.contains(&digest) {
                found.push(named(line, digest, Tampering::BodyEdited));
            } else if is_kept && !self.there.contains(&short(digest)) {
                self.look_for_missing(line, digest, kept.days, found);
            }
        }
    }

    fn look_for_missing(&self, line: &LedgerLine<'_>, digest: Digest, days: u32, found: &mut Vec<NamedBody>) {
        let until_ms = line.at_ms.saturating_add(i64::from(days).saturating_mul(DAY_MS));
        let mut concerned = self.erasures.iter().filter(|erasure| concerns(erasure, line));
        let first = concerned.next();
        // Of calls that share a body, one that was erased may be out of time, and others not.
        if first.is_none() && until_ms <= self.now_ms {
            return;
        }
        if first.is_some_and(RecordedErasure::is_of_all_calls)
            || concerned.any(RecordedErasure::is_of_all_calls)
        {
            return;
        }
        let missing = named(line, digest, Tampering::BodyMissing);
        found.push(NamedBody { is_erased: first.is_some(), is_due: until_ms > self.now_ms, ..missing });
    }

    /// A row that is not what it is stored under, and that no line names.
    pub(super) fn unnamed(&self, named: &[(String, NamedBody)]) -> Option<Digest> {
        let named: HashSet<Digest> = named.iter().map(|(_, body)| body.digest).collect();
        self.changed.iter().find(|digest| !named.contains(*digest)).copied()
    }

    /// The first body that should be there as it was written.
    pub(super) fn judge(&self, named: Vec<(String, NamedBody)>) -> Option<(String, NamedBody)> {
        let erased = named.iter().filter(|(_, body)| body.is_erased).map(|(_, body)| body.digest);
        let erased: HashSet<Digest> = erased.collect();
        named.into_iter().find(|(_, body)| body.is_due && !erased.contains(&body.digest))
    }
}

fn concerns(erasure: &RecordedErasure, line: &LedgerLine<'_>) -> bool {
    line.principal == *erasure.principal.as_str()
        && erasure.reaches(line.stream, line.number)
        && erasure.session.as_ref().is_none_or(|id| line.session.is_some_and(|text| text == *id.as_str()))
        && erasure.call.as_ref().is_none_or(|id| line.call.is_some_and(|text| text == *id.as_str()))
}

fn named(line: &LedgerLine<'_>, digest: Digest, what: Tampering) -> NamedBody {
    let call = line.call.map(|call| call.read().into_owned());
    NamedBody { number: line.number, digest, call, what, is_erased: false, is_due: true }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toolgate_core::PrincipalId;
    use toolgate_core::event::{Event, EventKind, EventSubject, HybridTime};

    use super::*;
    use crate::ledger::line::{EventPosition, no_hash};

    /// Another gateway's clock may be days ahead, so that its events seem to come after the erasure.
    #[test]
    fn an_erasure_concerns_what_was_there_whatever_the_clocks_say() {
        let recorded =
            r#"{"principal":"ann","bodies":1,"refs":0,"results":0,"approvals":0,"ends":{"one":5}}"#;
        let erasure: RecordedErasure = serde_json::from_str(recorded).expect("an erasure");
        let is_concerned = |stream: &str, number: i64, principal: &str| {
            let time = HybridTime::of_ms(now_ms() + 9 * DAY_MS);
            let about = Arc::new(EventSubject::default());
            let event = Event::new(EventKind::CallCompleted, 0, PrincipalId::new(principal), about);
            let place = EventPosition { tenant: "t", stream, number, time, previous: no_hash() };
            concerns(&erasure, &LedgerLine::of(place, &event))
        };
        assert!(is_concerned("one", 5, "ann"));
        assert!(!is_concerned("one", 6, "ann"), "it came later");
        assert!(!is_concerned("two", 1, "ann"), "a stream that was not there");
        assert!(!is_concerned("one", 5, "ben"));
    }
}
