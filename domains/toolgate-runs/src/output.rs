//! The manifests of what runs leave, however they end.

use std::collections::BTreeSet;

use toolgate_core::file::Artifact;
use toolgate_core::id::RunId;
use toolgate_core::{Digest, PrincipalId, Refusal};
use toolgate_store::{EndRequest, LeftOutput, RunEnding, RunError, SteppedRun};

use crate::contents::{ContentAuthor, RunEntry, RunEntryContent};
use crate::desk::RunDesk;

const OUTPUT_MESSAGE: &str = "output of a run";
/// The attempts to end a run with all that it has stored, while more is being stored.
const ATTEMPTS_MAX: usize = 3;

/// The cause of an end other than completion.
#[derive(Clone, Copy)]
pub(crate) enum EndCause<'a> {
    /// A tool asks for it.
    Request(&'a RunEnding, &'a EndRequest),
    /// A person or the gateway orders it.
    Order(&'a RunEnding),
    /// The time of the run is over.
    Time,
}

impl RunDesk {
    /// Ends a run with the manifests of what it and the runs within it have stored. No failure of these manifests keeps a run from ending.
    /// `None` if its time is not over after all.
    pub(crate) async fn end(
        &self,
        run: &RunId,
        cause: EndCause<'_>,
        by: &PrincipalId,
    ) -> Result<Option<SteppedRun>, RunError> {
        for _ in 0..ATTEMPTS_MAX {
            let left = match self.left_outputs(run, by).await {
                Ok(left) => left,
                Err(error) => {
                    tracing::warn!(%run, %error, "a run ends without a manifest of its output");
                    break;
                }
            };
            match Box::pin(self.end_once(run, cause, Some(&left), by)).await {
                Err(RunError::MoreStored) => {}
                ended => return ended,
            }
        }
        Box::pin(self.end_once(run, cause, None, by)).await
    }

    async fn end_once(
        &self,
        run: &RunId,
        cause: EndCause<'_>,
        left: Option<&[LeftOutput]>,
        by: &PrincipalId,
    ) -> Result<Option<SteppedRun>, RunError> {
        let (books, act) = (&self.books, self.act(by));
        match cause {
            EndCause::Request(ending, asked) => {
                books.end_run_as_asked(run, ending, asked, left, act).await.map(Some)
            }
            EndCause::Order(ending) => books.end_run(run, ending, left, act).await.map(Some),
            EndCause::Time => books.end_late_run(run, left, act).await,
        }
    }

    /// The manifests of all artifacts of a run and of the runs within it that have not ended.
    async fn left_outputs(&self, run: &RunId, by: &PrincipalId) -> Result<Vec<LeftOutput>, RunError> {
        let mut left = Vec::new();
        for run in self.store.open_runs_with_artifacts(run).await? {
            let artifacts = self.store.run_artifacts(&run).await?;
            let stored = u64::try_from(artifacts.len()).expect("a count fits into 64 bits");
            let manifest = self.output_manifest(&run, artifact_entries(&artifacts), by).await?;
            left.push(LeftOutput { run, manifest, stored });
        }
        Ok(left)
    }

    pub(crate) async fn output_manifest(
        &self,
        run: &RunId,
        entries: Vec<RunEntry>,
        by: &PrincipalId,
    ) -> Result<Digest, Refusal> {
        let author = ContentAuthor { principal: by.clone(), session: None, run: Some(run.clone()) };
        self.contents.snapshot(author, entries, OUTPUT_MESSAGE).await
    }
}

/// The artifacts by name. A name may be none that a manifest takes; that must not keep a run from ending, so each has another path that
/// no other artifact has.
pub(crate) fn artifact_entries<'a>(artifacts: impl IntoIterator<Item = &'a Artifact>) -> Vec<RunEntry> {
    let artifacts: Vec<&Artifact> = artifacts.into_iter().collect();
    let mut taken: BTreeSet<String> = artifacts.iter().map(|one| one.name.to_string()).collect();
    let mut entries = Vec::with_capacity(artifacts.len());
    for artifact in artifacts {
        let otherwise = free_path(&taken, artifact.digest);
        taken.insert(otherwise.clone());
        entries.push(RunEntry {
            path: artifact.name.to_string(),
            otherwise: Some(otherwise),
            content: RunEntryContent::Stored(artifact.digest),
        });
    }
    entries
}

/// `artifact-sha256-9f86…`, with a number if that is taken.
fn free_path(taken: &BTreeSet<String>, digest: Digest) -> String {
    let usual = format!("artifact-{}", digest.to_string().replace(':', "-"));
    let mut path = usual.clone();
    let mut number = 2_u64;
    while taken.contains(&path) {
        path = format!("{usual}-{number}");
        number += 1;
    }
    path
}

#[cfg(test)]
mod tests {
    use toolgate_core::file::FileName;

    use super::*;

    fn artifact(name: &str, content: &str) -> Artifact {
        Artifact {
            digest: Digest::of(content),
            name: FileName::new(name).expect("a legal name"),
            media_type: "text/plain".to_owned(),
            bytes: 1,
            run: None,
            owner: PrincipalId::new("erna"),
            created_at_ms: 1,
        }
    }

    #[test]
    fn no_two_entries_fall_back_to_one_path() {
        let usual = format!("artifact-{}", Digest::of("same").to_string().replace(':', "-"));
        let artifacts = [artifact("a", "same"), artifact("b", "same"), artifact(&usual, "other")];
        let entries = artifact_entries(&artifacts);
        let mut paths: Vec<String> =
            entries.into_iter().flat_map(|entry| [Some(entry.path), entry.otherwise]).flatten().collect();
        paths.sort();
        let count = paths.len();
        paths.dedup();
        assert_eq!((count, paths.len()), (6, 6), "{paths:?}");
    }
}
