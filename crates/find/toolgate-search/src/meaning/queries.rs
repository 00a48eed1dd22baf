//! Recently embedded queries: agents repeat them, and pages of results follow each other.

use std::collections::VecDeque;
use std::sync::Arc;

use super::vector::Vector;

const QUERIES_MAX: usize = 256;
/// Only the beginning of a longer query is read: its request is clear by then, and time grows with its
/// length. Bytes and not characters, because a character of a script without spaces costs as much as a word
/// of another.
const QUERY_BYTES_MAX: usize = 240;

/// The latest first.
#[derive(Default)]
pub(super) struct QueryCache(VecDeque<(Box<str>, Arc<Vector>)>);

impl QueryCache {
    pub(super) fn get(&mut self, query: &str) -> Option<Arc<Vector>> {
        let place = self.0.iter().position(|(other, _)| **other == *query)?;
        let found = self.0.remove(place)?;
        let vector = Arc::clone(&found.1);
        self.0.push_front(found);
        Some(vector)
    }

    pub(super) fn put(&mut self, query: &str, vector: &Arc<Vector>) {
        self.0.truncate(QUERIES_MAX - 1);
        self.0.push_front((query.into(), Arc::clone(vector)));
    }
}

/// The part of a query that is read.
pub(super) fn cut(query: &str) -> &str {
    let query = query.trim();
    &query[..query.floor_char_boundary(QUERY_BYTES_MAX)]
}
