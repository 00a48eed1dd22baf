//! Pages of what the platform keeps, in the console: pointers that are promoted, manifests as folders, schemas in words, knowledge bases that are asked.

use serde_json::{Value, json};

use super::person::{DESK, PHONE, Person};
use super::plain::Visitor;
use super::webdriver::key;
use crate::files::archive::text;
use crate::governed::bank::NO_HOLD;
use crate::governed::database::Backing;
use crate::knowledge::{KnowledgeLibrary, lease_pdf};
use crate::live::site::Site;

/// Closes tags and quotes, includes scripts, and turns text around.
const EVIL: &str = "\"'></textarea></title><script>window.pwned=1</script><img src=x onerror=\"window.pwned=2\">\u{202e}gnp.exe";
/// The same as far as a path may have it.
const EVIL_PATH: &str = "in/<img src=x onerror=window.pwned=3>\"'&?#%2F.md";

/// Some of everything that is kept, with these words wherever words are free.
pub(crate) struct KeptThings {
    /// A bundle that leads from `old` to `new`.
    pub(crate) pointer: String,
    pub(crate) old: String,
    pub(crate) new: String,
    /// The second version.
    pub(crate) schema: String,
    pub(crate) base: String,
}

impl KeptThings {
    pub(crate) async fn keep(site: &Site, words: &str, path: &str) -> Self {
        let artifact = async |content: &str| {
            let stored =
                done(site, "substrate.artifact.upload", json!({ "text": content, "filename": "letter.md" }))
                    .await;
            text(&stored["sha256"]).to_owned()
        };
        let (one, two) = (artifact("Dear Ann,").await, artifact("Dear Ben,").await);
        let entry = |path: &str, artifact: &str| json!({ "path": path, "artifact_sha256": artifact, "metadata": { "note": words } });
        let entries = json!([entry(path, &one), entry("in/2026/a.md", &one), entry("about.md", &one)]);
        let old =
            made(site, json!({ "entries": entries, "message": words, "metadata": { "note": words } })).await;
        let entries = json!([entry(path, &two), entry("in/2026/b.md", &two), entry("about.md", &one)]);
        let new = made(site, json!({ "entries": entries, "message": words, "parent_sha256": old })).await;
        let named = |more: Value| merged(json!({ "namespace": "office", "name": "letters" }), more);
        let first = named(json!({ "manifest_sha256": old, "description": words, "reason": words }));
        let pointer = done(site, "substrate.pointer.create", first).await;
        let on = named(json!({ "manifest_sha256": new, "expected_sha256": old, "reason": words }));
        done(site, "substrate.pointer.advance", on).await;
        let mut schema = Value::Null;
        for more in [json!({}), json!({ "note": { "type": "string", "description": words } })] {
            let definition = json!({ "type": "object", "title": words, "properties": more });
            let wanted = json!({ "name": "letter", "definition": definition, "description": words });
            schema = done(site, "schema.register", wanted).await["schema"]["id"].clone();
        }
        let pointers = json!([{ "namespace": "office", "name": "letters" }]);
        let wanted = json!({ "name": "letters", "title": words, "description": words, "pointers": pointers });
        let base = done(site, "knowledge.kb_create", wanted).await;
        Self {
            pointer: text(&pointer["id"]).to_owned(),
            old,
            new,
            schema: text(&schema).to_owned(),
            base: text(&base["kb"]["id"]).to_owned(),
        }
    }

    /// The pages about them: a name for screenshots, and the path.
    pub(crate) fn pages(&self) -> Vec<(&'static str, String)> {
        let Self { pointer, old, new, schema, base } = self;
        vec![
            ("pointers", "/console/pointers".to_owned()),
            ("pointer", format!("/console/pointers/{pointer}")),
            ("manifest", format!("/console/manifests/{new}")),
            ("manifest-folder", format!("/console/manifests/{new}?folder=in/2026")),
            ("manifest-changes", format!("/console/manifests/{new}/changes?since={old}")),
            ("schemas", "/console/schemas".to_owned()),
            ("schema", format!("/console/schemas/{schema}")),
            ("knowledge", "/console/knowledge".to_owned()),
            ("knowledge-base", format!("/console/knowledge/{base}")),
        ]
    }
}

fn merged(mut one: Value, more: Value) -> Value {
    let members = more.as_object().expect("members").clone();
    one.as_object_mut().expect("members").extend(members);
    one
}

async fn made(site: &Site, arguments: Value) -> String {
    text(&done(site, "substrate.manifest.create", arguments).await["sha256"]).to_owned()
}

/// The data of a call by the admin, which must succeed.
async fn done(site: &Site, tool: &str, arguments: Value) -> Value {
    let said =
        site.rest(&site.gateway.admin, "POST", &format!("/tools/{tool}"), Some(arguments.clone())).await;
    assert_eq!(said.status, 200, "{tool} {arguments}: {said:?}");
    said.json()["data"].clone()
}

fn site(level: &str) -> Site {
    Site::open_as(Backing::Sqlite, &format!("[policy]\ntemplate = {level:?}\n{NO_HOLD}"))
}

#[tokio::test]
async fn a_corpus_is_promoted_when_people_agree_and_its_history_says_who_and_why() {
    let site = site("standard");
    let kept = KeptThings::keep(&site, "letters of the office", "in/letter.md").await;
    let corpus = json!({ "namespace": "office", "name": "sent", "pointer_type": "corpus" });
    let corpus = text(&done(&site, "substrate.pointer.create", corpus).await["id"]).to_owned();
    let otto = site.token("--role operator --principal otto --kind human");
    let person = Person::logged_in(&site.gateway, &otto).await;
    person.open("/console/pointers").await;
    person.click("office:sent").await;
    person.gets_to(&format!("/console/pointers/{corpus}")).await;
    person.fill("Or the pointer", "office:letters").await;
    person.fill("Reason", "the letters are signed").await;
    person.click("Promote").await;
    person.sees("a person must approve it first").await;
    let waiting = site.get("/approvals?state=pending").await;
    let id = text(&waiting["approvals"][0]["id"]).to_owned();
    assert_eq!(site.get(&format!("/pointers/{corpus}")).await["manifest"], json!(null), "not before");
    site.say(&["approvals", "approve", &id]);
    // The same form again is the same call, which was agreed to.
    person.click("Promote").await;
    person.sees("Moved. The pointer now leads to").await;
    for words in ["promote", "the letters are signed", "otto", "agreed in"] {
        person.sees(words).await;
    }
    let shown = site.get(&format!("/pointers/{corpus}")).await;
    assert_eq!(shown["manifest"], json!(kept.new), "{shown}");
    let history = site.get(&format!("/pointers/{corpus}/moves")).await;
    assert_eq!((&history["moves"][0]["approval"], &history["moves"][0]["by"]), (&json!(id), &json!("otto")));
    let calls = site.get("/calls?tool=substrate.pointer.promote").await;
    assert!(calls["calls"].as_array().is_some_and(|calls| !calls.is_empty()), "the ledger has it: {calls}");
    person.leaves_forgiving(&["status of 4"]).await;
}

#[tokio::test]
async fn a_move_is_refused_if_the_pointer_moved_meanwhile_and_moves_back_with_a_click() {
    let site = site("exploratory");
    let kept = KeptThings::keep(&site, "letters of the office", "in/letter.md").await;
    let page = format!("/console/pointers/{}", kept.pointer);
    let person = Person::logged_in(&site.gateway, &site.gateway.admin).await;
    person.open(&page).await;
    person.click("Move back").await;
    assert_eq!(person.value("Manifest to move to").await, kept.old);
    let other = made(&site, json!({ "entries": [], "message": "empty" })).await;
    let on = json!({ "namespace": "office", "name": "letters", "manifest_sha256": other });
    done(&site, "substrate.pointer.advance", on).await;
    person.fill("Reason", "too early").await;
    person.press(key::ENTER).await;
    person.sees(&format!("leads to {other}")).await;
    assert_eq!(
        site.get(&format!("/pointers/{}", kept.pointer)).await["manifest"],
        json!(other),
        "nothing moved"
    );
    person.open(&format!("{page}?to={}", kept.old)).await;
    person.fill("Reason", "now").await;
    person.press(key::ENTER).await;
    person.sees("Moved. The pointer now leads to").await;
    assert_eq!(site.get(&format!("/pointers/{}", kept.pointer)).await["manifest"], json!(kept.old));
    person.leaves_forgiving(&["status of 4"]).await;
}

#[tokio::test]
async fn a_manifest_is_a_tree_and_its_difference_leads_to_the_files() {
    let site = site("exploratory");
    let kept = KeptThings::keep(&site, "letters of the office", "in/letter.md").await;
    let person = Person::logged_in(&site.gateway, &site.gateway.admin).await;
    person.open(&format!("/console/pointers/{}", kept.pointer)).await;
    person.click("What changed").await;
    person.sees("1 added, 1 removed, 1 changed, 0 with other metadata").await;
    person.click("The whole manifest").await;
    person.click("in/").await;
    person.click("2026/").await;
    person.sees("b.md").await;
    assert!(!person.text().await.contains("letter.md"), "only this folder: {}", person.text().await);
    person.click("b.md").await;
    person.gets_to("/console/artifacts/").await;
    person.sees("Dear Ben,").await;
    person.open(&format!("/console/manifests/{}/changes", kept.new)).await;
    person.sees("3 added").await;
    let visitor = Visitor::enters(&site.gateway, &site.gateway.admin).await;
    for (path, status) in
        [("/console/manifests/x", 400), (&*format!("/console/manifests/sha256:{}", "0".repeat(64)), 404)]
    {
        assert_eq!(visitor.get(path).await.status, status, "{path}");
    }
    person.leaves().await;
}

#[tokio::test]
async fn a_schema_says_in_words_what_changed() {
    let site = site("exploratory");
    KeptThings::keep(&site, "letters of the office", "in/letter.md").await;
    let person = Person::logged_in(&site.gateway, &site.gateway.admin).await;
    person.open("/console/schemas").await;
    person.click("letter").await;
    person.sees("only optional members were added: `note`").await;
    person.click("Version 1").await;
    person.sees("letter version 1").await;
    person.click("compare with version 2").await;
    person.sees("What changed since version 2").await;
    person.leaves().await;
}

#[tokio::test]
async fn a_knowledge_base_is_asked_and_each_sentence_leads_to_its_page() {
    let lines = ["The lease begins in May.", "The notice period of the lease is thirty days."];
    let library = KnowledgeLibrary::open(&[("lease.pdf", &lease_pdf(&lines))], "legal-citations").await;
    let person = Person::logged_in(&library.site.gateway, library.admin()).await;
    person.open("/console/knowledge").await;
    person.click("contracts").await;
    person.sees("ready").await;
    person.fill("Question", "notice period of the lease").await;
    person.press(key::ENTER).await;
    person.sees("thirty days").await;
    person.click_in("thirty days", "[1]").await;
    person.gets_to("/console/citations?").await;
    person.sees("Cited from").await;
    let drawn = person.run("return document.querySelectorAll('svg.cited-page .cited').length", vec![]).await;
    assert!(drawn.as_u64() > Some(0), "it is drawn on its page");
    let calls = library.site.get("/calls?tool=knowledge.kb_query").await;
    assert!(calls["calls"].as_array().is_some_and(|calls| !calls.is_empty()), "the ledger has it: {calls}");
    person.leaves().await;
    let auditor = library.site.token("--role auditor --principal eve");
    let visitor = Visitor::enters(&library.site.gateway, &auditor).await;
    let listed = visitor.links("/console/knowledge").await;
    let base = listed.iter().find(|link| link.starts_with("/console/knowledge/kb_")).expect("a base").clone();
    let page = visitor.get(&base).await;
    assert!(page.status == 200 && !page.text.contains("name=\"query\""), "auditors do not read documents");
    let csrf = visitor.csrf().await;
    let asked = visitor.post(&base, &[("csrf", &csrf), ("query", "notice")], &[]).await;
    assert_eq!(asked.status, 403, "{asked:?}");
}

#[tokio::test]
async fn hostile_words_stay_words_on_the_pages_of_what_is_kept() {
    let site = site("exploratory");
    let kept = KeptThings::keep(&site, EVIL, EVIL_PATH).await;
    let person = Person::logged_in(&site.gateway, &site.gateway.admin).await;
    let mut pages: Vec<String> = kept.pages().into_iter().map(|(_, path)| path).collect();
    pages.push(format!("/console/manifests/{}?folder=in", kept.new));
    pages.push(format!("/console/manifests/{}/changes", kept.old));
    for path in pages {
        for screen in [DESK, PHONE] {
            person.sits_at(screen).await;
            person.open(&path).await;
            assert_eq!(person.status().await, 200, "{path}");
            let ran = person.run("return window.pwned ?? null", vec![]).await;
            let planted =
                "return document.body.querySelectorAll('script, [onerror], [onload], iframe').length";
            assert!(ran.is_null() && person.run(planted, vec![]).await == 0, "{path}: something acts");
            assert_eq!(person.sticks_out().await, None, "{path} ({})", screen.name);
        }
    }
    person.leaves().await;
}

#[tokio::test]
async fn only_those_who_audit_see_what_is_kept() {
    let site = site("exploratory");
    let kept = KeptThings::keep(&site, "letters of the office", "in/letter.md").await;
    let approver =
        Visitor::enters(&site.gateway, &site.token("--role approver --principal ann --kind human")).await;
    let auditor = Visitor::enters(&site.gateway, &site.token("--role auditor --principal eve")).await;
    for (name, path) in kept.pages() {
        assert_eq!(approver.get(&path).await.status, 403, "{name}");
        let page = auditor.get(&path).await;
        assert_eq!(page.status, 200, "{name}: {page:?}");
        assert!(page.text.len() < 100 << 10 && !page.text.contains("style="), "{name}: {}", page.text.len());
        assert!(!page.text.contains("id=\"manifest\""), "{name}: auditors move nothing");
    }
}
