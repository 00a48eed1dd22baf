//! Mouse and keyboard, as the browser gets them from a person.

use capability_kit::Trouble;
use serde_json::{Value, json};

use super::Tab;
use crate::frame::FrameId;
use crate::input::{HeldKeys, MouseButton, MouseEvent, MouseKind};
use crate::key::KeyChord;

/// Frames within frames of other processes.
const PROCESSES_MAX: usize = 16;

impl Tab {
    pub async fn mouse(&self, event: MouseEvent) -> Result<(), Trouble> {
        self.mouse_holding(event, HeldKeys::default()).await
    }

    /// The same with keys that are held down.
    pub async fn mouse_holding(&self, event: MouseEvent, held: HeldKeys) -> Result<(), Trouble> {
        let MouseEvent { kind, x, y, button, count } = event;
        let (name, bit) = match button {
            MouseButton::None => ("none", 0),
            MouseButton::Left => ("left", 1),
            MouseButton::Right => ("right", 2),
            MouseButton::Middle => ("middle", 4),
        };
        let buttons = {
            let mut state = self.state.lock();
            match kind {
                MouseKind::Press => state.buttons |= bit,
                MouseKind::Release => state.buttons &= !bit,
                MouseKind::Move | MouseKind::Wheel { .. } => {}
            }
            state.buttons
        };
        let mut params = json!({ "x": x, "y": y, "button": name, "buttons": buttons, "clickCount": count });
        params["modifiers"] = json!(held.bits());
        params["type"] = match kind {
            MouseKind::Move => json!("mouseMoved"),
            MouseKind::Press => json!("mousePressed"),
            MouseKind::Release => json!("mouseReleased"),
            MouseKind::Wheel { dx, dy } => {
                (params["deltaX"], params["deltaY"]) = (json!(dx), json!(dy));
                json!("mouseWheel")
            }
        };
        self.call("Input.dispatchMouseEvent", params).await.map(drop)
    }

    /// Presses and releases.
    pub async fn key(&self, key: &KeyChord) -> Result<(), Trouble> {
        for step in key.steps() {
            let mut params = json!({
                "type": step.kind,
                "modifiers": step.modifiers,
                "key": step.key.key,
                "code": step.key.code,
                "windowsVirtualKeyCode": step.key.number,
            });
            if step.kind == "keyDown" {
                (params["text"], params["unmodifiedText"]) = (json!(step.key.text), json!(step.key.text));
            }
            self.call("Input.dispatchKeyEvent", params).await?;
        }
        Ok(())
    }

    /// Types at once, as an input method does.
    pub async fn insert_text(&self, text: &str) -> Result<(), Trouble> {
        self.call("Input.insertText", json!({ "text": text })).await.map(drop)
    }

    /// The place of a frame's viewport in the main frame's.
    pub async fn offset_of(&self, frame: &FrameId) -> Result<(f64, f64), Trouble> {
        let (mut x, mut y) = (0.0, 0.0);
        let mut frame = frame.clone();
        for _ in 0..PROCESSES_MAX {
            let Some((session, root)) = self.owner_of(&frame) else { break };
            let owner =
                self.call_on(&session, "DOM.getFrameOwner", json!({ "frameId": frame.as_str() })).await?;
            let node = json!({ "backendNodeId": owner["backendNodeId"] });
            let shape = self.call_on(&session, "DOM.getBoxModel", node).await?;
            let (left, top) = corner(&shape["model"]["content"]).ok_or_else(hidden)?;
            (x, y) = (x + left, y + top);
            // Places are given within the outermost frame of a process.
            frame = root;
        }
        Ok((x, y))
    }

    /// Where the element of a frame is found: the session of its parent, and the outermost frame there.
    fn owner_of(&self, frame: &FrameId) -> Option<(crate::cdp::Session, FrameId)> {
        let state = self.state.lock();
        let parent = state.frames.parent(frame)?;
        let root = state.frames.root_of_session(parent)?.clone();
        Some((state.frames.get(parent)?.session.clone(), root))
    }
}

fn corner(quad: &Value) -> Option<(f64, f64)> {
    Some((quad.get(0)?.as_f64()?, quad.get(1)?.as_f64()?))
}

fn hidden() -> Trouble {
    Trouble::bad_arguments("the frame is not visible").hint("take a new snapshot")
}
