//! Manifests over REST: folders by page, and differences, for those who audit.

use http::StatusCode;
use serde_json::{Map, json};
use toolgate_core::port::BoxFuture;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, Refusal, Role, codes};

use super::file_kit::{agent, operator};
use super::gate::{Gate, approver, somebody};
use crate::{
    ManifestChangeCounts, ManifestChangeView, ManifestChangesPage, ManifestChangesRequest,
    ManifestEntriesPage, ManifestEntryView, ManifestFolderRequest, ManifestPort, ManifestView,
};

/// One manifest, which says what it was asked.
pub(super) struct OneManifest;

fn one() -> ManifestDigest {
    ManifestDigest::new(Digest::of("one"))
}

fn known(digest: ManifestDigest) -> Result<(), Refusal> {
    let unknown = || Refusal::new(&codes::UNKNOWN_MANIFEST, format!("there is no manifest {digest}"));
    (digest == one()).then_some(()).ok_or_else(unknown)
}

fn entry(path: String) -> ManifestEntryView {
    let digest = Some(Digest::of("bytes").to_string());
    ManifestEntryView {
        path,
        kind: "artifact",
        digest,
        size: Some(3),
        media_type: None,
        metadata: Map::new(),
    }
}

impl ManifestPort for OneManifest {
    fn manifest(&self, digest: ManifestDigest) -> BoxFuture<'_, Result<ManifestView, Refusal>> {
        let view = known(digest).map(|()| ManifestView {
            digest: digest.to_string(),
            root: Digest::of("root").to_string(),
            parents: Vec::new(),
            message: "first".to_owned(),
            entries: 2,
            size: 6,
            metadata: None,
            created_by: "ann".to_owned(),
            run: None,
            created_at: "2026-11-18T08:00:00.000Z".to_owned(),
        });
        Box::pin(std::future::ready(view))
    }

    fn entries(&self, request: ManifestFolderRequest) -> BoxFuture<'_, Result<ManifestEntriesPage, Refusal>> {
        let page = known(request.manifest).map(|()| ManifestEntriesPage {
            entries: vec![entry(format!("{}a.md", request.folder))],
            next_after: request.after.or_else(|| Some(request.limit.to_string())),
        });
        Box::pin(std::future::ready(page))
    }

    fn changes(
        &self,
        request: ManifestChangesRequest,
    ) -> BoxFuture<'_, Result<ManifestChangesPage, Refusal>> {
        let both = known(request.new).and(request.old.map_or(Ok(()), known));
        let counts = ManifestChangeCounts { added: 1, removed: 0, content: 0, metadata: 0, complete: true };
        let page = both.map(|()| ManifestChangesPage {
            changes: vec![ManifestChangeView {
                path: "a.md".to_owned(),
                change: "added",
                old: None,
                new: Some(entry("a.md".to_owned())),
            }],
            counts: Some(counts),
            next_after: request.after,
        });
        Box::pin(std::future::ready(page))
    }
}

#[tokio::test]
async fn a_manifest_is_read_a_folder_at_a_time() {
    let gate = Gate::open().await;
    let at = format!("/manifests/{}", one());
    for role in [Role::Admin, Role::Operator, Role::Auditor] {
        let shown = gate.get(&somebody("ann", role), &at).await;
        assert_eq!((shown.status, &shown.json()["message"]), (StatusCode::OK, &json!("first")), "{shown:?}");
    }
    let digits = at.replace("sha256:", "");
    assert_eq!(gate.get(&operator(), &digits).await.status, StatusCode::OK, "digits alone name it too");
    for folder in ["reports/2026", "reports/2026/"] {
        let page = gate.get(&operator(), &format!("{at}/entries?folder={folder}&limit=7")).await.json();
        let entry = &page["entries"][0];
        assert_eq!((&entry["path"], &entry["type"]), (&json!("reports/2026/a.md"), &json!("artifact")));
        assert_eq!(page["next_after"], json!("7"), "{page}");
    }
    let all = gate.get(&operator(), &format!("{at}/changes")).await.json();
    assert_eq!(
        (&all["changes"][0]["change"], &all["counts"]["added"]),
        (&json!("added"), &json!(1)),
        "{all}"
    );
    let since = gate.get(&operator(), &format!("{at}/changes?since={}&after=a.md", one())).await.json();
    assert_eq!(since["next_after"], json!("a.md"), "{since}");
}

#[tokio::test]
async fn what_is_no_manifest_is_said_clearly_and_agents_have_tools() {
    let gate = Gate::open().await;
    let other = Digest::of("other");
    for path in [format!("/manifests/{other}"), format!("/manifests/{}/changes?since={other}", one())] {
        let missing = gate.get(&operator(), &path).await;
        assert_eq!((missing.status, missing.problem().as_str()), (StatusCode::NOT_FOUND, "unknown_manifest"));
    }
    for bad in
        ["/manifests/x", "/manifests/sha256:0/entries", &format!("/manifests/{}/entries?limit=0", one())]
    {
        assert_eq!(gate.get(&operator(), bad).await.status, StatusCode::BAD_REQUEST, "{bad}");
    }
    for who in [agent(), approver("ann")] {
        let refused = gate.get(&who, &format!("/manifests/{}", one())).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{who:?}");
    }
}
