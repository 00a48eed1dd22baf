//! Bytes that the gateway itself keeps under names, in the same place as the files of its users.

use bytes::Bytes;

use crate::Refusal;
use crate::port::BoxFuture;

/// A folder or a bucket. A name is a path with `/`, such as `ledger/default/index.json`.
pub trait NamedBytes: Send + Sync {
    /// The bytes under a name; `None` if there are none.
    fn read<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<NamedObject>, Refusal>>;

    /// Writes bytes under a name, over those that are there. They appear whole or not at all.
    fn write<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, Result<(), Refusal>>;

    /// Writes bytes in place of those that were read, or where there were none. `false` if another writer was
    /// faster.
    fn replace<'a>(
        &'a self,
        name: &'a str,
        before: Option<&'a NamedObject>,
        bytes: Bytes,
    ) -> BoxFuture<'a, Result<bool, Refusal>>;

    /// Every name below a folder, in any order.
    fn list<'a>(&'a self, folder: &'a str) -> BoxFuture<'a, Result<Vec<String>, Refusal>>;
}

/// Bytes as they were read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedObject {
    pub bytes: Bytes,
    /// The version that the storage gives them, if it does.
    pub version: Option<String>,
}
