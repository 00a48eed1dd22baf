//! The speed and the memory use of a storage: `cargo run --release -p toolgate-files --example blob_bench --
//! [MiB] [folder | "ADDRESS BUCKET ACCESS_KEY SECRET_KEY"]`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use sha2::{Digest as _, Sha256};
use toolgate_core::governance::Clock;
use toolgate_core::port::BoxFuture;
use toolgate_files::{Blobs, FilesSettings, S3Storage, StoragePlace};
use toolgate_store::Store;

const MIB: usize = 1 << 20;
/// As a socket delivers them.
const CHUNK_BYTES: usize = 64 << 10;

struct BenchClock;

impl Clock for BenchClock {
    fn now_ms(&self) -> i64 {
        0
    }

    fn monotonic_us(&self) -> i64 {
        0
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}{}", std::process::id())
    }
}

#[tokio::main]
async fn main() {
    let mut words = std::env::args().skip(1);
    let mib: usize = words.next().map_or(1024, |word| word.parse().expect("a number of MiB"));
    let place = words.next().unwrap_or_else(|| "folder".to_owned());
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("data")).await.expect("a store");
    let place = match place.split_whitespace().collect::<Vec<_>>()[..] {
        [endpoint, bucket, access_key_id, secret_access_key] => StoragePlace::S3(S3Storage {
            bucket: bucket.to_owned(),
            prefix: format!("bench-{}", std::process::id()),
            endpoint: Some(endpoint.to_owned()),
            region: "us-east-1".to_owned(),
            access_key_id: access_key_id.to_owned(),
            secret_access_key: secret_access_key.to_owned(),
            allow_http: true,
        }),
        _ => StoragePlace::Folder(folder.path().join("files")),
    };
    let settings = FilesSettings { place, ..FilesSettings::default() };
    let blobs = Blobs::new(&settings, store, Arc::new(BenchClock)).expect("a storage");
    say("hash alone", mib, hash(mib));
    let before = peak_kib();
    let since = Instant::now();
    let put = blobs.put_stream(stream::iter(chunks(mib)), u64::MAX).await.expect("put");
    say("put", mib, since.elapsed());
    for round in ["read", "read again"] {
        let since = Instant::now();
        let mut stream = blobs.read(put.digest, put.bytes);
        let (mut pieces, mut bytes) = (0, 0);
        while let Some(piece) = stream.next().await {
            bytes += piece.expect("whole").len();
            pieces += 1;
        }
        say(&format!("{round} (pieces of {} KiB)", bytes / pieces / 1024), mib, since.elapsed());
    }
    eprintln!("memory: {} MiB more at its peak", (peak_kib() - before) / 1024);
    blobs.settle().await;
}

fn chunks(mib: usize) -> impl Iterator<Item = Result<Bytes, std::convert::Infallible>> + Send {
    (0..mib * MIB / CHUNK_BYTES).map(|number| {
        let mut chunk = vec![7; CHUNK_BYTES];
        chunk[..8].copy_from_slice(&number.to_le_bytes());
        Ok(chunk.into())
    })
}

fn hash(mib: usize) -> Duration {
    let chunk = vec![7; CHUNK_BYTES];
    let since = Instant::now();
    let mut hash = Sha256::new();
    for _ in 0..mib * MIB / CHUNK_BYTES {
        hash.update(&chunk);
    }
    assert_ne!(hash.finalize()[..], [0; 32]);
    since.elapsed()
}

fn say(what: &str, mib: usize, elapsed: Duration) {
    eprintln!("{what}: {:.0} MiB/s", mib as f64 / elapsed.as_secs_f64());
}

/// The most memory that this process has had.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").trim().parse().unwrap_or(0)
}
