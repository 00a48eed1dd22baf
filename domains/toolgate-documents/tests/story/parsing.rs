//! One document: parsed once, kept, cited.

use docir::CitationStanding;
use engine_protocol::DocumentTier;
use toolgate_documents::ParsedDocument;

use crate::world::{DocumentsGateway, DocumentsWorld, TEXT, ada};

crate::on_both!(
    a_document_is_parsed_once_for_each_parser_and_tier,
    a_docir_is_an_artifact_and_is_read_again,
    what_cannot_be_read_is_refused_and_not_kept,
    a_citation_stands_where_it_was_made,
);

async fn parse(gateway: &DocumentsGateway, content: &str, tier: DocumentTier) -> ParsedDocument {
    let artifact = gateway.store(content).await;
    let parsed = gateway.documents.parsed(artifact, Some("text/plain"), Some("a.txt"), tier, &ada()).await;
    parsed.expect("parsed")
}

async fn a_document_is_parsed_once_for_each_parser_and_tier(world: DocumentsWorld) {
    let gateway = world.gateway().await;
    let first = parse(&gateway, "a lease", DocumentTier::Standard).await;
    assert_eq!((first.parser.as_str(), first.tier.as_str(), first.items), ("docir-1", "standard", 1));
    assert_eq!(parse(&gateway, "a lease", DocumentTier::Standard).await, first);
    assert_eq!(gateway.engine.parses(), 1, "the second parse costs nothing");
    parse(&gateway, "a lease", DocumentTier::Deep).await;
    parse(&gateway, "a letter", DocumentTier::Standard).await;
    assert_eq!(gateway.engine.parses(), 3);
    gateway.engine.upgrade("docir-2");
    let again = parse(&gateway, "a lease", DocumentTier::Standard).await;
    assert_eq!((again.parser.as_str(), gateway.engine.parses()), ("docir-2", 4));
}

async fn a_docir_is_an_artifact_and_is_read_again(world: DocumentsWorld) {
    let gateway = world.gateway().await;
    let parsed = parse(&gateway, "a lease", DocumentTier::Standard).await;
    let rows = gateway.store.artifact_rows(&parsed.docir).await.expect("read");
    assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["docir.json"]);
    for _ in 0..2 {
        let docir = gateway.documents.docir(parsed.docir).await.expect("read");
        assert_eq!(docir.text("#/texts/0").as_deref(), Some(TEXT));
    }
    let refused = gateway.documents.docir(parsed.artifact).await.expect_err("that is the document");
    assert_eq!(refused.code.name, "unreadable_document");
    assert!(!refused.hint.is_empty(), "{refused:?}");
}

async fn what_cannot_be_read_is_refused_and_not_kept(world: DocumentsWorld) {
    let gateway = world.gateway().await;
    let artifact = gateway.store("a lease").await;
    let standard = DocumentTier::Standard;
    let refused = gateway.documents.parsed(artifact, None, Some("damaged.pdf"), standard, &ada()).await;
    assert_eq!(refused.expect_err("refused").code.name, "unreadable_document");
    let kept = gateway.store.parsed_document(&artifact, "docir-1", "standard").await.expect("read");
    assert_eq!(kept, None);
}

async fn a_citation_stands_where_it_was_made(world: DocumentsWorld) {
    let gateway = world.gateway().await;
    let parsed = parse(&gateway, "a lease", DocumentTier::Standard).await;
    let cited = gateway.documents.cite(parsed.artifact, parsed.docir, "#/texts/0", 4..24).await;
    let citation = cited.expect("read").expect("there is such a place");
    assert_eq!(citation.quote.exact, &TEXT[4..24]);
    assert_eq!(format!("sha256:{}", citation.docir), parsed.docir.to_string());
    let standing = gateway.documents.check(&citation).await.expect("checked");
    assert_eq!(standing, CitationStanding::Verified);
    let mut false_one = citation.clone();
    false_one.quote.exact = "The landlord pays the rent".to_owned();
    let standing = gateway.documents.check(&false_one).await.expect("checked");
    assert_eq!(standing, CitationStanding::Absent);
    let nowhere = gateway.documents.cite(parsed.artifact, parsed.docir, "#/texts/9", 0..4).await;
    assert_eq!(nowhere.expect("read"), None);
    let mut unnamed = citation;
    unnamed.docir = "none".to_owned();
    let refused = gateway.documents.check(&unnamed).await.expect_err("no digest");
    assert_eq!(refused.code.name, "invalid_arguments");
}
