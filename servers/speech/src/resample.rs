//! Sound of any rate as sound of 16,000 samples a second, block by block.

/// Zero crossings of the kernel on each side.
const CROSSINGS: f64 = 12.0;

/// Keeps the end of each block for the next one.
pub(crate) struct Resampler {
    /// Input samples for `above` output samples.
    below: usize,
    above: usize,
    half: usize,
    /// For each phase the weights of `2 · half` input samples.
    weights: Vec<Vec<f32>>,
    pending: Vec<f32>,
    /// Output samples that were made.
    made: u64,
    /// The first pending sample, counted with the zeros before the beginning.
    first: u64,
}

impl Resampler {
    pub(crate) fn new(from: u32, to: u32) -> Self {
        let divisor = gcd(from, to);
        let (below, above) = ((from / divisor) as usize, (to / divisor) as usize);
        let cutoff = (f64::from(to) / f64::from(from)).min(1.0) * 0.95;
        let half = (CROSSINGS / cutoff).ceil() as usize;
        let weights = (0..above).map(|phase| kernel(phase as f64 / above as f64, half, cutoff)).collect();
        Self { below, above, half, weights, pending: vec![0.0; half], made: 0, first: 0 }
    }

    /// The output that `input` completes.
    pub(crate) fn push(&mut self, input: &[f32]) -> Vec<f32> {
        if self.below == self.above {
            return input.to_vec();
        }
        self.pending.extend_from_slice(input);
        let mut output = Vec::with_capacity(input.len() * self.above / self.below + 1);
        loop {
            let position = self.made * self.below as u64;
            let (whole, phase) = (position / self.above as u64, (position % self.above as u64) as usize);
            // With the zeros in front, the kernel of a sample begins one behind its number.
            let from = (whole + 1 - self.first) as usize;
            let Some(samples) = self.pending.get(from..from + 2 * self.half) else { break };
            output
                .push(samples.iter().zip(&self.weights[phase]).map(|(sample, weight)| sample * weight).sum());
            self.made += 1;
        }
        let done = ((self.made * self.below as u64 / self.above as u64).saturating_sub(self.first) as usize)
            .min(self.pending.len());
        self.pending.drain(..done);
        self.first += done as u64;
        output
    }

    /// The end of the sound.
    pub(crate) fn finish(&mut self) -> Vec<f32> {
        if self.below == self.above { Vec::new() } else { self.push(&vec![0.0; self.half]) }
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

/// A windowed sinc, `offset` behind a sample.
fn kernel(offset: f64, half: usize, cutoff: f64) -> Vec<f32> {
    let mut weights: Vec<f64> = (0..2 * half)
        .map(|index| {
            let at = index as f64 - (half as f64 - 1.0) - offset;
            let window = 0.5
                + 0.5
                    * (std::f64::consts::PI * at / half as f64)
                        .clamp(-std::f64::consts::PI, std::f64::consts::PI)
                        .cos();
            sinc(at * cutoff) * window
        })
        .collect();
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights.into_iter().map(|weight| weight as f32).collect()
}

fn sinc(at: f64) -> f64 {
    let at = at * std::f64::consts::PI;
    if at.abs() < 1e-9 { 1.0 } else { at.sin() / at }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(rate: u32, hertz: f64, seconds: f64) -> Vec<f32> {
        let count = (f64::from(rate) * seconds) as usize;
        (0..count)
            .map(|at| (std::f64::consts::TAU * hertz * at as f64 / f64::from(rate)).sin() as f32)
            .collect()
    }

    #[test]
    fn a_tone_stays_the_same_tone_however_it_is_cut() {
        for rate in [8_000, 11_025, 22_050, 44_100, 48_000] {
            let input = wave(rate, 440.0, 0.5);
            let wanted = wave(16_000, 440.0, 0.5);
            for block in [1usize, 7, 1152, usize::MAX] {
                let mut resampler = Resampler::new(rate, 16_000);
                let mut output: Vec<f32> =
                    input.chunks(block.min(input.len())).flat_map(|part| resampler.push(part)).collect();
                output.extend(resampler.finish());
                assert!(
                    output.len().abs_diff(wanted.len()) <= 2,
                    "{rate}: {} {}",
                    output.len(),
                    wanted.len()
                );
                let middle = 500..7000;
                let worst = output[middle.clone()]
                    .iter()
                    .zip(&wanted[middle])
                    .map(|(a, b)| (a - b).abs())
                    .fold(0.0, f32::max);
                assert!(worst < 0.02, "{rate} {block}: {worst}");
            }
        }
    }

    #[test]
    fn what_cannot_be_told_at_the_new_rate_is_filtered_out() {
        let mut resampler = Resampler::new(48_000, 16_000);
        let output = resampler.push(&wave(48_000, 11_000.0, 0.5));
        let loudest = output[500..7000].iter().fold(0.0f32, |loudest, sample| loudest.max(sample.abs()));
        assert!(loudest < 0.02, "{loudest}");
    }
}
