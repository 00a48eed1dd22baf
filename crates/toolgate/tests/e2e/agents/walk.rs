//! The commands of the walk through agents: a task, its run, an automation, and what it cost.

use serde_json::{Value, json};
use toolgate_testkit::model::{ModelStep, steps};

use super::stage::{AgentStage, balance};

const SCHEMA: &str = r#"{"type":"object","properties":{"deals":{"type":"integer"}},"required":["deals"]}"#;

#[tokio::test]
async fn the_walk_is_followed_from_a_task_to_what_it_cost() {
    let done = json!({ "summary": "three deals", "result": { "deals": 3 } });
    let script = steps([ModelStep::calls([balance("DE1")]), ModelStep::call("complete_workflow", &done)]);
    let stage = AgentStage::open("", script).await;
    stage.bank.write("deals.csv", "name,stuck\nfirst,no\n");
    stage.bank.write("total.json", SCHEMA);
    let folder = stage.bank.gateway.folder().to_owned();
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (file, schema) = (path("deals.csv"), path("total.json"));
    let create = [
        "tasks",
        "create",
        "Morning report",
        "--model",
        "openai",
        "--agent",
        "default",
        "--goal",
        "Read the deals",
        "--file",
        &file,
        "--outcome-schema",
        &schema,
        "--budget-turns",
        "40",
        "--spend-per-day-micros",
        "5000000",
    ];
    let task = stage.bank.say(&create).trim().to_owned();
    let shown = stage.bank.say_json(&["tasks", "show", &task]);
    assert_eq!(shown["input"][0]["path"], "deals.csv", "{shown}");
    assert_eq!(shown["outcome_schema"]["required"], json!(["deals"]), "{shown}");
    assert_eq!(
        (&shown["spend_per_day_micros"], &shown["budget"]),
        (&json!(5_000_000), &json!({ "turns": 40 }))
    );

    let run = stage.bank.say(&["tasks", "run", &task]).trim().to_owned();
    let ended = stage.becomes_one(&run, &["completed", "failed", "paused"]).await;
    assert_eq!(ended["state"], "completed", "{ended}");
    assert!(stage.told().contains("deals.csv"), "the goal names the files: {}", stage.told());
    assert!(stage.bank.say(&["runs", "show", &run]).contains("completed"));
    assert!(stage.bank.say(&["runs", "chat", &run]).contains("Read the deals"));

    let again = stage.bank.say(&["runs", "retry", &run, "--turn", "1"]).trim().to_owned();
    assert_ne!(again, run);
    stage.becomes(&again, "completed").await;

    automate(&stage, &task);
    let spend = stage.bank.say_json(&["spend", "--by", "task"]);
    let row = spend["rows"].as_array().into_iter().flatten().find(|row| row["key"] == task);
    assert_eq!(row.unwrap_or_else(|| panic!("no row: {spend}"))["runs"], 2, "{spend}");
    assert!(stage.bank.say(&["spend", "--by", "day"]).contains("2"));
    stage.verify();
}

fn automate(stage: &AgentStage, task: &str) {
    let say = |words: &[&str]| stage.bank.say(words);
    let cron = ["--cron", "0 7 * * MON-FRI", "--timezone", "Europe/Berlin", "--pause-on-failure"];
    let create = ["automations", "create", "every-morning", "--task", task];
    say(&[&create[..], &cron[..]].concat());
    let next = say(&["automations", "next", "every-morning", "-n", "3"]);
    assert_eq!(next.lines().count(), 3, "{next}");
    assert!(next.contains(":00"), "{next}");
    let fires = stage.bank.say_json(&["automations", "fires", "every-morning"]);
    assert_eq!(fires, json!([]), "it has not started yet");
    say(&["automations", "pause", "every-morning", "--note", "the server moves"]);
    let shown = stage.bank.say_json(&["automations", "show", "every-morning"]);
    assert_eq!(shown["paused"], "the server moves", "{shown}");
    say(&["automations", "resume", "every-morning"]);
}

#[tokio::test]
async fn a_task_with_a_schedule_has_an_automation_of_its_own() {
    let stage = AgentStage::open("", steps([ModelStep::complete("done")])).await;
    let words = ["tasks", "create", "Report", "--model", "openai", "--goal", "Write"];
    let schedule = ["--cron", "0 7 * * MON-FRI", "--timezone", "Europe/Berlin"];
    let task = stage.bank.say(&[&words[..], &schedule[..]].concat()).trim().to_owned();
    let automation = stage.bank.say_json(&["automations", "show", &task]);
    let trigger = json!({ "on": "cron", "pattern": "0 7 * * MON-FRI", "timezone": "Europe/Berlin" });
    assert_eq!((&automation["task"], &automation["trigger"]), (&json!(task), &trigger), "{automation}");
    let admin = stage.bank.gateway.admin.clone();
    let count = async |path: &str, list: &str| {
        let listed = stage.bank.get(&admin, path).await.json();
        listed[list].as_array().map_or(0, Vec::len)
    };
    let bad =
        |schedule: Value| json!({ "name": "Bad", "goal": "g", "model": "openai", "schedule": schedule });
    for (schedule, field) in [
        (json!({ "cron": "0 0 30 2 *" }), "schedule.cron"),
        (json!({ "cron": "0 9 * * *", "timezone": "Europe/Atlantis" }), "schedule.timezone"),
    ] {
        let refused = stage.bank.rest(&admin, "POST", "/tasks", Some(bad(schedule))).await;
        assert_eq!((refused.status, &refused.json()["field"]), (422, &json!(field)), "{refused:?}");
    }
    assert_eq!((count("/tasks", "tasks").await, count("/automations", "automations").await), (1, 1));
    let path = format!("/tasks/{task}");
    let put = bad(json!({ "cron": "0 9 * * *" }));
    let put = stage.bank.rest(&admin, "PUT", &path, Some(put)).await;
    assert_eq!((put.status, &put.json()["field"]), (422, &json!("schedule")), "{put:?}");
}
