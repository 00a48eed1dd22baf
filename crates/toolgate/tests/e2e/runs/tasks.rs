//! Definitions of work, and the runs that are executions of them.

use serde_json::json;

use super::work::Work;
use crate::files::archive::{Archive, text};
use crate::kit::names;
use crate::live::site::refused;

#[tokio::test]
async fn a_task_is_defined_changed_and_removed_by_those_who_run_the_gateway() {
    let archive = Archive::open("").await;
    let body = json!({ "name": "Tailor a résumé", "description": "for one role", "budget": { "calls": 10 } });
    let made = archive.site.rest(archive.admin(), "POST", "/tasks", Some(body.clone())).await;
    assert_eq!(made.status, 201, "{made:?}");
    let task = made.json();
    let path = format!("/tasks/{}", text(&task["id"]));
    assert_eq!(archive.site.get(&path).await, task);
    refused(&archive.site.rest(archive.agent(), "POST", "/tasks", Some(body)).await, 403, "wrong_role");
    let changed = json!({ "name": "Tailor two", "budget": {} });
    let changed = archive.site.rest(archive.admin(), "PUT", &path, Some(changed)).await;
    assert_eq!((changed.status, &changed.json()["version"]), (200, &json!(2)), "{changed:?}");
    for bad in [
        json!({ "name": "" }),
        json!({ "name": "x".repeat(201) }),
        json!({ "name": "a\nb" }),
        json!({ "name": "a", "agent": "nobody" }),
    ] {
        let answer = archive.site.rest(archive.admin(), "POST", "/tasks", Some(bad.clone())).await;
        assert_eq!(answer.status, 422, "{bad}: {answer:?}");
    }
    let work = Work::start(&archive, json!({ "task": task["id"] })).await;
    assert_eq!(archive.site.rest(archive.admin(), "DELETE", &path, None).await.status, 204);
    refused(&archive.site.rest(archive.admin(), "GET", &path, None).await, 404, "unknown_task");
    assert_eq!(work.show(&archive).await["task"], task["id"], "its runs stay");
    assert_eq!(archive.site.told("task.changed").await.len(), 3);
    archive.verify();
}

#[tokio::test]
async fn a_run_has_the_tools_of_its_agent_and_the_control_flow_tools() {
    let more = "[[capabilities]]\nname = \"slow\"\ntools = [\"docs:slow\"]\n[[agents]]\nname = \"waiter\"\ncapabilities = [\"slow\"]\n";
    let archive = Archive::open(more).await;
    let task = json!({ "name": "wait", "agent": "waiter" });
    let task = archive.site.rest(archive.admin(), "POST", "/tasks", Some(task)).await.json();
    let work = Work::start(&archive, json!({ "task": task["id"] })).await;
    let list = work.client.modern("tools/list", json!({})).await.result();
    let seen: Vec<&str> =
        list["tools"].as_array().expect("a list").iter().map(|tool| text(&tool["name"])).collect();
    let flow = ["complete_workflow", "docs__slow", "read_ref", "request_user_input", "store_artifact"];
    assert_eq!(seen, flow);
    assert_eq!(work.show(&archive).await["agent"], "waiter");
}

#[tokio::test]
async fn a_server_that_came_after_the_run_began_is_there_on_the_next_one() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    let _worker = archive.site.worker(&archive.site.server_token("jobs"), "jobs", "a", &[]);
    archive.site.server_is("jobs", |about| about["tools"] == 2).await;
    let next = Work::start(&archive, json!({})).await;
    let seen = names(&next.client).await;
    assert!(seen.iter().any(|name| name == "jobs__work"), "{seen:?}");
}
