//! A citation on its page: a picture with the cited line marked, or the text where there are no pages.

use serde_json::json;

use super::person::{DESK, PHONE, Person};
use super::pictures;
use super::plain::Visitor;
use crate::knowledge::{KnowledgeLibrary, lease_pdf};

const LINES: [&str; 3] = [
    "The lease begins in May.",
    "The notice period of the lease is thirty days.",
    "Rent is due on the first day.",
];
/// Closes tags, includes a script, and turns text around.
const EVIL: &str = "# Notice\n\nThe notice period of the lease </mark><script>window.pwned=1</script> is \u{202e}thirty days.\n";

/// The addresses of the citations of an answer about the notice period.
async fn cited(library: &KnowledgeLibrary) -> Vec<String> {
    let query =
        json!({ "kb": "contracts", "query": "notice period of the lease", "manner": "strict-evidence" });
    let answer = library.done("knowledge.kb_query", query).await;
    let addresses = KnowledgeLibrary::addresses(&answer);
    assert!(!addresses.is_empty(), "{answer:#}");
    addresses
}

#[tokio::test]
async fn a_citation_is_drawn_on_the_page_of_its_document() {
    let library = KnowledgeLibrary::open(&[("lease.pdf", &lease_pdf(&LINES))], "legal-citations").await;
    let address = cited(&library).await.remove(0);
    let visitor = Visitor::enters(&library.site.gateway, library.admin()).await;
    let page = visitor.get(&address).await;
    assert_eq!(page.status, 200, "{page:?}");
    assert!(
        page.text.contains("class=\"cited-page\"") && page.text.contains("<rect class=\"cited\""),
        "{}",
        page.text
    );
    assert!(!page.text.contains("style="), "pages have no styles of their own");
    let person = Person::logged_in(&library.site.gateway, library.admin()).await;
    for screen in [DESK, PHONE] {
        person.sits_at(screen).await;
        person.open(&address).await;
        person.sees("thirty days").await;
        // The box lies where the second of three lines is: below the first, above the third, within the page.
        let place = "const page = document.querySelector('svg.cited-page').getBoundingClientRect(); \
            const box = document.querySelector('svg .cited').getBoundingClientRect(); \
            return [(box.top - page.top) / page.height * 842, (box.left - page.left) / page.width * 595, box.width / page.width * 595]";
        let place = person.run(place, vec![]).await;
        let at = |number: usize| place[number].as_f64().expect("a number");
        assert!((140.0..165.0).contains(&at(0)), "{}: {place}", screen.name);
        assert!((66.0..74.0).contains(&at(1)) && (200.0..400.0).contains(&at(2)), "{}: {place}", screen.name);
        assert_eq!(person.sticks_out().await, None, "{}", screen.name);
        pictures::keep(&person, &format!("citation-{}", screen.name)).await;
    }
    let loaded = "const image = document.querySelector('svg.cited-page image').getAttribute('href'); \
        const picture = new Image(); picture.src = image; await picture.decode(); return picture.naturalWidth";
    let width = person.run(&format!("return (async () => {{ {loaded} }})()"), vec![]).await;
    // Pages are drawn in a whole number of pixels, which may be one less than was asked for.
    let width = width.as_u64().expect("a number");
    assert!((1_390..=1_400).contains(&width), "the picture of the page is there: {width}");
    person.leaves().await;
}

#[tokio::test]
async fn a_document_without_pages_shows_the_passage_in_its_text_and_nothing_in_it_acts() {
    let library = KnowledgeLibrary::open(&[("lease.md", EVIL.as_bytes())], "legal-citations").await;
    let address = cited(&library).await.remove(0);
    let person = Person::logged_in(&library.site.gateway, library.admin()).await;
    person.open(&address).await;
    person.sees("thirty days").await;
    let marked = person.run("return document.querySelectorAll('mark#cited').length", vec![]).await;
    assert_eq!(marked, 1);
    assert!(person.run("return window.pwned ?? null", vec![]).await.is_null(), "a document did something");
    let drawn = person.run("return document.querySelectorAll('svg.cited-page').length", vec![]).await;
    assert_eq!(drawn, 0);
    person.leaves().await;
}

#[tokio::test]
async fn a_call_links_to_what_it_cites_and_a_broken_link_says_what_is_wrong() {
    let library = KnowledgeLibrary::open(&[("lease.pdf", &lease_pdf(&LINES))], "legal-citations").await;
    cited(&library).await;
    let calls =
        library.site.rest(library.admin(), "GET", "/calls?tool=knowledge.kb_query", None).await.json();
    let call = calls["calls"][0]["id"]
        .as_str()
        .unwrap_or_else(|| panic!("the call is listed: {calls:#}"))
        .to_owned();
    let visitor = Visitor::enters(&library.site.gateway, library.admin()).await;
    let links = visitor.links(&format!("/console/calls/{call}")).await;
    let link =
        links.iter().find(|link| link.starts_with("/console/citations?")).expect("a link to the passage");
    assert_eq!(visitor.get(&link.replace("&amp;", "&")).await.status, 200, "{link}");
    for bad in ["/console/citations", "/console/citations?artifact=x&docir=y&item=%23/texts/0&start=0&end=1"]
    {
        let page = visitor.get(bad).await;
        assert!((400..500).contains(&page.status), "{bad}: {page:?}");
    }
}
