//! Passages of made-up documents, and a source of citations over them.

use std::task::{Context, Poll, Waker};

use docir::{Citation, Quote};
use engine_protocol::{
    ContentId, HitId, ItemSpan, Passage, PassageHit, PassageSentence, ScoreParts, Snippet,
};
use toolgate_core::Refusal;
use toolgate_core::pointer::PointerPath;
use toolgate_core::port::BoxFuture;

use crate::ports::{CitationSource, FoundPassage, OfferedQuote};

pub(crate) fn content(digit: char) -> ContentId {
    ContentId::try_from(digit.to_string().repeat(64)).expect("64 digits")
}

/// A passage of the document `path`, whose sentences have these texts, shares of words and nearness in meaning.
pub(crate) fn passage(path: &str, heading: &str, sentences: &[(&str, f32, Option<f32>)]) -> FoundPassage {
    let places = (0..).map(|number| ItemSpan { item: format!("#/texts/{number}"), start: 0, end: 10 });
    let sentences: Vec<PassageSentence> = places
        .zip(sentences)
        .map(|(place, (text, words, meaning))| PassageSentence {
            place,
            text: (*text).to_owned(),
            cosine: *meaning,
            meaning: *meaning,
            words: *words,
        })
        .collect();
    let texts: Vec<&str> = sentences.iter().map(|one| one.text.as_str()).collect();
    let hit = PassageHit {
        id: HitId { label: "legal:contracts@docs.default".to_owned(), chunk: 1 },
        path: path.to_owned(),
        artifact: content('a'),
        docir: ContentId::try_from(format!("{:064x}", path.len())).expect("64 digits"),
        places: sentences.iter().map(|one| one.place.clone()).collect(),
        page: Some(3),
        headings: vec![heading.to_owned()],
        score: 1.0,
        parts: ScoreParts::default(),
        snippet: Snippet::default(),
    };
    let pointer = PointerPath::new("legal", "contracts").expect("a pointer");
    FoundPassage { pointer, passage: Passage { hit, text: texts.join(" "), sentences } }
}

/// Cites everything but what is said to be forged.
pub(crate) struct HonestSource;

impl CitationSource for HonestSource {
    fn cite<'a>(
        &'a self,
        artifact: &'a ContentId,
        docir: &'a ContentId,
        quotes: &'a [OfferedQuote],
    ) -> BoxFuture<'a, Result<Vec<Option<Citation>>, Refusal>> {
        let cite = |quote: &OfferedQuote| {
            (!quote.text.contains("forged")).then(|| Citation {
                artifact: artifact.as_str().to_owned(),
                docir: docir.as_str().to_owned(),
                item: quote.place.item.clone(),
                start: 0,
                end: 10,
                page: Some(3),
                quads: Vec::new(),
                quote: Quote { exact: quote.text.clone(), prefix: String::new(), suffix: String::new() },
            })
        };
        Box::pin(std::future::ready(Ok(quotes.iter().map(cite).collect())))
    }
}

/// The result of a future that never waits.
pub(crate) fn at_once<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("there is nothing to wait for"),
    }
}
