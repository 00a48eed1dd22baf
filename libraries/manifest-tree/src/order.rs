//! The order of paths. `/` sorts before every other character, so everything in a folder `a/b` follows directly after a file `a/b`,
//! before `a/b-x`. A path that is both a file and a folder therefore shows between neighbours.

use std::cmp::Ordering;

/// How a path relates to the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Succession {
    /// It comes later, as it should.
    Later,
    Same,
    Earlier,
    /// It lies in a folder that is called like the file before it.
    Inside,
}

/// Compares two paths, or a path and the beginning of one.
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    compare_after(left.as_bytes(), right.as_bytes(), common_length(left, right))
}

/// The number of bytes that both begin with. It may end within a character.
pub(crate) fn common_length(left: &str, right: &str) -> usize {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let words = left.chunks_exact(8).zip(right.chunks_exact(8));
    let start = 8 * words.take_while(|(left, right)| left == right).count();
    let rest = left[start..].iter().zip(&right[start..]);
    start + rest.take_while(|(left, right)| left == right).count()
}

/// How `next` relates to `previous`, of which it repeats the first `common` bytes.
pub(crate) fn succession(previous: &str, next: &str, common: usize) -> Succession {
    if previous.len() == common && next.as_bytes().get(common) == Some(&b'/') {
        return Succession::Inside;
    }
    match compare_after(previous.as_bytes(), next.as_bytes(), common) {
        Ordering::Less => Succession::Later,
        Ordering::Equal => Succession::Same,
        Ordering::Greater => Succession::Earlier,
    }
}

/// Returns true if `path` lies in a folder that is called `file`.
pub(crate) fn is_inside(file: &str, path: &str) -> bool {
    path.as_bytes().get(file.len()) == Some(&b'/') && path.starts_with(file)
}

fn compare_after(left: &[u8], right: &[u8], common: usize) -> Ordering {
    let rank = |byte: Option<&u8>| byte.map(|byte| if *byte == b'/' { 0 } else { *byte });
    rank(left.get(common)).cmp(&rank(right.get(common)))
}
