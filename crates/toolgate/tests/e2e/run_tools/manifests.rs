//! Input and output of a run are manifests, however it is made and ended.

use serde_json::{Value, json};

use super::{begun, done};
use crate::files::archive::{Archive, data, structure, text};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::call;
use crate::live::site::Site;
use crate::runs::work::Work;

on_both!(a_run_of_the_gateways_own_has_manifests_too,);

/// The paths of a manifest.
async fn paths(site: &Site, digest: &Value) -> Vec<String> {
    let found = done(site, "substrate.manifest.checkout", json!({ "sha256": digest })).await;
    let entries = found["entries"].as_array().expect("a list").iter();
    entries.map(|entry| text(&entry["path"]).to_owned()).collect()
}

async fn a_run_of_the_gateways_own_has_manifests_too(backing: Backing) {
    let archive = Archive::open_on(backing, "").await;
    let file = archive.file("a.txt", b"words").await;
    let work = Work::start(&archive, json!({ "input": [{ "path": "in/a.txt", "file_id": file }] })).await;
    let stored = json!({ "file_name": "report.md", "content": "# done" });
    data(&work.call("store_artifact", stored).await);
    assert_eq!(data(&work.complete(&["report.md"]).await)["state"], "completed");
    let run = work.show(&archive).await;
    assert_eq!(paths(&archive.site, &run["input_manifest"]).await, ["in/a.txt"]);
    assert_eq!(paths(&archive.site, &run["output_manifest"]).await, ["report.md", "result.json"]);
    archive.verify();
}

#[tokio::test]
async fn completing_by_the_tool_waits_for_calls_in_flight() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    structure(&work.call("docs__extract_count", json!({})).await);
    let slow = {
        let client = work.client.clone();
        tokio::spawn(async move { call(&client, "docs__slow", json!({ "ms": 1_000 })).await })
    };
    work.busy(&archive).await;
    let ended = work.call("run.complete", json!({ "result": { "pages": 3 } })).await;
    assert_eq!(
        (&data(&ended)["id"], &data(&ended)["state"]),
        (&json!(work.id), &json!("completed")),
        "{ended}"
    );
    structure(&slow.await.expect("answered"));
    let told = work.told(&archive).await;
    let place = |kind: &str, tool: &str| {
        told.iter().position(|one| one["kind"] == kind && (tool.is_empty() || one["tool"] == tool))
    };
    assert!(place("tool.call.completed", "docs:slow") < place("run.ended", ""), "{told:?}");
}

#[tokio::test]
async fn a_session_reports_into_its_own_run_and_its_child_runs() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({ "budget": { "calls": 9 } })).await;
    let step = json!({ "step_name": "plan", "event": "start" });
    assert_eq!(data(&work.call("run.log_step", step).await)["run_id"], work.id);
    let child = work.call("run.create", json!({ "run_type": "part" })).await;
    assert_eq!(
        (&data(&child)["parent"], &data(&child)["budget"]["calls"]),
        (&json!(work.id), &json!(9)),
        "{child}"
    );
    let which = json!({ "run_id": data(&child)["id"] });
    data(&work.call("run.start", which.clone()).await);
    let early = work.complete(&[]).await;
    assert_eq!(early["structuredContent"]["error"]["code"], "children_running", "{early}");
    data(&work.call("run.complete", which).await);
    assert_eq!(data(&work.complete(&[]).await)["state"], "completed");
}

#[tokio::test]
async fn a_given_manifest_is_the_input_or_the_output() {
    let site = Site::open();
    let made = json!({ "text": "bees dance", "filename": "notes.txt" });
    let artifact = done(&site, "substrate.artifact.upload", made).await["sha256"].clone();
    let entries =
        json!({ "entries": [{ "path": "notes.txt", "artifact_sha256": artifact }], "message": "notes" });
    let manifest = done(&site, "substrate.manifest.create", entries).await["sha256"].clone();
    let given = json!({ "run_type": "research", "input_manifest_sha256": manifest });
    assert_eq!(done(&site, "run.create", given).await["input_manifest_sha256"], manifest);
    let run = begun(&site).await;
    let ended = json!({ "run_id": run, "result": { "ok": true }, "output_manifest_sha256": manifest });
    let ended = done(&site, "run.complete", ended).await;
    assert_eq!(
        (&ended["output_manifest_sha256"], &ended["result"]["ok"]),
        (&manifest, &json!(true)),
        "{ended}"
    );
    let large = json!({ "run_id": begun(&site).await, "state": { "text": "y".repeat(40_000) } });
    done(&site, "run.checkpoint", large.clone()).await;
    let latest = done(&site, "run.checkpoint_latest", json!({ "run_id": large["run_id"] })).await;
    assert_eq!(latest["checkpoint"].get("state"), None, "it is long");
    let url = text(&latest["checkpoint"]["state_url"]).to_owned();
    let bytes = site.agent().http.get(url).send().await.expect("an answer").bytes().await.expect("the body");
    assert_eq!(serde_json::from_slice::<Value>(&bytes).expect("JSON"), large["state"]);
}
