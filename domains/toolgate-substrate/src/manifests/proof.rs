//! A file that proves that a path is in a manifest, with its entry, or is not: the manifest's document and the nodes on the way to the
//! path. Whoever has the manifest's digest checks it without a gateway.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use manifest_tree::{EntryPath, PathError, PathProof, ProofError, TreeEntry};
use serde::{Deserialize, Serialize};
use toolgate_core::Digest;
use toolgate_core::substrate::ManifestDigest;

use super::manifest::ManifestDocument;
use crate::digests::for_tree;

/// The first member of every proof.
const FORM: &str = "toolgate manifest path 1";
/// The most nodes of a proof: more levels than any tree has.
const NODES_MAX: usize = 64;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProofFile {
    proof: String,
    /// The manifest's document, as it is stored.
    manifest: String,
    path: String,
    /// From the root to the leaf, as Base64.
    nodes: Vec<String>,
}

/// What a proof shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProvedPath {
    pub manifest: ManifestDigest,
    pub root: Digest,
    pub message: String,
    pub principal: String,
    pub path: EntryPath,
    /// None proves that the path is not there.
    pub entry: Option<TreeEntry>,
}

/// The reason why a file proves nothing. Each text includes its cause.
#[derive(Debug, thiserror::Error)]
pub enum BadPathProof {
    #[error("it is not a proof of a path: {0}")]
    Form(serde_json::Error),
    #[error("it has another form than {FORM:?}")]
    OtherForm,
    #[error("its manifest is not one in its one form")]
    Manifest,
    #[error("its path is wrong: {0}")]
    Path(PathError),
    #[error("a node is not Base64, or there are too many")]
    Nodes,
    #[error("its nodes do not lead from the manifest's root to the path: {0}")]
    Tree(ProofError),
}

/// The text of a proof.
pub(super) fn write_proof(document: String, path: &EntryPath, proof: &PathProof) -> String {
    let file = ProofFile {
        proof: FORM.to_owned(),
        manifest: document,
        path: path.to_string(),
        nodes: proof.nodes.iter().map(|node| BASE64_STANDARD.encode(node)).collect(),
    };
    serde_json::to_string_pretty(&file).expect("texts are JSON")
}

/// Checks a proof with nothing but its text. The caller compares the manifest with the one that it knows.
pub fn check_proof(text: &str) -> Result<ProvedPath, BadPathProof> {
    let file: ProofFile = serde_json::from_str(text).map_err(BadPathProof::Form)?;
    if file.proof != FORM {
        return Err(BadPathProof::OtherForm);
    }
    let document = ManifestDocument::read(&file.manifest).ok_or(BadPathProof::Manifest)?;
    let (canonical, manifest) = document.write();
    if canonical != file.manifest {
        return Err(BadPathProof::Manifest);
    }
    let path = EntryPath::new(&file.path).map_err(BadPathProof::Path)?;
    if file.nodes.len() > NODES_MAX {
        return Err(BadPathProof::Nodes);
    }
    let decode = |node: &String| BASE64_STANDARD.decode(node).map(Arc::<[u8]>::from);
    let nodes = file.nodes.iter().map(decode).collect::<Result<Vec<Arc<[u8]>>, _>>();
    let proof = PathProof { nodes: nodes.map_err(|_| BadPathProof::Nodes)? };
    let entry = proof.verify(for_tree(document.root), &path).map_err(BadPathProof::Tree)?;
    let (message, principal) = (document.message, document.principal);
    Ok(ProvedPath { manifest, root: document.root, message, principal, path, entry })
}

#[cfg(test)]
mod tests {
    use manifest_tree::{BlobDigest, EntryKind, MemoryNodes, TreeProving, build, drive};
    use toolgate_core::PrincipalId;
    use toolgate_store::Actor;

    use super::*;
    use crate::digests::of_tree;

    fn path(number: usize) -> EntryPath {
        EntryPath::new(&format!("folder/file-{number:04}.txt")).expect("a path")
    }

    fn proof(wanted: &EntryPath) -> (String, ManifestDigest) {
        let entry = |number: usize| TreeEntry {
            kind: EntryKind::Artifact,
            digest: BlobDigest::of(&number.to_le_bytes()),
            bytes: number as u64,
            media_type: "text/plain".into(),
            metadata: Arc::default(),
        };
        let entries = (0..1_000).map(|number| (path(number), entry(number))).collect();
        let mut nodes = MemoryNodes::default();
        let root = build(entries, &mut nodes).expect("a tree");
        let by = Actor::person(&PrincipalId::new("ann"));
        let (document, digest) = ManifestDocument::new(of_tree(root.digest), &[], "first", None, &by).write();
        let mut proving = TreeProving::new(root.digest, wanted.clone());
        let (proof, _) = drive(&mut proving, &nodes, |_| {}).expect("a proof");
        (write_proof(document, wanted, &proof), digest)
    }

    #[test]
    fn a_path_that_is_there_and_one_that_is_not_are_proved() {
        let (text, digest) = proof(&path(7));
        let proved = check_proof(&text).expect("it proves something");
        assert_eq!((proved.manifest, proved.message.as_str()), (digest, "first"));
        assert_eq!(proved.entry.map(|entry| entry.bytes), Some(7));
        let (text, _) = proof(&path(9_999));
        assert_eq!(check_proof(&text).expect("it proves something").entry, None);
    }

    #[test]
    fn a_proof_of_something_else_proves_nothing() {
        let (text, _) = proof(&path(7));
        let cut = |from: &str, to: &str| text.replacen(from, to, 1);
        assert!(matches!(check_proof(&cut("file-0007", "file-0900")), Err(BadPathProof::Tree(_))));
        assert!(matches!(check_proof(&cut("first", "other \\\"")), Err(BadPathProof::Manifest)));
        assert!(matches!(check_proof(&cut("path 1", "path 2")), Err(BadPathProof::OtherForm)));
        assert!(matches!(check_proof("{}"), Err(BadPathProof::Form(_))));
        let other = check_proof(&cut("first", "second")).expect("another manifest with the same root");
        assert_ne!(other.manifest, check_proof(&text).expect("the first one").manifest);
    }
}
