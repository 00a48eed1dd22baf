//! Job advertisements: skills, fields and duplicates, each beside the strongest other method.
//!
//! Skills: strict span F1 on the development part of SkillSpan, beside a gazetteer of well-known skills and beside
//! one of every phrase that the training part labels. Fields: F1 over all values of the advertisements in
//! `job-search-mcp/corpus`, beside a parser of JSON-LD and labels alone. Duplicates: pairwise F1 on variants that are
//! made here, beside equal titles and companies.

mod counts;
mod fields;
mod spans;
mod variants;

use std::path::Path;

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
