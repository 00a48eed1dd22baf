//! The stream of a bucket: each object is a record, without its bytes.

use capability_kit::{PageQuestion, StreamPage, StreamRecord, Trouble};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::bucket::Bucket;
use super::listing::{ObjectSummary, some};

pub(super) const STREAM: &str = "objects";
/// Objects that are looked at for a page; those that have not changed are left out.
const PAGE_OBJECTS: usize = 500;

/// The newest change that was read, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct BucketCursor {
    modified_ms: i64,
}

/// The place within one reading.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct BucketPage {
    after: String,
    newest_ms: i64,
}

pub(super) async fn page(bucket: &Bucket, asked: PageQuestion) -> Result<StreamPage, Trouble> {
    if asked.stream != STREAM {
        return Err(Trouble::bad_arguments(format!("there is no stream {:?}", asked.stream))
            .hint(format!("the stream is {STREAM}")));
    }
    let bad =
        |_| Trouble::bad_arguments("that is no place in the bucket").hint("begin without cursor and page");
    let since: Option<BucketCursor> = match asked.cursor {
        None | Some(Value::Null) => None,
        Some(cursor) => Some(serde_json::from_value(cursor).map_err(bad)?),
    };
    let at: Option<BucketPage> =
        asked.page.map(|page| serde_json::from_str(&page)).transpose().map_err(bad)?;
    let after = at.as_ref().map(|at| Bucket::key(&at.after)).transpose()?;
    let objects = some(bucket, None, after.as_ref(), PAGE_OBJECTS).await?;
    let is_done = objects.len() < PAGE_OBJECTS;
    let mut newest_ms = at.map_or_else(|| since.unwrap_or_default().modified_ms, |at| at.newest_ms);
    let last = objects.last().map(|object| object.location.to_string());
    let mut records = Vec::new();
    for object in objects {
        let modified_ms = object.last_modified.timestamp_millis();
        newest_ms = newest_ms.max(modified_ms);
        // One more time in the same moment is better than never.
        if since.is_none_or(|since| modified_ms >= since.modified_ms) {
            records.push(record(ObjectSummary::of(object)));
        }
    }
    let next = last.filter(|_| !is_done).map(|after| json!(BucketPage { after, newest_ms }).to_string());
    let cursor = is_done.then(|| json!(BucketCursor { modified_ms: newest_ms }));
    Ok(StreamPage { records, next_page: next, cursor, done: is_done })
}

fn record(object: ObjectSummary) -> StreamRecord {
    StreamRecord { key: object.key.clone(), updated: Some(object.modified.clone()), value: json!(object) }
}
