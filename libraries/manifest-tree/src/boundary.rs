//! The rule that cuts a level into nodes. Whether a node ends after an entry follows from the entry's path and from the size of the
//! node up to there, and from nothing that comes later. A node that begins at the same entry therefore ends at the same one, and a
//! change reaches only as far as the next place where an old and a new node end together.

/// A node does not end before it has this many bytes, unless it is the last of its level.
pub const NODE_BYTES_MIN: usize = 1024;
/// No node has more bytes.
pub const NODE_BYTES_MAX: usize = 16 * 1024;
/// A node ends when it has this many bytes. The largest entry still fits between this and the maximum.
const NODE_BYTES_FULL: usize = 10 * 1024;
/// The square of the size that makes nodes about 4 KiB long on average.
const SPREAD: u64 = 3_500 * 3_500;

/// Returns true if a node ends after an entry. `items` counts the entries up to and with this one; the node had `before` bytes
/// without it and has `after` with it.
///
/// The chance to end grows with the size (a Weibull distribution of shape 2), so sizes stay close to their mean.
pub(crate) fn ends_node(level: u8, path: &str, items: usize, before: usize, after: usize) -> bool {
    // A parent of one child would not make a level smaller than the one below.
    if after < NODE_BYTES_MIN || (level > 0 && items < 2) {
        return false;
    }
    if after >= NODE_BYTES_FULL {
        return true;
    }
    let above = |size: usize| (size.saturating_sub(NODE_BYTES_MIN) as u64).pow(2);
    let chance = above(after) - above(before);
    (path_hash(level, path) >> 32) * SPREAD < chance << 32
}

/// A hash that is the same everywhere and for ever. It only has to spread: a caller who chooses paths to be unlucky gets nodes of
/// the smallest or of the largest size.
fn path_hash(level: u8, path: &str) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = FACTOR ^ (path.len() as u64) ^ (u64::from(level) << 56);
    let fold = |hash: u64, word: u64| {
        let product = (hash ^ word).wrapping_mul(FACTOR);
        product ^ (product >> 32)
    };
    let mut words = path.as_bytes().chunks_exact(8);
    for word in words.by_ref() {
        hash = fold(hash, u64::from_le_bytes(word.try_into().expect("a chunk has eight bytes")));
    }
    let mut last = [0; 8];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    hash = fold(hash, u64::from_le_bytes(last));
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}
