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

/// What was heard, and how.
pub(crate) struct HeardSpeech {
    pub(crate) segments: Vec<SpokenSegment>,
    pub(crate) end: TranscriptEnd,
    pub(crate) decoder: &'static str,
}

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
    ) -> Result<(TranscriptEnd, &'static str), Trouble> {
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
        ended.map(|end| (end, decoder)).map_err(|error| of_speech(&error))
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
        let (end, decoder) = self.hear(file, 0, on_segment, on_progress)?;
        Ok(HeardSpeech { segments, end, decoder })
    }
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
