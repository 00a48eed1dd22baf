//! The tree of a page's frames, kept up to date by events. A frame of another site lives in another process and is spoken to
//! through a session of its own.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cdp::Session;
use crate::frame::{Frame, FrameId};

/// Frames of one page that are known; a page with more is an attack.
const FRAMES_MAX: usize = 256;
/// Of frames within frames.
const DEPTH_MAX: usize = 32;
/// Without an origin of its own, such as a sandboxed frame.
const NO_ORIGIN: &str = "null";

#[derive(Default)]
pub(super) struct FrameTree {
    frames: BTreeMap<FrameId, FrameNode>,
    /// Frames so far, for labels and order.
    count: usize,
}

#[derive(Clone)]
pub(super) struct FrameNode {
    parent: Option<FrameId>,
    number: usize,
    pub(super) session: Session,
    /// Chromium's name of the document in it.
    pub(super) loader: String,
    pub(super) url: String,
    origin: String,
}

impl FrameTree {
    pub(super) fn get(&self, id: &FrameId) -> Option<&FrameNode> {
        self.frames.get(id)
    }

    pub(super) fn main(&self) -> Option<(&FrameId, &FrameNode)> {
        self.frames.iter().find(|(_, node)| node.parent.is_none())
    }

    pub(super) fn is_main(&self, id: &FrameId) -> bool {
        self.frames.get(id).is_some_and(|node| node.parent.is_none())
    }

    pub(super) fn parent(&self, id: &FrameId) -> Option<&FrameId> {
        self.frames.get(id)?.parent.as_ref()
    }

    /// The outermost frame that is spoken to through the same session.
    pub(super) fn root_of_session(&self, id: &FrameId) -> Option<&FrameId> {
        let session = &self.frames.get(id)?.session;
        let mut root = self.frames.get_key_value(id)?.0;
        for _ in 0..DEPTH_MAX {
            match self.parent(root).and_then(|parent| self.frames.get_key_value(parent)) {
                Some((parent, node)) if node.session == *session => root = parent,
                _ => break,
            }
        }
        Some(root)
    }

    /// A frame that comes back from another process is attached again, and keeps its label.
    pub(super) fn attach(&mut self, id: FrameId, parent: Option<FrameId>, session: &Session) {
        if let Some(node) = self.frames.get_mut(&id) {
            node.session = session.clone();
        } else if self.frames.len() < FRAMES_MAX {
            let number = self.count;
            self.count += 1;
            let node = FrameNode {
                parent,
                number,
                session: session.clone(),
                loader: String::new(),
                url: String::new(),
                origin: NO_ORIGIN.to_owned(),
            };
            self.frames.insert(id, node);
        }
    }

    /// From here on the frame is in another process.
    pub(super) fn move_to(&mut self, id: &FrameId, session: &Session) {
        if let Some(node) = self.frames.get_mut(id) {
            node.session = session.clone();
        }
    }

    /// Another document is in the frame: `frame` is Chromium's description. What was within the old one is gone.
    pub(super) fn navigate(&mut self, frame: &Value, session: &Session) -> Option<FrameId> {
        let id = FrameId(frame["id"].as_str()?.to_owned());
        let parent = frame["parentId"].as_str().map(|parent| FrameId(parent.to_owned()));
        self.remove_below(&id);
        self.attach(id.clone(), parent, session);
        let node = self.frames.get_mut(&id)?;
        node.loader = text(&frame["loaderId"]);
        node.url = text(&frame["url"]) + frame["urlFragment"].as_str().unwrap_or_default();
        node.origin = match frame["securityOrigin"].as_str() {
            None | Some("" | "://") => NO_ORIGIN.to_owned(),
            Some(origin) => origin.trim_end_matches('/').to_owned(),
        };
        Some(id)
    }

    /// Within the document.
    pub(super) fn set_url(&mut self, id: &FrameId, url: &str) {
        if let Some(node) = self.frames.get_mut(id) {
            node.url = url.to_owned();
        }
    }

    pub(super) fn remove(&mut self, id: &FrameId) {
        self.remove_below(id);
        self.frames.remove(id);
    }

    fn remove_below(&mut self, id: &FrameId) {
        let below: Vec<FrameId> = self
            .frames
            .iter()
            .filter(|(_, node)| node.parent.as_ref() == Some(id))
            .map(|(child, _)| child.clone())
            .collect();
        below.iter().for_each(|child| self.remove(child));
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.frames.keys().any(|known| known.0 == id)
    }

    /// The main one first, then depth first in the order in which they came.
    pub(super) fn list(&self) -> Vec<Frame> {
        let mut listed = Vec::new();
        if let Some((main, _)) = self.main() {
            self.list_from(main, 0, &mut listed);
        }
        listed
    }

    fn list_from(&self, id: &FrameId, depth: usize, listed: &mut Vec<Frame>) {
        let Some(node) = self.frames.get(id).filter(|_| depth < DEPTH_MAX) else { return };
        listed.push(node.describe(id));
        let mut children: Vec<(&FrameId, &FrameNode)> =
            self.frames.iter().filter(|(_, child)| child.parent.as_ref() == Some(id)).collect();
        children.sort_by_key(|(_, child)| child.number);
        children.iter().for_each(|(child, _)| self.list_from(child, depth + 1, listed));
    }
}

impl FrameNode {
    fn describe(&self, id: &FrameId) -> Frame {
        let label = match &self.parent {
            None => String::new(),
            Some(_) => format!("f{}", self.number),
        };
        Frame {
            id: id.clone(),
            parent: self.parent.clone(),
            url: self.url.clone(),
            origin: self.origin.clone(),
            label,
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn id(text: &str) -> FrameId {
        FrameId(text.to_owned())
    }

    fn session(text: &str) -> Session {
        Session(text.into())
    }

    fn tree() -> FrameTree {
        let mut tree = FrameTree::default();
        let main = json!({ "id": "m", "loaderId": "l", "url": "http://a.example/", "securityOrigin": "http://a.example" });
        tree.navigate(&main, &session("s"));
        for (frame, parent) in [("z", "m"), ("b", "m"), ("y", "z")] {
            tree.attach(id(frame), Some(id(parent)), &session("s"));
        }
        tree
    }

    fn labels(tree: &FrameTree) -> Vec<(String, String)> {
        tree.list().into_iter().map(|frame| (frame.id.0, frame.label)).collect()
    }

    #[test]
    fn frames_are_listed_depth_first_and_keep_their_labels() {
        let mut tree = tree();
        let of = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter().map(|(id, label)| ((*id).to_owned(), (*label).to_owned())).collect()
        };
        assert_eq!(labels(&tree), of(&[("m", ""), ("z", "f1"), ("y", "f3"), ("b", "f2")]));
        tree.remove(&id("z"));
        tree.attach(id("new"), Some(id("m")), &session("s"));
        assert_eq!(labels(&tree), of(&[("m", ""), ("b", "f2"), ("new", "f4")]));
    }

    #[test]
    fn a_frame_in_another_process_is_spoken_to_there_and_one_that_navigates_loses_its_children() {
        let mut tree = tree();
        tree.move_to(&id("z"), &session("other"));
        tree.move_to(&id("y"), &session("other"));
        assert_eq!(tree.root_of_session(&id("y")), Some(&id("z")));
        assert_eq!(tree.root_of_session(&id("b")), Some(&id("m")));
        let moved = json!({ "id": "z", "parentId": "m", "loaderId": "l2", "url": "data:,x", "securityOrigin": "://" });
        tree.navigate(&moved, &session("other"));
        let frame = tree.list().into_iter().find(|frame| frame.id == id("z")).unwrap();
        assert_eq!((frame.origin.as_str(), frame.label.as_str()), ("null", "f1"));
        assert!(!tree.contains("y"));
    }

    #[test]
    fn a_page_with_endless_frames_has_so_many_and_no_more() {
        let mut tree = tree();
        for number in 0..10_000 {
            tree.attach(id(&format!("x{number}")), Some(id("m")), &session("s"));
        }
        assert_eq!(tree.list().len(), FRAMES_MAX);
    }
}
