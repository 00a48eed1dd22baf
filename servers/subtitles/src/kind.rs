//! The formats by name.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubtitleFormat {
    Srt,
    Vtt,
    Ass,
    Ttml,
    Sbv,
}

impl SubtitleFormat {
    pub const ALL: [Self; 5] = [Self::Srt, Self::Vtt, Self::Ass, Self::Ttml, Self::Sbv];

    pub fn as_str(self) -> &'static str {
        match self {
            SubtitleFormat::Srt => "srt",
            SubtitleFormat::Vtt => "vtt",
            SubtitleFormat::Ass => "ass",
            SubtitleFormat::Ttml => "ttml",
            SubtitleFormat::Sbv => "sbv",
        }
    }

    pub fn media_type(self) -> &'static str {
        match self {
            SubtitleFormat::Srt => "application/x-subrip",
            SubtitleFormat::Vtt => "text/vtt",
            SubtitleFormat::Ass => "text/x-ssa",
            SubtitleFormat::Ttml => "application/ttml+xml",
            SubtitleFormat::Sbv => "text/plain",
        }
    }
}

impl fmt::Display for SubtitleFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Extensions and media types.
impl FromStr for SubtitleFormat {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.trim().trim_start_matches('.').to_ascii_lowercase();
        match text.split(';').next().unwrap_or_default().trim() {
            "srt" | "subrip" | "application/x-subrip" | "text/srt" => Ok(SubtitleFormat::Srt),
            "vtt" | "webvtt" | "text/vtt" => Ok(SubtitleFormat::Vtt),
            "ass" | "ssa" | "text/x-ssa" | "text/x-ass" => Ok(SubtitleFormat::Ass),
            "ttml" | "imsc" | "dfxp" | "xml" | "application/ttml+xml" => Ok(SubtitleFormat::Ttml),
            "sbv" => Ok(SubtitleFormat::Sbv),
            _ => Err(()),
        }
    }
}
