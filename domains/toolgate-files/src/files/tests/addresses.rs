//! Addresses that open bytes by themselves.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use toolgate_core::Digest;
use url::Url;

use super::{erna, put, read};
use crate::access::ContentAccess;
use crate::files::ByteRange;
use crate::files::state::Files;
use crate::fixture::{FilesWorld, noise};

const HOUR: Duration = Duration::from_secs(60 * 60);

/// As the route of the gateway does.
async fn follow(files: &Files, url: &str, range: Option<&str>) -> Result<Vec<u8>, &'static str> {
    let url = Url::parse(url).expect("an address");
    let steps: Vec<&str> = url.path_segments().expect("steps").collect();
    let [_, "signed", what, digest] = steps[..] else { panic!("{url}") };
    let range = range.and_then(ByteRange::parse);
    read(files.open_signed(what, digest, url.query().unwrap_or_default(), range).await).await
}

#[tokio::test]
async fn an_address_opens_its_bytes_for_a_while_and_nothing_else() {
    let world = FilesWorld::folder().await;
    let files = &world.files;
    let bytes = noise(100_000);
    let file = put(files, &erna(), "Müller & Söhne.bin", &bytes).await;
    let other = put(files, &erna(), "b.bin", &noise(5)).await;
    let found = files.resolve(&ContentAccess::Person(&erna()), file.id.as_str()).await.expect("found");
    let address = files.address(&found, HOUR).await.expect("an address");
    let url = address.url.as_str();
    assert!(url.starts_with("http://gateway.test/base/signed/files/sha256:"), "{url}");
    assert_eq!(address.expires_at_ms, file.created_at_ms + 3_600_000);
    assert_eq!(follow(files, url, None).await.expect("read"), bytes);
    assert_eq!(follow(files, url, Some("bytes=10-19")).await.expect("read"), bytes[10..20]);
    let parsed = Url::parse(url).expect("an address");
    let opened =
        files.open_signed("files", &file.digest.to_string(), parsed.query().expect("one"), None).await;
    let opened = opened.expect("opened");
    assert_eq!(opened.name.expect("a name").as_str(), "Müller & Söhne.bin");
    assert_eq!(opened.media_type, "application/octet-stream");
    let elsewhere = world.another().await;
    assert_eq!(follow(&elsewhere, url, None).await.expect("any gateway of the store"), bytes);
    for (from, to) in [
        (file.digest.to_string(), other.digest.to_string()),
        ("/files/".to_owned(), "/artifacts/".to_owned()),
        ("/files/".to_owned(), "/elsewhere/".to_owned()),
        ("expires=1".to_owned(), "expires=2".to_owned()),
        ("expires=1".to_owned(), "expires=x1".to_owned()),
        ("S%C3%B6hne".to_owned(), "Bruder".to_owned()),
        ("octet-stream".to_owned(), "javascript".to_owned()),
        ("signature=".to_owned(), "signature=A".to_owned()),
        ("signature=".to_owned(), "signed=".to_owned()),
        ("&signature=".to_owned(), "&signature=&signature=".to_owned()),
        ("?name=".to_owned(), "?name=x&name=".to_owned()),
    ] {
        let forged = url.replacen(&from, &to, 1);
        assert_ne!(forged, url, "{from}");
        assert_eq!(follow(files, &forged, None).await, Err("bad_address"), "{forged}");
    }
    world.clock.advance(HOUR);
    assert_eq!(follow(files, url, None).await, Err("address_expired"));
    assert_eq!(follow(files, &url.replacen("expires=1", "expires=2", 1), None).await, Err("bad_address"));
}

#[tokio::test]
async fn an_address_of_bytes_that_were_collected_opens_nothing() {
    let world = FilesWorld::folder().await;
    let files = &world.files;
    let file = put(files, &erna(), "a.bin", &noise(100)).await;
    let by = erna();
    let found = files.resolve(&ContentAccess::Person(&by), file.id.as_str()).await.expect("found");
    let address = files.gateway_address(&found, 5 * HOUR).expect("an address");
    files.delete(&ContentAccess::Person(&by), &file.id).await.expect("deleted");
    world.clock.advance(2 * HOUR);
    assert_eq!(files.collect().await.expect("collected").blobs, 1);
    assert_eq!(follow(files, &address.url, None).await, Err("unknown_file"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storage_that_gives_out_addresses_is_asked_for_them() {
    let world = FilesWorld::s3().await;
    let files = &world.files;
    let bytes = noise(20_000);
    let file = put(files, &erna(), "Müller \"1\".bin", &bytes).await;
    let found = files.resolve(&ContentAccess::Person(&erna()), file.id.as_str()).await.expect("found");
    let address = files.address(&found, HOUR).await.expect("an address");
    let (status, headers, got) = fetch(&address.url).await;
    assert_eq!((status, Digest::of(&got)), (200, file.digest));
    let disposition = headers["content-disposition"].to_str().expect("text");
    assert_eq!(disposition, "attachment; filename*=UTF-8''M%C3%BCller%20%221%22.bin");
    let forged = address.url.replacen("X-Amz-Expires=3600", "X-Amz-Expires=360000", 1);
    assert_ne!(forged, address.url);
    assert_eq!(fetch(&forged).await.0, 403);
    let own = files.gateway_address(&found, HOUR).expect("an address");
    assert_eq!(follow(files, &own.url, None).await.expect("read"), bytes, "the gateway has its own as well");
}

async fn fetch(url: &str) -> (u16, http::HeaderMap, Bytes) {
    let client = Client::builder(TokioExecutor::new()).build_http::<Empty<Bytes>>();
    let response = client.get(url.parse().expect("an address")).await.expect("an answer");
    let (parts, body) = response.into_parts();
    (parts.status.as_u16(), parts.headers, body.collect().await.expect("a body").to_bytes())
}
