//! Sixty-four writers at two gateways: each round has one winner, and everybody else learns who it was.

use serde_json::json;
use toolgate_testkit::gateway::HttpClient;

use super::library::{Library, code, named};
use crate::files::archive::text;
use crate::governed::database::Backing;

const WRITERS: usize = 64;
const ROUNDS: usize = 2;

#[tokio::test]
async fn sixty_four_writers_at_two_gateways_have_one_winner_each_round() {
    let one = Library::open(Backing::postgres(), "exploratory", "");
    let two = one.another("exploratory");
    let mut current = one.manifest("start", None).await;
    let artifact = one.done("artifact.upload", json!({ "text": "work" })).await["sha256"].clone();
    let mut manifests = Vec::new();
    for writer in 0..WRITERS {
        let entries = json!([{ "path": "a.md", "artifact_sha256": artifact }]);
        let arguments =
            json!({ "entries": entries, "message": writer.to_string(), "parent_sha256": current });
        manifests.push(text(&one.done("manifest.create", arguments).await["sha256"]).to_owned());
    }
    one.pointer("draft", "bundle", Some(&current)).await;
    for round in 0..ROUNDS {
        let writers = manifests.iter().filter(|manifest| **manifest != current).enumerate();
        let mut tries = tokio::task::JoinSet::new();
        for (place, manifest) in writers {
            let arguments =
                named("draft", json!({ "manifest_sha256": manifest, "expected_sha256": current }));
            let site = if place % 2 == 0 { &one.site } else { &two.site };
            let path = "/tools/substrate.pointer.advance";
            tries.spawn(HttpClient::finish(site.request(one.admin(), "POST", path, Some(arguments))));
        }
        let answers = tries.join_all().await;
        let (winners, losers): (Vec<_>, Vec<_>) = answers.iter().partition(|said| said.status == 200);
        assert_eq!(winners.len(), 1, "round {round}: {answers:?}");
        current = text(&winners[0].json()["data"]["new_sha256"]).to_owned();
        for lost in losers {
            assert_eq!((lost.status, code(lost).as_str()), (409, "pointer_moved"), "{lost:?}");
            assert_eq!(lost.json()["error"]["details"]["current_sha256"], current.as_str(), "{lost:?}");
        }
        assert_eq!(two.head("draft").await, Some(current.clone()));
    }
    assert_eq!(one.moves("draft").await.len(), 1 + ROUNDS);
    assert_eq!(two.site.told_at_least("pointer.moved", ROUNDS).await.len(), ROUNDS);
    one.verify();
}
