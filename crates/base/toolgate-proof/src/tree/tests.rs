//! The vectors of the RFC's reference implementation (`certificate-transparency`, a tree of eight), and the
//! definitions of the RFC beside the functions.

use proptest::prelude::*;

use super::*;

const INPUTS: [&[u8]; 8] = [
    b"",
    &[0x00],
    &[0x10],
    &[0x20, 0x21],
    &[0x30, 0x31],
    &[0x40, 0x41, 0x42, 0x43],
    &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
    &[0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f],
];
const ROOTS: [&str; 8] = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];
const A: &str = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7";
const B: &str = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e";
const C: &str = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4";
const D: &str = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b";
const E: &str = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0";
const F: &str = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a";

fn digest(hex: &str) -> Digest {
    format!("sha256:{hex}").parse().unwrap()
}

fn leaves(count: usize) -> Vec<Digest> {
    INPUTS[..count].iter().map(|input| leaf(input)).collect()
}

fn roots_of(ranges: Vec<Range<u64>>, leaves: &[Digest]) -> Vec<Digest> {
    ranges.into_iter().map(|range| root(&leaves[range.start as usize..range.end as usize])).collect()
}

fn inclusion(index: u64, leaves: &[Digest]) -> Vec<Digest> {
    roots_of(inclusion_ranges(index, leaves.len() as u64).unwrap(), leaves)
}

fn consistency(old: u64, leaves: &[Digest]) -> Vec<Digest> {
    roots_of(consistency_ranges(old, leaves.len() as u64).unwrap(), leaves)
}

#[test]
fn roots_are_those_of_the_standard() {
    for (count, expected) in (1..).zip(ROOTS) {
        assert_eq!(root(&leaves(count)), digest(expected));
    }
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(root(&[]), digest(empty));
}

#[test]
fn paths_are_those_of_the_standard() {
    let vectors: [(u64, usize, &[&str]); 4] =
        [(0, 8, &[A, B, C]), (5, 8, &[D, E, ROOTS[3]]), (2, 3, &[ROOTS[1]]), (1, 5, &[ROOTS[0], B, D])];
    for (index, size, expected) in vectors {
        let expected: Vec<Digest> = expected.iter().map(|hex| digest(hex)).collect();
        assert_eq!(inclusion(index, &leaves(size)), expected, "leaf {index} of {size}");
    }
    let vectors: [(u64, usize, &[&str]); 4] =
        [(1, 1, &[]), (1, 8, &[A, B, C]), (6, 8, &[F, E, ROOTS[3]]), (2, 5, &[B, D])];
    for (old, size, expected) in vectors {
        let expected: Vec<Digest> = expected.iter().map(|hex| digest(hex)).collect();
        assert_eq!(consistency(old, &leaves(size)), expected, "{old} of {size}");
    }
}

#[test]
fn a_leaf_beyond_the_tree_has_no_path() {
    assert_eq!(inclusion_ranges(3, 3), None);
    assert_eq!(inclusion_ranges(0, 0), None);
    assert_eq!(inclusion_ranges(0, u64::MAX), None);
    assert_eq!(consistency_ranges(4, 3), None);
    assert_eq!(consistency_ranges(1, u64::MAX), None);
}

/// `PATH` of RFC 6962, section 2.1.1, as it is written there.
fn path_of_the_rfc(index: usize, leaves: &[Digest]) -> Vec<Digest> {
    if leaves.len() == 1 {
        return Vec::new();
    }
    let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
    let (mut path, other) = match index.checked_sub(left.len()) {
        None => (path_of_the_rfc(index, left), right),
        Some(index) => (path_of_the_rfc(index, right), left),
    };
    path.push(root(other));
    path
}

/// `SUBPROOF` of RFC 6962, section 2.1.2.
fn subproof_of_the_rfc(old: usize, leaves: &[Digest], is_known: bool) -> Vec<Digest> {
    if old == leaves.len() {
        return if is_known { Vec::new() } else { vec![root(leaves)] };
    }
    let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
    let (mut path, other) = if old <= left.len() {
        (subproof_of_the_rfc(old, left, is_known), right)
    } else {
        (subproof_of_the_rfc(old - left.len(), right, false), left)
    };
    path.push(root(other));
    path
}

fn some_leaves() -> impl Strategy<Value = Vec<Digest>> {
    proptest::collection::vec(any::<[u8; 32]>().prop_map(Digest::from_bytes), 1..300)
}

proptest! {
    #[test]
    fn every_leaf_is_proved_and_no_other(leaves in some_leaves(), at in any::<prop::sample::Index>(), other in any::<[u8; 32]>()) {
        let (index, size) = (at.index(leaves.len()), leaves.len() as u64);
        let path = inclusion(index as u64, &leaves);
        prop_assert_eq!(&path, &path_of_the_rfc(index, &leaves));
        let whole = Some(root(&leaves));
        prop_assert_eq!(root_of_inclusion(leaves[index], index as u64, size, &path), whole);
        prop_assert_ne!(root_of_inclusion(Digest::from_bytes(other), index as u64, size, &path), whole);
        let mut longer = path.clone();
        longer.push(leaves[0]);
        prop_assert_eq!(root_of_inclusion(leaves[index], index as u64, size, &longer), None);
        for place in 0..path.len() {
            let mut damaged = path.clone();
            damaged[place] = Digest::from_bytes(other);
            prop_assert_ne!(root_of_inclusion(leaves[index], index as u64, size, &damaged), whole);
        }
    }

    #[test]
    fn every_beginning_is_proved_and_no_other(leaves in some_leaves(), at in any::<prop::sample::Index>(), other in any::<[u8; 32]>()) {
        let old = at.index(leaves.len()) + 1;
        let (before, after) = (root(&leaves[..old]), root(&leaves));
        let path = consistency(old as u64, &leaves);
        prop_assert_eq!(&path, &subproof_of_the_rfc(old, &leaves, true));
        let (old, size, other) = (old as u64, leaves.len() as u64, Digest::from_bytes(other));
        prop_assert!(is_consistent((old, before), (size, after), &path));
        prop_assert!(!is_consistent((old, other), (size, after), &path));
        prop_assert!(!is_consistent((old, before), (size, other), &path));
        for place in 0..path.len() {
            let mut damaged = path.clone();
            damaged[place] = other;
            prop_assert!(!is_consistent((old, before), (size, after), &damaged));
        }
    }
}

#[test]
fn every_tree_continues_the_empty_one() {
    let whole = (3, root(&leaves(3)));
    assert!(is_consistent((0, empty_root()), whole, &[]));
    assert!(!is_consistent((0, whole.1), whole, &[]));
    assert!(!is_consistent((0, empty_root()), whole, &[whole.1]));
    assert!(!is_consistent(whole, (0, empty_root()), &[]));
}
