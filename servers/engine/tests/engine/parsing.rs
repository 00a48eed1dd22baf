//! Documents: parsed in processes of their own, which may die.

use std::path::Path;
use std::process::Command;

use docir::DocIr;
use engine_protocol::{
    ClassLabel, Classified, Classify, EngineErrorCode, EngineRequest, PagePicture, Parsed, RenderedPicture,
};

use super::drive::{EngineProcess, eventually, get, put};
use super::made::{document, parse_of, pdf};

#[test]
fn a_pdf_becomes_a_docir_in_the_folder_and_its_page_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    let artifact = put(folder.path(), &pdf("The contract ends in May."));
    let parse = EngineRequest::Parse(parse_of(&artifact, "application/pdf"));
    let parsed: Parsed = engine.ask(parse.clone()).unwrap();
    assert_eq!((parsed.pages, parsed.media_type.as_str()), (1, "application/pdf"));
    let bytes = get(folder.path(), &parsed.docir);
    assert_eq!(bytes.len() as u64, parsed.bytes);
    let read = DocIr::read(&bytes).unwrap();
    assert!(read.items().iter().any(|item| item.text.contains("The contract ends in May.")));
    assert_eq!(
        engine.ask::<Parsed>(parse).unwrap().docir,
        parsed.docir,
        "the same bytes make the same DocIR"
    );
    let picture = PagePicture { artifact, media_type: None, page: 1, width: 200 };
    let drawn: RenderedPicture = engine.ask(EngineRequest::PagePicture(picture)).unwrap();
    assert_eq!((drawn.width, drawn.page_width.round()), (200, 595.0));
    assert!(get(folder.path(), &drawn.picture).starts_with(b"\x89PNG"));
}

#[test]
fn a_document_that_is_missing_or_damaged_on_disk_is_asked_for_and_an_empty_one_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    let artifact = put(folder.path(), b"# Whole");
    let place = folder.path().join("contents").join(artifact.as_str());
    std::fs::write(&place, b"# Hole").unwrap();
    let parse = EngineRequest::Parse(parse_of(&artifact, "text/markdown"));
    for _ in 0..2 {
        let fault = engine.ask::<Parsed>(parse.clone()).unwrap_err();
        assert_eq!((fault.code, fault.missing), (EngineErrorCode::MissingContents, vec![artifact.clone()]));
        assert!(!place.exists(), "it was removed, so that it is brought again");
    }
    put(folder.path(), b"# Whole");
    assert!(engine.ask::<Parsed>(parse).is_ok());
    let empty = put(folder.path(), b"");
    let parse = EngineRequest::Parse(parse_of(&empty, "text/markdown"));
    assert_eq!(engine.refusal::<Parsed>(parse), EngineErrorCode::Unreadable);
}

#[test]
fn a_worker_that_is_killed_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    document(&mut engine, folder.path(), "one.md", "Something.");
    let worker = eventually(|| child_of(engine.child.id()));
    assert!(Command::new("kill").args(["-9", &worker.to_string()]).status().unwrap().success());
    document(&mut engine, folder.path(), "two.md", "Something else.");
    assert_ne!(eventually(|| child_of(engine.child.id())), worker);
}

/// A child that is no zombie.
fn child_of(parent: u32) -> Option<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.find(|id| {
        let stat =
            std::fs::read_to_string(Path::new("/proc").join(id.to_string()).join("stat")).unwrap_or_default();
        // The name of the program is in brackets and may have blanks in it.
        let after_name = stat.rsplit_once(") ").map(|(_, rest)| rest).unwrap_or_default();
        let mut words = after_name.split(' ');
        words.next() != Some("Z") && words.next() == Some(parent.to_string().as_str())
    })
}

#[test]
fn a_document_is_classified_with_the_sentence_that_speaks_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = EngineProcess::start(folder.path());
    let text = "Hello to all of you. The invoice has to be paid within thirty days of its date.";
    let docir = document(&mut engine, folder.path(), "one.md", text).docir;
    let label =
        |name: &str, said: &str| ClassLabel { name: name.to_owned(), description: Some(said.to_owned()) };
    let labels = vec![label("recipe", "cooking, ingredients"), label("invoice", "payment, paid, days")];
    let classify = Classify { docir: docir.clone(), labels };
    let classified: Classified = engine.ask(EngineRequest::Classify(classify)).unwrap();
    assert_eq!((classified.method.as_str(), classified.scores[0].label.as_str()), ("words", "invoice"));
    let evidence = &classified.scores[0].evidence[0];
    let read = DocIr::read(&get(folder.path(), &docir)).unwrap();
    let item = read.text(&evidence.item).unwrap();
    let said: String =
        item.chars().skip(evidence.start as usize).take((evidence.end - evidence.start) as usize).collect();
    assert_eq!(said, "The invoice has to be paid within thirty days of its date.");
    let nothing = Classify { docir, labels: Vec::new() };
    assert_eq!(engine.refusal::<Classified>(EngineRequest::Classify(nothing)), EngineErrorCode::BadRequest);
}
