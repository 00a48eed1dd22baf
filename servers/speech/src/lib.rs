#![doc = include_str!("../README.md")]

mod activity;
mod align;
mod audio;
mod error;
mod moonshine;
mod resample;
mod runtime;
mod tokens;
mod transcript;

pub use align::{AlignedWord, align};
pub use audio::{AudioInput, AudioReader, SAMPLE_RATE};
pub use error::SpeechError;
pub use runtime::SpeechModels;
pub use transcript::{SpokenSegment, SpokenWord, TranscriptEnd, transcribe};
