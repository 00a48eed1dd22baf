//! Ids as links to the things that they name.

use maud::{Markup, html};
use serde_json::Value;

use super::text;
use crate::address::PageAddress;

/// The prefixes of ids, and the pages for them.
const PLACES: [(&str, &[&str]); 9] = [
    ("tc_", &["console", "calls"]),
    ("apr_", &["console", "inbox", "approvals"]),
    ("inp_", &["console", "inbox", "inputs"]),
    ("run_", &["console", "runs"]),
    ("ses_", &["console", "sessions"]),
    ("clm_", &["console", "claims"]),
    ("file_", &["console", "files"]),
    ("ref_", &["console", "refs"]),
    ("sha256:", &["console", "artifacts"]),
];
const ID_CHARS_MAX: usize = 96;
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
        for nothing in ["tc_", "tc_ x", "hello", "run_../../etc", "sha256:ab"] {
            assert_eq!(place(nothing), None, "{nothing}");
        }
    }
}
