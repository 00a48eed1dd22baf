//! Sound to words with times, stretch by stretch: an hour needs no more memory than a minute.

use crate::activity::{FRAME, SpeechStretch, StretchBuilder};
use crate::audio::{AudioReader, SAMPLE_RATE};
use crate::error::SpeechError;
use crate::runtime::SpeechModels;
use crate::tokens::HeardWord;

/// A word of a transcript. Its stretch begins and ends exactly; times inside it follow the letters and the pauses.
#[derive(Clone, PartialEq, Debug)]
pub struct SpokenWord {
    pub text: String,
    pub start_ms: i64,
    pub end_ms: i64,
    /// From 0 to 1: the model's own belief.
    pub confidence: f32,
}

/// Words between two pauses.
#[derive(Clone, PartialEq, Debug)]
pub struct SpokenSegment {
    pub start_ms: i64,
    pub end_ms: i64,
    pub words: Vec<SpokenWord>,
}

/// How the work ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TranscriptEnd {
    /// Of the sound that was heard.
    pub heard_ms: i64,
    /// Of the speech in it.
    pub spoken_ms: i64,
    /// `on_segment` or `on_progress` asked to stop.
    pub is_stopped: bool,
}

/// Weak frames still take a little time, so that a word never has none.
const WEIGHT_MIN: f64 = 0.05;

/// Hears everything after `from_ms`. `on_segment` gets the words of each stretch, `on_progress` the time that was heard;
/// both say whether to go on.
pub fn transcribe(
    reader: &mut AudioReader,
    models: &mut SpeechModels,
    from_ms: i64,
    mut on_segment: impl FnMut(SpokenSegment) -> bool,
    mut on_progress: impl FnMut(i64) -> bool,
) -> Result<TranscriptEnd, SpeechError> {
    models.detector.reset();
    let mut builder = StretchBuilder::default();
    let mut pending: Vec<f32> = Vec::new();
    let mut end = TranscriptEnd { heard_ms: 0, spoken_ms: 0, is_stopped: false };
    let mut frames = 0u64;
    let skipped = u64::try_from(from_ms.max(0)).unwrap_or(0) * u64::from(SAMPLE_RATE) / 1000 / FRAME as u64;
    let mut hear = |stretch: SpeechStretch,
                    models: &mut SpeechModels,
                    end: &mut TranscriptEnd|
     -> Result<(), SpeechError> {
        end.spoken_ms += ms(stretch.likely.len() as u64);
        let words = models.moonshine.hear(&stretch.samples)?;
        if !words.is_empty() && !on_segment(segment(&stretch, words)) {
            end.is_stopped = true;
        }
        Ok(())
    };
    while let Some(block) = reader.next_block()? {
        pending.extend(block);
        let mut taken = 0;
        while pending.len() - taken >= FRAME && !end.is_stopped {
            let frame = pending[taken..taken + FRAME].to_vec();
            taken += FRAME;
            frames += 1;
            let likely = if frames <= skipped { 0.0 } else { models.detector.likelihood(&frame)? };
            if let Some(stretch) = builder.push(frame, likely) {
                hear(stretch, models, &mut end)?;
            }
        }
        pending.drain(..taken);
        end.heard_ms = ms(frames);
        if end.is_stopped || !on_progress(end.heard_ms) {
            end.is_stopped = true;
            return Ok(end);
        }
    }
    if let Some(stretch) = builder.finish() {
        hear(stretch, models, &mut end)?;
    }
    Ok(end)
}

fn ms(frames: u64) -> i64 {
    i64::try_from(frames * FRAME as u64 * 1000 / u64::from(SAMPLE_RATE)).unwrap_or(i64::MAX)
}

/// Words with times: each takes its share of the speech by its letters.
fn segment(stretch: &SpeechStretch, words: Vec<HeardWord>) -> SpokenSegment {
    let weights: Vec<f64> = stretch.likely.iter().map(|likely| f64::from(*likely).max(WEIGHT_MIN)).collect();
    let total: f64 = weights.iter().sum();
    let letters =
        |word: &HeardWord| word.text.chars().filter(|letter| letter.is_alphanumeric()).count() as f64 + 1.0;
    let all: f64 = words.iter().map(letters).sum();
    let begin = ms(stretch.first_frame);
    let mut done = 0.0;
    let mut spoken = Vec::new();
    for word in words {
        let from = done;
        done += letters(&word);
        let at = |share: f64| begin + time_of(&weights, share / all * total);
        spoken.push(SpokenWord {
            start_ms: at(from),
            end_ms: at(done),
            text: word.text,
            confidence: word.confidence,
        });
    }
    SpokenSegment { start_ms: begin, end_ms: begin + ms(weights.len() as u64), words: spoken }
}

/// Milliseconds from the beginning to the place where the weights reach a sum.
fn time_of(weights: &[f64], wanted: f64) -> i64 {
    let frame_ms = FRAME as f64 * 1000.0 / f64::from(SAMPLE_RATE);
    let mut sum = 0.0;
    for (index, weight) in weights.iter().enumerate() {
        if sum + weight >= wanted {
            let part = ((wanted - sum) / weight).clamp(0.0, 1.0);
            return ((index as f64 + part) * frame_ms).round() as i64;
        }
        sum += weight;
    }
    (weights.len() as f64 * frame_ms).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_share_the_speech_and_leave_the_pause_out() {
        let likely = [[1.0; 50], [0.0; 50], [1.0; 50]].concat();
        let stretch = SpeechStretch { first_frame: 100, samples: Vec::new(), likely };
        let word = |text: &str| HeardWord { text: text.into(), confidence: 0.9 };
        let found = segment(&stretch, vec![word("abcd"), word("efgh")]);
        assert_eq!((found.start_ms, found.end_ms), (3200, 8000));
        assert_eq!(found.words[0].start_ms, 3200);
        assert!(found.words[0].end_ms < 6600 && found.words[1].end_ms > 7900, "{found:?}");
        assert!(found.words.windows(2).all(|pair| pair[0].end_ms <= pair[1].start_ms));
    }
}
