#![doc = include_str!("../README.md")]

// Answers about a text.
mod compare;
mod entities;
mod keywords;
mod labels;
mod language;
mod method;
mod summary;

// A text in parts.
mod limits;
mod position;
mod sentences;
mod words;

// Words and their weights.
mod lexicon;
mod statistics;
mod stopwords;
mod vectors;

pub use compare::{ChangedSentence, Comparison, MovedSentence, Similarity, WordChanges, compare};
pub use entities::{Entity, EntityKind, entities};
pub use keywords::{Keyword, KeywordOptions, Keywords, keywords};
pub use labels::{Classification, LABELS_MAX, Label, LabelError, LabelScore, Labelling, classify};
pub use language::{DetectedLanguage, LanguageShare, detect, known_language};
pub use lexicon::Lexicon;
pub use limits::{ClippedText, TEXT_BYTES_MAX, Truncation, clip};
pub use method::Method;
pub use position::{Positions, Span};
pub use sentence_encoder::{EncodeError, Encoder, LoadError, Model};
pub use sentences::{Sentence, sentences};
pub use summary::{Summary, SummaryLength, SummaryOptions, SummarySentence, summarize};
pub use words::{Word, words};
