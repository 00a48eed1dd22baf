//! The promises about files, uploads, artifacts and addresses.

mod addresses;
mod artifacts;
mod collecting;
mod keeping;
mod uploads;

use bytes::Bytes;
use toolgate_core::file::File;
use toolgate_core::{Principal, Refusal, Role};

use super::state::Files;
use crate::access::ContentAccess;
use crate::files::{ByteRange, DownloadContent};
use crate::fixture::{collected, name, person, sent};

fn erna() -> Principal {
    person("erna", Role::Agent)
}

async fn put(files: &Files, owner: &Principal, called: &str, bytes: &Bytes) -> File {
    files.put(&ContentAccess::Person(owner), name(called), sent(bytes)).await.expect("put")
}

async fn read(content: Result<DownloadContent, Refusal>) -> Result<Vec<u8>, &'static str> {
    collected(content.map_err(|refusal| refusal.code.name)?.stream).await.map_err(|_| "broke off")
}

async fn content(files: &Files, access: &ContentAccess<'_>, id: &str) -> Result<Vec<u8>, &'static str> {
    read(files.content(access, id, None).await).await
}

async fn some(
    files: &Files,
    access: &ContentAccess<'_>,
    id: &str,
    range: &str,
) -> Result<Vec<u8>, &'static str> {
    read(files.content(access, id, ByteRange::parse(range)).await).await
}
