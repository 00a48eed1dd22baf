//! `file_upload_url`: an address that takes one file, once, for clients without another way.

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::archive::{Archive, Fetched, Storage, becomes, data, text};
use super::bytes::{digest, noise, pdf};
use crate::kit::call;

async fn place(archive: &Archive, name: &str) -> String {
    let offered = call(&archive.site.agent(), "file_upload_url", json!({ "file_name": name })).await;
    text(&data(&offered)["url"]).to_owned()
}

async fn put(archive: &Archive, url: &str, bytes: &[u8]) -> Fetched {
    Fetched::of(archive.site.agent().http.put(url).body(bytes.to_vec())).await
}

async fn files(archive: &Archive) -> Vec<Value> {
    archive.site.get("/files").await["files"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn a_place_takes_one_file_once_and_it_is_whose_the_call_was() {
    for storage in [Storage::Folder, Storage::S3] {
        let archive = Archive::open(&storage.toml("")).await;
        let bytes = pdf(1, 100_000);
        let url = place(&archive, "cv.pdf").await;
        let taken = put(&archive, &url, &bytes).await;
        assert_eq!(taken.status, 201, "{storage:?}");
        let file = taken.json();
        assert_eq!((&file["name"], &file["digest"]), (&json!("cv.pdf"), &json!(digest(&bytes))), "{file}");
        let shown =
            archive.site.rest(archive.agent(), "GET", &format!("/files/{}", text(&file["id"])), None).await;
        assert_eq!((shown.status, shown.json()), (200, file), "it is the caller's own");
        let again = put(&archive, &url, &bytes).await;
        assert_eq!((again.status, again.code()), (409, "upload_used".to_owned()));
        assert_eq!(files(&archive).await.len(), 1);
        let post = Fetched::of(archive.site.agent().http.post(place(&archive, "b").await).body("b")).await;
        assert_eq!(post.status, 201);
    }
}

#[tokio::test]
async fn a_place_opens_with_its_key_alone() {
    let archive = Archive::open("").await;
    let url = place(&archive, "a.txt").await;
    let (bare, key) = url.split_once("?key=").expect("it has a key");
    let mut wrong = key.to_owned();
    wrong.replace_range(0..1, if key.starts_with('A') { "B" } else { "A" });
    let refused = put(&archive, &format!("{bare}?key={wrong}"), b"a").await;
    assert_eq!((refused.status, refused.code()), (404, "unknown_upload".to_owned()));
    let refused = put(&archive, bare, b"a").await;
    assert_eq!((refused.status, refused.code()), (401, "signature_missing".to_owned()));
    let other = place(&archive, "b.txt").await;
    let (other, _) = other.split_once("?key=").expect("it has a key");
    let swapped = put(&archive, &format!("{other}?key={key}"), b"a").await;
    assert_eq!(
        (swapped.status, swapped.code()),
        (404, "unknown_upload".to_owned()),
        "a key is for one place"
    );
    let unknown = archive.site.gateway.url("/uploads/upl_00000000000000000000000000000000?key=AAAA");
    assert_eq!(put(&archive, &unknown, b"a").await.status, 404);
    assert_eq!(put(&archive, &url, b"a").await.status, 201, "no wrong key used it up");
}

#[tokio::test]
async fn the_time_of_a_place_ends() {
    let archive = Archive::open("[files]\nupload_url_keep_seconds = 1\n").await;
    let url = place(&archive, "a.txt").await;
    tokio::time::sleep(std::time::Duration::from_millis(1_200)).await;
    let late = put(&archive, &url, b"a").await;
    assert_eq!((late.status, late.code()), (410, "upload_expired".to_owned()));
    assert_eq!(files(&archive).await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_place_whose_upload_broke_off_can_be_used_again() {
    let archive = Archive::open("").await;
    let url = place(&archive, "a.bin").await;
    let parsed = url::Url::parse(&url).expect("an address");
    let address = format!("127.0.0.1:{}", parsed.port().expect("a port"));
    let mut wire = TcpStream::connect(&address).await.expect("the gateway listens");
    let target = format!("{}?{}", parsed.path(), parsed.query().unwrap_or_default());
    let head = format!("PUT {target} HTTP/1.1\r\nhost: {address}\r\ncontent-length: 6000000\r\n\r\n");
    wire.write_all(head.as_bytes()).await.expect("it reads");
    wire.write_all(&noise(1, 3 << 20)).await.expect("it reads");
    becomes("some of it has arrived", || async { !archive.blobs().is_empty() }).await;
    let meanwhile = put(&archive, &url, b"b").await;
    assert_eq!((meanwhile.status, meanwhile.code()), (409, "upload_used".to_owned()));
    drop(wire);
    becomes("nothing of it is left", || async { archive.blobs().is_empty() }).await;
    let again = tokio::time::timeout(crate::doors::WAIT, async {
        loop {
            let again = put(&archive, &url, b"whole").await;
            if again.status != 409 {
                return again;
            }
        }
    });
    assert_eq!(again.await.expect("in time").status, 201);
}

#[tokio::test]
async fn of_many_who_use_one_place_at_once_one_is_let_in() {
    let archive = Archive::open("").await;
    let url = place(&archive, "a.bin").await;
    let puts: Vec<_> = (0..8_u8)
        .map(|at| {
            let (http, url) = (archive.site.agent().http, url.clone());
            tokio::spawn(async move { Fetched::of(http.put(url).body(vec![at; 1_000])).await.status })
        })
        .collect();
    let mut statuses = Vec::new();
    for one in puts {
        statuses.push(one.await.expect("answered"));
    }
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(files(&archive).await.len(), 1);
}

#[tokio::test]
async fn a_place_takes_no_more_than_a_file_may_have() {
    let archive = Archive::open("[files]\nupload_bytes_max = 5000\n").await;
    let url = place(&archive, "a.bin").await;
    let refused = put(&archive, &url, &noise(1, 5_001)).await;
    assert_eq!((refused.status, refused.code()), (413, "file_too_large".to_owned()));
    assert_eq!(put(&archive, &url, &noise(1, 5_000)).await.status, 201);
}
