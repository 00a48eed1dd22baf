//! Filling the database: files, feeds, and what job-search-mcp found.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::{Value, json};
use toolgate_stage::on_both;

use crate::drive::{World, ada, job};

on_both!(crate::drive::World:
    one_advertisement_on_two_boards_is_one_job_and_two_vacancies_of_one_board_are_two,
    seeding_again_changes_what_changed_and_adds_nothing_twice,
    a_bad_file_stores_nothing_at_all,
    an_agent_imports_what_it_found,
);

async fn one_advertisement_on_two_boards_is_one_job_and_two_vacancies_of_one_board_are_two(world: World) {
    let posting = |url: &str, company: &str| {
        json!({ "@type": "JobPosting", "title": "Welder (m/f/d)", "hiringOrganization": { "name": company },
            "jobLocation": { "address": { "addressLocality": "Oslo" } }, "url": url })
    };
    let jobs = [
        posting("https://a.example/jobs/100001", "Acme AS"),
        posting("https://b.example/view?jobId=77", "Acme AS"),
        posting("https://a.example/jobs/100002", "Acme AS"),
        posting("https://www.a.example/jobs/100001/apply", "Somebody Else"),
    ];
    let said = world.seed(&json!({ "users": [ada()], "jobs": jobs })).await;
    assert!(said.contains("2 new jobs") && said.contains("2 new applications"), "{said}");
    let server = world.start().await;
    let leased = server.lease("run_1", 5).await;
    assert_eq!(leased.len(), 2);
    assert_eq!(leased[0]["otherUrls"], json!(["https://b.example/view?jobId=77"]));
    assert_eq!(leased[0]["posting"]["title"], "Welder (m/f/d)");
}

async fn seeding_again_changes_what_changed_and_adds_nothing_twice(world: World) {
    let world = world.with_jobs(2).await;
    let mut changed = ada();
    changed["name"] = "Ada King".into();
    changed["answers"] = json!([{ "question": "Do you need a VISA", "answer": "Yes" }]);
    let grace = json!({ "id": "grace", "name": "Grace" });
    let mut hers = job(1);
    hers["for"] = json!(["grace"]);
    let said = world.seed(&json!({ "users": [changed, grace], "jobs": [hers] })).await;
    assert!(said.contains("0 new jobs") && said.contains("1 new applications"), "{said}");
    let server = world.start().await;
    let profile = server.answer("run_1", "get_user_profile", json!({ "user": "ada" })).await;
    assert_eq!(profile["name"], "Ada King");
    assert_eq!(profile["answers"], json!([{ "question": "Do you need a VISA", "answer": "Yes" }]));
    assert_eq!(server.list(json!({ "user": "ada" })).await.len(), 2);
    assert_eq!(server.list(json!({ "user": "grace" })).await.len(), 1);
}

async fn a_bad_file_stores_nothing_at_all(world: World) {
    for (data, said) in [
        (
            json!({ "users": [ada()], "jobs": [job(0), { "title": "x" }] }),
            "jobs[1]: it has neither a company",
        ),
        (
            json!({ "users": [ada()], "jobs": [{ "title": "x", "company": "y", "for": ["bob"] }] }),
            "names \"bob\"",
        ),
        (json!({ "users": [{ "id": "ada" }] }), "missing field `name`"),
        (json!([]), "no users and no jobs"),
    ] {
        let output = world.try_seed(&data).await;
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(said) && error.contains("hint:"), "{error}");
    }
    let server = world.start().await;
    let (code, _) = server.refusal("run_1", "get_user_profile", json!({ "user": "ada" })).await;
    assert_eq!(code, "bad_arguments", "not even the user before the bad job");
}

async fn an_agent_imports_what_it_found(world: World) {
    let world = world.with_jobs(0).await;
    let server = world.start().await;
    let parsed = json!({ "ref_id": "doc_1", "must": ["TIG"], "skills": ["Welding"], "language": "en",
        "posting": { "title": "Welder", "hiringOrganization": { "name": "Acme" }, "url": "https://jobs.example/view/4711001" } });
    let closed = json!({ "title": "Cook", "company": "Acme", "validThrough": "2020-01-01" });
    let jobs = json!([parsed, { "title": "Nothing else" }, { "title": "Welder", "company": "Acme" }, closed]);
    let imported = server.answer("run_1", "import_jobs", json!({ "user": "ada", "jobs": jobs })).await;
    assert_eq!((&imported["newJobs"], &imported["newApplications"]), (&json!(2), &json!(2)));
    assert_eq!(imported["jobIds"][0], imported["jobIds"][1], "the same words are the same job");
    assert_eq!(imported["refused"][0]["index"], 1);
    let leased = server.lease("run_1", 5).await;
    assert_eq!(leased.len(), 1, "what is closed is not handed out");
    assert_eq!(leased[0]["posting"]["must"], json!(["TIG"]));
    let (_, text) = server.refusal("run_1", "import_jobs", json!({ "user": "bob", "jobs": [] })).await;
    assert!(text.contains("no user"), "{text}");
}

/// Answers one request, and is gone.
fn feed(status: &'static str, body: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/jobs.json", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        let read = stream.read(&mut request).unwrap();
        assert!(request[..read].starts_with(b"GET /jobs.json "));
        let head =
            format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
        // A client that has gone has no use for it.
        drop(stream.write_all(format!("{head}{body}").as_bytes()));
    });
    url
}

#[tokio::test]
async fn a_feed_of_postings_is_for_everybody_in_the_database() {
    let world = World::sqlite().with_jobs(0).await;
    let posting = |at: usize| json!({ "@type": "ListItem", "item": { "@type": "JobPosting", "title": "Nurse", "url": format!("https://a.example/jobs/20000{at}") } });
    let list = json!({ "@context": "https://schema.org", "@type": "ItemList", "itemListElement": [posting(1), posting(2)] });
    let output = world.seed_with(&["--feed", &feed("200 OK", list.to_string())]).await;
    assert!(output.status.success(), "{output:?}");
    assert_eq!(world.start().await.list(json!({ "user": "ada" })).await.len(), 2);
}

#[tokio::test]
async fn a_feed_that_fails_says_how() {
    let world = World::sqlite().with_jobs(0).await;
    for (url, said) in [
        (feed("404 Not Found", "{}".to_owned()), "it answered 404"),
        (feed("200 OK", "<html>".to_owned()), "is not JSON"),
        (feed("200 OK", "{\"a\":1}".to_owned()), "no users and no jobs"),
        (feed("200 OK", Value::from("x".repeat(2 << 20)).to_string()), "more than"),
        ("http://127.0.0.1:9/jobs.json".to_owned(), "could not be reached"),
    ] {
        let output = world.seed_with(&["--feed", &url]).await;
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(error.contains(said) && error.contains("hint:"), "{error}");
    }
}
