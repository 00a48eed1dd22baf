//! The limits of the substrate's tools.

use toolgate_domain::midnight_ms;

/// The end of the origin's flat names.
pub(crate) const FLAT_NAMES_END_MS: i64 = midnight_ms(2027, 12, 1);

/// The most bytes of text or Base64 in the arguments of an upload. Larger ones come as files.
pub(crate) const INLINE_BYTES_MAX: usize = 1 << 20;
/// The longest time for which an address of an artifact is valid.
pub(crate) const URL_SECONDS_MAX: u32 = 7 * 24 * 60 * 60;
pub(crate) const URL_SECONDS_USUAL: u32 = 60 * 60;

/// The most entries that one call puts and removes.
pub(crate) const ENTRIES_MAX: usize = 10_000;
pub(crate) const PARENTS_MAX: usize = 16;
pub(crate) const MESSAGE_BYTES_MAX: usize = 8 << 10;
/// The most bytes of a manifest's metadata, as canonical JSON. Those of an entry are limited by the tree.
pub(crate) const METADATA_BYTES_MAX: usize = 64 << 10;

/// The most entries or changes on a page. A page also ends before the answer would be too long.
pub(crate) const PAGE_USUAL: u16 = 100;
pub(crate) const PAGE_MAX: u16 = 1_000;
pub(crate) const HISTORY_USUAL: u16 = 50;
pub(crate) const HISTORY_MAX: u16 = 200;

/// The most changes of each side of a merge.
pub(crate) const MERGE_CHANGES_MAX: usize = 100_000;
/// The most conflicts that an answer lists.
pub(crate) const CONFLICTS_MAX: usize = 100;
/// The most changes, and bytes, of a difference as one ref.
pub(crate) const REF_CHANGES_MAX: usize = 1_000_000;
pub(crate) const REF_BYTES_MAX: u64 = 512 << 20;
/// The most changes that a summary counts.
pub(crate) const SUMMARY_CHANGES_MAX: usize = 100_000;
/// The most changes that are counted for somebody who looks at a difference, and does not decide on it.
pub(crate) const GLANCE_CHANGES_MAX: usize = 10_000;

/// How deep manifests that name one another are descended into.
pub(crate) const NESTING_MAX: usize = 16;

/// The most manifests that the search for a common ancestor looks at.
pub(crate) const ANCESTORS_MAX: usize = 10_000;
/// The most branches of a history that is read in pages.
pub(crate) const BRANCHES_MAX: usize = 64;
/// The number of generations that are read with one statement.
pub(crate) const GENERATIONS_AT_ONCE: u16 = 32;

/// The most bytes of nodes that are kept in memory.
pub(crate) const CACHE_BYTES_MAX: usize = 32 << 20;
/// The number of new nodes that are written at once while a tree is built.
pub(crate) const NODES_WRITTEN_AT_ONCE: usize = 256;
