//! `index.evaluate`: a version of a profile is measured by questions, and promoted if nothing falls.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::platform::ObjectRef;
use toolgate_domain::{MountRule, ToolContext, ToolDefinition, ToolReply};
use toolgate_store::Actor;

use super::arguments::profile_usual;
use super::target::{self, NamedTarget, TargetArgument};
use crate::evaluation::{
    EvaluationTarget, MeasuredQuestion, MeasuredVersion, PromotedVersion, SearchMeasures, check_may_promote,
};
use crate::indexes::Indexes;
use crate::limits::WAIT_SECONDS_MAX;
use crate::profiles::{KnownProfile, ProfileQuestion, QUESTIONS_MAX};
use crate::refusal::{empty_pointer, invalid};

pub(super) const EVALUATE: ToolDefinition = ToolDefinition::writes(
    "index.evaluate",
    "Measure a profile",
    "Measures a version of a profile by questions with known answers: its own, or yours about a target. With promote it becomes the active \
     version, unless a measure falls below that of the active one.",
)
.mount(MountRule::ListedPointers)
.idempotent();

const WAIT_USUAL: u16 = 60;
/// Questions that the answer shows, the worst first.
const QUESTIONS_SHOWN_MAX: usize = 50;

#[derive(Deserialize, JsonSchema)]
pub(super) struct IndexEvaluateArguments {
    #[serde(default = "profile_usual")]
    profile: String,
    /// Usually the newest
    version: Option<u32>,
    /// Usually the documents that come with the profile
    target: Option<TargetArgument>,
    /// Usually those of the profile
    questions: Option<Vec<ProfileQuestion>>,
    /// For those who run the gateway
    #[serde(default)]
    promote: bool,
    /// The longest wait for indexes that have to be built
    #[serde(default = "wait_usual")]
    #[schemars(range(max = WAIT_SECONDS_MAX))]
    wait_seconds: u16,
}

fn wait_usual() -> u16 {
    WAIT_USUAL
}

#[derive(Serialize, JsonSchema)]
pub(super) struct IndexEvaluateOutput {
    measured: MeasuredVersionOutput,
    /// The active version on the same questions, if it is another one
    #[serde(skip_serializing_if = "Option::is_none")]
    active: Option<MeasuredVersionOutput>,
    /// The reason why it could not be promoted
    #[serde(skip_serializing_if = "Option::is_none")]
    fall: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    promoted: Option<PromotedVersionOutput>,
    question_count: usize,
    /// The worst first
    questions: Vec<MeasuredQuestionOutput>,
}

#[derive(Serialize, JsonSchema)]
struct MeasuredVersionOutput {
    /// name@version
    profile: String,
    sha256: String,
    index_manifest: String,
    measures: SearchMeasures,
}

#[derive(Serialize, JsonSchema)]
struct PromotedVersionOutput {
    version: u32,
    superseded: u32,
    /// Pointers that are being indexed with it now
    ingests: u64,
}

#[derive(Serialize, JsonSchema)]
struct MeasuredQuestionOutput {
    query: String,
    measures: SearchMeasures,
}

pub(super) async fn evaluate(
    indexes: Arc<Indexes>,
    context: ToolContext,
    arguments: IndexEvaluateArguments,
) -> Result<ToolReply<IndexEvaluateOutput>, Refusal> {
    let IndexEvaluateArguments { profile, version, target, questions, promote, wait_seconds } = arguments;
    if promote {
        check_may_promote(&context)?;
    }
    let known = match version {
        Some(version) => indexes.shelf.version(&profile, version)?,
        None => indexes.shelf.newest(&profile)?,
    };
    let known = Arc::clone(known);
    let active = indexes.active_profile(&profile).await?;
    let target = asked_about(&indexes, &context, target, questions, &known).await?;
    let (by, wait) =
        (Actor::of(&context.holder), Duration::from_secs(wait_seconds.min(WAIT_SECONDS_MAX).into()));
    let measured = indexes.measure(&known, &target, &by, wait).await?;
    let before = match active.profile.version == known.profile.version {
        true => None,
        false => Some(indexes.measure(&active, &target, &by, wait).await?),
    };
    let promoted = match &before {
        Some(before) if promote => Some(indexes.promote(&measured, before, &by).await?),
        _ => None,
    };
    let refs = [ObjectRef::Manifest { sha256: measured.build.index_manifest.digest() }];
    Ok(ToolReply::new(IndexEvaluateOutput::of(measured, before, promoted)).refs(refs))
}

/// The state and the questions: both of the profile, unless the caller brings its own.
async fn asked_about(
    indexes: &Indexes,
    context: &ToolContext,
    target: Option<TargetArgument>,
    questions: Option<Vec<ProfileQuestion>>,
    known: &KnownProfile,
) -> Result<EvaluationTarget, Refusal> {
    let questions = questions.unwrap_or_else(|| known.questions.clone());
    check(&questions)?;
    let Some(target) = target else {
        let own = indexes.own_target(known).await?;
        return Ok(EvaluationTarget { questions, ..own });
    };
    let NamedTarget { source, manifest } = target::find(indexes, context, target).await?;
    let manifest = manifest.ok_or_else(|| empty_pointer(&source))?;
    Ok(EvaluationTarget { source, manifest, questions })
}

fn check(questions: &[ProfileQuestion]) -> Result<(), Refusal> {
    let is_judged = |question: &ProfileQuestion| question.relevant.iter().any(|one| one.grade > 0);
    if questions.is_empty() {
        return Err(
            invalid("there are no questions", "questions").hint("give some, with the paths that answer them")
        );
    }
    if questions.len() > QUESTIONS_MAX {
        return Err(invalid(format!("there are more than {QUESTIONS_MAX} questions"), "questions")
            .hint("measure by fewer"));
    }
    match questions.iter().all(|one| is_judged(one) && !one.query.trim().is_empty()) {
        true => Ok(()),
        false => Err(invalid("a question has no words, or no document answers it", "questions")
            .hint("give each a `query` and at least one path in `relevant`")),
    }
}

impl IndexEvaluateOutput {
    fn of(
        measured: MeasuredVersion,
        before: Option<MeasuredVersion>,
        promoted: Option<PromotedVersion>,
    ) -> Self {
        let fall = before.as_ref().and_then(|before| measured.measures.fall(&before.measures));
        let mut questions: Vec<&MeasuredQuestion> = measured.questions.iter().collect();
        questions.sort_by(|one, other| one.measures.ndcg_at_10.total_cmp(&other.measures.ndcg_at_10));
        let shown = questions.iter().take(QUESTIONS_SHOWN_MAX);
        Self {
            question_count: questions.len(),
            questions: shown.map(|question| MeasuredQuestionOutput::of(question)).collect(),
            measured: MeasuredVersionOutput::of(&measured),
            active: before.as_ref().map(MeasuredVersionOutput::of),
            fall,
            promoted: promoted.map(PromotedVersionOutput::of),
        }
    }
}

impl MeasuredVersionOutput {
    fn of(measured: &MeasuredVersion) -> Self {
        Self {
            profile: measured.known.full_name(),
            sha256: measured.known.digest.to_string(),
            index_manifest: measured.build.index_manifest.to_string(),
            measures: measured.measures,
        }
    }
}

impl PromotedVersionOutput {
    fn of(promoted: PromotedVersion) -> Self {
        let PromotedVersion { version, superseded, ingests } = promoted;
        Self { version, superseded, ingests }
    }
}

impl MeasuredQuestionOutput {
    fn of(question: &MeasuredQuestion) -> Self {
        Self { query: question.query.clone(), measures: question.measures }
    }
}

#[cfg(test)]
mod tests {
    use crate::profiles::JudgedDocument;

    use super::*;

    fn question(query: &str, grades: &[u8]) -> ProfileQuestion {
        let judged = |grade: &u8| JudgedDocument { path: "a.md".to_owned(), grade: *grade };
        ProfileQuestion { query: query.to_owned(), relevant: grades.iter().map(judged).collect() }
    }

    #[test]
    fn a_version_is_never_measured_by_nothing() {
        assert!(check(&[question("what", &[1])]).is_ok());
        for bad in
            [vec![], vec![question(" ", &[1])], vec![question("what", &[])], vec![question("what", &[0])]]
        {
            assert!(check(&bad).is_err());
        }
        assert!(check(&vec![question("what", &[1]); QUESTIONS_MAX + 1]).is_err());
    }
}
