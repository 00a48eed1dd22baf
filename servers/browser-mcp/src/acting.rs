//! Mouse and keyboard, as a person uses them.

use capability_browser::page::PageElement;
use capability_browser::{HeldKeys, KeyChord, MouseButton, MouseEvent, MouseKind, Tab};
use capability_kit::Trouble;

/// Moves between the two ends of a drag. Pages notice a drag by several of them.
const DRAG_STEPS: u32 = 8;
/// Pixels past the middle of its goal where a drag ends at most.
const PAST_MIDDLE_MAX: f64 = 8.0;

/// A point of the main frame's viewport.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewPoint {
    x: f64,
    y: f64,
}

/// The way to press.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MousePress {
    pub(crate) button: MouseButton,
    /// 2 for a double click, 3 for one that marks a paragraph.
    pub(crate) times: u32,
    pub(crate) held: HeldKeys,
}

/// The middle of an element.
pub(crate) async fn middle(tab: &Tab, element: &PageElement) -> Result<ViewPoint, Trouble> {
    let (left, top) = tab.offset_of(&element.frame).await?;
    let rect = &element.rect;
    Ok(ViewPoint { x: left + rect.x + rect.width / 2.0, y: top + rect.y + rect.height / 2.0 })
}

/// The end of a drag to an element: within it, a little past its middle. Lists that are sorted by dragging give a place away
/// only when the mouse is past the middle of what has it; at the middle itself a pixel would decide.
pub(crate) async fn past_middle(
    tab: &Tab,
    element: &PageElement,
    from: ViewPoint,
) -> Result<ViewPoint, Trouble> {
    let goal = middle(tab, element).await?;
    let (across, down) = (goal.x - from.x, goal.y - from.y);
    let way = across.hypot(down).max(1.0);
    let past = |extent: f64| (extent / 4.0).min(PAST_MIDDLE_MAX);
    Ok(ViewPoint {
        x: goal.x + across / way * past(element.rect.width),
        y: goal.y + down / way * past(element.rect.height),
    })
}

pub(crate) async fn hover(tab: &Tab, at: ViewPoint) -> Result<(), Trouble> {
    tab.mouse(event(MouseKind::Move, at, MouseButton::None, 0)).await
}

pub(crate) async fn click(tab: &Tab, at: ViewPoint, press: MousePress) -> Result<(), Trouble> {
    hover(tab, at).await?;
    for count in 1..=press.times {
        for kind in [MouseKind::Press, MouseKind::Release] {
            tab.mouse_holding(event(kind, at, press.button, count), press.held).await?;
        }
    }
    Ok(())
}

pub(crate) async fn drag(tab: &Tab, from: ViewPoint, to: ViewPoint) -> Result<(), Trouble> {
    let button = MouseButton::Left;
    hover(tab, from).await?;
    tab.mouse(event(MouseKind::Press, from, button, 1)).await?;
    for step in 1..=DRAG_STEPS {
        let part = f64::from(step) / f64::from(DRAG_STEPS);
        let at = ViewPoint { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
        tab.mouse(event(MouseKind::Move, at, button, 0)).await?;
    }
    tab.mouse(event(MouseKind::Release, to, button, 1)).await
}

pub(crate) async fn press(tab: &Tab, key: &str) -> Result<(), Trouble> {
    tab.key(&key.parse::<KeyChord>()?).await
}

fn event(kind: MouseKind, at: ViewPoint, button: MouseButton, count: u32) -> MouseEvent {
    MouseEvent { kind, x: at.x, y: at.y, button, count }
}
