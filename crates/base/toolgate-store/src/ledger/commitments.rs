//! Commitments to the bodies that the events of a batch name, and what a writer remembers of them.
//!
//! Each principal has rows of its own. For as long as a writer remembers the body of a principal, and its row is kept long enough,
//! it takes the same salt: then the same body costs nothing to write again, and only the owner's own calls show that it was the
//! same. Otherwise it gets another salt, and so another row: no two rows have the same digest.

use std::collections::HashMap;

use toolgate_core::event::{Event, LedgerBody, LedgerEntry};
use toolgate_core::{Commitment, Digest, PrincipalId, Salt};

use super::line::KeptBodies;

/// The same body comes with every call of some tools. It is written again only when its row expires this much too early, or each
/// call would write one.
pub(super) const STEP_MS: i64 = 12 * 60 * 60 * 1000;
/// Bodies in each of the two halves that a writer remembers.
const KNOWN_MAX: usize = 8_192;
/// Salts that are fetched from the operating system at once.
const SALTS: usize = 32;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

#[derive(Clone, PartialEq, Eq, Hash)]
struct BodyOwner {
    principal: PrincipalId,
    /// Of the body.
    digest: Digest,
}

#[derive(Clone, Copy)]
struct CommittedBody {
    commitment: Commitment,
    /// `None` if there is no row.
    keep_until_ms: Option<i64>,
}

impl CommittedBody {
    fn covers(&self, body: &LedgerBody) -> bool {
        self.keep_until_ms.is_some_and(|until| until > body.keep_until_ms.saturating_sub(STEP_MS))
    }
}

/// Bodies that this process has committed to, and not forgotten. The older half is dropped when the younger
/// one is full.
#[derive(Default)]
pub(super) struct KnownBodies {
    young: HashMap<BodyOwner, CommittedBody>,
    old: HashMap<BodyOwner, CommittedBody>,
    erasures: i64,
    salts: SaltSource,
}

/// The commitments of one batch.
#[derive(Default)]
pub(super) struct BatchCommitments<'e> {
    /// For each of its events.
    pub(super) events: Vec<EventBodies>,
    /// The new ones.
    pub(super) rows: Vec<BodyRow<'e>>,
    pub(super) made: MadeCommitments,
}

/// To be noted when they are committed.
#[derive(Default)]
pub(super) struct MadeCommitments(HashMap<BodyOwner, CommittedBody>);

/// The bodies of an event, as its line names them.
#[derive(Clone, Copy, Default)]
pub(super) struct EventBodies {
    pub(super) input: Option<Digest>,
    pub(super) output: Option<Digest>,
    pub(super) meta: Option<Digest>,
    pub(super) kept: Option<KeptBodies>,
}

pub(super) struct BodyRow<'e> {
    /// Of the commitment.
    pub(super) digest: Digest,
    pub(super) salt: Salt,
    pub(super) body: &'e LedgerBody,
}

impl KnownBodies {
    /// Commits to the bodies of these entries, in a database that has seen so many erasures.
    pub(super) fn commit<'e>(
        &mut self,
        erasures: i64,
        entries: &[&'e LedgerEntry],
    ) -> Result<BatchCommitments<'e>, sqlx::Error> {
        if self.erasures != erasures {
            self.erasures = erasures;
            self.young.clear();
            self.old.clear();
        }
        let mut batch = BatchCommitments::default();
        for entry in entries {
            for event in &entry.events {
                let bodies = self.commit_event(&mut batch, entry, event).map_err(no_salt)?;
                batch.events.push(bodies);
            }
        }
        Ok(batch)
    }

    /// The number of erasures that the database had seen when it was last committed to bodies.
    pub(super) fn erasures(&self) -> i64 {
        self.erasures
    }

    pub(super) fn note(&mut self, made: MadeCommitments) {
        if self.young.len() + made.0.len() > KNOWN_MAX {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.extend(made.0);
    }

    fn commit_event<'e>(
        &mut self,
        batch: &mut BatchCommitments<'e>,
        entry: &'e LedgerEntry,
        event: &'e Event,
    ) -> Result<EventBodies, getrandom::Error> {
        if event.bodies().next().is_none() {
            return Ok(EventBodies::default());
        }
        let mut one = |digest: Option<Digest>| {
            digest.map(|digest| self.commit_body(batch, entry, &event.principal, digest)).transpose()
        };
        let bodies = [one(event.input)?, one(event.output)?, one(event.meta)?];
        let kept = kept(event.at_ms, bodies);
        let [input, output, meta] = bodies.map(|body| body.map(|body| body.commitment.digest()));
        Ok(EventBodies { input, output, meta, kept })
    }

    fn commit_body<'e>(
        &mut self,
        batch: &mut BatchCommitments<'e>,
        entry: &'e LedgerEntry,
        principal: &PrincipalId,
        digest: Digest,
    ) -> Result<CommittedBody, getrandom::Error> {
        let owner = BodyOwner { principal: principal.clone(), digest };
        let named = entry.bodies.iter().filter(|body| body.digest == digest);
        let body = named.max_by_key(|body| body.keep_until_ms);
        let is_enough = |known: &&CommittedBody| body.is_none_or(|body| known.covers(body));
        let young = batch.made.0.get(&owner).or_else(|| self.young.get(&owner));
        if let Some(known) = young.filter(is_enough) {
            return Ok(*known);
        }
        let made = match self.old.get(&owner).filter(is_enough) {
            Some(known) => *known,
            None => {
                let salt = self.salts.take()?;
                let commitment = Commitment::of(&salt, digest);
                batch.rows.extend(body.map(|body| BodyRow { digest: commitment.digest(), salt, body }));
                CommittedBody { commitment, keep_until_ms: body.map(|body| body.keep_until_ms) }
            }
        };
        batch.made.0.insert(owner, made);
        Ok(made)
    }
}

/// `bodies` are arguments, result and `_meta`.
fn kept(at_ms: i64, bodies: [Option<CommittedBody>; 3]) -> Option<KeptBodies> {
    let until = bodies.map(|body| body.and_then(|body| body.keep_until_ms));
    let shortest = until.into_iter().flatten().min()?;
    let days = (shortest.saturating_sub(at_ms) / DAY_MS).min(i64::from(u32::MAX));
    let days = u32::try_from(days).ok().filter(|days| *days > 0)?;
    let [input, output, meta] = until.map(|until| until.is_some());
    Some(KeptBodies { input, output, meta, days })
}

/// Random bytes, many of them with one request to the operating system.
struct SaltSource {
    bytes: [[u8; Salt::BYTES]; SALTS],
    left: usize,
}

impl Default for SaltSource {
    fn default() -> Self {
        Self { bytes: [[0; Salt::BYTES]; SALTS], left: 0 }
    }
}

impl SaltSource {
    fn take(&mut self) -> Result<Salt, getrandom::Error> {
        if self.left == 0 {
            getrandom::fill(self.bytes.as_flattened_mut())?;
            self.left = SALTS;
        }
        self.left -= 1;
        Ok(Salt::from_bytes(std::mem::take(&mut self.bytes[self.left])))
    }
}

fn no_salt(cause: getrandom::Error) -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::other(cause))
}

#[cfg(test)]
mod tests;
