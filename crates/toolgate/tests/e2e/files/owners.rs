//! The permissions to see, use and delete files.

use serde_json::{Value, json};

use super::archive::{Archive, text};
use super::bytes::pdf;
use crate::kit::call;
use crate::live::site::refused;

fn ids(page: &Value) -> Vec<String> {
    page["files"].as_array().expect("a list").iter().map(|one| text(&one["id"]).to_owned()).collect()
}

#[tokio::test]
async fn agents_see_their_own_files_and_operators_all() {
    let archive = Archive::open("").await;
    let token = |of_whom: &str| archive.site.token(of_whom);
    let (ann, ben) = (token("--role agent --principal ann"), token("--role agent --principal ben"));
    let file = archive.upload(&ann, "ann.pdf", &pdf(1, 500)).await;
    assert_eq!(file["owner"], "ann");
    let id = text(&file["id"]).to_owned();
    let list = async |token: &str, query: &str| {
        ids(&archive.site.rest(token, "GET", &format!("/files{query}"), None).await.json())
    };
    let operator = token("--role operator");
    for (who, sees) in [(&ann, true), (&ben, false), (&operator, true), (&archive.admin().to_owned(), true)] {
        assert_eq!(list(who, "").await.contains(&id), sees);
        let shown = archive.site.rest(who, "GET", &format!("/files/{id}"), None).await;
        let fetched = archive.fetch(who, &format!("/files/{id}/content")).await;
        match sees {
            true => assert_eq!((shown.status, fetched.status), (200, 200)),
            false => {
                refused(&shown, 404, "unknown_file");
                assert_eq!((fetched.status, fetched.code()), (404, "unknown_file".to_owned()));
            }
        }
    }
    assert_eq!(list(&operator, "?owner=ann").await, std::slice::from_ref(&id));
    assert_eq!(list(&operator, "?owner=ben").await, Vec::<String>::new());
    assert_eq!(list(&ben, "?owner=ann").await, Vec::<String>::new());
    refused(&archive.site.rest(&ben, "DELETE", &format!("/files/{id}"), None).await, 404, "unknown_file");
    let used = call(&archive.site.agent_with(&ben), "docs__parse_document", json!({ "file_id": id })).await;
    assert_eq!(used["structuredContent"]["error"]["code"], "unknown_file", "{used}");
    assert_eq!(archive.site.rest(&operator, "DELETE", &format!("/files/{id}"), None).await.status, 204);
}

#[tokio::test]
async fn only_those_who_run_the_gateway_store_files_for_others() {
    let archive = Archive::open("").await;
    let ann = archive.site.token("--role agent --principal ann");
    let given = archive.try_upload(archive.admin(), "/files?name=a.pdf&owner=ann", &pdf(1, 500)).await;
    assert_eq!((given.status, &given.json()["owner"]), (201, &json!("ann")), "{given:?}");
    let id = given.json()["id"].clone();
    let used = call(&archive.site.agent_with(&ann), "docs__parse_document", json!({ "file_id": id })).await;
    assert_eq!(used["structuredContent"]["bytes"], 500, "{used}");
    refused(&archive.try_upload(&ann, "/files?name=a.pdf&owner=ben", b"a").await, 403, "not_allowed");
    assert_eq!(archive.try_upload(&ann, "/files?name=a.pdf&owner=ann", b"a").await.status, 201);
    let nobody = archive.site.agent().http.post(archive.site.gateway.url("/files?name=a")).body("a");
    assert_eq!(toolgate_testkit::gateway::HttpClient::finish(nobody).await.status, 401);
    let server = archive.site.server_token("docs");
    refused(&archive.try_upload(&server, "/files?name=a", b"a").await, 403, "wrong_role");
}
