//! A page with all its frames: each is asked by itself, and its entries go where its element stands.

use std::collections::HashMap;

use capability_kit::Trouble;
use serde_json::Value;

use super::ask::read_answer;
use super::entry::{FrameHint, PageAnswer, PageEntry, all_labelled};
use crate::frame::{Frame, FrameId};
use crate::tab::Tab;

/// Frames of one page that are looked into.
const FRAMES_MAX: usize = 16;

/// The main frame's answer with those of the frames that it shows.
pub(super) async fn collect(tab: &Tab, argument: &Value) -> Result<PageAnswer, Trouble> {
    let frames = tab.frames().await;
    let Some(main) = frames.first() else {
        return Err(Trouble::internal("the page has no frame").hint("navigate to a page first"));
    };
    let mut answers: HashMap<FrameId, PageAnswer> = HashMap::new();
    answers.insert(main.id.clone(), answer_of(tab, main, argument).await?);
    for frame in frames.iter().skip(1) {
        let parent = frame.parent.as_ref().and_then(|parent| answers.get(parent));
        if answers.len() > FRAMES_MAX || !parent.is_some_and(|parent| shows(parent, frame, &frames)) {
            continue;
        }
        // A frame that is just changing, or whose process has ended, is shown without its content.
        if let Ok(answer) = answer_of(tab, frame, argument).await {
            answers.insert(frame.id.clone(), answer);
        }
    }
    Ok(assembled(&frames, &mut answers))
}

async fn answer_of(tab: &Tab, frame: &Frame, argument: &Value) -> Result<PageAnswer, Trouble> {
    tab.mark_listeners(&frame.id).await;
    let mut argument = argument.clone();
    argument["from"] = tab.next_ref().into();
    let mut answer: PageAnswer = read_answer(tab, frame, "snapshot", &argument).await?;
    tab.keep_next_ref(answer.next);
    answer.entries = all_labelled(answer.entries, &frame.label);
    Ok(answer)
}

fn shows(parent: &PageAnswer, frame: &Frame, frames: &[Frame]) -> bool {
    let mut is_shown = false;
    let mut entries = parent.entries.clone();
    each_frame(&mut entries, &mut |entry| {
        is_shown |= shown_by(entry, frame.parent.as_ref(), frames).is_some_and(|shown| shown.id == frame.id);
    });
    is_shown
}

/// Puts the entries of frames below the elements that show them, the innermost first.
pub(super) fn assembled(frames: &[Frame], answers: &mut HashMap<FrameId, PageAnswer>) -> PageAnswer {
    for frame in frames.iter().rev() {
        let Some(mut answer) = answers.remove(&frame.id) else { continue };
        each_frame(&mut answer.entries, &mut |entry| {
            let Some(shown) = shown_by(entry, Some(&frame.id), frames) else { return };
            entry.number = None;
            entry.extra = format!("{} {}", shown.label, shown.origin);
            entry.children = answers.remove(&shown.id).map(|inner| inner.entries).unwrap_or_default();
        });
        answers.insert(frame.id.clone(), answer);
    }
    frames.first().and_then(|main| answers.remove(&main.id)).unwrap_or_default()
}

/// The frame that an element shows: of its address if one alone has it, else of its place.
fn shown_by<'a>(entry: &PageEntry, parent: Option<&FrameId>, frames: &'a [Frame]) -> Option<&'a Frame> {
    let hint: &FrameHint = entry.frame.as_ref()?;
    let siblings: Vec<&Frame> = frames.iter().filter(|frame| frame.parent.as_ref() == parent).collect();
    let mut same = siblings.iter().filter(|frame| frame.url == hint.url);
    match (same.next(), same.next()) {
        (Some(only), None) => Some(only),
        _ => usize::try_from(hint.index).ok().and_then(|index| siblings.get(index).copied()),
    }
}

/// The frame whose refs begin with a label.
pub(super) async fn frame_of_label(tab: &Tab, label: &str) -> Result<Frame, Trouble> {
    let frames = tab.frames().await;
    let found = frames.into_iter().find(|frame| frame.label == label);
    found.ok_or_else(|| {
        let message = match label.is_empty() {
            true => "the tab has no page yet".to_owned(),
            false => format!("the frame {label} is no longer on the page"),
        };
        Trouble::bad_arguments(message).hint("take a new snapshot")
    })
}

/// The entries that show frames, without those within other frames.
pub(super) fn each_frame(entries: &mut [PageEntry], visit: &mut impl FnMut(&mut PageEntry)) {
    for entry in entries {
        if entry.frame.is_some() {
            visit(entry);
            continue;
        }
        each_frame(&mut entry.children, visit);
        entry.cells.iter_mut().for_each(|cell| each_frame(cell, visit));
    }
}
