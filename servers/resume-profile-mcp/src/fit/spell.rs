//! Comparing words of job descriptions and resumes without minding their endings.

use std::sync::LazyLock;

use crate::words::{fold, words_of};

/// Words of this length are equal if they begin alike.
const STEM: usize = 5;

/// Words that carry no information about a job.
const EMPTY: &str = " the and for with you your our are will have has from that this who what able ability strong good excellent proven \
experience knowledge skills skill years year work working team teams plus must required requirement requirements understanding familiarity \
und der die das mit von für ein eine einer sie ihr wir sind haben kenntnisse erfahrung gute sehr sowie oder bei zum zur den dem des \
les des une avec pour dans vous votre nous est sont expérience connaissances bonne bonnes los las una con para por del que experiencia \
conocimientos buen buena gli delle della con per una esperienza conoscenza buona dos das com uma para experiência conhecimentos een het van \
met voor ervaring kennis goede level minimum least using use etc including related similar preferred ";

/// As words are compared: `für` is `fur`.
static FOLDED: LazyLock<String> = LazyLock::new(|| fold(EMPTY));

/// The content words of a text, folded and cut to their beginnings.
pub(super) fn stems(text: &str) -> Vec<String> {
    let folded = fold(text);
    let telling =
        words_of(&folded).filter(|word| word.chars().count() > 2 && !FOLDED.contains(&format!(" {word} ")));
    let mut stems: Vec<String> = telling.map(|word| word.chars().take(STEM).collect()).collect();
    stems.sort();
    stems.dedup();
    stems
}

/// The share of the words of `wanted` in `given`: 0 to 1.
pub(super) fn share(wanted: &[String], given: &[String]) -> f64 {
    if wanted.is_empty() {
        return 0.0;
    }
    wanted.iter().filter(|word| given.contains(word)).count() as f64 / wanted.len() as f64
}
