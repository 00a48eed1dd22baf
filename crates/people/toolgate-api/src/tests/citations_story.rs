//! Citations: who may read a document sees what is cited of it, and nobody else.

use bytes::Bytes;
use http::StatusCode;
use serde_json::json;
use toolgate_core::file::FileName;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Digest, Refusal, Role, codes};
use toolgate_files::ArtifactSource;

use super::file_kit::{agent, holder, operator};
use super::gate::{Gate, somebody};
use crate::{
    CitationBoxView, CitationItemView, CitationPageView, CitationPort, CitationView, CitedSpan,
    DrawnPageRequest,
};

/// Every document is one paragraph on one page.
pub(super) struct OneCitation;

impl CitationPort for OneCitation {
    fn citation<'a>(&'a self, span: &'a CitedSpan) -> BoxFuture<'a, Result<CitationView, Refusal>> {
        let shown = match span.item.as_str() {
            "#/texts/0" => Ok(CitationView {
                artifact: span.artifact.to_string(),
                docir: span.docir.to_string(),
                item: span.item.clone(),
                start: span.start,
                end: span.end,
                title: None,
                exact: "thirty days".to_owned(),
                pages: vec![CitationPageView {
                    page: 1,
                    width: 595.0,
                    height: 842.0,
                    boxes: vec![CitationBoxView { left: 72.0, top: 100.0, right: 200.0, bottom: 112.0 }],
                }],
                context: vec![CitationItemView {
                    kind: "paragraph",
                    text: "Notice is thirty days.".to_owned(),
                    start: Some(span.start),
                    end: Some(span.end),
                }],
                items_before: 0,
                items_after: 0,
            }),
            other => Err(Refusal::new(&codes::UNKNOWN_CITATION, format!("the document has no item {other}"))),
        };
        Box::pin(std::future::ready(shown))
    }

    fn picture<'a>(&'a self, request: &'a DrawnPageRequest) -> BoxFuture<'a, Result<Bytes, Refusal>> {
        let drawn = format!("page {} of {} at {}", request.page, request.media_type, request.width);
        Box::pin(std::future::ready(Ok(Bytes::from(drawn))))
    }
}

/// An artifact of a run of the agent.
async fn stored(gate: &Gate) -> Digest {
    let holder = holder(&agent(), "ses_1", Some("run_1"));
    let name = FileName::new("lease.txt").expect("a name");
    let source = ArtifactSource::Text("Notice is thirty days.".to_owned());
    gate.files.store_artifact(&holder, name, source).await.expect("stored").digest
}

fn address(artifact: &Digest, item: &str) -> String {
    let item = item.replace('#', "%23");
    format!("/citations?artifact={artifact}&docir={}&item={item}&start=10&end=21", Digest::of("docir"))
}

#[tokio::test]
async fn a_citation_is_shown_with_its_boxes_and_its_text() {
    let gate = Gate::open().await;
    let artifact = stored(&gate).await;
    for who in [agent(), operator()] {
        let shown = gate.get(&who, &address(&artifact, "#/texts/0")).await;
        assert_eq!(shown.status, StatusCode::OK, "{shown:?}");
        let shown = shown.json();
        assert_eq!(
            (&shown["exact"], &shown["artifact"]),
            (&json!("thirty days"), &json!(artifact.to_string()))
        );
        assert_eq!(shown["pages"][0]["boxes"][0]["right"], json!(200.0));
        assert_eq!(shown["context"][0]["start"], json!(10));
    }
    let digits = artifact.to_string().replace("sha256:", "");
    let picture = gate.get(&agent(), &format!("/artifacts/{digits}/pages/2?width=99999")).await;
    assert_eq!(picture.status, StatusCode::OK, "{picture:?}");
    assert!(picture.text.starts_with("page 2 of text/") && picture.text.ends_with(" at 2000"), "{picture:?}");
    assert_eq!(picture.headers["content-type"], "image/png");
    assert_eq!(picture.headers["x-content-type-options"], "nosniff");
}

#[tokio::test]
async fn who_may_not_read_a_document_sees_nothing_of_it() {
    let gate = Gate::open().await;
    let artifact = stored(&gate).await;
    let stranger = somebody("stranger", Role::Agent);
    for path in [address(&artifact, "#/texts/0"), format!("/artifacts/{artifact}/pages/1")] {
        let refused = gate.get(&stranger, &path).await;
        let missing =
            gate.get(&stranger, &path.replace(&artifact.to_string(), &Digest::of("x").to_string())).await;
        assert_eq!((refused.status, refused.problem()), (missing.status, missing.problem()), "{path}");
        assert_eq!(refused.status, StatusCode::NOT_FOUND, "{path}");
    }
    let auditor = somebody("audit", Role::Auditor);
    assert_eq!(gate.get(&auditor, &address(&artifact, "#/texts/0")).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_citation_that_leads_nowhere_says_so() {
    let gate = Gate::open().await;
    let artifact = stored(&gate).await;
    let nowhere = gate.get(&agent(), &address(&artifact, "#/texts/9")).await;
    assert_eq!((nowhere.status, nowhere.problem().as_str()), (StatusCode::NOT_FOUND, "unknown_citation"));
    let good = address(&artifact, "#/texts/0");
    let long = format!("%23/{}", "x".repeat(300));
    for bad in [
        good.replace("start=10", "start=21"),
        good.replace("%23/texts/0", "texts"),
        good.replace("%23/texts/0", &long),
        good.replace(&artifact.to_string(), "sha256:0"),
        good.replace("end=21", "end=-1"),
        good.replace("&end=21", ""),
        format!("/artifacts/{artifact}/pages/0"),
        format!("/artifacts/{artifact}/pages/last"),
    ] {
        let refused = gate.get(&agent(), &bad).await;
        assert!(
            refused.status.is_client_error() && refused.status != StatusCode::NOT_FOUND,
            "{bad}: {refused:?}"
        );
    }
}

#[tokio::test]
async fn the_pages_of_files_are_drawn_for_whoever_may_read_them() {
    let gate = Gate::open().await;
    let id = gate.keep(&agent(), "lease.txt", "Notice is thirty days.").await;
    let page = gate.get(&agent(), &format!("/files/{id}/pages/2?width=1")).await;
    assert_eq!(
        (page.status, &page.headers["content-type"]),
        (StatusCode::OK, &"image/png".parse().expect("a value"))
    );
    assert!(page.text.starts_with("page 2 of text/") && page.text.ends_with(" at 100"), "{page:?}");
    let stranger = somebody("stranger", Role::Agent);
    for (who, path) in [
        (&stranger, format!("/files/{id}/pages/1")),
        (&agent(), "/refs/ref_none/pages/1".to_owned()),
        (&agent(), format!("/refs/{id}/pages/1")),
    ] {
        assert_eq!(gate.get(who, &path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(gate.get(&agent(), &format!("/files/{id}/pages/0")).await.status, StatusCode::BAD_REQUEST);
}
