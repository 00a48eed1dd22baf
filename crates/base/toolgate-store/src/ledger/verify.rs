//! Proving the ledger: one pass over the bodies, one over the terms, and one over the lines of each stream. Lines and
//! bodies are hashed while they are read.

mod blocks;
mod bodies;
mod fault;
mod pages;
mod removed;
mod signed;
mod terms;
mod walk;

use std::collections::BTreeSet;
use std::sync::Arc;

use toolgate_core::event::HybridTime;
use toolgate_proof::{LedgerCheckpoint, StreamRoot};

use super::cut::LedgerCut;
use super::head::{HeadTrust, StreamHead};
use super::line::{self, LedgerLine};
use super::row;
use crate::error::doing;
use crate::{Store, StoreError};
use blocks::{PARTS, StoredPart};
use bodies::{BodyWatch, NamedBody};
pub use fault::{FaultyBody, LedgerFault};
use pages::LinePage;
pub(super) use removed::LastRemoved;
use signed::{SignedSizes, SignedStreams};
use terms::{TermSums, TermWalk};
pub use walk::Tampering;
use walk::{CheckedRow, End, FaultPlace, LineColumns, StreamWalk};

const DOING: &str = "verify the ledger";

const HEADS: &str =
    "SELECT stream, number, time, part, hash, seal FROM ledger_heads WHERE tenant = $1 ORDER BY stream";
const HEAD: &str =
    "SELECT stream, number, time, part, hash, seal FROM ledger_heads WHERE tenant = $1 AND stream = $2";
/// The next stream with lines, whatever the heads say.
const NEXT_STREAM: &str =
    "SELECT stream FROM ledger_lines WHERE tenant = $1 AND stream > $2 ORDER BY stream LIMIT 1";

/// The result of a verification.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LedgerVerification {
    /// The number of events that were checked.
    pub events: u64,
    pub streams: usize,
    /// The number of bodies that were checked; `None` if none were to be.
    pub bodies: Option<u64>,
    /// The number of bodies that were erased on request, as the ledger says.
    pub erased: u64,
    /// The beginnings of streams whose first days were removed.
    pub cuts: Vec<LedgerCut>,
    /// The number of checkpoints that have a stream at a size before its beginning: of that stream they were not compared.
    pub checkpoints_before_cuts: u64,
    /// The first fault.
    pub fault: Option<LedgerFault>,
}

/// The treatment of arguments and results in a verification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyCheck {
    Rehash,
    Skip,
}

impl Store {
    /// Checks the whole ledger and stops at the first event that was edited, dropped, reordered or inserted, or
    /// at the first body that was edited or is missing. `on_progress` gets the number of events checked, every
    /// few thousand. Writers continue meanwhile.
    ///
    /// No check inside the database can notice that all of it, including its heads, was restored to an
    /// earlier state, or sealed again with the key that lies in it: [`Store::verify_ledger_against`] does.
    pub async fn verify_ledger(
        &self,
        on_progress: impl FnMut(u64),
    ) -> Result<LedgerVerification, StoreError> {
        self.verify_ledger_against(&[], BodyCheck::Rehash, on_progress).await
    }

    /// The same, and every stream must be what the checkpoints say of it.
    pub async fn verify_ledger_against(
        &self,
        checkpoints: &[LedgerCheckpoint],
        bodies: BodyCheck,
        on_progress: impl FnMut(u64),
    ) -> Result<LedgerVerification, StoreError> {
        let key = self.sealing_key().await?;
        let signed = SignedStreams::of(checkpoints);
        let verified = async {
            // They come first: later events lie beyond them and are left for another time.
            let heads = self.db.sql(HEADS).bind(self.tenant).fetch_all().await?;
            let terms = Arc::new(self.sum_terms().await?);
            let watch = match bodies {
                BodyCheck::Rehash => Some(Arc::new(self.watch_bodies().await?)),
                BodyCheck::Skip => None,
            };
            let mut verified = self.verify_with(&key, heads, &signed, &terms, watch, on_progress).await?;
            // They come last: one that was made meanwhile may have been the beginning.
            verified.cuts = self.cuts(&key).await?;
            let is_before = |checkpoint: &&LedgerCheckpoint| reaches_before(checkpoint, &verified.cuts);
            verified.checkpoints_before_cuts = checkpoints.iter().filter(is_before).count() as u64;
            Ok(verified)
        };
        let verified: Result<_, sqlx::Error> = verified.await;
        verified.map_err(doing(DOING))
    }

    /// The same without bodies and without checkpoints.
    pub async fn verify_events(
        &self,
        on_progress: impl FnMut(u64),
    ) -> Result<LedgerVerification, StoreError> {
        self.verify_ledger_against(&[], BodyCheck::Skip, on_progress).await
    }

    async fn verify_with(
        &self,
        key: &[u8; 32],
        heads: Vec<SealedHead>,
        signed: &SignedStreams,
        terms: &Arc<TermSums>,
        watch: Option<Arc<BodyWatch>>,
        mut on_progress: impl FnMut(u64),
    ) -> Result<LedgerVerification, sqlx::Error> {
        let mut streams: BTreeSet<String> = heads.iter().map(|head| head.stream.clone()).collect();
        streams.extend(self.streams_with_lines().await?);
        streams.extend(self.cuts(key).await?.into_iter().map(|cut| cut.stream));
        let mut verified = LedgerVerification {
            streams: streams.len(),
            bodies: watch.as_ref().map(|watch| watch.count),
            erased: watch.as_ref().map_or(0, |watch| watch.erased()),
            ..LedgerVerification::default()
        };
        if let Some(removed) = signed.names().find(|name| !streams.contains(*name)) {
            verified.fault = Some(LedgerFault::of_event(removed, 1, Tampering::StreamRemoved));
            return Ok(verified);
        }
        if let Some(stream) = terms.unknown(&streams) {
            verified.fault = Some(LedgerFault::of_event(stream, 1, Tampering::TermForged));
            return Ok(verified);
        }
        let mut named = Vec::new();
        for stream in streams {
            let walked = WalkedStream {
                key,
                stream: &stream,
                sealed: heads.iter().find(|head| head.stream == stream),
                signed,
                terms,
                watch: watch.as_ref(),
            };
            let mut on_page = |events, bodies: Vec<NamedBody>| {
                verified.events += events;
                named.extend(bodies.into_iter().map(|body| (stream.clone(), body)));
                on_progress(verified.events);
            };
            if let Err(found) = self.verify_whole(&walked, &mut on_page).await? {
                let is_older = heads.iter().all(|head| signed.reach(&head.stream, head.number));
                let what = match found.what {
                    Tampering::TailRemoved if is_older => Tampering::OlderDatabase,
                    what => what,
                };
                verified.fault = Some(LedgerFault::of_event(&stream, found.number, what));
                return Ok(verified);
            }
        }
        verified.fault = watch.and_then(|watch| {
            let unnamed = watch.unnamed(&named).map(LedgerFault::of_unnamed);
            watch.judge(named).map(LedgerFault::of_body).or(unnamed)
        });
        Ok(verified)
    }

    /// From wherever the stream begins: its first days may be removed in the meantime.
    async fn verify_whole(
        &self,
        walked: &WalkedStream<'_>,
        on_page: &mut impl FnMut(u64, Vec<NamedBody>),
    ) -> Result<Result<(), FaultPlace>, sqlx::Error> {
        loop {
            let cut = match self.cut_of(walked.key, walked.stream).await? {
                Ok(cut) => cut,
                Err(number) => return Ok(Err(FaultPlace { number, what: Tampering::CutForged })),
            };
            let verified = self.verify_stream(walked, cut.as_ref(), on_page).await?;
            if verified.is_ok() || self.cut_of(walked.key, walked.stream).await? == Ok(cut) {
                return Ok(verified);
            }
        }
    }

    async fn verify_stream(
        &self,
        walked: &WalkedStream<'_>,
        cut: Option<&LedgerCut>,
        on_page: &mut impl FnMut(u64, Vec<NamedBody>),
    ) -> Result<Result<(), FaultPlace>, sqlx::Error> {
        let WalkedStream { key, stream, sealed, signed, terms, watch } = *walked;
        let sealed = match sealed.map(|sealed| sealed.open(key)) {
            Some(Err(found)) => return Ok(Err(found)),
            Some(Ok(end)) => end,
            // A stream that was started meanwhile, unless it still has no head in the end.
            None => End::START,
        };
        let signed = signed.of_stream(stream, cut.map(|cut| cut.tree.clone()).unwrap_or_default());
        let walk = match self.walk_from(stream, cut, sealed, signed).await? {
            Ok(walk) => walk,
            Err(found) => return Ok(Err(found)),
        };
        let since = cut.map_or(i64::MIN, |cut| cut.day);
        let terms = Some(TermWalk::new(terms, stream, &sealed, since));
        let lines = WalkedLines { stream, cut, until: i64::MAX, watch };
        let walk = LineWalk { lines: walk, terms };
        let LineWalk { lines: walk, terms } = match self.walk_lines(&lines, walk, on_page).await? {
            Ok(walk) => walk,
            Err(found) => return Ok(Err(found)),
        };
        // The head again: everything beyond the first one was written since, or written without the key.
        let now: Option<SealedHead> =
            self.db.sql(HEAD).bind(self.tenant).bind(stream).fetch_optional().await?;
        let now = match now.map(|sealed| sealed.open(key)).transpose() {
            Ok(now) => now,
            Err(found) => return Ok(Err(found)),
        };
        // The lines come first: terms that differ may be those of a line that was changed.
        Ok(walk.end(now).and_then(|()| terms.map_or(Ok(()), TermWalk::end)))
    }

    /// A walk that begins where the stream does.
    async fn walk_from(
        &self,
        stream: &str,
        cut: Option<&LedgerCut>,
        sealed: End,
        mut signed: SignedSizes,
    ) -> Result<Result<StreamWalk, FaultPlace>, sqlx::Error> {
        let number = cut.map_or(0, |cut| cut.number);
        if number > sealed.number {
            return Ok(Err(FaultPlace { number, what: Tampering::HeadForged }));
        }
        if !signed.begins_as_signed() {
            return Ok(Err(FaultPlace { number, what: Tampering::Rewritten }));
        }
        let parts = self.db.sql(PARTS).bind(self.tenant).bind(stream).bind(number);
        let walk = StreamWalk::new(sealed, parts.fetch_all::<StoredPart>().await?, signed);
        Ok(Ok(match cut {
            Some(cut) => walk.after(cut.number, cut.hash),
            None => walk,
        }))
    }

    /// Takes the lines of a stream, at least up to a number. What a cut removed and is still there does not count.
    async fn walk_lines(
        &self,
        lines: &WalkedLines<'_>,
        mut walk: LineWalk,
        on_page: &mut impl FnMut(u64, Vec<NamedBody>),
    ) -> Result<Result<LineWalk, FaultPlace>, sqlx::Error> {
        let WalkedLines { stream, cut, until, watch } = *lines;
        let begin = cut.map_or((i64::MIN, i64::MIN), |cut| (cut.day - 1, i64::MAX));
        let source = self.page_source()?;
        let mut page = self.page_of_lines(&source, stream, begin).await?;
        while let Some(last) = page.last() {
            let count = page.len() as u64;
            let checked = PageCheck { tenant: self.tenant, stream: stream.to_owned(), watch: watch.cloned() };
            let checking = tokio::task::spawn_blocking(move || checked.walk(&page, walk));
            let next = self.page_of_lines(&source, stream, (last.day, last.number));
            let (walked, next) = tokio::join!(checking, next);
            let bodies;
            (walk, bodies) = match walked.expect("hashing does not panic") {
                Ok(walked) => walked,
                Err(found) => return Ok(Err(found)),
            };
            on_page(count, bodies);
            page = next?;
            if last.number >= until {
                break;
            }
        }
        Ok(Ok(walk))
    }

    pub(super) async fn streams_with_lines(&self) -> Result<Vec<String>, sqlx::Error> {
        let (mut streams, mut last): (Vec<String>, String) = (Vec::new(), String::new());
        loop {
            let next = self.db.sql(NEXT_STREAM).bind(self.tenant).bind(last);
            let Some((stream,)) = next.fetch_optional::<(String,)>().await? else { return Ok(streams) };
            last = stream.clone();
            streams.push(stream);
        }
    }
}

/// True if a checkpoint has a stream at a size before its beginning.
fn reaches_before(checkpoint: &LedgerCheckpoint, cuts: &[LedgerCut]) -> bool {
    let is_before = |signed: &StreamRoot| {
        let mut removed = cuts.iter().filter(|cut| cut.stream == signed.stream).map(|cut| cut.tree.size());
        removed.any(|removed| (1..removed).contains(&signed.size))
    };
    checkpoint.streams.iter().any(is_before)
}

/// One stream on its way through the verification.
struct WalkedStream<'a> {
    key: &'a [u8; 32],
    stream: &'a str,
    sealed: Option<&'a SealedHead>,
    signed: &'a SignedStreams,
    terms: &'a Arc<TermSums>,
    watch: Option<&'a Arc<BodyWatch>>,
}

/// The lines to go through: up to a number, and from where the stream begins.
struct WalkedLines<'a> {
    stream: &'a str,
    cut: Option<&'a LedgerCut>,
    until: i64,
    watch: Option<&'a Arc<BodyWatch>>,
}

/// A walk along the lines of a stream, and along their terms, where these are looked at.
struct LineWalk {
    lines: StreamWalk,
    terms: Option<TermWalk>,
}

/// Everything that a page is held against but the walk itself.
struct PageCheck {
    tenant: &'static str,
    stream: String,
    watch: Option<Arc<BodyWatch>>,
}

impl PageCheck {
    /// Takes the lines of a page. Returns the bodies that they name and that are not as they should be.
    fn walk(&self, page: &LinePage, mut walk: LineWalk) -> Result<(LineWalk, Vec<NamedBody>), FaultPlace> {
        let mut bodies = Vec::new();
        for (columns, line) in page.iter() {
            let fields = LedgerLine::read(line);
            if let (Some(watch), Some(fields)) = (&self.watch, &fields) {
                watch.look(fields, &mut bodies);
            }
            if let (Some(terms), Some(fields)) = (&mut walk.terms, &fields) {
                terms.take(fields, columns.day);
            }
            let (tenant, stream, time) = (self.tenant, &*self.stream, HybridTime::from_number(columns.time));
            let place = LineColumns { tenant, stream, day: columns.day, number: columns.number, time };
            walk.lines.take(CheckedRow::of(place, line, fields.as_ref()))?;
        }
        // The bodies of later events were perhaps written after the bodies were read.
        bodies.retain(|body| walk.lines.reaches(body.number));
        Ok((walk, bodies))
    }
}

crate::row::row! {
    struct SealedHead {
        stream: String,
        number: i64,
        time: i64,
        part: i64,
        hash: Vec<u8>,
        seal: Vec<u8>,
    }
}

impl SealedHead {
    /// The end of the stream, if it was sealed with this key.
    fn open(&self, key: &[u8; 32]) -> Result<End, FaultPlace> {
        let (number, time, part) = (self.number, HybridTime::from_number(self.time), self.part);
        let hash = row::digest(&self.hash).ok();
        let head = hash.map(|hash| StreamHead { number, time, part, hash, trust: HeadTrust::Sealed });
        let sealed = head.filter(|head| head.is_sealed_by(&self.seal, key, &self.stream));
        let end = sealed.map(|head| End { number, time, part, hash: head.hash });
        end.ok_or(FaultPlace { number, what: Tampering::HeadForged })
    }
}

impl CheckedRow {
    fn of(place: LineColumns<'_>, bytes: &[u8], fields: Option<&LedgerLine<'_>>) -> Self {
        let LineColumns { day, number, time, .. } = place;
        let hash = line::hash(bytes);
        let leaf = match fields {
            Some(LedgerLine { time: None, .. }) => line::leaf(bytes),
            _ => hash,
        };
        let (previous, at_ms) =
            (fields.map(|fields| fields.previous), fields.map_or(0, |fields| fields.at_ms));
        Self { day, number, time, at_ms, what: place.differs(fields), previous, hash, leaf }
    }
}
