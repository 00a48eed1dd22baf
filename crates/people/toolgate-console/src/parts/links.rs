//! Ids as links to the things that they name.

use maud::{Markup, html};
use serde_json::Value;

use super::text;
use crate::address::PageAddress;

/// The prefixes of ids, and the pages for them.
const PLACES: [(&str, &[&str]); 14] = [
    ("tc_", &["console", "calls"]),
    ("apr_", &["console", "inbox", "approvals"]),
    ("inp_", &["console", "inbox", "inputs"]),
    ("run_", &["console", "runs"]),
    ("ses_", &["console", "sessions"]),
    ("task_", &["console", "tasks"]),
    ("aut_", &["console", "automations"]),
    ("clm_", &["console", "claims"]),
    ("ptr_", &["console", "pointers"]),
    ("sch_", &["console", "schemas"]),
    ("kb_", &["console", "knowledge"]),
    ("file_", &["console", "files"]),
    ("ref_", &["console", "refs"]),
    ("sha256:", &["console", "artifacts"]),
];
const ID_CHARS_MAX: usize = 96;
const DIGEST_DIGITS: usize = 64;
/// The number of last characters of an id in a list.
const BRIEF_CHARS: usize = 8;

/// The page for an id, if there is one. Digests name bodies too, so those are links only if they are known to
/// be artifacts: see [`artifact`].
pub(crate) fn place_of(id: &str) -> Option<PageAddress> {
    let (beginning, place) = PLACES.iter().find(|(beginning, _)| id.starts_with(beginning))?;
    let rest = &id[beginning.len()..];
    let plain =
        !rest.is_empty() && rest.chars().all(|one| one.is_ascii_alphanumeric() || one == '_' || one == '-');
    if !plain || id.len() > ID_CHARS_MAX || *beginning == "sha256:" {
        return None;
    }
    Some(match place {
        [first, second] => PageAddress::of([first, second, id]),
        [first, second, third] => PageAddress::of([first, second, third, id]),
        _ => return None,
    })
}

/// An id, as a link if there is a page about it.
pub(crate) fn id(id: &str) -> Markup {
    match place_of(id) {
        Some(place) => html! { a.id href=(place) { (text::short(id)) } },
        None => html! { code.id { (text::short(id)) } },
    }
}

/// The same in a list: all ids of one kind begin alike, so their ends are shown.
pub(crate) fn brief(id: &str) -> Markup {
    let shown = brief_text(id);
    match place_of(id) {
        Some(place) => html! { a.id href=(place) title=(id) { (shown) } },
        None => html! { code.id title=(id) { (shown) } },
    }
}

/// `tc_…3474a496`
pub(crate) fn brief_text(id: &str) -> String {
    let shown = text::made_visible(id);
    let count = shown.chars().count();
    let Some((kind, _)) = shown.split_once('_').filter(|_| count > BRIEF_CHARS * 2) else {
        return text::cut_at(&shown, BRIEF_CHARS * 2).0.to_owned();
    };
    let end: String = shown.chars().skip(count - BRIEF_CHARS).collect();
    format!("{}_…{end}", text::cut_at(kind, BRIEF_CHARS).0)
}

pub(crate) fn artifact(digest: &str) -> Markup {
    let shown = text::made_visible(text::cut_at(digest, 19).0);
    html! { a.id href=(PageAddress::of(["console", "artifacts", digest])) title=(digest) { (shown) "…" } }
}

/// A manifest: a link to its folders and files.
pub(crate) fn manifest(digest: &str) -> Markup {
    let shown = text::made_visible(text::cut_at(digest, 19).0);
    html! { a.id href=(PageAddress::of(["console", "manifests", digest])) title=(digest) { (shown) "…" } }
}

/// A pointer by its name. Its page, or the list if it is not there any more.
pub(crate) fn pointer(namespace: &str, name: &str) -> Markup {
    let place = PageAddress::of(["console", "pointers"]).with("namespace", namespace).with("name", name);
    html! { a.pointer href=(place) { (text::short(&format!("{namespace}:{name}"))) } }
}

/// An object that a result names: its kind, and a link where there is a page about it. Stored parts have no kind.
pub(crate) fn object(one: &Value) -> Markup {
    let word = |key: &str| one[key].as_str().unwrap_or_default();
    html! {
        @if one["ref_id"].is_string() { (id(word("ref_id"))) } @else {
            (text::short(&word("type").replace('_', " "))) " "
            @match word("type") {
                "artifact" => (artifact(word("sha256"))),
                "manifest" => (manifest(word("sha256"))),
                "citation" => (citation(one)),
                _ => (id(word("id"))),
            }
        }
    }
}

/// The page for a digest, if the member that has it says of what it is.
pub(crate) fn place_of_member(member: &str, value: &str) -> Option<PageAddress> {
    let digits = value.strip_prefix("sha256:")?;
    if digits.len() != DIGEST_DIGITS || !digits.bytes().all(|one| one.is_ascii_hexdigit()) {
        return None;
    }
    match member {
        "manifest_sha256" | "index_manifest" | "source_manifest" => {
            Some(PageAddress::of(["console", "manifests", value]))
        }
        "artifact_sha256" => Some(PageAddress::of(["console", "artifacts", value])),
        _ => None,
    }
}

/// A citation, as a ref of a result names it: a link to the passage in its document.
pub(crate) fn citation(one: &Value) -> Markup {
    let word = |key: &str| one[key].as_str().unwrap_or_default();
    let number = |key: &str| one[key].as_u64().unwrap_or_default();
    let (artifact, item) = (word("artifact"), word("item"));
    let place = PageAddress::of(["console", "citations"])
        .with("artifact", artifact)
        .with("docir", word("docir"))
        .with("item", item)
        .with("start", number("start"))
        .with("end", number("end"));
    let shown = text::made_visible(text::cut_at(artifact, 19).0);
    html! { a.id href=(place) title=(artifact) { (shown) "… " (text::short(item)) } }
}

/// A tool of a server has a page. The gateway's own tools, whose names have no colon, have none.
pub(crate) fn tool(name: &str) -> Markup {
    html! {
        @if name.contains(':') {
            a.tool href=(PageAddress::of(["console", "tools", name])) { (text::short(name)) }
        } @else {
            span.tool { (text::short(name)) }
        }
    }
}

pub(crate) fn server(name: &str) -> Markup {
    html! { a.server href=(PageAddress::of(["console", "servers", name])) { (text::short(name)) } }
}

pub(crate) fn model(name: &str) -> Markup {
    html! { a.model href=(PageAddress::of(["console", "models", name])) { (text::short(name)) } }
}

/// A principal: a link to its actions.
pub(crate) fn principal(name: &str) -> Markup {
    html! { a.principal href=(PageAddress::of(["console", "calls"]).with("principal", name)) { (text::short(name)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_in_a_list_shows_its_end() {
        assert_eq!(brief_text("tc_01a1e1c6515473c8ac1575f23474a496"), "tc_…3474a496");
        assert_eq!((brief_text("tc_1").as_str(), brief_text("").as_str()), ("tc_1", ""));
    }

    #[test]
    fn a_citation_leads_to_its_passage_whatever_it_says() {
        let one = serde_json::json!({ "artifact": "sha256:ab", "docir": "sha256:cd", "item": "#/texts/3&x=\"", "start": 1, "end": 9 });
        let shown = citation(&one).into_string();
        let place = "/console/citations?artifact=sha256%3Aab&amp;docir=sha256%3Acd&amp;item=%23%2Ftexts%2F3%26x%3D%22&amp;start=1&amp;end=9";
        assert!(shown.contains(place), "{shown}");
    }

    #[test]
    fn objects_of_results_lead_to_their_pages() {
        let shown = |one: Value| object(&one).into_string();
        let manifest = shown(serde_json::json!({ "type": "manifest", "sha256": "sha256:ab" }));
        assert!(manifest.contains("href=\"/console/manifests/sha256%3Aab\""), "{manifest}");
        let base = shown(serde_json::json!({ "type": "knowledge_base", "id": "kb_1" }));
        assert!(base.contains("knowledge base") && base.contains("/console/knowledge/kb_1"), "{base}");
        let evil = shown(serde_json::json!({ "type": "<b>", "id": "\"><script>" }));
        assert!(!evil.contains("<b>") && !evil.contains("<script"), "{evil}");
        let named = pointer("a/b", "<img>").into_string();
        assert!(named.contains("namespace=a%2Fb&amp;name=%3Cimg%3E") && !named.contains("<img"), "{named}");
    }

    #[test]
    fn a_digest_is_a_link_where_its_member_says_of_what() {
        let digest = format!("sha256:{}", "a".repeat(64));
        let place = |member, value: &str| place_of_member(member, value).map(|place| place.to_string());
        assert!(
            place("manifest_sha256", &digest).is_some_and(|place| place.starts_with("/console/manifests/"))
        );
        assert!(
            place("artifact_sha256", &digest).is_some_and(|place| place.starts_with("/console/artifacts/"))
        );
        assert_eq!((place("sha256", &digest), place("manifest_sha256", "sha256:ab")), (None, None));
    }

    #[test]
    fn tools_of_servers_have_pages() {
        assert!(tool("bank:transfer").0.contains("href=\"/console/tools/bank"));
        let own = tool("run.get").0;
        assert!(own.contains("run.get") && !own.contains("href"), "{own}");
    }

    #[test]
    fn ids_lead_to_what_they_name() {
        let place = |id| place_of(id).map(|place| place.to_string());
        assert_eq!(place("tc_01").as_deref(), Some("/console/calls/tc_01"));
        assert_eq!(place("apr_01").as_deref(), Some("/console/inbox/approvals/apr_01"));
        assert_eq!(place("ptr_01").as_deref(), Some("/console/pointers/ptr_01"));
        assert_eq!(place("kb_01").as_deref(), Some("/console/knowledge/kb_01"));
        assert_eq!(place("task_01").as_deref(), Some("/console/tasks/task_01"));
        assert_eq!(place("aut_01").as_deref(), Some("/console/automations/aut_01"));
        for nothing in ["tc_", "tc_ x", "hello", "run_../../etc", "sha256:ab"] {
            assert_eq!(place(nothing), None, "{nothing}");
        }
    }
}
