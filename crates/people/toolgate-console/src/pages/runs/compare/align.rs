//! The calls of two runs beside each other: the same tools in the same order stand in one row.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The places of a row's calls in their runs. One of them may be missing, and never both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct AlignedCalls {
    pub(super) left: Option<usize>,
    pub(super) right: Option<usize>,
}

impl AlignedCalls {
    pub(super) fn both(self) -> Option<(usize, usize)> {
        Some((self.left?, self.right?))
    }
}

/// Aligns two lists of tools.
pub(super) fn align(left: &[&str], right: &[&str]) -> Vec<AlignedCalls> {
    let mut rows = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, left, right) {
        let (old, new) = (op.old_range(), op.new_range());
        match op {
            DiffOp::Equal { .. } => {
                let pair = |(left, right)| AlignedCalls { left: Some(left), right: Some(right) };
                rows.extend(old.zip(new).map(pair));
            }
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                rows.extend(old.map(|left| AlignedCalls { left: Some(left), right: None }));
                rows.extend(new.map(|right| AlignedCalls { left: None, right: Some(right) }));
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(left: &str, right: &str) -> Vec<String> {
        let (left, right): (Vec<&str>, Vec<&str>) = (left.split(' ').collect(), right.split(' ').collect());
        let word = |of: &[&str], at: Option<usize>| at.map_or("-".to_owned(), |at| of[at].to_owned());
        align(&left, &right)
            .into_iter()
            .map(|row| format!("{}/{}", word(&left, row.left), word(&right, row.right)))
            .collect()
    }

    #[test]
    fn the_same_tools_in_the_same_order_stand_beside_each_other() {
        assert_eq!(told("a b c", "a b c"), ["a/a", "b/b", "c/c"]);
        assert_eq!(told("a b c", "a c"), ["a/a", "b/-", "c/c"]);
        assert_eq!(told("a x c", "a y y c"), ["a/a", "x/-", "-/y", "-/y", "c/c"]);
        assert!(align(&[], &[]).is_empty());
    }
}
