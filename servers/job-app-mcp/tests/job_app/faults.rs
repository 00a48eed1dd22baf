//! Bad arguments, places that cannot be used, and credentials, of which only handles are ever seen.

use capability_testkit::server as program;
use serde_json::{Value, json};

use crate::drive::{World, ada, start};

#[tokio::test]
async fn bad_arguments_say_what_to_change() {
    let world = World::sqlite().with_jobs(1).await;
    let server = world.start().await;
    let id = server.list(json!({})).await[0]["applicationId"].clone();
    let many: Vec<Value> = (0..201).map(|_| json!({})).collect();
    let update = |more: Value| {
        let mut arguments = json!({ "application_id": id, "status": "submitting", "expected_version": 1 });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    for (tool, arguments, code, said) in [
        ("get_pending_jobs", json!({}), "bad_arguments", "missing field `user`"),
        ("get_pending_jobs", json!({ "user": " " }), "bad_arguments", "user is empty"),
        ("get_pending_jobs", json!({ "user": "bob" }), "bad_arguments", "no user \"bob\""),
        ("get_pending_jobs", json!({ "user": "ada", "limit": 0 }), "bad_arguments", "limit is 0"),
        ("get_pending_jobs", json!({ "user": "ada", "limit": 51 }), "bad_arguments", "limit is 51"),
        ("get_pending_jobs", json!({ "user": "a".repeat(201) }), "too_large", "201 characters"),
        ("update_application_status", update(json!({})), "conflict", "call get_pending_jobs first"),
        (
            "update_application_status",
            update(json!({ "status": "leased" })),
            "bad_arguments",
            "unknown variant `leased`",
        ),
        (
            "update_application_status",
            update(json!({ "status": "withdrawn" })),
            "bad_arguments",
            "unknown variant",
        ),
        (
            "update_application_status",
            update(json!({ "application_id": "app_0" })),
            "bad_arguments",
            "no application",
        ),
        (
            "update_application_status",
            update(json!({ "expected_version": i64::MAX })),
            "conflict",
            "not at version",
        ),
        (
            "update_application_status",
            update(json!({ "expected_version": "1" })),
            "bad_arguments",
            "expected_version",
        ),
        (
            "update_application_status",
            update(json!({ "reason": "x".repeat(2_001) })),
            "too_large",
            "reason has",
        ),
        (
            "update_application_status",
            update(json!({ "evidence": { "html": "x" } })),
            "bad_arguments",
            "unknown field `html`",
        ),
        (
            "record_application",
            json!({ "job_id": "job_0", "user": "ada", "status": "confirmed" }),
            "bad_arguments",
            "has no job",
        ),
        (
            "record_application",
            json!({ "job_id": "job_0", "user": "ada", "status": "sent" }),
            "bad_arguments",
            "unknown variant `sent`",
        ),
        (
            "get_credentials",
            json!({ "user": "ada", "site": "https://evil.example" }),
            "unavailable",
            "there are some for https://jobs.example",
        ),
        ("get_credentials", json!({ "user": "bob", "site": "x" }), "bad_arguments", "no user"),
        ("list_applications", json!({ "limit": 101 }), "bad_arguments", "limit is 101"),
        ("list_applications", json!({ "status": "sent" }), "bad_arguments", "unknown variant"),
        ("save_answers", json!({ "user": "ada", "answers": [] }), "bad_arguments", "0 answers"),
        (
            "save_answers",
            json!({ "user": "ada", "answers": [{ "question": "", "answer": "x" }] }),
            "bad_arguments",
            "question is empty",
        ),
        ("import_jobs", json!({ "user": "ada", "jobs": many }), "too_large", "201 jobs"),
        ("withdraw", json!({ "application_id": "app_0" }), "bad_arguments", "no application"),
        (
            "resolve_application",
            json!({ "application_id": id, "status": "failed", "expected_version": 1, "reason": "" }),
            "bad_arguments",
            "reason is empty",
        ),
    ] {
        let (found, text) = server.refusal("", tool, arguments.clone()).await;
        assert_eq!(found, code, "{tool} {arguments}: {text}");
        assert!(text.contains(said), "{tool} {arguments}: {text}");
    }
    assert_eq!(server.list(json!({})).await[0]["version"], 1, "nothing was changed");
}

#[tokio::test]
async fn signs_that_postgres_refuses_do_no_harm() {
    let world = World::postgres().with_jobs(1).await;
    let server = world.start().await;
    server.answer("run\0_1", "get_pending_jobs", json!({ "user": "ada\0" })).await;
    let answers = json!({ "user": "ada", "answers": [{ "question": "Wh\0y?", "answer": "Be\0cause" }] });
    server.answer("run_1", "save_answers", answers).await;
    let profile = server.answer("run_1", "get_user_profile", json!({ "user": "ada" })).await;
    assert!(profile["answers"].to_string().contains("Because"), "{profile}");
    let jobs = json!([{ "title": "a\0b", "company": "c", "description": "\0" }]);
    assert_eq!(
        server.answer("run_1", "import_jobs", json!({ "user": "ada", "jobs": jobs })).await["newJobs"],
        1
    );
}

#[tokio::test]
async fn a_credential_is_a_handle_an_origin_and_names() {
    let world = World::sqlite().with_jobs(0).await;
    let server = world.start().await;
    let expected = json!({ "secret": "cred_01abc", "origin": "https://jobs.example", "fields": ["username", "password"] });
    for site in ["https://jobs.example/login?next=1", "jobs.example"] {
        assert_eq!(
            server.answer("run_1", "get_credentials", json!({ "user": "ada", "site": site })).await,
            expected
        );
    }
    let profile = server.answer("run_1", "get_user_profile", json!({ "user": "ada" })).await;
    assert_eq!(profile["credentialsFor"], json!(["https://jobs.example"]));
    assert_eq!(profile["profile"]["basics"]["name"], "Ada Lovelace");
    assert_eq!(profile["documents"][0]["ref"], "file_1");
    let mut user = ada();
    user["credentials"][0]["password"] = "hunter2".into();
    let refused = world.try_seed(&json!({ "users": [user] })).await;
    assert!(!refused.status.success());
    let written = walk(&world.folder());
    assert!(
        !written.iter().any(|bytes| bytes.windows(7).any(|part| part == b"hunter2")),
        "no value is ever stored"
    );
}

fn walk(folder: &std::path::Path) -> Vec<Vec<u8>> {
    let files = std::fs::read_dir(folder.join("data")).unwrap();
    files.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
}

#[tokio::test]
async fn a_server_without_a_place_for_its_data_says_so_and_keeps_nothing() {
    let server = start(program(env!("CARGO_BIN_EXE_job-app-mcp"), &[])).await;
    let tools = server.client.service.list_all_tools().await.unwrap();
    assert_eq!(tools.len(), 10);
    assert!(
        tools.iter().all(|tool| tool.description.as_ref().unwrap().contains("Unavailable on this machine"))
    );
    let (code, text) = server.refusal("run_1", "get_pending_jobs", json!({ "user": "ada" })).await;
    assert_eq!(code, "unavailable");
    assert!(text.contains("--data"), "{text}");
}

#[tokio::test]
async fn a_database_that_is_away_or_not_ours_is_named_without_its_password() {
    for (variable, value, said) in [
        ("JOB_APP_DATABASE", "postgres://me:hunter2@127.0.0.1:9/jobs", "jobs at 127.0.0.1:9"),
        ("JOB_APP_DATABASE", "mysql://me:hunter2@127.0.0.1/jobs", "does not begin with postgres://"),
        ("JOB_APP_DATA", "/dev/null/here", "cannot be used"),
    ] {
        let mut command = program(env!("CARGO_BIN_EXE_job-app-mcp"), &[]);
        command.env(variable, value);
        let server = start(command).await;
        let (code, text) = server.refusal("run_1", "get_pending_jobs", json!({ "user": "ada" })).await;
        assert_eq!(code, "unavailable");
        assert!(text.contains(said) && !text.contains("hunter2"), "{text}");
    }
}

#[tokio::test]
async fn a_database_of_another_program_is_left_alone() {
    let world = World::postgres();
    world.run_sql(
        "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL,
            installed_on TIMESTAMPTZ NOT NULL DEFAULT now(), success BOOLEAN NOT NULL, checksum BYTEA NOT NULL,
            execution_time BIGINT NOT NULL);
         INSERT INTO _sqlx_migrations VALUES (1, 'start', now(), true, 'x', 1)",
    );
    let server = world.start().await;
    let (code, text) = server.refusal("run_1", "get_pending_jobs", json!({ "user": "ada" })).await;
    assert_eq!(code, "unavailable");
    assert!(text.contains("or of another program"), "{text}");
}

#[tokio::test]
async fn every_tool_says_what_it_does_and_what_it_takes() {
    let world = World::sqlite();
    let server = world.start().await;
    for tool in server.client.service.list_all_tools().await.unwrap() {
        let extra = serde_json::to_value(&tool).unwrap()["_meta"]["dev.toolgate/tool"].clone();
        let is_read = tool.name.starts_with("get_user")
            || tool.name.starts_with("get_cred")
            || tool.name.starts_with("list");
        assert_eq!(extra["effects"], json!([if is_read { "read" } else { "write" }]), "{}", tool.name);
        assert_eq!(extra["idempotent"], true, "{}", tool.name);
        assert!(tool.output_schema.is_some() && tool.description.is_some(), "{}", tool.name);
    }
}
