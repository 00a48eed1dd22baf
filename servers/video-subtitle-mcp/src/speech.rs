//! The models of speech, loaded by the first call that needs them, once for each worker.

use std::path::{Path, PathBuf};

use capability_kit::{Trouble, environment};
use capability_speech::{
    AudioInput, AudioReader, SpeechError, SpeechModels, SpokenSegment, TranscriptEnd, transcribe,
};
use capability_subtitles::{Cue, CueLayout, Subtitles, lay_out};
use parking_lot::Mutex;

use crate::options::VideoSubtitleOptions;
use crate::trouble::of_speech;

pub(crate) struct SpeechEngine {
    folder: Option<PathBuf>,
    pub(crate) ffmpeg: Option<PathBuf>,
    models: Mutex<Option<SpeechModels>>,
}

/// How a hearing ended.
pub(crate) struct HearingEnd {
    pub(crate) end: TranscriptEnd,
    pub(crate) decoder: &'static str,
    /// Said if the file has less sound than it claims.
    pub(crate) cut_off: Option<String>,
}

/// What was heard, and how.
pub(crate) struct HeardSpeech {
    pub(crate) segments: Vec<SpokenSegment>,
    pub(crate) ended: HearingEnd,
}

/// Claims about the length are rounded, and frames at the end may be left out.
const LENGTH_SLACK_S: f64 = 1.0;
const LENGTH_SLACK_SHARE: f64 = 0.02;

impl SpeechEngine {
    pub(crate) fn new(options: &VideoSubtitleOptions) -> Self {
        let folder = options.speech_models.clone().filter(|folder| !folder.as_os_str().is_empty());
        Self {
            folder,
            ffmpeg: options.ffmpeg.clone().or_else(|| on_path("ffmpeg")),
            models: Mutex::new(None),
        }
    }

    /// The reason why there are no transcripts here.
    pub(crate) fn missing(&self) -> Option<Trouble> {
        const HINT: &str = "run script/speech-model and name its folder in CAPABILITY_SPEECH_MODELS";
        match &self.folder {
            None => {
                Some(Trouble::unavailable(format!("no models of speech are configured; {HINT}")).hint(HINT))
            }
            Some(folder) => {
                SpeechModels::missing(folder).map(|file| of_speech(&SpeechError::ModelMissing(file)))
            }
        }
    }

    /// Hears a file after `from_ms`. Each stretch is passed to `on_segment`, and the time that was heard, with that of all
    /// if it is known, to `on_progress`; both say whether to go on.
    pub(crate) fn hear(
        &self,
        file: &Path,
        from_ms: i64,
        on_segment: impl FnMut(SpokenSegment) -> bool,
        mut on_progress: impl FnMut(i64, Option<f64>) -> bool,
    ) -> Result<HearingEnd, Trouble> {
        if let Some(missing) = self.missing() {
            return Err(missing);
        }
        let folder = self.folder.as_deref().unwrap_or(Path::new(""));
        let opened = AudioReader::open(AudioInput::File(file.to_owned()), self.ffmpeg.as_deref());
        let mut reader = opened.map_err(|error| of_speech(&error))?;
        let (duration, decoder) = (reader.duration_s, reader.decoder);
        let mut held = self.models.lock();
        if held.is_none() {
            *held = Some(SpeechModels::load(folder).map_err(|error| of_speech(&error))?);
        }
        let Some(models) = held.as_mut() else { return Err(Trouble::internal("the models are gone")) };
        let ended =
            transcribe(&mut reader, models, from_ms, on_segment, |heard| on_progress(heard, duration));
        let end = ended.map_err(|error| of_speech(&error))?;
        Ok(HearingEnd { cut_off: cut_off(&end, duration)?, end, decoder })
    }

    /// Hears all of a file.
    pub(crate) fn hear_all(
        &self,
        file: &Path,
        on_progress: impl FnMut(i64, Option<f64>) -> bool,
    ) -> Result<HeardSpeech, Trouble> {
        let mut segments = Vec::new();
        let on_segment = |segment| {
            segments.push(segment);
            true
        };
        let ended = self.hear(file, 0, on_segment, on_progress)?;
        Ok(HeardSpeech { segments, ended })
    }
}

/// A file that promises sound and has none of it is damaged; one that has a part of it is heard, with a remark.
fn cut_off(end: &TranscriptEnd, claimed_s: Option<f64>) -> Result<Option<String>, Trouble> {
    let Some(claimed_s) = claimed_s else { return Ok(None) };
    let heard_s = end.heard_ms as f64 / 1000.0;
    let missing_s = claimed_s - heard_s;
    if end.is_stopped || missing_s <= LENGTH_SLACK_S.max(claimed_s * LENGTH_SLACK_SHARE) {
        return Ok(None);
    }
    if end.heard_ms == 0 {
        return Err(Trouble::unreadable(format!("none of the {claimed_s:.1} s of sound can be read"))
            .hint("the file is damaged or cut off; get it again, or pass another one"));
    }
    Ok(Some(format!("the file claims {claimed_s:.1} s of sound and has {heard_s:.1} s: it may be cut off")))
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = environment::variable("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The usual form of captions of speech.
const LAYOUT: CueLayout = CueLayout { line_chars: 42, lines: 2, duration_ms_max: 7000, merge_gap_ms: 250 };

/// Cues of what was heard. Long stretches are cut at the times of their words.
pub(crate) fn cues_of(segments: &[SpokenSegment]) -> Subtitles {
    let mut cues: Vec<Cue> = Vec::new();
    for segment in segments {
        let mut line = String::new();
        let mut start = segment.start_ms;
        let mut end = segment.start_ms;
        for word in &segment.words {
            let is_full = line.chars().count() + 1 + word.text.chars().count()
                > LAYOUT.line_chars * LAYOUT.lines
                || word.end_ms - start > LAYOUT.duration_ms_max;
            let is_over = line.ends_with(['.', '!', '?']) && line.chars().count() > LAYOUT.line_chars / 2;
            if !line.is_empty() && (is_full || is_over) {
                cues.push(Cue::plain(start, end, std::mem::take(&mut line)));
                start = word.start_ms;
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word.text);
            end = word.end_ms;
        }
        if !line.is_empty() {
            cues.push(Cue::plain(start, segment.end_ms.max(end), line));
        }
    }
    let language = Some("en".to_owned());
    lay_out(&Subtitles::of(cues, language), &LAYOUT)
}
