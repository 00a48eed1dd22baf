//! TTML and its profile IMSC: the whole document as a tree, and the cues that it shows.

mod cues;
mod moved;
mod styles;
mod timing;
pub(crate) mod tree;
mod written;

use crate::cue::Subtitles;
use crate::error::SubtitleError;

use tree::TtmlTree;

pub(crate) use moved::moved;

pub(crate) fn parse(text: &str) -> Result<Subtitles, SubtitleError> {
    let tree = TtmlTree::parse(text)?;
    let name = tree.root.local().to_owned();
    if name != "tt" {
        return Err(SubtitleError::NotTtml(name));
    }
    let mut subtitles = cues::cues(&tree)?;
    subtitles.language =
        tree.root.attribute("lang").filter(|language| !language.is_empty()).map(str::to_owned);
    subtitles.tree = Some(tree);
    Ok(subtitles)
}

/// The document itself if it was TTML, else a new one.
pub(crate) fn write(subtitles: &Subtitles) -> String {
    match &subtitles.tree {
        Some(tree) => tree.write(),
        None => written::document(subtitles),
    }
}

#[cfg(test)]
mod tests;
