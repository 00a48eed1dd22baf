//! Errors of the libraries in the words of the kit.

use capability_kit::{DownloadError, Trouble, TroubleCode};
use capability_speech::SpeechError;
use capability_subtitles::SubtitleError;

pub(crate) fn of_subtitles(error: &SubtitleError) -> Trouble {
    let (code, hint) = match error {
        SubtitleError::UnknownFormat | SubtitleError::NotMedia => (
            TroubleCode::Unsupported,
            "pass SRT, VTT, ASS, TTML or SBV, or a video as MP4 or MKV for extract_subtitles",
        ),
        SubtitleError::NotText { .. } => (
            TroubleCode::Unsupported,
            "subtitles that are pictures cannot be read as text; try generate_transcript",
        ),
        SubtitleError::NoTrack(_) => (TroubleCode::BadArguments, "omit track to see which tracks there are"),
        SubtitleError::TooMany { .. } => (TroubleCode::TooLarge, "split the file first"),
        _ => {
            (TroubleCode::Unreadable, "the file may be damaged or cut off; get it again, or pass another one")
        }
    };
    Trouble::new(code, error.to_string()).hint(hint)
}

pub(crate) fn of_speech(error: &SpeechError) -> Trouble {
    let (code, hint) = match error {
        SpeechError::ModelMissing(_) => (
            TroubleCode::Unavailable,
            "run script/speech-model and name its folder in CAPABILITY_SPEECH_MODELS",
        ),
        SpeechError::Model(_) => (TroubleCode::Internal, "fetch the models again with script/speech-model"),
        SpeechError::UnknownFormat(_) | SpeechError::UnknownCodec(_) => (
            TroubleCode::Unsupported,
            "pass WAV, MP3, FLAC, Ogg Vorbis, or MP4 or MKV with AAC, MP3 or PCM; other sound needs ffmpeg on the server's machine",
        ),
        SpeechError::NoAudio => {
            (TroubleCode::Unsupported, "pass a file with sound; extract_subtitles reads its text tracks")
        }
        SpeechError::Damaged(_) | SpeechError::Ffmpeg(_) => {
            (TroubleCode::Unreadable, "the file may be damaged or cut off; get it again, or pass another one")
        }
    };
    Trouble::new(code, error.to_string()).hint(hint)
}

pub(crate) fn of_download(error: &DownloadError) -> Trouble {
    let (code, hint) = match error {
        DownloadError::Address => {
            (TroubleCode::BadArguments, "pass a presigned https address without a password")
        }
        DownloadError::Private(_) => (
            TroubleCode::BadArguments,
            "pass a public address; the server's option --private-hosts lists others that are allowed",
        ),
        DownloadError::Redirected => (TroubleCode::BadArguments, "pass the address that it leads to"),
        DownloadError::Refused(_) => {
            (TroubleCode::Unreadable, "make a new presigned address and create the job again")
        }
        DownloadError::TooLarge(_) => {
            (TroubleCode::TooLarge, "pass a smaller video; the server's option --video-mib sets the limit")
        }
        DownloadError::Disk(_) => (TroubleCode::Internal, "the server's machine may have no room left"),
        DownloadError::Status(_)
        | DownloadError::Unreachable(_)
        | DownloadError::Silent
        | DownloadError::BrokenOff(_)
        | DownloadError::Stopped => (TroubleCode::Unreadable, "check the address and create the job again"),
    };
    Trouble::new(code, error.to_string()).hint(hint)
}
