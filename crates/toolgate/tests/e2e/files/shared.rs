//! The owners of refs and files: those of another principal, or of another session, do not exist.

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpClient;

use super::archive::{Archive, data, structure, taken_out, text};
use super::bytes::pdf;
use crate::kit::call;
use crate::runs::work::Work;

/// The answers about an id, without the id and everything that is new each time.
async fn heard(archive: &Archive, client: &HttpClient, id: &str) -> Vec<String> {
    let uri = format!("toolgate://refs/{id}");
    let mut said = vec![
        call(client, "read_ref", json!({ "ref_id": id })).await,
        call(client, "docs__parse_document", json!({ "file_id": id })).await,
        call(client, "docs__sink", json!({ "file_data": "x", "file_id": id })).await,
        call(client, "docs__merge", json!({ "file_ids": [id] })).await,
        client.modern("resources/read", json!({ "uri": uri })).await.response(),
    ];
    for path in ["refs", "files"] {
        for part in ["", "/content"] {
            let answer = archive.site.rest(&client.token, "GET", &format!("/{path}/{id}{part}"), None).await;
            said.push(json!([answer.status, answer.json()]));
        }
    }
    let deleted = archive.site.rest(&client.token, "DELETE", &format!("/files/{id}"), None).await;
    said.push(json!([deleted.status, deleted.json()]));
    let body = json!({ "input": [{ "path": "a", "file_id": id }] });
    let run = archive.site.rest(&client.token, "POST", "/runs", Some(body)).await;
    said.push(json!([run.status, run.json()]));
    said.iter().map(|one| without(&one.to_string(), id)).collect()
}

/// Ids differ; nothing else may.
fn without(said: &str, id: &str) -> String {
    let mut said = said.replace(id, "ID");
    while let Some(at) = said.find("\"tc_") {
        said.replace_range(at..at + 37, "\"CALL\"");
    }
    said
}

#[tokio::test]
async fn what_is_anothers_sounds_exactly_like_what_never_was() {
    let archive = Archive::open("").await;
    let owner = archive.site.agent();
    let one = taken_out(&call(&owner, "docs__big_text", json!({ "bytes": 50_000 })).await);
    let file = archive.file("a.pdf", &pdf(1, 500)).await;
    let stranger = archive.site.agent_with(&archive.site.token("--role agent --principal mallory"));
    for (id, never) in [
        (text(&one["ref_id"]).to_owned(), "ref_00000000000000000000000000000000"),
        (file, "file_00000000000000000000000000000000"),
    ] {
        let (theirs, nobodys) =
            (heard(&archive, &stranger, &id).await, heard(&archive, &stranger, never).await);
        assert_eq!(theirs, nobodys, "{id}");
    }
}

#[tokio::test]
async fn a_ref_of_one_session_is_not_there_in_another_of_the_same_principal() {
    let archive = Archive::open("").await;
    let open = async || {
        let answer = archive.site.rest(archive.agent(), "POST", "/sessions", Some(json!({}))).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        archive.site.agent_with(text(&answer.json()["token"]))
    };
    let (here, there) = (open().await, open().await);
    let one = taken_out(&call(&here, "docs__big_text", json!({ "bytes": 50_000 })).await);
    let minted =
        call(&here, "docs__parse_document", json!({ "file_id": archive.file("a.pdf", &pdf(1, 900)).await }))
            .await;
    let minted = text(&structure(&minted)["ref_id"]).to_owned();
    data(&call(&here, "read_ref", json!({ "ref_id": one["ref_id"] })).await);
    let read = async |client: &HttpClient, id: &str| {
        let said = call(client, "read_ref", json!({ "ref_id": id })).await;
        without(&said.to_string(), id)
    };
    let nobodys = read(&there, "ref_00000000000000000000000000000000").await;
    assert_eq!(read(&there, text(&one["ref_id"])).await, nobodys);
    assert_eq!(
        read(&there, &minted).await,
        read(&there, "doc_00000000").await,
        "what a server minted as well"
    );
}

#[tokio::test]
async fn sessions_of_one_run_share_their_refs() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    let one = taken_out(&work.call("docs__big_text", json!({ "bytes": 50_000 })).await);
    let body = json!({ "run": work.id });
    let second = archive.site.rest(archive.agent(), "POST", "/sessions", Some(body)).await;
    assert_eq!(second.status, 201, "{second:?}");
    let second = archive.site.agent_with(text(&second.json()["token"]));
    data(&call(&second, "read_ref", json!({ "ref_id": one["ref_id"] })).await);
    let outside = call(&archive.site.agent(), "read_ref", json!({ "ref_id": one["ref_id"] })).await;
    assert_eq!(outside["structuredContent"]["error"]["code"], "unknown_ref", "{outside}");
}

#[tokio::test]
async fn a_run_may_use_the_files_that_it_was_given_whoever_works_in_it() {
    let archive = Archive::open("").await;
    let ann = archive.site.token("--role agent --principal ann");
    let given = archive.upload(archive.admin(), "given.pdf", &pdf(1, 900)).await;
    let kept = archive.upload(archive.admin(), "kept.pdf", &pdf(2, 900)).await;
    let body = json!({ "principal": "ann", "input": [{ "path": "cv/given.pdf", "file_id": given["id"] }] });
    let work = Work::start_by(&archive, archive.admin(), body).await;
    let parsed = work.call("docs__parse_document", json!({ "file_id": given["id"] })).await;
    assert_eq!(structure(&parsed)["bytes"], 900, "{parsed}");
    // The opener of the session lends its files to it too.
    structure(&work.call("docs__parse_document", json!({ "file_id": kept["id"] })).await);
    let outside =
        call(&archive.site.agent_with(&ann), "docs__parse_document", json!({ "file_id": given["id"] })).await;
    assert_eq!(
        outside["structuredContent"]["error"]["code"], "unknown_file",
        "not outside of the run: {outside}"
    );
    let run: Value = work.show(&archive).await;
    assert_eq!(
        run["input"],
        json!([{ "path": "cv/given.pdf", "file_id": given["id"], "digest": given["digest"] }])
    );
}
