//! The ways from manifests to those before them. A child has a higher generation than its parents, so going from the highest to the
//! lowest meets every manifest once, and after all that come from it.

use std::collections::{BTreeMap, HashMap};

use toolgate_core::Refusal;
use toolgate_core::substrate::ManifestDigest;
use toolgate_store::StoredManifest;

use super::manifest::Manifest;
use crate::digests;
use crate::limits::{ANCESTORS_MAX, BRANCHES_MAX, GENERATIONS_AT_ONCE};
use crate::refusal;
use crate::state::Substrate;

/// Between the digests of a cursor.
const SEPARATOR: char = '.';

/// Manifests that were read ahead.
struct AncestryReader<'a> {
    substrate: &'a Substrate,
    ahead: HashMap<ManifestDigest, StoredManifest>,
}

impl<'a> AncestryReader<'a> {
    fn new(substrate: &'a Substrate) -> Self {
        Self { substrate, ahead: HashMap::new() }
    }

    /// A manifest, if it is there: a parent may have been collected.
    async fn read(&mut self, digest: ManifestDigest) -> Result<Option<Manifest>, Refusal> {
        if !self.ahead.contains_key(&digest) {
            let rows = self.substrate.store.manifest_ancestry(&digest, GENERATIONS_AT_ONCE).await;
            self.ahead.extend(rows.map_err(refusal::down)?.into_iter().map(|row| (row.digest, row)));
        }
        self.ahead.remove(&digest).map(Manifest::of).transpose()
    }
}

/// A history, newest first.
pub(super) struct HistoryWalk<'a> {
    reader: AncestryReader<'a>,
    /// Manifests to come, by generation. None of them was told yet.
    frontier: BTreeMap<(u64, ManifestDigest), Manifest>,
}

impl<'a> HistoryWalk<'a> {
    pub(super) async fn start(substrate: &'a Substrate, newest: ManifestDigest) -> Result<Self, Refusal> {
        let mut walk = Self { reader: AncestryReader::new(substrate), frontier: BTreeMap::new() };
        walk.add(newest).await?;
        if walk.frontier.is_empty() {
            return Err(refusal::unknown_manifest(&newest));
        }
        Ok(walk)
    }

    /// Goes on where a page ended.
    pub(super) async fn resume(substrate: &'a Substrate, cursor: &str) -> Result<Self, Refusal> {
        let mut walk = Self { reader: AncestryReader::new(substrate), frontier: BTreeMap::new() };
        for digest in cursor.split(SEPARATOR).take(BRANCHES_MAX) {
            walk.add(digests::read_manifest(digest, "cursor")?).await?;
        }
        Ok(walk)
    }

    async fn add(&mut self, digest: ManifestDigest) -> Result<(), Refusal> {
        if let Some(manifest) = self.reader.read(digest).await? {
            self.put_back(manifest);
        }
        Ok(())
    }

    /// The newest of those that were not told yet.
    pub(super) async fn next(&mut self) -> Result<Option<Manifest>, Refusal> {
        let Some((_, manifest)) = self.frontier.pop_last() else { return Ok(None) };
        for parent in &manifest.parents {
            self.add(*parent).await?;
        }
        if self.frontier.len() > BRANCHES_MAX {
            let message = format!("the history has more than {BRANCHES_MAX} branches at once");
            return Err(refusal::history_too_long(message));
        }
        Ok(Some(manifest))
    }

    pub(super) fn put_back(&mut self, manifest: Manifest) {
        self.frontier.insert((manifest.generation, manifest.digest), manifest);
    }

    /// The cursor of the next page; `None` at the end.
    pub(super) fn cursor(&self) -> Option<String> {
        let digests = self.frontier.keys().rev().map(|(_, digest)| digest.to_string());
        let bare: Vec<String> = digests.map(|text| text.trim_start_matches("sha256:").to_owned()).collect();
        (!bare.is_empty()).then(|| bare.join(&SEPARATOR.to_string()))
    }
}

/// The sides from which a manifest was reached.
#[derive(Clone, Copy, Default)]
struct ReachedFrom {
    one: bool,
    other: bool,
}

impl Substrate {
    /// The common ancestor of two manifests with the highest generation; one of them may be the ancestor of the other.
    pub async fn common_ancestor(
        &self,
        one: ManifestDigest,
        other: ManifestDigest,
    ) -> Result<Option<ManifestDigest>, Refusal> {
        let mut reader = AncestryReader::new(self);
        let mut frontier: BTreeMap<(u64, ManifestDigest), (Manifest, ReachedFrom)> = BTreeMap::new();
        for (digest, from) in
            [(one, ReachedFrom { one: true, other: false }), (other, ReachedFrom { one: false, other: true })]
        {
            let start = reader.read(digest).await?.ok_or_else(|| refusal::unknown_manifest(&digest))?;
            reach(&mut frontier, start, from);
        }
        for _ in 0..ANCESTORS_MAX {
            let Some(((_, digest), (manifest, from))) = frontier.pop_last() else { return Ok(None) };
            if from.one && from.other {
                return Ok(Some(digest));
            }
            for parent in &manifest.parents {
                if let Some(parent) = reader.read(*parent).await? {
                    reach(&mut frontier, parent, from);
                }
            }
        }
        let message = format!("no common ancestor was found among {ANCESTORS_MAX} manifests");
        Err(refusal::history_too_long(message))
    }
}

fn reach(
    frontier: &mut BTreeMap<(u64, ManifestDigest), (Manifest, ReachedFrom)>,
    manifest: Manifest,
    from: ReachedFrom,
) {
    let key = (manifest.generation, manifest.digest);
    let (_, reached) = frontier.entry(key).or_insert((manifest, ReachedFrom::default()));
    reached.one |= from.one;
    reached.other |= from.other;
}
