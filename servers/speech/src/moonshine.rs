//! Moonshine base: sound to pieces of words. An encoder reads the whole sound, a decoder writes one piece at a time.

use ort::session::{Session, SessionInputValue};
use ort::value::{DynValue, Tensor};

use crate::audio::SAMPLE_RATE;
use crate::error::SpeechError;
use crate::resample::Resampler;
use crate::tokens::{HeardWord, TokenTable};

const LAYERS: usize = 8;
const HEADS: usize = 8;
const HEAD_SIZE: usize = 52;
const START: i64 = 1;
const END: i64 = 2;
/// Nobody speaks faster; a model that does has lost its way.
const TOKENS_PER_SECOND: f32 = 6.5;
const TOKENS_MORE: usize = 6;
/// The same pieces so many times in a row are a loop.
const REPEATS_MAX: usize = 4;
/// The encoder needs this much.
const SAMPLES_MIN: usize = 1600;
/// Below this belief a stretch is heard a second time, a tenth slower and between silences of 0.25 s, and the version with more
/// belief counts. Of 242 words that a fast synthesizer spoke, 32 were wrong with it, 46 with silences alone, 52 without;
/// recordings of people are above it.
const SURE: f32 = 0.85;
const SLOWED: (u32, u32) = (10, 11);
const SILENCE_SAMPLES: usize = 4000;

pub(crate) struct Moonshine {
    encoder: Session,
    decoder: Session,
    tokens: TokenTable,
}

/// What earlier steps of the decoder left for later ones.
struct StepMemory {
    values: Vec<(String, DynValue)>,
}

impl Moonshine {
    pub(crate) fn load(encoder: Session, decoder: Session, tokenizer: &[u8]) -> Result<Self, SpeechError> {
        Ok(Self { encoder, decoder, tokens: TokenTable::parse(tokenizer)? })
    }

    /// The words of one stretch of speech.
    pub(crate) fn hear(&mut self, samples: &[f32]) -> Result<Vec<HeardWord>, SpeechError> {
        if samples.len() < SAMPLES_MIN {
            return Ok(Vec::new());
        }
        let first = self.pieces(samples.to_vec())?;
        if belief(&first) >= SURE {
            return Ok(self.tokens.words(&first));
        }
        let second = self.pieces(slowed(samples))?;
        let is_better = !second.is_empty() && belief(&second) > belief(&first);
        Ok(self.tokens.words(if is_better { &second } else { &first }))
    }

    /// The pieces that the model writes for a sound, each with its probability.
    fn pieces(&mut self, samples: Vec<f32>) -> Result<Vec<(i64, f32)>, SpeechError> {
        let seconds = samples.len() as f32 / SAMPLE_RATE as f32;
        let sound = Tensor::from_array(([1usize, samples.len()], samples))?;
        let mut encoded = self.encoder.run(vec![("input_values", SessionInputValue::from(sound))])?;
        let missing = || SpeechError::Model("the encoder gave no result".into());
        let hidden = encoded.remove("last_hidden_state").ok_or_else(missing)?;
        drop(encoded);
        let most = (seconds * TOKENS_PER_SECOND) as usize + TOKENS_MORE;
        self.decode(&hidden, most)
    }

    fn decode(&mut self, hidden: &DynValue, most: usize) -> Result<Vec<(i64, f32)>, SpeechError> {
        let mut memory = StepMemory::empty()?;
        let mut tokens: Vec<(i64, f32)> = Vec::new();
        let mut last = START;
        for step in 0..most {
            let (token, probability) = self.step(hidden, last, step > 0, &mut memory)?;
            if token == END {
                break;
            }
            tokens.push((token, probability));
            last = token;
            if let Some(length) = looped(&tokens) {
                tokens.truncate(length);
                break;
            }
        }
        Ok(tokens)
    }

    fn step(
        &mut self,
        hidden: &DynValue,
        last: i64,
        has_past: bool,
        memory: &mut StepMemory,
    ) -> Result<(i64, f32), SpeechError> {
        let ids = Tensor::from_array(([1usize, 1], vec![last]))?;
        let cache = Tensor::from_array(([1usize], vec![has_past]))?;
        let mut inputs: Vec<(&str, SessionInputValue<'_>)> = vec![
            ("input_ids", ids.into()),
            ("encoder_hidden_states", hidden.into()),
            ("use_cache_branch", cache.into()),
        ];
        inputs.extend(memory.values.iter().map(|(name, value)| (name.as_str(), value.into())));
        let mut outputs = self.decoder.run(inputs)?;
        let (shape, logits) = outputs["logits"].try_extract_tensor::<f32>()?;
        let size = shape.last().and_then(|size| usize::try_from(*size).ok()).filter(|size| *size > 0);
        let size = size.ok_or_else(|| SpeechError::Model("the decoder gave no result".into()))?;
        let chosen = best(&logits[logits.len().saturating_sub(size)..]);
        for (name, value) in &mut memory.values {
            // What the encoder said does not change after the first step.
            if has_past && name.contains(".encoder.") {
                continue;
            }
            if let Some(new) = outputs.remove(name.replace("past_key_values", "present")) {
                *value = new;
            }
        }
        Ok(chosen)
    }
}

impl StepMemory {
    /// Before the first step the values are not looked at, but they must be there.
    fn empty() -> Result<Self, SpeechError> {
        let mut values = Vec::new();
        for layer in 0..LAYERS {
            for part in ["decoder.key", "decoder.value", "encoder.key", "encoder.value"] {
                let zeros = vec![0f32; HEADS * HEAD_SIZE];
                let value = Tensor::from_array(([1usize, HEADS, 1, HEAD_SIZE], zeros))?;
                values.push((format!("past_key_values.{layer}.{part}"), value.into_dyn()));
            }
        }
        Ok(Self { values })
    }
}

/// The sound a tenth slower and lower, between silences.
fn slowed(samples: &[f32]) -> Vec<f32> {
    let mut resampler = Resampler::new(SLOWED.0, SLOWED.1);
    let silence = [0.0; SILENCE_SAMPLES];
    [&silence[..], &resampler.push(samples), &resampler.finish(), &silence].concat()
}

/// The mean belief in pieces, from 0 to 1. Where nothing is written there is nothing to doubt.
fn belief(tokens: &[(i64, f32)]) -> f32 {
    if tokens.is_empty() {
        return 1.0;
    }
    let logs: f32 = tokens.iter().map(|(_, probability)| probability.max(1e-6).ln()).sum();
    (logs / tokens.len() as f32).exp()
}

/// The most likely piece and its probability.
fn best(logits: &[f32]) -> (i64, f32) {
    let (index, top) = logits
        .iter()
        .enumerate()
        .fold((0, f32::MIN), |best, (index, value)| if *value > best.1 { (index, *value) } else { best });
    let sum: f32 = logits.iter().map(|value| (value - top).exp()).sum();
    (index as i64, 1.0 / sum.max(1.0))
}

/// Where a loop begins, if the last pieces are one.
fn looped(tokens: &[(i64, f32)]) -> Option<usize> {
    (1..=8).find_map(|length| {
        let whole = length * REPEATS_MAX;
        let tail = tokens.len().checked_sub(whole).map(|from| &tokens[from..])?;
        let is_loop = tail.iter().zip(&tail[length..]).all(|((one, _), (other, _))| one == other);
        is_loop.then(|| tokens.len() - whole + length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_noticed() {
        let tokens = |ids: &[i64]| ids.iter().map(|id| (*id, 1.0)).collect::<Vec<_>>();
        assert_eq!(looped(&tokens(&[9, 1, 2, 1, 2, 1, 2, 1, 2])), Some(3));
        assert_eq!(looped(&tokens(&[1, 2, 1, 2, 1, 2, 1])), None);
        assert_eq!(looped(&tokens(&[5, 5, 5, 5])), Some(1));
    }

    #[test]
    fn a_stretch_is_slowed_between_silences_and_nothing_is_lost() {
        let sound = slowed(&[0.5; 1600]);
        assert!(sound.len().abs_diff(2 * SILENCE_SAMPLES + 1760) <= 2, "{}", sound.len());
        assert_eq!((sound[0], sound[sound.len() - 1]), (0.0, 0.0));
        assert!((sound[sound.len() / 2] - 0.5).abs() < 0.01);
    }

    #[test]
    fn belief_is_that_of_the_pieces_and_silence_is_certain() {
        assert!((belief(&[(5, 0.5), (6, 0.125)]) - 0.25).abs() < 1e-5);
        assert!(belief(&[(5, 0.0)]) < 0.01 && belief(&[]) >= SURE);
    }

    #[test]
    fn the_best_piece_has_its_share_of_belief() {
        let (token, probability) = best(&[0.0, 3.0, 0.0]);
        assert_eq!(token, 1);
        assert!((probability - 3f32.exp() / (3f32.exp() + 2.0)).abs() < 1e-5);
    }
}
