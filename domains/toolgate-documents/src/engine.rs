//! The port to the program that reads documents.

use engine_protocol::{Classified, Classify, Parse, Parsed};
use toolgate_core::Refusal;
use toolgate_core::port::BoxFuture;
use toolgate_engine::EngineLink;

pub trait DocumentEngine: Send + Sync {
    /// The version of its parser.
    fn parser(&self) -> BoxFuture<'_, Result<String, Refusal>>;

    /// Parses a document whose bytes are stored. The bytes of the DocIR are stored when it answers.
    fn parse(&self, parse: Parse) -> BoxFuture<'_, Result<Parsed, Refusal>>;

    fn classify(&self, classify: Classify) -> BoxFuture<'_, Result<Classified, Refusal>>;
}

impl DocumentEngine for EngineLink {
    fn parser(&self) -> BoxFuture<'_, Result<String, Refusal>> {
        Box::pin(async move { self.greeting().await.map(|greeting| greeting.parser) })
    }

    fn parse(&self, parse: Parse) -> BoxFuture<'_, Result<Parsed, Refusal>> {
        Box::pin(EngineLink::parse(self, parse))
    }

    fn classify(&self, classify: Classify) -> BoxFuture<'_, Result<Classified, Refusal>> {
        Box::pin(EngineLink::classify(self, classify))
    }
}
