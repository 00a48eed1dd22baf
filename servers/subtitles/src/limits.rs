//! The limits of what is read.

/// Cues of one document: a day of dense speech has fewer.
pub const CUES_MAX: usize = 200_000;
/// Depth of nested elements of a TTML document.
pub(crate) const DEPTH_MAX: usize = 64;
/// Nodes of a TTML document.
pub(crate) const NODES_MAX: usize = 2_000_000;
/// Samples of one track of a container.
pub(crate) const SAMPLES_MAX: usize = 1_000_000;
/// Bytes of one sample, or of one header that is read as a whole.
pub(crate) const SAMPLE_BYTES_MAX: u64 = 8 << 20;
/// Bytes of all samples of a track.
pub(crate) const TRACK_BYTES_MAX: u64 = 256 << 20;
/// Tracks of a container.
pub(crate) const TRACKS_MAX: usize = 512;
/// The longest time that is believed: 100 days.
pub(crate) const TIME_MS_MAX: i64 = 100 * 24 * 3_600_000;
/// A cue without an end is shown for this long.
pub(crate) const OPEN_CUE_MS: i64 = 10_000;
