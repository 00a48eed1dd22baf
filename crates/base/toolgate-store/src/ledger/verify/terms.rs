//! Terms in a verification: a block must have exactly the rows by which searches find its events.
//!
//! The rows lie by term and the lines by stream, so both are summed up by block, and the sums are compared. The hashes in a
//! sum have keys that are chosen anew for each verification: whoever changes rows cannot know what to put beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, LazyLock};

use super::super::block::{self, BLOCK, PartTerms};
use super::super::line::LedgerLine;
use super::super::terms::{FORM_1, Term};
use super::walk::{End, FaultPlace, Tampering};
use crate::Store;

/// The number of rows that are read at once.
const PAGE: i64 = 8_192;

const READ: &str = "SELECT term, stream, block, day, places FROM ledger_terms WHERE tenant = $1 \
     AND (term, stream, block, day) > ($2, $3, $4, $5) ORDER BY term, stream, block, day LIMIT $6";

static READ_FORM_1: LazyLock<String> = LazyLock::new(|| {
    format!("SELECT stream, block, day FROM ledger_blocks WHERE tenant = $1 AND form = {FORM_1}")
});

/// Term, stream, block, day and places.
type StoredTerm = (Vec<u8>, String, i64, i64, Vec<u8>);

/// The block and the day of a part.
type PartPlace = (i64, i64);

/// The rows of one part, whatever their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct TermSum {
    rows: u64,
    hashes: u64,
}

/// The stored rows, by stream and part.
#[derive(Default)]
pub(super) struct TermSums {
    keys: RandomState,
    streams: BTreeMap<String, BTreeMap<PartPlace, TermSum>>,
    /// The parts whose terms have the first form.
    form_1: BTreeMap<String, BTreeSet<PartPlace>>,
}

impl Store {
    /// Sums up all rows. Heads are read before: what is complete by them has all of its rows.
    pub(super) async fn sum_terms(&self) -> Result<TermSums, sqlx::Error> {
        let mut sums = TermSums::default();
        let mut page =
            self.page_of_terms(&(Vec::new(), String::new(), i64::MIN, i64::MIN, Vec::new())).await?;
        while let Some(last) = page.last() {
            let next = self.page_of_terms(last).await?;
            page.iter().for_each(|row| sums.add(row));
            page = next;
        }
        let form_1 = self.db.sql(READ_FORM_1.as_str()).bind(self.tenant);
        for (stream, block, day) in form_1.fetch_all::<(String, i64, i64)>().await? {
            sums.form_1.entry(stream).or_default().insert((block, day));
        }
        Ok(sums)
    }

    async fn page_of_terms(&self, after: &StoredTerm) -> Result<Vec<StoredTerm>, sqlx::Error> {
        let (term, stream, block, day, _) = after;
        let page = self.db.sql(READ).bind(self.tenant).bind(&term[..]).bind(stream.as_str());
        page.bind(*block).bind(*day).bind(PAGE).fetch_all().await
    }
}

impl TermSum {
    fn add(&mut self, keys: &RandomState, term: &[u8], places: &[u8]) {
        self.rows += 1;
        self.hashes = self.hashes.wrapping_add(keys.hash_one((term, places)));
    }
}

impl TermSums {
    fn add(&mut self, (term, stream, block, day, places): &StoredTerm) {
        // Most rows are of a stream that is known, and need no copy of its name.
        let parts = match self.streams.get_mut(stream) {
            Some(parts) => parts,
            None => self.streams.entry(stream.clone()).or_default(),
        };
        parts.entry((*block, *day)).or_default().add(&self.keys, term, places);
    }

    /// A stream that has rows, and is none of these.
    pub(super) fn unknown(&self, streams: &BTreeSet<String>) -> Option<&str> {
        self.streams.keys().find(|stream| !streams.contains(*stream)).map(String::as_str)
    }

    /// What the rows of a part must be.
    fn of(&self, stream: &str, part: &WalkedPart) -> TermSum {
        let is_form_1 = self.form_1.get(stream).is_some_and(|parts| parts.contains(&part.place));
        let missing = is_form_1.then(Term::since_form_2);
        let mut sum = TermSum::default();
        for (term, places) in part.terms.iter().filter(|(term, _)| Some(**term) != missing) {
            sum.add(&self.keys, term.as_bytes(), places.as_bytes());
        }
        sum
    }
}

/// The way through the lines of one stream, beside the rows of its terms.
pub(super) struct TermWalk {
    sums: Arc<TermSums>,
    stream: String,
    /// The parts whose lines have not come yet.
    left: BTreeMap<PartPlace, TermSum>,
    /// The first number that lies in no complete part.
    until: i64,
    part: Option<WalkedPart>,
    /// The first number of the first part that has other rows.
    fault: Option<i64>,
}

/// The lines of a part so far.
struct WalkedPart {
    place: PartPlace,
    first: i64,
    terms: PartTerms,
}

impl TermWalk {
    /// Rows of days before `since` are on their way out.
    pub(super) fn new(sums: &Arc<TermSums>, stream: &str, head: &End, since: i64) -> Self {
        let mut left = sums.streams.get(stream).cloned().unwrap_or_default();
        left.retain(|(_, day), _| *day >= since);
        let stream = stream.to_owned();
        Self { sums: Arc::clone(sums), stream, left, until: head.part, part: None, fault: None }
    }

    /// Takes the next line.
    pub(super) fn take(&mut self, line: &LedgerLine<'_>, day: i64) {
        if line.number >= self.until {
            return;
        }
        let place = (block::of_number(line.number), day);
        if self.part.as_ref().is_none_or(|part| part.place != place) {
            self.close();
        }
        let fresh = || WalkedPart { place, first: line.number, terms: PartTerms::default() };
        self.part.get_or_insert_with(fresh).terms.add(line);
    }

    fn close(&mut self) {
        let Some(part) = self.part.take() else { return };
        let stored = self.left.remove(&part.place).unwrap_or_default();
        if stored != self.sums.of(&self.stream, &part) {
            self.fault = self.fault.or(Some(part.first));
        }
    }

    /// Rows of parts that are not complete yet are written meanwhile; all others must have had their lines.
    pub(super) fn end(mut self) -> Result<(), FaultPlace> {
        self.close();
        let open = block::of_number(self.until);
        let stray = self.left.keys().map(|(block, _)| *block).find(|block| *block < open);
        let stray = stray.map(|block| block.saturating_mul(BLOCK).saturating_add(1));
        match self.fault.or(stray) {
            Some(number) => Err(FaultPlace { number, what: Tampering::TermForged }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::PrincipalId;
    use toolgate_core::event::{Event, EventKind, EventSubject, HybridTime};
    use toolgate_core::id::CallId;

    use super::*;
    use crate::ledger::line::{EventPosition, no_hash};

    fn event(number: i64) -> Event {
        let call = Some(CallId::new(format!("tc_{}", number / 2)));
        let about = Arc::new(EventSubject { call, ..EventSubject::default() });
        Event::new(EventKind::CallStarted, number, PrincipalId::new("agent"), about)
    }

    fn line(event: &Event, number: i64) -> LedgerLine<'_> {
        let (time, previous) = (HybridTime::START, no_hash());
        LedgerLine::of(EventPosition { tenant: "t", stream: "one", number, time, previous }, event)
    }

    /// The rows of 512 events on one day.
    fn rows() -> Vec<StoredTerm> {
        let mut parts: BTreeMap<i64, PartTerms> = BTreeMap::new();
        for number in 1..=512 {
            parts.entry(block::of_number(number)).or_default().add(&line(&event(number), number));
        }
        let rows = parts.iter().flat_map(|(block, terms)| {
            terms.iter().map(move |(term, places)| {
                (term.as_bytes().to_vec(), "one".to_owned(), *block, 0, places.as_bytes().to_vec())
            })
        });
        rows.collect()
    }

    fn found(rows: &[StoredTerm], since: i64) -> Option<i64> {
        let mut sums = TermSums::default();
        rows.iter().for_each(|row| sums.add(row));
        let head = End { number: 600, part: 513, ..End::START };
        let mut walk = TermWalk::new(&Arc::new(sums), "one", &head, since);
        for number in 1..=600 {
            walk.take(&line(&event(number), number), 0);
        }
        walk.end().err().map(|found| found.number)
    }

    #[test]
    fn every_row_of_a_block_is_what_its_lines_say() {
        let rows = rows();
        assert_eq!(found(&rows, 0), None);
        let mut reversed = rows.clone();
        reversed.reverse();
        assert_eq!(found(&reversed, 0), None, "the order does not matter");
        for place in [0, 5, rows.len() - 1] {
            let first = rows[place].2 * BLOCK + 1;
            let mut fewer = rows.clone();
            fewer.remove(place);
            assert_eq!(found(&fewer, 0), Some(first), "{place} is missing");
            let forgeries: [fn(&mut StoredTerm); 4] =
                [|row| row.0.push(b'x'), |row| row.2 = 1 - row.2, |row| row.3 += 1, |row| row.4 = vec![9]];
            for (kind, forge) in forgeries.iter().enumerate() {
                let mut forged = rows.clone();
                forge(&mut forged[place]);
                assert!(found(&forged, 0).is_some(), "{kind} of {place}");
            }
        }
        let more = (b"pnobody".to_vec(), "one".to_owned(), 1, 0, vec![3]);
        assert_eq!(found(&[rows, vec![more]].concat(), 0), Some(257));
    }

    #[test]
    fn rows_of_other_times_are_no_fault() {
        let mut rows = rows();
        rows.push((b"pnobody".to_vec(), "one".to_owned(), 2, 0, vec![3]));
        assert_eq!(found(&rows, 0), None, "the block is not complete");
        rows.push((b"pnobody".to_vec(), "one".to_owned(), 0, -7, vec![3]));
        assert_eq!(found(&rows, 0), None, "the day was removed");
        assert_eq!(found(&rows, -7), Some(1));
        let (streams, mut sums) = (BTreeSet::from(["one".to_owned()]), TermSums::default());
        rows.iter().for_each(|row| sums.add(row));
        assert_eq!(sums.unknown(&streams), None);
        sums.add(&(b"pnobody".to_vec(), "another".to_owned(), 0, 0, vec![3]));
        assert_eq!(sums.unknown(&streams), Some("another"));
    }
}
