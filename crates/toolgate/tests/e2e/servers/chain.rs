//! The seed's chain on real files: parsed, understood, scored, tailored, stored, and the run ended.

use serde_json::{Value, json};

use super::house::{RESUME, open, pdf_of, pdftotext};
use crate::files::archive::{Archive, data, structure, text};
use crate::files::model::{ClientEra, Model};
use crate::runs::work::Work;

const JOB: &str = "Senior Rust engineer. You must have: five years of Rust or Python, PostgreSQL and Kubernetes. \
    Nice to have: Kafka, Terraform. You also know SAP ABAP. A degree in computer science.";

#[tokio::test]
async fn a_newer_client_takes_a_resume_from_pdf_to_tailored_pdf() {
    chain(ClientEra::Newer).await;
}

#[tokio::test]
async fn an_older_client_takes_a_resume_from_pdf_to_tailored_pdf() {
    chain(ClientEra::Older).await;
}

async fn chain(era: ClientEra) {
    let archive = open("", &["resume-profile-mcp", "media-transform-mcp"]).await;
    let before = Work::start(&archive, json!({})).await;
    let resume = pdf_of(&archive, &before.client, RESUME).await;
    let file = archive.file("resume.pdf", &resume).await;

    let work = Work::start(&archive, json!({ "input": [{ "path": "resume.pdf", "file_id": file }] })).await;
    let model = Model::open(era, &archive.site.gateway.url(&work.path), &work.token).await;
    let (parsed, _) = model.hop("resume-profile-mcp__parse_document", json!({ "file_id": file })).await;
    let source = structure(&parsed)["ref_id"].clone();

    let (profile, _) =
        model.hop("resume-profile-mcp__extract_profile", json!({ "source_ref_id": source })).await;
    holds_the_person(&structure(&profile)["resume"]);

    let arguments = json!({ "source_ref_id": source, "job_description": JOB });
    let (fit, _) = model.hop("resume-profile-mcp__score_fit", arguments).await;
    says_what_fits(structure(&fit));

    let arguments =
        json!({ "source_ref_id": source, "target_role": "Rust engineer", "job_description": JOB });
    let (tailored, _) = model.hop("resume-profile-mcp__tailor_resume", arguments).await;
    let tailored = structure(&tailored).clone();
    assert_eq!(tailored["format"], "pdf", "{tailored}");

    let arguments = json!({ "file_name": "Resume_Rust.pdf", "content_ref_id": tailored["ref_id"] });
    let (stored, _) = model.hop("store_artifact", arguments).await;
    let arguments = json!({ "summary": "tailored", "artifacts": ["Resume_Rust.pdf"] });
    let (completed, _) = model.hop("complete_workflow", arguments).await;
    assert_eq!(data(&completed)["state"], "completed", "{completed}");

    let made = stored_bytes(&archive, &stored).await;
    its_text_is_the_person_s(&pdftotext(&made));
    let heard = model.heard();
    for bytes in ["%PDF-", "JVBERi"] {
        assert!(!String::from_utf8_lossy(&heard).contains(bytes), "the model saw bytes of a PDF");
    }
    archive.verify();
}

fn holds_the_person(resume: &Value) {
    assert_eq!(resume["basics"]["name"], "Mara Lindqvist", "{resume:#}");
    assert_eq!(resume["basics"]["email"], "mara.lindqvist@example.com");
    let work = resume["work"].as_array().expect("work");
    assert_eq!(work.len(), 2, "{work:#?}");
    assert_eq!(work[0]["name"], "Northwind Payments", "{work:#?}");
    assert_eq!(work[0]["position"], "Senior Software Engineer", "{work:#?}");
    assert_eq!((&work[0]["startDate"], work[0].get("endDate")), (&json!("2020-03"), None), "{work:#?}");
    assert_eq!(
        (&work[1]["startDate"], &work[1]["endDate"]),
        (&json!("2015-08"), &json!("2020-02")),
        "{work:#?}"
    );
    let education = &resume["education"][0];
    assert_eq!(education["institution"], "Chalmers University of Technology", "{education:#}");
    let skills = resume["skills"].to_string();
    for skill in ["Rust", "PostgreSQL", "Kubernetes", "Terraform"] {
        assert!(skills.contains(skill), "{skill}: {skills}");
    }
}

fn says_what_fits(fit: &Value) {
    let score = fit["score"].as_f64().expect("a score");
    assert!((40.0..=100.0).contains(&score), "{fit:#}");
    let matched = fit["matched"].to_string();
    for skill in ["Rust", "PostgreSQL", "Kubernetes"] {
        assert!(matched.contains(skill), "{skill}: {fit:#}");
    }
    let missing = fit["missing"].to_string();
    assert!(missing.contains("SAP"), "{fit:#}");
}

async fn stored_bytes(archive: &Archive, stored: &Value) -> Vec<u8> {
    let artifact = text(&data(stored)["artifact"]).to_owned();
    let fetched = archive.fetch(archive.agent(), &format!("/artifacts/{artifact}/content")).await;
    assert_eq!(fetched.status, 200);
    assert!(fetched.bytes.starts_with(b"%PDF-"));
    fetched.bytes
}

/// The person's own skills are in it; those that only the job asks for are not.
fn its_text_is_the_person_s(text: &str) {
    for there in ["Mara Lindqvist", "Northwind Payments", "Fjord Analytics", "Chalmers", "PostgreSQL"] {
        assert!(text.contains(there), "{there}: {text}");
    }
    assert!(!text.contains("ABAP") && !text.contains("SAP"), "{text}");
}
