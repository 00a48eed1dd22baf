//! Lists that come page by page, newest first, and finding one entry by part of its id.

use serde_json::Value;

use super::pick::pick;
use super::sessions::is_unknown;
use super::shown::text;
use crate::local::LocalApi;
use crate::output::talk;

/// The newest entries among which part of an id is looked up.
const LOOKED_THROUGH_MAX: usize = 10_000;

/// One list of the API.
#[derive(Clone, Copy)]
pub(super) struct ApiList {
    /// Its path, which is also the member with its entries.
    pub(super) path: &'static str,
    /// The prefix of its ids.
    pub(super) prefix: &'static str,
    pub(super) noun: &'static str,
    /// The command that shows it.
    pub(super) command: &'static str,
    /// The parameters for a complete list.
    pub(super) everything: &'static [(&'static str, &'static str)],
}

/// The number of entries per request.
const PAGE_SIZE: usize = 200;

impl ApiList {
    pub(super) async fn newest(
        &self,
        api: &mut LocalApi,
        query: &[(&'static str, String)],
        limit: usize,
    ) -> anyhow::Result<Vec<Value>> {
        let mut entries = Vec::new();
        let mut cursor = Value::Null;
        loop {
            let mut query = query.to_vec();
            query.push(("limit", (limit - entries.len()).clamp(1, PAGE_SIZE).to_string()));
            query.extend(cursor.as_str().map(|after| ("cursor", after.to_owned())));
            let mut page = api.get(&[self.path], &query).await?;
            if let Value::Array(more) = page[self.path].take() {
                entries.extend(more);
            }
            cursor = page["next_cursor"].take();
            if cursor.is_null() || entries.len() >= limit {
                entries.truncate(limit);
                return Ok(entries);
            }
        }
    }

    /// The one matching entry.
    pub(super) async fn find(&self, api: &mut LocalApi, given: &str) -> anyhow::Result<Value> {
        if given.starts_with(self.prefix) {
            match api.get(&[self.path, given], &[]).await {
                Ok(found) => return Ok(found),
                Err(error) if is_unknown(&error) => {}
                Err(error) => return Err(error),
            }
        }
        let query: Vec<_> =
            self.everything.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let entries = self.newest(api, &query, LOOKED_THROUGH_MAX).await?;
        let ids = entries.iter().map(|entry| text(&entry["id"]));
        let id = pick(given, ids, self.noun, self.command)?;
        api.get(&[self.path, id], &[]).await
    }
}

/// Says that a list may go on after the entries that are shown.
pub(super) fn tell_of_more(entries: &[Value], limit: usize) {
    if entries.len() == limit {
        talk!("the newest {limit} of them; --limit shows more");
    }
}
