//! Two linear-chain taggers with weights for hashed features, and the best sequence of tags.

use super::SkillKind;

/// The tag of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenTag {
    Outside,
    First,
    Inside,
}

const TAGS: [TokenTag; 3] = [TokenTag::Outside, TokenTag::First, TokenTag::Inside];

/// The weights of one kind.
pub(super) struct SkillTagger {
    /// By hash, sorted: weights of `First` and `Inside`; `Outside` is the zero.
    weights: Vec<(u32, [i8; 2])>,
    scale: f32,
    /// From a tag to the next.
    steps: [[f32; 3]; 3],
    /// Added to `First`, so that as many are found as are right.
    bias: f32,
}

pub(super) struct SkillModel {
    skill: SkillTagger,
    knowledge: SkillTagger,
}

/// Nothing follows where it may not.
const NEVER: f32 = -1.0e9;

impl SkillModel {
    /// Reads the file that `training/train.py` writes, which is part of the program.
    pub(super) fn read(bytes: &'static [u8]) -> Self {
        let mut rest = bytes.strip_prefix(b"SKL1").expect("the file of weights is part of the program");
        let skill = SkillTagger::read(&mut rest);
        let knowledge = SkillTagger::read(&mut rest);
        Self { skill, knowledge }
    }

    pub(super) fn tagger(&self, kind: SkillKind) -> &SkillTagger {
        match kind {
            SkillKind::Skill => &self.skill,
            SkillKind::Knowledge => &self.knowledge,
        }
    }
}

fn take<const N: usize>(rest: &mut &'static [u8]) -> [u8; N] {
    let bytes: &'static [u8] = rest;
    let (head, tail) = bytes.split_first_chunk().expect("the file of weights is whole");
    *rest = tail;
    *head
}

impl SkillTagger {
    fn read(rest: &mut &'static [u8]) -> Self {
        let count = u32::from_le_bytes(take(rest)) as usize;
        let scale = f32::from_le_bytes(take(rest));
        let bias = f32::from_le_bytes(take(rest));
        let mut steps = [[0.0; 3]; 3];
        steps.iter_mut().flatten().for_each(|step| *step = f32::from_le_bytes(take(rest)));
        let weights = (0..count)
            .map(|_| {
                let hash = u32::from_le_bytes(take(rest));
                let [first, inside] = take::<2>(rest);
                (hash, [i8::from_le_bytes([first]), i8::from_le_bytes([inside])])
            })
            .collect();
        Self { weights, scale, steps, bias }
    }

    fn weight(&self, hash: u32) -> [i8; 2] {
        let found = self.weights.binary_search_by_key(&hash, |(hash, _)| *hash);
        found.map_or([0, 0], |at| self.weights[at].1)
    }

    fn scores(&self, features: &[u32]) -> [f32; 3] {
        let (mut first, mut inside) = (0_i32, 0_i32);
        for feature in features {
            let [one, other] = self.weight(*feature);
            first += i32::from(one);
            inside += i32::from(other);
        }
        [0.0, first as f32 * self.scale + self.bias, inside as f32 * self.scale]
    }

    /// The best sequence of tags.
    pub(super) fn decode(&self, tokens: &[Vec<u32>]) -> Vec<TokenTag> {
        let Some((first, others)) = tokens.split_first() else { return Vec::new() };
        let mut best = self.scores(first);
        best[2] = NEVER;
        let mut back: Vec<[usize; 3]> = Vec::with_capacity(others.len());
        for features in others {
            let scores = self.scores(features);
            let mut next = [NEVER; 3];
            let mut from = [0; 3];
            for (tag, score) in scores.iter().enumerate() {
                for (before, sum) in best.iter().enumerate() {
                    let sum = sum + self.steps[before][tag] + score;
                    if sum > next[tag] {
                        (next[tag], from[tag]) = (sum, before);
                    }
                }
            }
            best = next;
            back.push(from);
        }
        let mut tag = (0..3).max_by(|one, other| best[*one].total_cmp(&best[*other])).unwrap_or_default();
        let mut tags = vec![TAGS[tag]];
        for from in back.iter().rev() {
            tag = from[tag];
            tags.push(TAGS[tag]);
        }
        tags.reverse();
        tags
    }
}
