//! Whatever is read as a node is written as the same bytes.

use std::sync::Arc;

use proptest::prelude::*;

use super::Node;
use crate::digest::BlobDigest;
use crate::entry::{EntryKind, TreeEntry};
use crate::path::EntryPath;
use crate::writer::{ChildRef, NodeWriter};

fn path(number: u32) -> EntryPath {
    EntryPath::of_checked(&format!("folder-{:03}/ü{number:05}", number / 7))
}

/// A node of some items, which ends where the rule says.
fn sample(level: u8, count: u32) -> Vec<u8> {
    let mut writer = NodeWriter::new(level);
    for number in 0..count {
        let digest = BlobDigest::of(&number.to_le_bytes());
        let weight = u64::from(number) * 300;
        let ended = if level == 0 {
            let kind = if number % 3 == 0 { EntryKind::Manifest } else { EntryKind::Artifact };
            let media_type = if number % 4 == 0 { "text/plain" } else { "" };
            let metadata = b"{\"a\":1}"[..if number % 5 == 0 { 7 } else { 0 }].into();
            let entry = TreeEntry { kind, digest, bytes: weight, media_type: media_type.into(), metadata };
            writer.entry(path(number).as_str(), &entry.view())
        } else {
            writer.child(&ChildRef { first: path(number), digest, count: weight + 1, bytes: weight })
        };
        if let Some((node, _)) = ended.unwrap() {
            return node.bytes.to_vec();
        }
    }
    writer.finish().0.bytes.to_vec()
}

fn written(node: &Node) -> Vec<u8> {
    let mut writer = NodeWriter::new(node.level());
    for index in 0..node.len() {
        let path = node.path(index);
        let ended = if node.level() == 0 {
            writer.entry(path, &node.entry(index))
        } else {
            let (count, bytes) = node.weight(index);
            writer.child(&ChildRef {
                first: EntryPath::of_checked(path),
                digest: node.digest(index),
                count,
                bytes,
            })
        };
        if let Some((node, _)) = ended.unwrap() {
            return node.bytes.to_vec();
        }
    }
    writer.finish().0.bytes.to_vec()
}

/// Returns true if the bytes were read, and were written as they are.
fn round_trip(bytes: &[u8]) -> bool {
    let Ok(node) = Node::read(&Arc::from(bytes)) else { return false };
    // Sums that do not fit are found where a node's place is known.
    if node.whole_weight().is_some() {
        assert_eq!(written(&node), bytes);
    }
    true
}

#[test]
fn nodes_are_read_as_they_were_written() {
    for level in 0..3 {
        for count in [1, 2, 20, 500] {
            assert!(round_trip(&sample(level, count)), "level {level}, {count} items");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_nodes_are_refused_or_are_other_nodes(
        level in 0_u8..2,
        count in 1_u32..40,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..4), 1..4),
    ) {
        let mut bytes = sample(level, count);
        for (at, byte, way) in changes {
            let at = at.index(bytes.len());
            match way {
                0 => bytes[at] = byte,
                1 => bytes[at] ^= 1 << (byte % 8),
                2 => bytes.insert(at, byte),
                _ => drop(bytes.splice(at..(at + usize::from(byte % 50)).min(bytes.len()), [])),
            }
            if bytes.is_empty() {
                break;
            }
        }
        round_trip(&bytes);
    }
}
