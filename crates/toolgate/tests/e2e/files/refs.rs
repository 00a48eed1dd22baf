//! Content that is too large or too binary for the context becomes a ref, which can be read and passed on.

use serde_json::{Value, json};

use super::archive::{Archive, Storage, code, data, structure, taken_out, text};
use super::bytes::{base64, digest, nothing_of};
use super::model::{ClientEra, Model, older};
use crate::governed::bank::envelope;
use crate::governed::database::Backing;
use crate::kit::call;

/// As `big_text` makes it.
fn long_text(length: usize) -> String {
    const LINE: &str = "All work and no play makes a dull text, line after line. ";
    let mut text = LINE.repeat(length / LINE.len() + 1);
    text.truncate(length);
    text
}

/// The content of a ref, over the API.
async fn content(archive: &Archive, one: &Value) -> Vec<u8> {
    let fetched = archive.fetch(archive.agent(), &format!("/refs/{}/content", text(&one["ref_id"]))).await;
    assert_eq!(fetched.status, 200);
    fetched.bytes
}

#[tokio::test]
async fn pictures_blobs_and_long_texts_become_refs_that_say_what_they_are() {
    for storage in [Storage::Folder, Storage::S3] {
        let archive = Archive::open(&storage.toml("")).await;
        let client = archive.site.agent();
        let older = older(&client).await;
        for (tool, arguments, media_type) in [
            ("docs__picture", json!({}), "image/png"),
            ("docs__pdf_blob", json!({ "bytes": 40_000 }), "application/pdf"),
            ("docs__big_text", json!({ "bytes": 100_000 }), "text/plain"),
        ] {
            let params = json!({ "name": tool, "arguments": arguments });
            for result in [
                call(&client, tool, arguments.clone()).await,
                older.legacy(1, "tools/call", params).await.result(),
            ] {
                let one = taken_out(&result);
                assert_eq!(one["media_type"], media_type, "{result}");
                let bytes = content(&archive, &one).await;
                assert_eq!(one["size"], bytes.len(), "{result}");
                assert_eq!(one["digest"], digest(&bytes), "{result}");
                assert_eq!(envelope(&result)["refs"][0]["ref_id"], one["ref_id"], "{result}");
                nothing_of(&bytes, result["content"][1].to_string().as_bytes(), tool);
                assert!(result.to_string().len() < 2_000, "{result}");
            }
        }
        let words = taken_out(&call(&client, "docs__big_text", json!({ "bytes": 100_000 })).await);
        let preview = text(&words["preview"]);
        assert!(long_text(100_000).starts_with(preview.trim()) && preview.len() <= 200, "{words}");
    }
}

#[tokio::test]
async fn base64_within_json_becomes_a_ref_in_text_and_structure_alike() {
    let archive = Archive::open("").await;
    let result = call(&archive.site.agent(), "docs__embedded_base64", json!({ "bytes": 50_000 })).await;
    let refs = envelope(&result)["refs"].as_array().expect("a list").clone();
    assert_eq!(refs.len(), 1, "the same bytes are one ref: {result}");
    let bytes = content(&archive, &refs[0]).await;
    let said = structure(&result);
    assert_eq!((bytes.len(), &said["sha256"]), (50_000, &json!(&digest(&bytes)[7..])), "{result}");
    let id = text(&refs[0]["ref_id"]);
    assert!(text(&said["data"]).contains(id), "{said}");
    let inner: Value = serde_json::from_str(text(&result["content"][0]["text"])).expect("still JSON");
    assert_eq!(&inner, said, "the text says the same");
    nothing_of(&bytes, result.to_string().as_bytes(), "the result");
    // It can be used wherever bytes can.
    let parsed = call(&archive.site.agent(), "docs__parse_document", json!({ "file_id": id })).await;
    assert_eq!(structure(&parsed)["sha256"], said["sha256"], "{parsed}");
}

#[tokio::test]
async fn what_is_short_stays_as_it_is() {
    let archive = Archive::open("").await;
    let result = call(&archive.site.agent(), "docs__big_text", json!({ "bytes": 32_768 })).await;
    assert_eq!(text(&result["content"][0]["text"]), long_text(32_768));
    assert_eq!(envelope(&result)["refs"], json!([]));
    let archive = Archive::open("[results]\ntext_bytes_max = 1024\nbinary = \"inline\"\n").await;
    taken_out(&call(&archive.site.agent(), "docs__big_text", json!({ "bytes": 1_025 })).await);
    let picture = call(&archive.site.agent(), "docs__picture", json!({})).await;
    assert_eq!(picture["content"][0]["type"], "image", "pictures stay where that is wanted: {picture}");
}

#[tokio::test]
async fn clients_of_both_eras_read_the_link() {
    let archive = Archive::open("").await;
    for era in [ClientEra::Newer, ClientEra::Older] {
        let model = Model::open(era, &archive.site.gateway.endpoint, archive.agent()).await;
        for (tool, arguments) in
            [("docs__picture", json!({})), ("docs__big_text", json!({ "bytes": 90_000 }))]
        {
            let result = model.call(tool, arguments).await;
            let one = taken_out(&result);
            let uri = &result["content"][1]["uri"];
            let read = model.ask("resources/read", json!({ "uri": uri })).await;
            let contents = &read["contents"][0];
            assert_eq!((&contents["uri"], &contents["mimeType"]), (uri, &one["media_type"]), "{era:?}");
            let bytes = content(&archive, &one).await;
            match tool {
                "docs__picture" => assert_eq!(text(&contents["blob"]), base64(&bytes), "{era:?}"),
                _ => assert_eq!(text(&contents["text"]), long_text(90_000), "{era:?}"),
            }
        }
    }
}

/// The outcomes of reading refs as resources, oldest first, once there are `count`.
async fn reads(archive: &Archive, count: usize) -> Vec<Value> {
    let ended = || -> Vec<Value> {
        let said = archive.site.say(&[
            "ledger",
            "export",
            "--tool",
            "toolgate:resources/read",
            "--kind",
            "tool.call.completed",
        ]);
        said.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
    };
    super::archive::becomes("the reads are recorded", || async { ended().len() >= count }).await;
    ended()
}

#[tokio::test]
async fn reading_a_link_is_judged_and_recorded_like_any_resource() {
    let archive = Archive::open("").await;
    let client = archive.site.agent();
    let result = call(&client, "docs__big_text", json!({ "bytes": 90_000 })).await;
    let uri = text(&result["content"][1]["uri"]).to_owned();
    let read = async |uri: &str| client.modern("resources/read", json!({ "uri": uri })).await;
    assert_eq!(text(&read(&uri).await.result()["contents"][0]["text"]), long_text(90_000));
    let nothing = "toolgate://refs/ref_00000000000000000000000000000000";
    assert_eq!(read(nothing).await.error_code(), -32602);
    let ended = reads(&archive, 2).await;
    let outcomes: Vec<&Value> = ended.iter().map(|one| &one["outcome"]).collect();
    assert_eq!(outcomes, ["succeeded", "failed"], "{ended:?}");
    let shown = archive.site.say(&["ledger", "show", text(&ended[0]["call"])]);
    assert!(shown.contains(&uri), "the ledger has the address: {shown}");

    let forbidden = "permit (principal, action, resource);\n\
        @reason(\"links stay closed\") forbid (principal, action == Action::\"toolgate:resources/read\", resource)\n\
        when { context.input.uri like \"toolgate://refs/*\" };";
    let toml = format!("[policy]\nguard = '''{forbidden}'''\n");
    let archive = Archive::open_as(Backing::Sqlite, &toml, &[super::archive::DOCS]).await;
    let client = archive.site.agent();
    let result = call(&client, "docs__big_text", json!({ "bytes": 90_000 })).await;
    let refused = client.modern("resources/read", json!({ "uri": result["content"][1]["uri"] })).await;
    let error = &refused.json()["error"];
    assert_eq!(error["data"]["code"], "denied", "{error}");
    assert!(text(&error["message"]).contains("links stay closed"), "{error}");
    assert_eq!(reads(&archive, 1).await[0]["outcome"], "denied");
    archive.verify();
}

#[tokio::test]
async fn a_long_text_is_read_piece_by_piece_until_all_of_it_is_there() {
    for storage in [Storage::Folder, Storage::S3] {
        let archive = Archive::open(&storage.toml("")).await;
        let client = archive.site.agent();
        let one = taken_out(&call(&client, "docs__big_text", json!({ "bytes": 50_000 })).await);
        let (mut whole, mut at) = (String::new(), 0);
        loop {
            let range = format!("{at}-{}", at + 4_000);
            let piece = call(&client, "read_ref", json!({ "ref_id": one["ref_id"], "range": range })).await;
            let about = data(&piece).clone();
            assert_eq!((&about["start"], &about["total"]), (&json!(at), &json!(50_000)), "{piece}");
            whole.push_str(text(&piece["content"][0]["text"]));
            at = about["end"].as_u64().expect("a place");
            if about["more"] == false {
                break;
            }
        }
        assert_eq!(whole, long_text(50_000));
        let open_end = call(&client, "read_ref", json!({ "ref_id": one["ref_id"], "range": "49990-" })).await;
        assert_eq!(text(&open_end["content"][0]["text"]), &long_text(50_000)[49_990..]);
        let first = call(&client, "read_ref", json!({ "ref_id": one["ref_id"] })).await;
        assert_eq!((&data(&first)["start"], &data(&first)["more"]), (&json!(0), &json!(true)), "{first}");
    }
}

#[tokio::test]
async fn a_text_is_searched_by_words() {
    let archive = Archive::open("").await;
    let client = archive.site.agent();
    let mut words = "nothing to see here. ".repeat(5_000);
    words.insert_str(60_000, "The NEEDLE is here, größer als alles. ");
    let file = archive.file("long.txt", words.as_bytes()).await;
    let found = call(&client, "read_ref", json!({ "ref_id": file, "query": "needle" })).await;
    let matches = data(&found)["matches"].as_array().expect("a list").clone();
    assert_eq!(matches.len(), 1, "{found}");
    assert!(text(&found["content"][0]["text"]).contains("The NEEDLE is here"), "{found}");
    let (start, end) = (&matches[0]["start"], &matches[0]["end"]);
    let there = call(&client, "read_ref", json!({ "ref_id": file, "range": format!("{start}-{end}") })).await;
    assert_eq!(text(&there["content"][0]["text"]), "NEEDLE", "{there}");
    let none = call(&client, "read_ref", json!({ "ref_id": file, "query": "no such words" })).await;
    assert_eq!(data(&none)["matches"], json!([]), "{none}");
}

#[tokio::test]
async fn a_piece_never_ends_within_a_character() {
    let archive = Archive::open("").await;
    let client = archive.site.agent();
    let words = "größer wären 履歴書 ".repeat(400);
    let file = archive.file("long.txt", words.as_bytes()).await;
    let (mut whole, mut at) = (String::new(), 0);
    while at < words.len() as u64 {
        let range = format!("{at}-{}", at + 1_001);
        let piece = call(&client, "read_ref", json!({ "ref_id": file, "range": range })).await;
        whole.push_str(text(&piece["content"][0]["text"]));
        at = data(&piece)["end"].as_u64().expect("a place");
    }
    assert_eq!(whole, words);
}

#[tokio::test]
async fn a_ref_that_cannot_be_read_says_why_and_what_would_help() {
    let archive = Archive::open("").await;
    let client = archive.site.agent();
    let picture = taken_out(&call(&client, "docs__picture", json!({})).await);
    let id = &picture["ref_id"];
    for (arguments, wanted) in [
        (json!({ "ref_id": id }), "not_text"),
        (json!({ "ref_id": "ref_nothing" }), "unknown_ref"),
        (json!({ "ref_id": "" }), "unknown_ref"),
        (json!({ "ref_id": "file_nothing" }), "unknown_file"),
        (json!({ "ref_id": id, "range": "0-10", "query": "x" }), "invalid_arguments"),
        (json!({ "ref_id": id, "range": "9-3" }), "invalid_arguments"),
    ] {
        let refused = call(&client, "read_ref", arguments.clone()).await;
        assert_eq!(code(&refused), wanted, "{arguments}: {refused}");
    }
    let words = archive.file("a.txt", b"words").await;
    for arguments in
        [json!({ "ref_id": words, "query": "" }), json!({ "ref_id": words, "query": "x".repeat(300) })]
    {
        let refused = call(&client, "read_ref", arguments.clone()).await;
        assert_eq!(code(&refused), "bad_query", "{refused}");
    }
    let beyond = call(&client, "read_ref", json!({ "ref_id": words, "range": "500-600" })).await;
    assert_eq!(
        (text(&beyond["content"][0]["text"]), &data(&beyond)["more"]),
        ("", &json!(false)),
        "{beyond}"
    );
}

#[tokio::test]
async fn a_ref_ends_when_its_time_is_over() {
    let archive = Archive::open("[results]\nref_keep_seconds = 2\n").await;
    let client = archive.site.agent();
    let one = taken_out(&call(&client, "docs__big_text", json!({ "bytes": 50_000 })).await);
    let arguments = json!({ "ref_id": one["ref_id"] });
    data(&call(&client, "read_ref", arguments.clone()).await);
    super::archive::becomes("the ref is over", || async {
        call(&client, "read_ref", arguments.clone()).await["isError"] == true
    })
    .await;
    let over = call(&client, "read_ref", arguments).await;
    assert_eq!(code(&over), "unknown_ref", "{over}");
    let uri = format!("toolgate://refs/{}", text(&one["ref_id"]));
    let read = client.modern("resources/read", json!({ "uri": uri })).await.response();
    assert_eq!(read["error"]["code"], -32602, "{read}");
    let rest =
        archive.site.rest(archive.agent(), "GET", &format!("/refs/{}", text(&one["ref_id"])), None).await;
    crate::live::site::refused(&rest, 404, "unknown_ref");
    let parsed = call(&client, "docs__parse_document", json!({ "file_id": one["ref_id"] })).await;
    assert_eq!(code(&parsed), "unknown_ref", "{parsed}");
}
