//! Pages that stay short enough to be an answer: longer ones would become refs, which is not what someone who reads pages wants.

use serde::Serialize;

use crate::state::Substrate;

/// Counts the bytes of an answer's items.
pub(crate) struct AnswerRoom {
    bytes_left: usize,
    is_empty: bool,
}

impl AnswerRoom {
    /// The room that is left beside something that is in the answer anyway.
    pub(crate) fn beside(mut self, item: &impl Serialize) -> Self {
        let bytes = serde_json::to_vec(item).map_or(0, |text| text.len());
        self.bytes_left = self.bytes_left.saturating_sub(bytes);
        self
    }

    /// True if the item fits as well. The first one always does.
    pub(crate) fn take(&mut self, item: &impl Serialize) -> bool {
        let bytes = serde_json::to_vec(item).map_or(usize::MAX, |text| text.len().saturating_add(1));
        if bytes > self.bytes_left && !self.is_empty {
            return false;
        }
        self.bytes_left = self.bytes_left.saturating_sub(bytes);
        self.is_empty = false;
        true
    }

    /// The items that fit, and true if others were left out.
    pub(crate) fn fit<T: Serialize>(mut self, items: impl IntoIterator<Item = T>) -> (Vec<T>, bool) {
        let mut kept = Vec::new();
        for item in items {
            if !self.take(&item) {
                return (kept, true);
            }
            kept.push(item);
        }
        (kept, false)
    }
}

impl Substrate {
    /// Room for items in an answer: three quarters of what a result may have, for there is more in it than items.
    pub(crate) fn answer_room(&self) -> AnswerRoom {
        let bytes_left = self.files.settings().results.text_bytes_max / 4 * 3;
        AnswerRoom { bytes_left, is_empty: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_before_it_is_too_long_and_is_never_empty() {
        let room = |bytes_left| AnswerRoom { bytes_left, is_empty: true };
        assert_eq!(room(10).fit(["aa", "bb", "cc"]), (vec!["aa", "bb"], true));
        assert_eq!(room(100).fit(["aa", "bb"]), (vec!["aa", "bb"], false));
        assert_eq!(room(1).fit(["a long text", "b"]), (vec!["a long text"], true));
        assert_eq!(room(15).beside(&"words").fit(["aa", "bb"]), (vec!["aa"], true));
        assert_eq!(room(1).beside(&"words").fit(["aa", "bb"]), (vec!["aa"], true), "never empty");
    }
}
