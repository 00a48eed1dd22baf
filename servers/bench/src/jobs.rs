//! Job advertisements: skills, fields and duplicates, each beside the strongest other method.
//!
//! Skills: strict span F1 on the development part of SkillSpan, beside a gazetteer of well-known skills and beside
//! one of every phrase that the training part labels. Fields: F1 over all values of the advertisements in
//! `job-search-mcp/corpus`, beside a parser of JSON-LD and labels alone. Duplicates: pairwise F1 on variants that are
//! made here, beside equal titles and companies.

mod fields;
mod spans;
mod variants;

use std::path::Path;

/// The numbers of right, found and expected answers.
#[derive(Clone, Copy, Default)]
struct AnswerCounts {
    right: usize,
    found: usize,
    wanted: usize,
}

impl AnswerCounts {
    fn f1(self) -> f64 {
        match self.found + self.wanted {
            0 => 1.0,
            all => 2.0 * self.right as f64 / all as f64,
        }
    }

    fn add(&mut self, other: AnswerCounts) {
        self.right += other.right;
        self.found += other.found;
        self.wanted += other.wanted;
    }
}

/// `skillspan` is the folder of the set, which is not part of the project; `corpus` is ours.
pub(crate) fn run(skillspan: &Path, corpus: &Path) -> anyhow::Result<()> {
    if skillspan.is_dir() {
        spans::run(skillspan)?;
    } else {
        println!("skills: left out; {} has no SkillSpan", skillspan.display());
    }
    fields::run(corpus)?;
    variants::run(corpus)
}
