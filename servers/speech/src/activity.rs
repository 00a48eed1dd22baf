//! Where somebody speaks: Silero, frame by frame, and stretches of speech that are long enough and not too long.

use ort::session::{Session, SessionInputValue};
use ort::value::Tensor;

use crate::audio::SAMPLE_RATE;
use crate::error::SpeechError;

/// Samples of a frame, and those of the frame before that the model wants again.
pub(crate) const FRAME: usize = 512;
const CONTEXT: usize = 64;
const STATE: usize = 2 * 128;
/// Speech begins above the one and ends below the other.
const BEGINS: f32 = 0.5;
const ENDS: f32 = 0.35;
/// A pause of so many frames ends a stretch: 0.4 s.
const PAUSE_FRAMES: usize = 13;
/// Frames that are kept before and after speech: 0.13 s.
const MARGIN_FRAMES: usize = 4;
/// A stretch of 15 s is cut at its quietest frame.
const FRAMES_MAX: usize = 468;
/// Of a stretch that is cut, this much stays whole.
const FRAMES_KEPT: usize = 250;
/// Less is a click.
const SPEECH_FRAMES_MIN: usize = 4;

/// Says of each frame how likely it is speech.
pub(crate) struct SpeechDetector {
    session: Session,
    state: Vec<f32>,
    context: Vec<f32>,
}

impl SpeechDetector {
    pub(crate) fn new(session: Session) -> Self {
        Self { session, state: vec![0.0; STATE], context: vec![0.0; CONTEXT] }
    }

    /// Forgets what it heard.
    pub(crate) fn reset(&mut self) {
        self.state.fill(0.0);
        self.context.fill(0.0);
    }

    pub(crate) fn likelihood(&mut self, frame: &[f32]) -> Result<f32, SpeechError> {
        let input = [self.context.as_slice(), frame].concat();
        self.context.copy_from_slice(&input[input.len() - CONTEXT..]);
        let inputs: Vec<(&str, SessionInputValue<'_>)> = vec![
            ("input", Tensor::from_array(([1usize, input.len()], input))?.into()),
            ("state", Tensor::from_array(([2usize, 1, 128], self.state.clone()))?.into()),
            ("sr", Tensor::from_array(([1usize], vec![i64::from(SAMPLE_RATE)]))?.into()),
        ];
        let outputs = self.session.run(inputs)?;
        let (_, state) = outputs["stateN"].try_extract_tensor::<f32>()?;
        if state.len() == STATE {
            self.state.copy_from_slice(state);
        }
        let (_, likely) = outputs["output"].try_extract_tensor::<f32>()?;
        Ok(likely.first().copied().unwrap_or(0.0))
    }
}

/// A stretch of speech.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SpeechStretch {
    /// The number of its first frame in the whole sound.
    pub(crate) first_frame: u64,
    pub(crate) samples: Vec<f32>,
    /// How likely each frame is speech.
    pub(crate) likely: Vec<f32>,
}

/// Puts frames together to stretches. It holds one stretch at most.
#[derive(Default)]
pub(crate) struct StretchBuilder {
    frames: Vec<(Vec<f32>, f32)>,
    /// The number of the first frame that is held.
    first: u64,
    is_speech: bool,
    quiet: usize,
}

impl StretchBuilder {
    /// Takes the next frame; a stretch comes out when it ends with it.
    pub(crate) fn push(&mut self, frame: Vec<f32>, likely: f32) -> Option<SpeechStretch> {
        self.frames.push((frame, likely));
        if !self.is_speech {
            if likely >= BEGINS {
                self.is_speech = true;
                self.quiet = 0;
            } else if self.frames.len() > MARGIN_FRAMES {
                self.forget(1);
            }
            return None;
        }
        self.quiet = if likely < ENDS { self.quiet + 1 } else { 0 };
        if self.quiet >= PAUSE_FRAMES {
            let end = self.frames.len() - PAUSE_FRAMES + MARGIN_FRAMES;
            self.is_speech = false;
            return self.cut(end);
        }
        if self.frames.len() >= FRAMES_MAX {
            let quietest = (FRAMES_KEPT..self.frames.len())
                .min_by(|one, other| self.frames[*one].1.total_cmp(&self.frames[*other].1));
            return self.cut(quietest.unwrap_or(FRAMES_MAX));
        }
        None
    }

    /// The last stretch.
    pub(crate) fn finish(&mut self) -> Option<SpeechStretch> {
        let is_speech = std::mem::take(&mut self.is_speech);
        is_speech.then(|| self.cut(self.frames.len())).flatten()
    }

    fn forget(&mut self, count: usize) {
        self.frames.drain(..count);
        self.first += count as u64;
    }

    fn cut(&mut self, end: usize) -> Option<SpeechStretch> {
        let first_frame = self.first;
        let frames: Vec<(Vec<f32>, f32)> = self.frames.drain(..end).collect();
        self.first += end as u64;
        let spoken = frames.iter().filter(|(_, likely)| *likely >= BEGINS).count();
        let likely = frames.iter().map(|(_, likely)| *likely).collect();
        let samples = frames.into_iter().flat_map(|(samples, _)| samples).collect();
        (spoken >= SPEECH_FRAMES_MIN).then_some(SpeechStretch { first_frame, samples, likely })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretches(likely: &[(usize, f32)]) -> Vec<(u64, usize)> {
        let mut builder = StretchBuilder::default();
        let mut found = Vec::new();
        for (count, likely) in likely {
            for _ in 0..*count {
                found.extend(builder.push(vec![0.0; FRAME], *likely));
            }
        }
        found.extend(builder.finish());
        found.iter().map(|stretch| (stretch.first_frame, stretch.likely.len())).collect()
    }

    #[test]
    fn speech_is_found_with_its_margins() {
        assert_eq!(stretches(&[(20, 0.0), (30, 0.9), (40, 0.0)]), [(16, 38)]);
        assert_eq!(
            stretches(&[(20, 0.0), (30, 0.9), (5, 0.0), (30, 0.9)]),
            [(16, 69)],
            "a short pause ends nothing"
        );
        assert!(stretches(&[(20, 0.0), (2, 0.9), (40, 0.0)]).is_empty(), "a click is no speech");
        assert!(stretches(&[(1000, 0.1)]).is_empty());
    }

    #[test]
    fn endless_speech_is_cut_and_nothing_is_lost() {
        let found = stretches(&[(2000, 0.9)]);
        assert!(found.len() >= 4 && found.iter().all(|(_, length)| *length <= FRAMES_MAX));
        assert_eq!(found.iter().map(|(_, length)| length).sum::<usize>(), 2000);
    }
}
