//! Contents as people see them: tables, texts, pictures and pages, beside a run and on pages of their own.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use super::axe;
use super::office::Office;
use super::person::{DESK, PHONE, Person};
use super::plain::Visitor;
use crate::governed::bank::envelope;
use crate::knowledge::{KnowledgeLibrary, lease_pdf};
use crate::runs::work::Work;

const EVIL: &str = "</td></table><script>window.pwned=1</script><img src=x onerror=window.pwned=2>";

#[tokio::test]
async fn the_artifacts_of_a_run_are_shown_as_what_they_are() {
    let office = Office::open().await;
    let work = Work::start_by(&office.archive, &office.helper.token, json!({})).await;
    work.look_around().await;
    let csv = format!("name,note\nAnn,\"paid, twice\"\n\"{EVIL}\",\n");
    let rows = json!([{ "city": "Graz", "people": 3 }, { "city": EVIL }]).to_string();
    for (name, content) in
        [("rows.csv", csv), ("rows.json", rows), ("letter.md", "# Dear Ann, fine".to_owned())]
    {
        let stored = work.call("store_artifact", json!({ "file_name": name, "content": content })).await;
        assert_ne!(stored["isError"], true, "{stored}");
    }
    let taken = work.call("docs__picture", json!({})).await;
    let picture = envelope(&taken)["refs"][0]["ref_id"].clone();
    let stored =
        work.call("store_artifact", json!({ "file_name": "shot.png", "content_ref_id": picture })).await;
    assert_ne!(stored["isError"], true, "{stored}");
    let person = Person::logged_in(office.gateway(), &office.token("admin", "ada")).await;
    for screen in [DESK, PHONE] {
        person.sits_at(screen).await;
        person.open(&format!("/console/runs/{}", work.id)).await;
        for told in ["paid, twice", "Graz", "Dear Ann, fine", "shot.png"] {
            person.sees(told).await;
        }
        let tables =
            person.run("return document.querySelectorAll('#output table.content').length", vec![]).await;
        assert_eq!(tables, 2, "{}", screen.name);
        person
            .until("the picture is there", "const one = document.querySelector('#output img.preview'); \
                if (one === null) return false; one.loading = 'eager'; return one.complete && one.naturalWidth > 0")
            .await;
        assert!(person.run("return window.pwned ?? null", vec![]).await.is_null());
        assert_eq!(person.sticks_out().await, None, "{}", screen.name);
        assert_eq!(axe::findings(&person).await, Vec::<String>::new(), "{}", screen.name);
    }
    let auditor = Visitor::enters(office.gateway(), &office.token("auditor", "ines")).await;
    let run = auditor.get(&format!("/console/runs/{}", work.id)).await;
    assert!(run.text.contains("may see that they exist, but not their content"), "{}", run.text);
    person.sits_at(DESK).await;
    person.click("rows.csv").await;
    person.sees("Preview").await;
    person.sees("paid, twice").await;
    assert_eq!(axe::findings(&person).await, Vec::<String>::new());
    person.leaves().await;
}

#[tokio::test]
async fn the_pages_of_a_pdf_are_shown_as_pictures() {
    let library =
        KnowledgeLibrary::open(&[("lease.pdf", &lease_pdf(&["It begins in May."]))], "legal-citations").await;
    let content = BASE64_STANDARD.encode(lease_pdf(&["Rent is due on the first day."]));
    let stored =
        library.done("substrate.artifact.upload", json!({ "base64": content, "filename": "rent.pdf" })).await;
    let sha256 = stored["sha256"].as_str().expect("it has a digest");
    let person = Person::logged_in(&library.site.gateway, library.admin()).await;
    person.open(&format!("/console/artifacts/{sha256}")).await;
    person.sees("Page 1").await;
    let drawn = "const one = document.querySelector('img.paged'); return one !== null && one.complete && one.naturalWidth > 1000";
    person.until("the page is drawn", drawn).await;
    assert!(!person.can_click("Next page").await, "it has one page");
    assert_eq!(axe::findings(&person).await, Vec::<String>::new());
    person.open(&format!("/console/artifacts/{sha256}?page=2")).await;
    person.sees("This page cannot be drawn").await;
    person.leaves().await;
}
