//! The limits of connectors.

use std::time::Duration;

/// Connectors that an answer shows.
pub(crate) const CONNECTORS_MAX: usize = 200;
/// Streams of one connector.
pub(crate) const STREAMS_MAX: usize = 32;
/// Pages of one stream that one sync reads. The next one goes on from there.
pub(crate) const PAGES_MAX: usize = 200;
/// Records of a page.
pub(crate) const PAGE_RECORDS_MAX: usize = 10_000;
/// The pointer moves after so many pages, or so many records.
pub(crate) const PAGES_AT_ONCE: usize = 10;
pub(crate) const RECORDS_AT_ONCE: usize = 1_000;
/// Bytes of one record.
pub(crate) const RECORD_BYTES_MAX: usize = 4 << 20;
/// Bytes of the place in a stream, which the metadata of a manifest has room for.
pub(crate) const PLACE_BYTES_MAX: usize = 4 << 10;
/// Fields of records whose types are remembered.
pub(crate) const FIELDS_MAX: usize = 40;
/// Tries of a page whose answer was lost. Reading twice changes nothing.
pub(crate) const PAGE_TRIES_MAX: usize = 3;
/// Waits for a provider that limits its rate, and the longest of them.
pub(crate) const RATE_WAITS_MAX: usize = 5;
pub(crate) const RATE_WAIT_MAX: Duration = Duration::from_secs(30);
/// Tries to move the pointer while others move it.
pub(crate) const MOVES_MAX: usize = 8;
/// Problems of one sync that are kept.
pub(crate) const PROBLEMS_MAX: usize = 100;
/// Characters of a foreign text in a message.
pub(crate) const SHOWN_CHARS_MAX: usize = 300;
/// Bytes of a key in a path. Longer ones are told apart by a digest.
pub(crate) const KEY_BYTES_MAX: usize = 120;

pub(crate) const WAIT_SECONDS_USUAL: u16 = 20;
pub(crate) const WAIT_SECONDS_MAX: u16 = 300;

/// The interval for looking at the end of the ledger.
pub(crate) const FOLLOW_EVERY: Duration = Duration::from_millis(500);
/// Ends of calls that the follower takes at once.
pub(crate) const FOLLOWED_AT_ONCE: usize = 100;

/// A status does not wait longer to learn whether credentials are there.
pub(crate) const SIGN_IN_WAIT: Duration = Duration::from_secs(3);
