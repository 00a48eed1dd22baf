//! The tools beside `parse_job`.

use serde_json::{Value, json};

use crate::drive::{ADVERT, start};

#[tokio::test]
async fn every_tool_is_listed_with_its_schemas() {
    let client = start().await;
    let tools = client.service.list_all_tools().await.expect("a list");
    let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "dedupe_jobs",
            "extract_skills",
            "generate_queries",
            "match_profile",
            "normalize_title",
            "parse_job"
        ]
    );
    for tool in &tools {
        assert!(tool.output_schema.is_some(), "{}", tool.name);
        assert!(tool.description.as_ref().is_some_and(|text| text.len() > 40), "{}", tool.name);
    }
}

#[tokio::test]
async fn skills_of_an_advertisement_are_listed_and_placed_on_request() {
    let client = start().await;
    let answer = client.answer("extract_skills", json!({ "text": ADVERT })).await;
    let knowledge = answer["knowledge"].to_string();
    for name in ["Rust", "PostgreSQL", "Kubernetes", "Linux"] {
        assert!(knowledge.contains(name), "{name}: {answer:#}");
    }
    assert_eq!((&answer["method"], answer.get("mentions")), (&json!("tagger"), None));
    let answer = client.answer("extract_skills", json!({ "text": ADVERT, "spans": true })).await;
    let letters: Vec<char> = ADVERT.chars().collect();
    for mention in answer["mentions"].as_array().expect("mentions") {
        let at = |name: &str| usize::try_from(mention[name].as_u64().unwrap()).unwrap();
        let text: String = letters[at("start")..at("end")].iter().collect();
        assert_eq!(mention["text"], json!(text));
    }
}

#[tokio::test]
async fn a_profile_is_matched_with_evidence() {
    let client = start().await;
    let profile = json!({ "basics": { "name": "Ann", "label": "Platform Engineer" },
        "skills": [{ "name": "Rust" }, { "name": "Linux" }],
        "work": [{ "name": "Acme", "position": "Platform Engineer", "startDate": "2015-01", "endDate": "2024-01" }],
        "languages": [{ "language": "English", "fluency": "C1" }] });
    let job = client.answer("parse_job", json!({ "text": ADVERT })).await;
    let answer =
        client.answer("match_profile", json!({ "profile": profile, "job_ref_id": job["ref_id"] })).await;
    let score = answer["score"].as_f64().expect("a score");
    let points: f64 =
        answer["parts"].as_array().unwrap().iter().map(|part| part["points"].as_f64().unwrap()).sum();
    assert!((score - points).abs() < 0.05, "{answer:#}");
    let met = answer["met"].as_array().expect("met");
    let rust = met.iter().find(|met| met["requirement"] == "Rust").unwrap_or_else(|| panic!("{answer:#}"));
    assert_eq!((&rust["must"], &rust["evidence"]), (&json!(true), &json!(["/skills/0/name: Rust"])));
    assert!(answer["missing"].to_string().contains("PostgreSQL"), "{answer:#}");
    let by_text = client.answer("match_profile", json!({ "profile": profile, "job": ADVERT })).await;
    assert_eq!(by_text, answer);
}

#[tokio::test]
async fn the_same_job_on_two_boards_is_found() {
    let client = start().await;
    let jobs = json!([
        { "id": "a", "title": "Senior Platform Engineer", "company": "Northwind Payments Ltd", "location": "Berlin, Germany", "text": ADVERT },
        { "id": "b", "title": "Senior Platform Engineer", "company": "Northwind Payments Ltd", "location": "Munich", "text": ADVERT },
        { "id": "c", "title": "Sr. Platform Engineer (m/w/d) - Berlin", "company": "Northwind Payments", "location": "Berlin", "text": format!("<b>{ADVERT}</b> Apply on our board!") },
    ]);
    let answer = client.answer("dedupe_jobs", json!({ "jobs": jobs })).await;
    assert_eq!(answer["groups"].as_array().map(Vec::len), Some(1), "{answer:#}");
    assert_eq!((&answer["groups"][0]["ids"], &answer["unique"]), (&json!(["a", "c"]), &json!(2)));
}

#[tokio::test]
async fn a_title_gets_its_occupation() {
    let client = start().await;
    let answer = client.answer("normalize_title", json!({ "title": "Sr. Backend Engineer (m/f/d)" })).await;
    assert_eq!(
        (&answer["occupation"]["isco"], &answer["seniority"]),
        (&json!("2512"), &json!("senior")),
        "{answer:#}"
    );
    let answer = client.answer("normalize_title", json!({ "title": "Zorgblat" })).await;
    assert_eq!(answer.get("occupation"), None);
    assert!(answer["warnings"][0].as_str().is_some_and(|text| text.contains("no occupation")), "{answer:#}");
}

#[tokio::test]
async fn one_search_is_written_in_every_dialect() {
    let client = start().await;
    let wish = json!({ "title": "Backend Engineer", "must": ["Kubernetes"], "any": ["Rust", "Go"], "not": ["intern"], "location": "Berlin" });
    let answer = client.answer("generate_queries", wish).await;
    let query = |dialect: &str| -> Value {
        let queries = answer["queries"].as_array().unwrap();
        queries
            .iter()
            .find(|query| query["dialect"] == dialect)
            .cloned()
            .unwrap_or_else(|| panic!("{dialect}: {answer:#}"))
    };
    let linkedin = query("linkedin");
    let text = linkedin["query"].as_str().unwrap();
    assert!(
        text.contains("(\"Backend Engineer\" OR ")
            && text.contains(" AND (Kubernetes OR k8s)")
            && text.ends_with(" NOT intern"),
        "{text}"
    );
    assert_eq!(linkedin["location"], "Berlin");
    let indeed = query("indeed")["query"].as_str().unwrap().to_owned();
    assert!(indeed.starts_with("title:(\"Backend Engineer\" or ") && indeed.ends_with("-intern"), "{indeed}");
    let google = query("google");
    let text = google["query"].as_str().unwrap();
    assert!(text.starts_with("(site:linkedin.com/jobs OR ") && text.contains("Berlin"), "{text}");
    let words = text.split_whitespace().filter(|word| *word != "OR").count();
    assert!(words <= 32, "{words}: {text}");
    assert!(answer["why"].to_string().contains("other names"), "{answer:#}");
}

#[tokio::test]
async fn a_query_that_is_too_long_says_what_was_left_out() {
    let client = start().await;
    let skills: Vec<String> = (0..20).map(|at| format!("very special skill number {at}")).collect();
    let answer = client
        .answer(
            "generate_queries",
            json!({ "title": "Software Engineer", "must": skills, "dialects": ["google"] }),
        )
        .await;
    assert!(answer["queries"][0]["notes"].to_string().contains("left out to fit"), "{answer:#}");
}

#[tokio::test]
async fn each_dialect_says_whence_it_is_known() {
    let client = start().await;
    let wish = json!({ "title": "Backend Engineer", "must": ["Kubernetes"], "not": ["intern"], "location": "Berlin", "synonyms": 2 });
    let answer = client.answer("generate_queries", wish).await;
    let queries = answer["queries"].as_array().unwrap();
    assert_eq!(queries.len(), 9, "{answer:#}");
    let of = |dialect: &str| queries.iter().find(|query| query["dialect"] == dialect).unwrap();
    for (dialect, known_by) in [
        ("linkedin", "documented"),
        ("indeed", "documented"),
        ("google", "documented"),
        ("monster", "documented_in_part"),
        ("stepstone", "undocumented"),
        ("xing", "undocumented"),
        ("glassdoor", "undocumented"),
    ] {
        assert_eq!(of(dialect)["known_by"], known_by, "{dialect}");
        assert_eq!(of(dialect).get("source").is_some(), known_by != "undocumented", "{dialect}");
    }
    let monster = of("monster")["query"].as_str().unwrap();
    assert!(monster.contains(" AND ") && monster.ends_with(" NOT intern"), "{monster}");
    // Nothing is known of their operators: words alone, which every board takes.
    let stepstone = of("stepstone");
    let text = stepstone["query"].as_str().unwrap();
    assert!(!text.contains(" OR ") && !text.contains("NOT"), "{text}");
    assert_eq!(
        (&stepstone["location"], &stepstone["notes"]),
        (&json!("Berlin"), &json!(["plain search cannot exclude words"]))
    );
}
