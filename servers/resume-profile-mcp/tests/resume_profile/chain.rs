//! From a file to a tailored resume, each tool with the ref of the one before.

use capability_documents::OpenOptions;
use capability_testkit::{Client, file};
use serde_json::{Value, json};

use crate::drive::start;
use crate::made::{JOB, TEXT};

async fn profile(client: &Client) -> Value {
    let parsed = client.answer("parse_document", file(TEXT.as_bytes(), json!({ "file_type": "txt" }))).await;
    client.answer("extract_profile", json!({ "source_ref_id": parsed["ref_id"] })).await
}

#[tokio::test]
async fn four_tools_are_listed_with_schemas() {
    let client = start().await;
    let tools = client.service.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["parse_document", "extract_profile", "score_fit", "tailor_resume"]);
    for tool in &tools {
        let seen = serde_json::to_value(tool).unwrap();
        assert_eq!(seen["inputSchema"]["additionalProperties"], json!(false), "{seen}");
        assert!(seen["outputSchema"]["properties"]["warnings"].is_object(), "{seen}");
    }
}

#[tokio::test]
async fn a_document_is_parsed_into_sections() {
    let client = start().await;
    let answer = client.answer("parse_document", file(TEXT.as_bytes(), json!({}))).await;
    let kinds: Vec<&str> = answer["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|section| section["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["top", "work", "education", "skills", "languages"]);
    assert_eq!((&answer["page_count"], &answer["language"]), (&json!(1), &json!("en")));
    let kept: Value =
        serde_json::from_slice(&client.bytes(answer["ref_id"].as_str().unwrap()).await).unwrap();
    assert_eq!(kept["text"].as_str().unwrap().chars().count(), answer["chars"]);
}

#[tokio::test]
async fn a_profile_has_its_sources() {
    let client = start().await;
    let parsed = client.answer("parse_document", file(TEXT.as_bytes(), json!({}))).await;
    let kept: Value =
        serde_json::from_slice(&client.bytes(parsed["ref_id"].as_str().unwrap()).await).unwrap();
    let text: Vec<char> = kept["text"].as_str().unwrap().chars().collect();
    let arguments = json!({ "source_ref_id": parsed["ref_id"], "spans": true });
    let answer = client.answer("extract_profile", arguments).await;
    let resume = &answer["resume"];
    assert_eq!(resume["basics"]["name"], "Nadia Petrov");
    assert_eq!(resume["basics"]["location"], json!({ "city": "Vienna", "region": "Austria" }));
    assert_eq!(resume["work"][0]["position"], "Platform Engineer");
    assert_eq!(resume["work"][0]["name"], "Donau Software GmbH");
    assert_eq!(
        (&resume["work"][0]["startDate"], &resume["work"][0]["endDate"]),
        (&json!("2019-03"), &Value::Null)
    );
    assert_eq!(
        (&resume["work"][1]["startDate"], &resume["work"][1]["endDate"]),
        (&json!("2014-06"), &json!("2019-02"))
    );
    assert_eq!(resume["education"][0]["studyType"], "BSc");
    for field in answer["fields"].as_array().unwrap() {
        let (start, end) = (field["start"].as_u64().unwrap(), field["end"].as_u64().unwrap());
        let written: String =
            text[usize::try_from(start).unwrap()..usize::try_from(end).unwrap()].iter().collect();
        let path = field["path"].as_str().unwrap();
        let value = resume.pointer(path).unwrap().as_str().unwrap();
        assert!(
            resume_profile_mcp::draft::is_supported(path, value, &written),
            "{path}: {value:?} is not {written:?}"
        );
    }
    assert_eq!(
        (&answer["missing"], &answer["unmapped"], &answer["warnings"]),
        (&json!([]), &json!([]), &json!([]))
    );
}

#[tokio::test]
async fn a_score_is_the_sum_of_what_is_shown() {
    let client = start().await;
    let profile = profile(&client).await;
    let fit = client
        .answer(
            "score_fit",
            json!({ "source_ref_id": profile["ref_id"], "job_description": JOB, "spans": true }),
        )
        .await;
    let components = fit["components"].as_array().unwrap();
    let sum: f64 = components.iter().map(|component| component["points"].as_f64().unwrap()).sum();
    assert!((fit["score"].as_f64().unwrap() - sum).abs() < 0.05, "{fit}");
    let weights: f64 = components.iter().map(|component| component["weight"].as_f64().unwrap()).sum();
    assert!((weights - 100.0).abs() < 0.05, "{fit}");
    let names = |list: &str| -> Vec<String> {
        fit[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["requirement"].as_str().unwrap().to_owned())
            .collect()
    };
    for wanted in ["Kubernetes", "Terraform", "Linux", "PostgreSQL", "English"] {
        assert!(names("matched").contains(&wanted.to_owned()), "{wanted} in {fit}");
    }
    assert_eq!(names("missing"), ["Elixir", "Kafka"], "{fit}");
    assert_eq!(fit["missing"][0]["importance"], "must");
    assert_eq!(fit["missing"][1]["importance"], "nice");
    assert_eq!(fit["years"]["asked"], 5.0);
    assert!(fit["years"]["found"].as_f64().unwrap() > 10.0, "{fit}");
    let quoted = &fit["matched"][0]["evidence"][0];
    assert!(quoted["path"].as_str().unwrap().starts_with('/') && quoted["start"].is_u64(), "{quoted}");
}

#[tokio::test]
async fn a_tailored_resume_says_nothing_new() {
    let client = start().await;
    let profile = profile(&client).await;
    let arguments = json!({ "source_ref_id": profile["ref_id"], "job_description": JOB, "max_pages": 1 });
    let answer = client.answer("tailor_resume", arguments).await;
    assert_eq!((&answer["format"], &answer["page_count"]), (&json!("pdf"), &json!(1)));
    assert!(answer["unsupported"].as_array().unwrap().contains(&json!("Elixir")), "{answer}");
    let bytes = client.bytes(answer["ref_id"].as_str().unwrap()).await;
    let text = capability_documents::open(&bytes, Some("pdf"), &OpenOptions::default()).unwrap().text();
    for said in [
        "Nadia Petrov",
        "Donau Software GmbH",
        "Kubernetes",
        "University of Vienna",
        "nadia.petrov@example.at",
    ] {
        assert!(text.contains(said), "{said} is missing in {text}");
    }
    // Only words of the resume, headings and months may occur there.
    let fixed = "Work Experience Education Skills Languages Present Mar Feb Jun Jan to work summary profile";
    let known: Vec<String> =
        format!("{TEXT} {fixed}").split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        assert!(known.contains(&word.to_lowercase()), "{word:?} is nowhere in the resume: {text}");
    }
    assert!(!text.contains("Elixir") && !text.contains("Senior"), "{text}");
}

#[tokio::test]
async fn what_fits_comes_first() {
    let client = start().await;
    let profile = profile(&client).await;
    let job = "DevOps Engineer\n\nRequirements:\n- Rust\n- PostgreSQL";
    let arguments = json!({ "source_ref_id": profile["ref_id"], "job_description": job, "format": "docx", "content": true });
    let answer = client.answer("tailor_resume", arguments).await;
    assert_eq!(answer["resume"]["work"][0]["highlights"][0], "Wrote the deployment tool in Rust.");
    let skills: Vec<&str> = answer["resume"]["skills"]
        .as_array()
        .unwrap()
        .iter()
        .take(2)
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(skills, ["Rust", "PostgreSQL"]);
    let bytes = client.bytes(answer["ref_id"].as_str().unwrap()).await;
    assert!(
        capability_documents::open(&bytes, None, &OpenOptions::default())
            .unwrap()
            .text()
            .contains("Donau Software GmbH")
    );
}

#[tokio::test]
async fn a_job_asks_only_where_it_asks() {
    let client = start().await;
    let resume = json!({
        "basics": { "name": "Ada", "label": "Planner", "summary": "Spread the word about our community garden." },
        "work": [{ "position": "Planner", "name": "Acme", "startDate": "2020-01", "endDate": "2021-12" }],
        "skills": [{ "name": "Bookbinding" }],
        "languages": [{ "language": "German", "fluency": "B1" }, { "language": "English", "fluency": "B1" }]
    });
    let job = "Planner\n\nFor 25 years we have built things in Python, with a scrum master in each team.\n\nRequirements:\n\
        - At least 18 years of age\n- 2 years of experience\n- Word\n- Strong gardening skills\n- Fluent English, German at B1 level\n\n\
        We offer:\n- Courses in bookbinding";
    let fit = client.answer("score_fit", json!({ "profile": resume, "job_description": job })).await;
    assert_eq!(fit["years"], json!({ "asked": 2.0, "found": 2.0 }));
    let requirements = |list: &str| -> Vec<(String, String)> {
        let text = |it: &Value, key: &str| it[key].as_str().unwrap_or_default().to_owned();
        fit[list].as_array().unwrap().iter().map(|it| (text(it, "requirement"), text(it, "how"))).collect()
    };
    let missing: Vec<String> = requirements("missing").into_iter().map(|(name, _)| name).collect();
    assert_eq!(missing, ["Word", "Strong gardening skills"], "{fit}");
    let half = "listed, but at a lower level than required: half the points";
    let matched = [
        ("Planner", "a title with 100% of its words"),
        ("English", half),
        ("German", "listed among the languages"),
    ];
    assert_eq!(
        requirements("matched"),
        matched.map(|(name, how)| (name.to_owned(), how.to_owned())),
        "{fit}"
    );
    // Nothing of 50, all of 20 and 10, three quarters of 10, of 90 in total.
    assert_eq!(fit["score"], 41.6, "{fit}");
}

#[tokio::test]
async fn an_advertisement_of_one_paragraph_tells_required_from_optional() {
    let client = start().await;
    let resume = json!({ "basics": { "name": "Ada" }, "skills": [{ "name": "Rust" }, { "name": "Kafka" }] });
    let importance = async |job: &str| {
        let fit = client.answer("score_fit", json!({ "profile": resume, "job_description": job })).await;
        let mut all: Vec<(String, String)> = Vec::new();
        for list in ["matched", "missing"] {
            let text = |it: &Value, key: &str| it[key].as_str().unwrap().to_owned();
            all.extend(
                fit[list]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|it| (text(it, "requirement"), text(it, "importance"))),
            );
        }
        all.sort();
        let why = fit["components"][0]["why"].as_str().unwrap().to_owned();
        (all, why)
    };
    let expected = [("Kafka", "nice"), ("PostgreSQL", "must"), ("Rust", "must")];
    let expected = expected.map(|(name, importance)| (name.to_owned(), importance.to_owned()));
    for job in [
        "Acme builds tools in Bern. Requirements: Rust, PostgreSQL. Nice to have: Kafka. We offer: Terraform courses.",
        "Requirements: Rust, PostgreSQL Nice to have: Kafka",
        "You need Rust and PostgreSQL. Kafka is a plus.",
        "Requirements:\n- Rust and PostgreSQL; Kafka would be great",
    ] {
        let (all, why) = importance(job).await;
        assert_eq!(all, expected, "{job}");
        let counted =
            "1 of 2 required skills are met, which count double, and 1 of 1 optional ones: 3 of 5 is 60%";
        assert_eq!(why, counted, "{job}");
    }
}

#[tokio::test]
async fn answers_are_short_unless_more_is_asked_for() {
    let client = start().await;
    let profile = profile(&client).await;
    assert_eq!(profile.get("fields"), None);
    // Nine hundred tokens: one has about three bytes of JSON.
    assert!(profile.to_string().len() < 900 * 3, "{profile}");
    let asked = json!({ "source_ref_id": profile["ref_id"], "job_description": JOB });
    let fit = client.answer("score_fit", asked.clone()).await;
    assert_eq!(fit["matched"][0]["evidence"][0].get("start"), None, "{fit}");
    assert_eq!(client.answer("tailor_resume", asked).await.get("resume"), None);
}

/// A page as people send them: 390 words, three jobs.
const FULL_PAGE: &str = include_str!("full_page.md");

#[tokio::test]
async fn a_full_page_costs_a_model_less_than_nine_hundred_tokens() {
    let client = start().await;
    let read = client
        .answer("parse_document", file(FULL_PAGE.as_bytes(), json!({ "file_type": "text/markdown" })))
        .await;
    let profile = client.answer("extract_profile", json!({ "source_ref_id": read["ref_id"] })).await;
    let resume = &profile["resume"];
    assert_eq!(
        (resume["work"].as_array().unwrap().len(), resume["education"].as_array().unwrap().len()),
        (3, 2)
    );
    // As o200k_base counts, the vocabulary of the benchmarks.
    let text = profile.to_string();
    let tokens = tiktoken_rs::o200k_base_singleton().encode_ordinary(&text).len();
    assert!(tokens < 900, "{tokens} tokens: {text}");
    let fit = json!({ "source_ref_id": profile["ref_id"], "job_description": JOB });
    let fit = client.answer("score_fit", fit).await.to_string();
    let tokens = tiktoken_rs::o200k_base_singleton().encode_ordinary(&fit).len();
    assert!(tokens < 900, "{tokens} tokens: {fit}");
}

#[tokio::test]
async fn a_tailored_resume_lists_plain_skills_in_a_line() {
    let client = start().await;
    let profile = profile(&client).await;
    let answer = client
        .answer(
            "tailor_resume",
            json!({ "source_ref_id": profile["ref_id"], "target_role": "Rust developer" }),
        )
        .await;
    let bytes = client.bytes(answer["ref_id"].as_str().unwrap()).await;
    let text = capability_documents::open(&bytes, Some("pdf"), &OpenOptions::default()).unwrap().text();
    assert!(text.contains("Rust, Kubernetes, Terraform, Linux, PostgreSQL"), "{text}");
}
