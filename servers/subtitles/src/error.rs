//! The reasons why subtitles cannot be read.

use crate::kind::SubtitleFormat;

#[derive(Debug, thiserror::Error)]
pub enum SubtitleError {
    #[error("the file is empty")]
    Empty,
    #[error("the file is none of the known subtitle formats")]
    UnknownFormat,
    #[error("the file has no cue that can be read as {0}")]
    NoCues(SubtitleFormat),
    #[error("the XML is damaged: {0}")]
    Xml(String),
    #[error("the document is not TTML: its root element is {0}")]
    NotTtml(String),
    #[error("{what} exceed the limit of {limit}")]
    TooMany { what: &'static str, limit: usize },
    #[error("the file is neither MP4 nor Matroska")]
    NotMedia,
    #[error("the container is damaged or cut off: {0}")]
    Container(String),
    #[error("the container has no track {0}")]
    NoTrack(u64),
    #[error("track {track} holds {codec}, which is not text")]
    NotText { track: u64, codec: String },
}

impl From<std::io::Error> for SubtitleError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::UnexpectedEof => SubtitleError::Container("its end is missing".into()),
            _ => SubtitleError::Container(error.to_string()),
        }
    }
}
