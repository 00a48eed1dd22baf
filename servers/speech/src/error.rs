//! The reasons why speech cannot be read.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum SpeechError {
    #[error("{} is missing in the folder of speech models", .0.display())]
    ModelMissing(PathBuf),
    #[error("the speech model cannot be used: {0}")]
    Model(String),
    #[error("the file is no audio or video that can be read here: {0}")]
    UnknownFormat(String),
    #[error("the file has no audio track")]
    NoAudio,
    #[error("the audio is {0}, which cannot be decoded here")]
    UnknownCodec(String),
    #[error("the audio is damaged: {0}")]
    Damaged(String),
    #[error("ffmpeg failed: {0}")]
    Ffmpeg(String),
}

impl<R> From<ort::Error<R>> for SpeechError {
    fn from(error: ort::Error<R>) -> Self {
        SpeechError::Model(error.to_string())
    }
}
