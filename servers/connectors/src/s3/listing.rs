//! The tool that lists objects.

use std::sync::Arc;

use capability_kit::{ResidentCall, Tool, Trouble};
use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bucket::Bucket;
use super::http::noted;
use crate::provided::{Provided, ToolWords, data_tool};

const WORDS: ToolWords = ToolWords {
    name: "list_objects",
    title: "List objects",
    description: "Lists objects in the order of their keys: key, size, time of change.",
};
const LIMIT: usize = 100;
const LIMIT_MAX: usize = 1_000;

pub(super) fn tool(bucket: &Provided<Bucket>) -> Tool {
    data_tool(bucket, WORDS, list)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListObjectsArguments {
    /// Only objects in this folder, such as reports/2026.
    #[serde(default)]
    folder: Option<String>,
    /// Only objects after this key: the `next` of an earlier answer.
    #[serde(default)]
    after: Option<String>,
    /// 100 by default, 1000 at most.
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct ListedObjects {
    objects: Vec<ObjectSummary>,
    /// Pass it as `after` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// An object without its bytes.
#[derive(Serialize, JsonSchema)]
pub(super) struct ObjectSummary {
    pub(super) key: String,
    pub(super) bytes: u64,
    /// The time of the last change.
    pub(super) modified: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) etag: Option<String>,
}

impl ObjectSummary {
    pub(super) fn of(object: ObjectMeta) -> Self {
        let modified = object.last_modified.to_rfc3339();
        Self { key: object.location.to_string(), bytes: object.size, modified, etag: object.e_tag }
    }
}

async fn list(
    bucket: Arc<Bucket>,
    arguments: ListObjectsArguments,
    _: ResidentCall,
) -> Result<ListedObjects, Trouble> {
    let limit = arguments.limit.unwrap_or(LIMIT);
    if limit == 0 || limit > LIMIT_MAX {
        return Err(
            Trouble::bad_arguments(format!("limit is {limit}")).hint(format!("pass 1 to {LIMIT_MAX}"))
        );
    }
    let folder = arguments.folder.as_deref().filter(|folder| !folder.trim_matches('/').is_empty());
    let folder = folder.map(Bucket::key).transpose()?;
    let after = arguments.after.as_deref().map(Bucket::key).transpose()?;
    let mut objects = some(&bucket, folder.as_ref(), after.as_ref(), limit + 1).await?;
    let is_all = objects.len() <= limit;
    objects.truncate(limit);
    let objects: Vec<ObjectSummary> = objects.into_iter().map(ObjectSummary::of).collect();
    let next = objects.last().filter(|_| !is_all).map(|last| last.key.clone());
    Ok(ListedObjects { objects, next })
}

/// The first objects after a key.
pub(super) async fn some(
    bucket: &Bucket,
    folder: Option<&Path>,
    after: Option<&Path>,
    limit: usize,
) -> Result<Vec<ObjectMeta>, Trouble> {
    let listed = match after {
        Some(after) => bucket.objects.list_with_offset(folder, after),
        None => bucket.objects.list(folder),
    };
    let mut listed = Box::pin(listed);
    let mut objects = Vec::new();
    while objects.len() < limit {
        let next = noted(listed.try_next()).await.map_err(|error| bucket.trouble("list objects", &error))?;
        let Some(object) = next else { break };
        objects.push(object);
    }
    Ok(objects)
}
