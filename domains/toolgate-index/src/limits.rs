//! The limits of indexes.

use std::time::Duration;

/// A longer query is cut at this length, and the answer says so.
pub(crate) const QUERY_BYTES_MAX: usize = 4 << 10;
pub(crate) const TOP_K_USUAL: u16 = 10;
pub(crate) const TOP_K_MAX: u16 = 100;
/// Indexes of one search.
pub(crate) const INDEXES_MAX: usize = 64;
/// Rules of a filter, values of a rule, and media types.
pub(crate) const FILTER_RULES_MAX: usize = 16;
/// The engine keeps to the tokens of a profile; no snippet is longer than this in any case.
pub(crate) const SNIPPET_CHARS_MAX: usize = 2_000;
/// The longest quote of a citation.
pub(crate) const QUOTE_CHARS_MAX: usize = 600;
/// The documents that one search reads for citations.
pub(crate) const CITED_DOCUMENTS_MAX: usize = 50;
/// Documents that are read or parsed at the same time.
pub(crate) const DOCUMENTS_AT_ONCE: usize = 4;

/// Changed files that an ingest looks at together.
pub(crate) const CHANGES_PAGE: usize = 200;
/// Documents that go to the engine together.
pub(crate) const BATCH_DOCUMENTS_MAX: usize = 50;
/// Files of an index.
pub(crate) const INDEX_FILES_MAX: usize = 4_096;
/// Tries to move the pointer of an index while others move it.
pub(crate) const MOVES_MAX: usize = 8;
/// Characters of a problem with a document.
pub(crate) const PROBLEM_CHARS_MAX: usize = 300;
/// Listings of indexes that are kept in memory.
pub(crate) const LISTINGS_KEPT_MAX: usize = 256;

pub(crate) const WAIT_SECONDS_USUAL: u16 = 20;
pub(crate) const WAIT_SECONDS_MAX: u16 = 300;

/// Hits of a question that an evaluation looks at.
pub(crate) const EVALUATED_HITS: u16 = 100;
/// Questions that are asked at the same time.
pub(crate) const QUESTIONS_AT_ONCE: usize = 4;

/// Events of the ledger that one ingest of traces takes in; the next one goes on from there.
pub(crate) const TRACES_AT_ONCE_MAX: usize = 5_000;
/// Traces of a corpus. The oldest days go first.
pub(crate) const TRACES_MAX: usize = 50_000;
/// Characters of a text that a run or an error brings along.
pub(crate) const TRACE_TEXT_CHARS_MAX: usize = 2_000;

/// The interval for looking at the end of the ledger.
pub(crate) const FOLLOW_EVERY: Duration = Duration::from_millis(500);
/// Moves of pointers that the follower takes at once.
pub(crate) const FOLLOWED_AT_ONCE: usize = 100;
/// Sources that `index.status` shows.
pub(crate) const STATUS_MAX: usize = 200;
