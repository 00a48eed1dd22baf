//! Cutting lists into pages. Cursors are plain offsets: opaque to a client that behaves, refused when made up.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// Long enough for a cache to be seen working, short enough not to outlive a test.
pub(super) const TTL_MS: u64 = 1_000;

pub(super) struct ConformancePage<T> {
    pub(super) items: Vec<T>,
    pub(super) next: Option<String>,
}

pub(super) fn page<T>(
    mut items: Vec<T>,
    page_size: Option<usize>,
    request: Option<PaginatedRequestParams>,
) -> Result<ConformancePage<T>, ErrorData> {
    let start = match request.and_then(|request| request.cursor) {
        None => 0,
        Some(cursor) => cursor
            .strip_prefix("from-")
            .and_then(|offset| offset.parse::<usize>().ok())
            .filter(|offset| *offset < items.len())
            .ok_or_else(|| ErrorData::invalid_params(format!("unknown cursor {cursor:?}"), None))?,
    };
    let mut items = items.split_off(start);
    let rest = page_size.filter(|size| *size < items.len());
    if let Some(size) = rest {
        items.truncate(size);
    }
    Ok(ConformancePage { items, next: rest.map(|size| format!("from-{}", start + size)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(cursor: &str) -> Option<PaginatedRequestParams> {
        Some(PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned())))
    }

    #[test]
    fn pages_cover_the_list_once_and_end() {
        let mut seen = Vec::new();
        let mut request = None;
        loop {
            let page =
                page(vec![1, 2, 3, 4, 5], Some(2), request).expect("cursors come from the page before");
            seen.extend(page.items);
            let Some(next) = page.next else { break };
            request = cursor(&next);
        }
        assert_eq!(seen, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_made_up_cursor_is_refused() {
        assert!(page(vec![1, 2], Some(1), cursor("nonsense")).is_err());
        assert!(page(vec![1, 2], Some(1), cursor("from-2")).is_err());
    }
}
