//! All files of a manifest, as work.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate_core::run::RunState;
use toolgate_core::substrate::ManifestDigest;
use toolgate_work::{WorkOrder, WorkView};

use crate::world::{DocumentsGateway, DocumentsWorld, ada};

crate::on_both!(
    damaged_files_are_named_and_the_rest_is_parsed,
    files_that_were_parsed_before_cost_nothing,
    a_document_at_which_the_engine_fails_is_left_out_in_the_end,
);

const PATIENCE: Duration = Duration::from_secs(20);

async fn parse_all(gateway: &DocumentsGateway, manifest: ManifestDigest) -> WorkView {
    let order = WorkOrder {
        kind: "document_parse".to_owned(),
        key: format!("{manifest} standard"),
        input: json!({ "manifest": manifest, "tier": "standard" }),
        name: "parse".to_owned(),
        actor: ada(),
        input_manifest: Some(manifest),
    };
    let stop = CancellationToken::new();
    let working = tokio::spawn(Arc::clone(&gateway.work).run_until(stop.clone()));
    let started = gateway.work.start(order).await.expect("started");
    let view = gateway.work.wait(&started.id, PATIENCE).await.expect("read");
    stop.cancel();
    working.await.expect("no panic");
    view
}

async fn damaged_files_are_named_and_the_rest_is_parsed(world: DocumentsWorld) {
    let gateway = world.gateway().await;
    let manifest = gateway.manifest(&["a.txt", "b/damaged.pdf", "b/c.txt", "damaged.docx"]).await;
    let view = parse_all(&gateway, manifest).await;
    assert_eq!((view.word(), view.done, view.total), ("partial", 4, 4), "{view:?}");
    assert_eq!(view.problems, ["b/damaged.pdf: the file is damaged", "damaged.docx: the file is damaged"]);
    assert_eq!(view.result, Some(json!({ "parsed": 2, "cached": 0, "refused": 2 })));
    assert_eq!(gateway.runs.get(&view.run).await.expect("read").state, RunState::Partial);
}

async fn files_that_were_parsed_before_cost_nothing(world: DocumentsWorld) {
    let gateway = world.gateway().await;
    let before = gateway.manifest(&["a.txt", "b.txt"]).await;
    assert_eq!(parse_all(&gateway, before).await.word(), "done");
    let after = gateway.manifest(&["a.txt", "b.txt", "c.txt"]).await;
    let view = parse_all(&gateway, after).await;
    assert_eq!(view.result, Some(json!({ "parsed": 1, "cached": 2, "refused": 0 })));
    assert_eq!(gateway.engine.parses(), 3);
}

async fn a_document_at_which_the_engine_fails_is_left_out_in_the_end(world: DocumentsWorld) {
    let gateway = world.gateway().await;
    let manifest = gateway.manifest(&["a.txt"]).await;
    gateway.engine.break_down();
    let view = parse_all(&gateway, manifest).await;
    assert_eq!((view.word(), view.problem_count), ("partial", 1), "{view:?}");
    assert_eq!(gateway.engine.parses(), 3, "it is tried again first");
}
