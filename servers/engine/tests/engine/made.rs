//! Documents, profiles and requests made for tests.

use std::path::Path;

use engine_protocol::{
    BeginBuild, Chunking, ContentId, DocumentTier, EngineKind, EngineRequest, FieldWeights, FinishBuild,
    FinishedBuild, Fusion, IndexListing, IndexRef, IngestDocument, Parse, Parsed, Profile, PutDocuments,
    PutSummary, Search, SearchFilter, SnippetRule, StartedBuild, Stemming, WordScoring,
};

use super::drive::{EngineProcess, put};

pub(crate) fn profile() -> Profile {
    Profile {
        name: "docs.test".to_owned(),
        version: 1,
        chunking: Chunking { words_max: 60, words_min: 10, overlap_sentences: 0 },
        fields: FieldWeights { title: 1.0, headings: 1.0, body: 1.0, path: 0.5 },
        words: WordScoring { k1: 1.2, b: 0.75, stemming: Stemming::English, candidates: 100, feedback: None },
        meaning: None,
        fusion: Fusion::Ranks { k: 60.0, words: 1.0, meaning: 1.0 },
        per_document: None,
        snippet: SnippetRule { tokens: 40, tokens_all: 400 },
    }
}

pub(crate) fn parse_of(artifact: &ContentId, media_type: &str) -> Parse {
    Parse {
        artifact: artifact.clone(),
        media_type: Some(media_type.to_owned()),
        file_name: None,
        tier: DocumentTier::Standard,
    }
}

/// A parsed document with a heading and this text.
pub(crate) fn document(engine: &mut EngineProcess, folder: &Path, path: &str, text: &str) -> IngestDocument {
    let artifact = put(folder, format!("# About {path}\n\n{text}\n").as_bytes());
    let parsed: Parsed = engine.ask(EngineRequest::Parse(parse_of(&artifact, "text/markdown"))).unwrap();
    IngestDocument {
        path: path.to_owned(),
        artifact,
        docir: parsed.docir,
        media_type: Some("text/markdown".to_owned()),
        metadata: serde_json::Map::new(),
    }
}

pub(crate) fn begin(base: Option<IndexListing>) -> EngineRequest {
    EngineRequest::BeginBuild(Box::new(BeginBuild {
        engine: EngineKind::Inside,
        name: "test/corpus".to_owned(),
        base,
        profile: profile(),
    }))
}

pub(crate) fn build(
    engine: &mut EngineProcess,
    base: Option<IndexListing>,
    documents: Vec<IngestDocument>,
) -> (PutSummary, IndexListing) {
    let started: StartedBuild = engine.ask(begin(base)).unwrap();
    let put = PutDocuments { build: started.build, documents };
    let summary = engine.ask(EngineRequest::PutDocuments(put)).unwrap();
    let finish = FinishBuild { build: started.build };
    let finished: FinishedBuild = engine.ask(EngineRequest::FinishBuild(finish)).unwrap();
    (summary, finished.listing)
}

pub(crate) fn search_for(listing: &IndexListing, query: &str) -> Search {
    Search {
        indexes: vec![IndexRef { label: "corpus".to_owned(), listing: listing.clone() }],
        query: query.to_owned(),
        profile: profile(),
        top_k: 10,
        filter: SearchFilter::default(),
    }
}

/// A PDF of one page with a line of text in its standard font.
pub(crate) fn pdf(text: &str) -> Vec<u8> {
    let content = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [5 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
            .to_owned(),
    ];
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (object, id) in objects.iter().zip(1..) {
        places.push(bytes.len());
        bytes.extend(format!("{id} 0 obj\n{object}\nendobj\n").into_bytes());
    }
    let start = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for place in places {
        bytes.extend(format!("{place:010} 00000 n \n").into_bytes());
    }
    let size = objects.len() + 1;
    bytes
        .extend(format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").into_bytes());
    bytes
}
