//! From a target to one element.

use capability_kit::{Trouble, TroubleCode};
use serde::Deserialize;
use serde_json::json;

use super::ask::read_answer;
use super::frames::frame_of_label;
use super::target::Target;
use crate::frame::{Frame, FrameId};
use crate::shot::Rect;
use crate::tab::Tab;

/// Frames that a selector is looked for in.
const FRAMES_MAX: usize = 16;

/// An element of a page, as it was when it was looked for.
#[derive(Clone, PartialEq, Debug)]
pub struct PageElement {
    pub frame: FrameId,
    /// Without the frame's label: the page script's name of it.
    pub reference: String,
    /// The part of it that takes clicks, or as much of it as is in view; in the frame's viewport. Its middle is where to click.
    pub rect: Rect,
    pub role: String,
    pub name: String,
    pub tag: String,
    /// The type of an input, `select`, `textarea`, `contenteditable`, or empty.
    pub kind: String,
    /// Takes typed text.
    pub editable: bool,
    pub disabled: bool,
    pub readonly: bool,
    /// Of its frame's document.
    pub origin: String,
    pub href: Option<String>,
    /// The thing that would take a click instead of it.
    pub covered_by: Option<String>,
    pub in_view: bool,
    /// False for what is not drawn, such as a file input behind a button.
    pub visible: bool,
    /// Holds a password.
    pub secret: bool,
}

#[derive(Deserialize)]
struct ElementAnswer {
    #[serde(rename = "ref")]
    number: u64,
    rect: Rect,
    role: String,
    name: String,
    tag: String,
    kind: String,
    editable: bool,
    disabled: bool,
    readonly: bool,
    origin: String,
    href: Option<String>,
    covered_by: Option<String>,
    in_view: bool,
    visible: bool,
    secret: bool,
}

#[derive(Deserialize)]
struct PointAnswer {
    frame: bool,
    name: Option<String>,
}

/// The one element that a target names, scrolled into view.
pub async fn resolve(tab: &Tab, target: &Target) -> Result<PageElement, Trouble> {
    let Some(within) = target.within() else {
        return Err(Trouble::bad_arguments(format!("{} is a frame", target.label()))
            .hint("use the ref of an element in it, such as f1e3"));
    };
    let frame = frame_of_label(tab, target.label()).await?;
    match element(tab, &frame, within).await {
        Err(trouble) if !target.is_reference() && is_absence(&trouble) => {
            elsewhere(tab, within).await.ok_or(trouble)
        }
        found => found,
    }
}

fn is_absence(trouble: &Trouble) -> bool {
    trouble.code == TroubleCode::BadArguments && trouble.message.starts_with("nothing on the page matches")
}

/// The first frame that has what the main one has not.
async fn elsewhere(tab: &Tab, selector: &str) -> Option<PageElement> {
    for frame in tab.frames().await.iter().skip(1).take(FRAMES_MAX) {
        if let Ok(found) = element(tab, frame, selector).await {
            return Some(found);
        }
    }
    None
}

async fn element(tab: &Tab, frame: &Frame, within: &str) -> Result<PageElement, Trouble> {
    let argument = json!({ "target": within, "from": tab.next_ref() });
    let answer: ElementAnswer = read_answer(tab, frame, "resolve", &argument).await?;
    tab.keep_next_ref(answer.number + 1);
    let mut found = PageElement {
        frame: frame.id.clone(),
        reference: format!("e{}", answer.number),
        rect: answer.rect,
        role: if answer.role.is_empty() { answer.tag.clone() } else { answer.role },
        name: answer.name,
        tag: answer.tag,
        kind: answer.kind,
        editable: answer.editable,
        disabled: answer.disabled,
        readonly: answer.readonly,
        origin: answer.origin,
        href: answer.href,
        covered_by: answer.covered_by,
        in_view: answer.in_view,
        visible: answer.visible,
        secret: answer.secret,
    };
    if !frame.label.is_empty() && found.covered_by.is_none() {
        found.covered_by = over_frame(tab, frame, &found.rect).await;
    }
    Ok(found)
}

/// The thing that the main frame has over a point of another frame.
async fn over_frame(tab: &Tab, frame: &Frame, rect: &Rect) -> Option<String> {
    let (left, top) = tab.offset_of(&frame.id).await.ok()?;
    let main = frame_of_label(tab, "").await.ok()?;
    let at = json!({ "x": left + rect.x + rect.width / 2.0, "y": top + rect.y + rect.height / 2.0 });
    let answer: PointAnswer = read_answer(tab, &main, "at_point", &at).await.ok()?;
    answer.name.filter(|_| !answer.frame)
}
