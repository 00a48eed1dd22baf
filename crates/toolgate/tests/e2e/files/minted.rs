//! Ids of servers for contents that they keep: the same server gets them back, another one gets the bytes.

use serde_json::json;

use super::archive::{Archive, code, data, structure, text};
use super::bytes::{pdf, sha256};
use crate::governed::bank::envelope;
use crate::kit::{Remote, call, remote};
use crate::live::site::OPEN;
use crate::runs::work::Work;

#[tokio::test]
async fn the_server_that_minted_an_id_gets_it_back_and_another_one_the_bytes() {
    let archive = Archive::open_with("", &["docs", "other"]).await;
    let client = archive.site.agent();
    let bytes = pdf(1, 40_000);
    let file = archive.file("a.pdf", &bytes).await;
    let parsed = call(&client, "docs__parse_document", json!({ "file_id": file })).await;
    let minted = structure(&parsed)["ref_id"].clone();
    let tailored =
        call(&client, "docs__tailor_resume", json!({ "source_ref_id": minted, "target_role": "X" })).await;
    assert_eq!(envelope(&tailored)["warnings"], json!([]), "its own id passes without a word: {tailored}");
    let made = [&b"%PDF-1.7\nX"[..], &bytes].concat();
    let elsewhere =
        call(&client, "other__parse_document", json!({ "file_id": structure(&tailored)["ref_id"] })).await;
    assert_eq!(
        structure(&elsewhere)["sha256"],
        sha256(&made),
        "fetched from the server that has it: {elsewhere}"
    );
    // The other server does not know it, and its tool takes no bytes: it gets the id, and the caller a
    // warning.
    let unmapped = json!({ "source_ref_id": minted, "target_role": "X" });
    let unmapped = call(&client, "other__tailor_resume", unmapped).await;
    assert_eq!(unmapped["isError"], true, "{unmapped}");
    assert_eq!(envelope(&unmapped)["warnings"][0]["code"], "file_not_mapped", "{unmapped}");
}

#[tokio::test]
async fn an_id_that_two_servers_gave_has_to_be_told_apart() {
    let archive = Archive::open_with("", &["docs", "other", "third"]).await;
    let work = Work::start(&archive, json!({})).await;
    let bytes = pdf(1, 2_000);
    let file = archive.file("a.pdf", &bytes).await;
    let minted = work.call("docs__parse_document", json!({ "file_id": file })).await;
    let minted = text(&structure(&minted)["ref_id"]).to_owned();
    // Both call equal bytes the same.
    assert_eq!(
        structure(&work.call("other__parse_document", json!({ "file_id": file })).await)["ref_id"],
        minted
    );
    let refused = work.call("third__parse_document", json!({ "file_id": minted })).await;
    assert_eq!(code(&refused), "ambiguous_ref", "{refused}");
    let words = text(&refused["content"][0]["text"]);
    assert!(
        words.contains(&format!("docs:{minted}")) && words.contains(&format!("other:{minted}")),
        "{words}"
    );
    let stored = work.call("store_artifact", json!({ "file_name": "a.pdf", "content_ref_id": minted })).await;
    assert_eq!(code(&stored), "ambiguous_ref", "{stored}");
    for server in ["docs", "other"] {
        let qualified = format!("{server}:{minted}");
        let parsed = work.call("third__parse_document", json!({ "file_id": qualified })).await;
        assert_eq!(structure(&parsed)["sha256"], sha256(&bytes), "{parsed}");
        let name = format!("{server}.pdf");
        let stored =
            work.call("store_artifact", json!({ "file_name": name, "content_ref_id": qualified })).await;
        assert_eq!(data(&stored)["size"], 2_000, "{stored}");
    }
    // Each of the two knows its own.
    let own = json!({ "source_ref_id": minted, "target_role": "X" });
    structure(&work.call("docs__tailor_resume", own).await);
    let said = json!({ "source_ref_id": format!("docs:{minted}"), "target_role": "X" });
    structure(&work.call("docs__tailor_resume", said).await);
}

#[tokio::test]
async fn what_was_fetched_stays_when_its_server_is_gone_and_what_was_not_is_told() {
    let mut server = Remote::start("conformance-server", &["--tools", "documents"]);
    let entry = remote("far", &server.url);
    let archive =
        Archive::open_as(crate::governed::database::Backing::Sqlite, &format!("{OPEN}{entry}"), &["docs"])
            .await;
    archive.ready(&["far"]).await;
    let client = archive.site.agent();
    let mint = async |seed: u32| {
        let file = archive.file("a.pdf", &pdf(seed, 2_000)).await;
        let parsed = call(&client, "far__parse_document", json!({ "file_id": file })).await;
        structure(&parsed)["ref_id"].clone()
    };
    let (fetched, left) = (mint(1).await, mint(2).await);
    structure(&call(&client, "docs__parse_document", json!({ "file_id": fetched })).await);
    server.end();
    let again = call(&client, "docs__parse_document", json!({ "file_id": fetched })).await;
    assert_eq!(structure(&again)["sha256"], sha256(&pdf(1, 2_000)), "{again}");
    let lost = call(&client, "docs__parse_document", json!({ "file_id": left })).await;
    assert_eq!(lost["isError"], true, "{lost}");
    let words = text(&lost["content"][0]["text"]);
    assert!(words.contains("far"), "it says which server has it: {words}");
}
