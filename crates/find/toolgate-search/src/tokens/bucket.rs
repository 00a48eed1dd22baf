//! The position of a token in the table of all tokens. The build script, which writes the table, includes
//! this file too.
//!
//! A bucket has the few tokens of one hash, each as its rank in three bytes, its length in one, and its
//! bytes.

/// The size of the header before the bytes of a token.
pub(super) const HEAD: usize = 4;
/// Somewhat fewer than there are tokens.
pub(super) const BUCKETS: usize = 1 << 17;

/// FNV-1a with its high half folded in. The table is fixed, so it cannot be filled with collisions.
pub(super) fn of(token: &[u8]) -> usize {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    let hash = token.iter().fold(0xcbf2_9ce4_8422_2325, mix);
    ((hash ^ (hash >> 32)) as usize) & (BUCKETS - 1)
}
