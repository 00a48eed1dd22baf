//! Manifests as people look at them: folders by page, and differences.

use toolgate_core::Digest;
use toolgate_substrate::{BrowsedEntry, BrowsedTarget, SnapshotContent, SnapshotEntry};

use crate::world::{SubstrateGateway, SubstrateWorld, ann, path};

crate::on_both!(
    a_folder_is_a_line_however_much_lies_in_it,
    pages_of_a_folder_have_every_entry_once,
    a_difference_says_what_was_there_before_and_what_is_there_now,
);

const WORDS: &str = "the same words";

fn paths(entries: &[BrowsedEntry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.path.as_str()).collect()
}

/// A manifest with these paths, all of which name the same bytes.
async fn of_paths(
    gateway: &SubstrateGateway,
    paths: impl IntoIterator<Item = String>,
) -> toolgate_substrate::Manifest {
    gateway.snapshot(&[("words.txt", WORDS)], "for its bytes").await.expect("stored");
    let entry = |at: String| SnapshotEntry {
        path: path(&at),
        content: SnapshotContent::Artifact(Digest::of(WORDS)),
        metadata: None,
    };
    gateway.substrate.snapshot(&ann(), paths.into_iter().map(entry).collect(), "many").await.expect("stored")
}

async fn a_folder_is_a_line_however_much_lies_in_it(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let many = (0..20_000).map(|at| format!("reports/{}/{at:05}.txt", at % 3));
    let around = ["about.md", "reports-old.txt", "z/only.txt"].map(str::to_owned);
    let made = of_paths(&gateway, many.chain(around)).await;
    gateway.substrate.forget_nodes();
    let before = gateway.substrate.nodes_read();
    let whole = gateway.substrate.browse(made.digest, "", None, 50).await.expect("read");
    assert_eq!(paths(&whole.entries), ["about.md", "reports/", "reports-old.txt", "z/"]);
    assert!(!whole.has_more && whole.entries[1].target == BrowsedTarget::Folder);
    let read = gateway.substrate.nodes_read() - before;
    assert!(read < 40, "a page reads {read} nodes, whatever lies in its folders");
    let inner = gateway.substrate.browse(made.digest, "reports/", None, 50).await.expect("read");
    assert_eq!(paths(&inner.entries), ["reports/0/", "reports/1/", "reports/2/"]);
    let nowhere = gateway.substrate.browse(made.digest, "nowhere/", None, 50).await.expect("read");
    assert!(nowhere.entries.is_empty() && !nowhere.has_more);
}

async fn pages_of_a_folder_have_every_entry_once(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let folders = (0..400).map(|at| format!("in/{at:03}/a.txt"));
    let files = (0..400).map(|at| format!("in/{at:03}.txt"));
    let made = of_paths(&gateway, folders.chain(files)).await;
    for limit in [1, 7, 300] {
        let (mut met, mut after) = (Vec::new(), None::<String>);
        loop {
            let page =
                gateway.substrate.browse(made.digest, "in/", after.as_deref(), limit).await.expect("read");
            assert!(page.entries.len() <= limit, "{limit}");
            met.extend(page.entries.into_iter().map(|entry| entry.path));
            after = met.last().cloned();
            if !page.has_more {
                break;
            }
        }
        assert_eq!(met.len(), 800, "{limit}");
        met.sort();
        met.dedup();
        assert_eq!(met.len(), 800, "{limit}: each once");
        if limit == 1 {
            assert!(met.contains(&"in/007/".to_owned()) && met.contains(&"in/007.txt".to_owned()));
        }
    }
    for bad in ["/", "a//b", "../x"] {
        let refused = gateway.substrate.browse(made.digest, "", Some(bad), 5).await.expect_err("no path");
        assert_eq!(refused.code.name, "bad_path", "{bad}");
    }
}

async fn a_difference_says_what_was_there_before_and_what_is_there_now(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let old = gateway.snapshot(&[("a.md", "one"), ("gone.md", "x")], "old").await.expect("stored");
    let new = gateway.snapshot(&[("a.md", "two"), ("new.md", "y")], "new").await.expect("stored");
    let browse = async |old, after: Option<&str>, limit| {
        gateway.substrate.browse_changes(old, new.digest, after, limit).await.expect("compared")
    };
    let (first, next) = browse(Some(old.digest), None, 2).await;
    let told: Vec<_> =
        first.iter().map(|one| (one.path.as_str(), one.old.is_some(), one.new.is_some())).collect();
    assert_eq!(told, [("a.md", true, true), ("gone.md", true, false)]);
    let (rest, end) = browse(Some(old.digest), next.as_deref(), 2).await;
    assert_eq!((rest.len(), rest[0].path.as_str(), end), (1, "new.md", None));
    let (all, _) = browse(None, None, 10).await;
    assert!(all.len() == 2 && all.iter().all(|one| one.old.is_none()), "without an old one, all is new");
}
