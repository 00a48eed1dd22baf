#![doc = include_str!("../README.md")]

mod ass;
mod check;
mod cue;
mod decode;
mod edit;
mod error;
mod format;
mod kind;
mod limits;
mod markup;
mod media;
mod profile;
mod sbv;
mod srt;
mod time;
mod time_map;
mod timecode;
mod ttml;
mod vtt;

pub use check::{CheckFinding, CheckRule, check};
pub use cue::{Cue, CueRun, RunStyle, SourceCue, Subtitles};
pub use edit::{CueLayout, join, lay_out, split_at};
pub use error::SubtitleError;
pub use format::{WrittenSubtitles, parse, write};
pub use kind::SubtitleFormat;
pub use limits::CUES_MAX;
pub use media::{MediaKind, MediaTrack, TrackCodec, media_kind, read_track, tracks};
pub use profile::{CheckProfile, profile, profiles};
pub use time::clock;
pub use time_map::TimeMap;
pub use timecode::FrameRate;
