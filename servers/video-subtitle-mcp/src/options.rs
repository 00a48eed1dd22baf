//! The additional options of the command line.

use std::path::PathBuf;

/// Everything is optional: without models there are no transcripts, and jobs are kept in the temporary folder.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Videos")]
pub struct VideoSubtitleOptions {
    /// Folder with ONNX Runtime and the models of speech (script/speech-model fetches them)
    #[arg(long, value_name = "FOLDER", env = "CAPABILITY_SPEECH_MODELS")]
    pub speech_models: Option<PathBuf>,
    /// The ffmpeg program, for sound that is not decoded here (Opus, AC-3) and for stills; searched on the PATH by default
    #[arg(long, value_name = "FILE", env = "CAPABILITY_FFMPEG")]
    pub ffmpeg: Option<PathBuf>,
    /// Folder in which jobs live on after a restart; below the temporary folder by default
    #[arg(long, value_name = "FOLDER", env = "VIDEO_SUBTITLE_JOBS")]
    pub jobs: Option<PathBuf>,
    /// Hosts (such as 127.0.0.1:9000) that videos may be fetched from though they are in a private network
    #[arg(long, value_name = "HOSTS", env = "VIDEO_SUBTITLE_PRIVATE_HOSTS", value_delimiter = ',')]
    pub private_hosts: Vec<String>,
    /// The largest video that is fetched
    #[arg(long, value_name = "MIB", env = "VIDEO_SUBTITLE_VIDEO_MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    pub video_mib: u64,
}
