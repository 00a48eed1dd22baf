//! No dead ends: every link of the documentation and of the console leads somewhere, for every role that sees
//! it. And large pages are sent small.

use std::io::Read as _;

use flate2::read::GzDecoder;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, VARY};

use super::links::walk;
use super::office::Office;
use super::plain::{Visitor, client};
use crate::boot;

#[tokio::test]
async fn every_link_of_the_documentation_leads_somewhere() {
    let gateway = boot("");
    let found = walk(&gateway, &["/docs"], None).await;
    assert!(found.broken.is_empty(), "{:#?}", found.broken);
    for page in ["/docs", "/docs/quick-start"] {
        assert!(
            found.pages.iter().any(|one| one.starts_with(page)),
            "{page} is not linked: {:?}",
            found.pages
        );
    }
}

#[tokio::test]
async fn every_link_of_the_console_leads_somewhere_for_whoever_sees_it() {
    let busy = Office::busy().await;
    let pages = busy.pages().await;
    let starts: Vec<&str> = pages.iter().map(|(_, path)| path.as_str()).collect();
    for (role, who) in [("admin", "ada"), ("operator", "otto"), ("approver", "ann"), ("auditor", "ines")] {
        let visitor = Visitor::enters(busy.office.gateway(), &busy.office.token(role, who)).await;
        // An admin finds every page; the others start at the overview.
        let starts = if role == "admin" { &starts[..] } else { &["/"][..] };
        let found = walk(busy.office.gateway(), starts, Some(&visitor.cookie)).await;
        let broken: Vec<&String> = found.broken.iter().filter(|one| !one.contains("no-such-page")).collect();
        assert!(broken.is_empty(), "as {role}: {broken:#?}");
        assert!(found.pages.len() > 5, "as {role}: {:?}", found.pages);
    }
}

#[tokio::test]
async fn a_large_page_is_compressed_for_whoever_takes_it() {
    let gateway = boot("");
    let ask = |encodings: &'static str| {
        client().get(gateway.url("/docs/reference/rest")).header(ACCEPT_ENCODING, encodings).send()
    };
    let plain = ask("gzip;q=0, identity").await.expect("an answer");
    let packed = ask("br, gzip").await.expect("an answer");
    assert_eq!(plain.headers().get(CONTENT_ENCODING), None);
    assert_eq!(packed.headers()[CONTENT_ENCODING], "gzip");
    for one in [&plain, &packed] {
        assert!(one.headers().get_all(VARY).iter().any(|name| name == "accept-encoding"), "{one:?}");
    }
    let (plain, packed) = (plain.text().await.expect("a page"), packed.bytes().await.expect("a page"));
    assert!(packed.len() * 4 < plain.len(), "{} of {}", packed.len(), plain.len());
    let mut unpacked = String::new();
    GzDecoder::new(&packed[..]).read_to_string(&mut unpacked).expect("gzip");
    assert_eq!(unpacked, plain);
}
