//! Advertisements in text, as a page and as a PDF.

use capability_testkit::file;
use serde_json::{Value, json};

use crate::drive::{ADVERT, start};

#[tokio::test]
async fn a_text_becomes_a_posting() {
    let client = start().await;
    let answer = client.answer("parse_job", json!({ "text": ADVERT })).await;
    let posting = &answer["posting"];
    assert_eq!(posting["title"], "Senior Platform Engineer", "{answer:#}");
    assert_eq!(posting["hiringOrganization"]["name"], "Northwind Payments Ltd");
    let address = &posting["jobLocation"][0]["address"];
    assert_eq!(
        (&address["addressLocality"], &address["addressCountry"]),
        (&json!("Berlin"), &json!("Germany"))
    );
    let salary = json!({ "currency": "EUR", "value": { "minValue": 75000.0, "maxValue": 90000.0, "unitText": "YEAR" } });
    assert_eq!(posting["baseSalary"], salary);
    assert_eq!(posting["employmentType"], json!(["FULL_TIME"]));
    assert_eq!(posting["validThrough"], "2027-03-31");
    assert_eq!(posting["applicationContact"]["email"], "jobs@northwind.example");
    assert_eq!(posting["experienceRequirements"]["monthsOfExperience"], 60);
    assert_eq!((&answer["workplace"], &answer["seniority"]), (&json!("hybrid"), &json!("senior")));
    assert_eq!(answer["hours_per_week"], json!([40.0, 40.0]));
    let must = json!([
        "At least 5 years of experience with Linux",
        "Rust and PostgreSQL in production",
        "Fluent English"
    ]);
    assert_eq!((&answer["must"], &answer["nice"]), (&must, &json!(["Terraform"])));
    assert_eq!(answer.get("sources"), None, "places are given on request");
}

#[tokio::test]
async fn every_field_has_its_place_in_the_text_on_request() {
    let client = start().await;
    let answer = client.answer("parse_job", json!({ "text": ADVERT, "sources": true })).await;
    let letters: Vec<char> = ADVERT.chars().collect();
    let sources = answer["sources"].as_object().expect("sources");
    let text = |path: &str| -> String {
        let range = sources[path].as_array().unwrap_or_else(|| panic!("{path}: {sources:#?}"));
        let at = |index: usize| usize::try_from(range[index].as_u64().unwrap()).unwrap();
        letters[at(0)..at(1)].iter().collect()
    };
    assert!(text("/posting/title").starts_with("Senior Platform Engineer"));
    assert_eq!(text("/posting/hiringOrganization"), "Northwind Payments Ltd");
    assert_eq!(text("/posting/baseSalary"), "€75,000 – €90,000");
    assert_eq!(text("/posting/validThrough"), "31 March 2027");
    assert_eq!(text("/must/1"), "Rust and PostgreSQL in production");
    for path in
        ["/workplace", "/seniority", "/hours_per_week", "/posting/employmentType/0", "/posting/jobLocation/0"]
    {
        assert!(!text(path).is_empty(), "{path}");
    }
}

fn page(data: &Value, body: &str) -> String {
    format!(
        "<!doctype html><html><head><script type=\"application/ld+json\">{data}</script></head><body>{body}</body></html>"
    )
}

#[tokio::test]
async fn the_data_of_a_page_comes_before_its_text() {
    let client = start().await;
    let data = json!({ "@context": "https://schema.org", "@graph": [{ "@type": "WebSite" }, {
        "@type": "JobPosting", "title": "Nurse (m/w/d)", "hiringOrganization": { "name": "Helios" },
        "description": "<p>Requirements</p><ul><li>Two years of experience</li></ul>",
        "jobLocation": { "address": { "addressLocality": "Leeds", "addressCountry": { "name": "GB" } } },
        "baseSalary": { "currency": "GBP", "value": { "minValue": "30000", "maxValue": 35000, "unitText": "year" } },
        "employmentType": "PART_TIME", "validThrough": "2027-05-01T00:00:00Z", "jobLocationType": "TELECOMMUTE" }] });
    let html = page(&data, "<h1>Cook</h1><p>Another company is looking for a cook in Paris.</p>");
    let arguments = file(html.as_bytes(), json!({ "file_type": "text/html", "sources": true }));
    for answer in [
        client.answer("parse_job", arguments).await,
        client.answer("parse_job", json!({ "text": html, "sources": true })).await,
    ] {
        let posting = &answer["posting"];
        assert_eq!(
            (&posting["title"], &posting["hiringOrganization"]["name"]),
            (&json!("Nurse"), &json!("Helios")),
            "{answer:#}"
        );
        assert_eq!(posting["baseSalary"]["value"]["minValue"], 30000.0);
        assert_eq!(posting["baseSalary"]["value"]["unitText"], "YEAR");
        assert_eq!(
            (&posting["validThrough"], &answer["workplace"]),
            (&json!("2027-05-01"), &json!("remote"))
        );
        assert_eq!(answer["must"], json!(["Two years of experience"]));
        assert_eq!(answer["sources"]["/posting/title"], "/title");
    }
}

#[tokio::test]
async fn requirements_of_one_paragraph_keep_their_importance() {
    let client = start().await;
    let text = "Acme is looking for a Cook in Vienna. Requirements: two years of experience; good German. Nice to have: a driving licence.";
    let answer = client.answer("parse_job", json!({ "text": text })).await;
    assert_eq!(answer["must"], json!(["two years of experience", "good German"]), "{answer:#}");
    assert_eq!(answer["nice"], json!(["a driving licence"]));
}

#[tokio::test]
async fn what_the_rules_do_not_know_is_said() {
    let client = start().await;
    let polish = "Poszukujemy doświadczonego programisty do naszego zespołu w Krakowie. Oferujemy ciekawą pracę i przyjazną atmosferę w zespole.";
    let answer = client.answer("parse_job", json!({ "text": polish })).await;
    assert!(answer["warnings"].to_string().contains("do not know the language"), "{answer:#}");
    let japanese = "ソフトウェアエンジニア募集。東京本社で働く仲間を探しています。給与は月額40万円です。応募はjobs@example.jpまで。";
    let answer = client.answer("parse_job", json!({ "text": japanese })).await;
    assert!(answer["warnings"].to_string().contains("do not know the language"), "{answer:#}");
    assert_eq!(answer["posting"]["applicationContact"]["email"], "jobs@example.jp", "{answer:#}");
    let hebrew = "דרוש מהנדס תוכנה מנוסה לחברת סטארטאפ בתל אביב. ניסיון של חמש שנים בפיתוח. קורות חיים אל jobs@example.co.il";
    let answer = client.answer("parse_job", json!({ "text": hebrew, "sources": true })).await;
    assert_eq!(answer["posting"]["applicationContact"]["email"], "jobs@example.co.il", "{answer:#}");
    let skills = client.answer("extract_skills", json!({ "text": polish })).await;
    assert_eq!(skills["method"], "list", "{skills:#}");
}

#[tokio::test]
async fn an_answer_is_small() {
    let client = start().await;
    let answer = client.answer("parse_job", json!({ "text": ADVERT })).await;
    let bytes = answer.to_string().len();
    assert!(bytes < 2 * ADVERT.len(), "{bytes} bytes for an advertisement of {}", ADVERT.len());
}

#[tokio::test]
async fn what_the_data_of_a_page_asks_for_is_read() {
    let client = start().await;
    let data = json!({ "@type": "JobPosting", "title": "Backend Engineer", "hiringOrganization": "Brightwater Labs",
        "description": "<p>We run buses on time.</p><p>Requirements</p><ul><li>Curiosity</li></ul>",
        "skills": ["Python, PostgreSQL", { "@type": "DefinedTerm", "name": "Kubernetes" }],
        "qualifications": "A degree in computer science or comparable practice",
        "educationRequirements": { "@type": "EducationalOccupationalCredential", "credentialCategory": "bachelor degree" },
        "experienceRequirements": { "@type": "OccupationalExperienceRequirements", "monthsOfExperience": 36 },
        "directApply": true, "jobLocationType": "TELECOMMUTE",
        "applicantLocationRequirements": [{ "@type": "Country", "name": "Norway" },
            { "@type": "Place", "address": { "addressCountry": "SE" } }] });
    let answer = client.answer("parse_job", json!({ "text": page(&data, ""), "sources": true })).await;
    let posting = &answer["posting"];
    for skill in ["Python", "PostgreSQL", "Kubernetes"] {
        assert!(answer["skills"].as_array().unwrap().contains(&json!(skill)), "{skill}: {answer:#}");
    }
    assert_eq!(
        posting["qualifications"],
        json!(["A degree in computer science or comparable practice", "bachelor degree"]),
        "{answer:#}"
    );
    let must = answer["must"].to_string();
    assert!(must.contains("A degree in computer science") && must.contains("Curiosity"), "{must}");
    assert_eq!(posting["experienceRequirements"], json!({ "monthsOfExperience": 36 }));
    assert_eq!(posting["directApply"], true);
    assert_eq!(posting["applicantLocationRequirements"], json!([{ "name": "Norway" }, { "name": "SE" }]));
    let sources = &answer["sources"];
    assert_eq!((&sources["/skills/0"], &sources["/must/0"]), (&json!("/skills"), &json!("/qualifications")));
    assert_eq!(sources["/posting/directApply"], "/directApply");
    // A sentence is as good as a number, and what is no flag is none.
    let data = json!({ "@type": "JobPosting", "title": "Cook", "hiringOrganization": "Inn", "directApply": "maybe",
        "experienceRequirements": "At least two years of experience in a kitchen", "description": "We cook." });
    let answer = client.answer("parse_job", json!({ "text": page(&data, "") })).await;
    assert_eq!(answer["posting"]["experienceRequirements"]["monthsOfExperience"], 24, "{answer:#}");
    assert!(answer["must"].to_string().contains("two years of experience in a kitchen"), "{answer:#}");
    assert!(answer["posting"].get("directApply").is_none(), "{answer:#}");
}
