//! Advertisements behind the gateway: a file becomes a posting, and a person is matched with it.

use serde_json::json;

use super::house::{open, pdf_of};
use crate::files::archive::structure;
use crate::kit::call;
use crate::runs::work::Work;

const ADVERT: &str = "# Senior Rust Engineer\n\nNorthwind Payments Ltd · Gothenburg, Sweden · Full-time\n\nWe pay €60,000 – €75,000 per year.\n\n\
    ## Requirements\n\n- Five years of Rust or Python\n- PostgreSQL and Kubernetes\n\n## Nice to have\n\n- Kafka\n\nApply by 31 March 2027 to jobs@northwind.example.\n";

#[tokio::test]
async fn an_advertisement_is_parsed_from_its_file_and_matched_with_a_person() {
    let archive = open("", &["job-search-mcp", "media-transform-mcp"]).await;
    let work = Work::start(&archive, json!({})).await;
    let pdf = pdf_of(&archive, &work.client, ADVERT).await;
    let file = archive.file("job.pdf", &pdf).await;
    let parsed = call(&work.client, "job-search-mcp__parse_job", json!({ "file_id": file })).await;
    let job = structure(&parsed).clone();
    assert_eq!(job["posting"]["title"], "Senior Rust Engineer", "{job:#}");
    assert_eq!(job["posting"]["baseSalary"]["value"]["maxValue"], 75000.0, "{job:#}");
    assert_eq!(job["posting"]["hiringOrganization"]["name"], "Northwind Payments Ltd", "{job:#}");
    assert_eq!(job["posting"]["validThrough"], "2027-03-31", "{job:#}");
    assert_eq!(job["must"].as_array().map(Vec::len), Some(2), "{job:#}");

    let profile =
        json!({ "basics": { "name": "Mara" }, "skills": [{ "name": "Rust" }, { "name": "PostgreSQL" }] });
    let arguments = json!({ "profile": profile, "job_ref_id": job["ref_id"] });
    let matched = call(&work.client, "job-search-mcp__match_profile", arguments).await;
    let matched = structure(&matched);
    assert!(matched["met"].to_string().contains("PostgreSQL"), "{matched:#}");
    assert!(matched["missing"].to_string().contains("Kubernetes"), "{matched:#}");
}
