//! `hashtags`.

use capability_kit::{Tool, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::basis::FindingBasis;
use crate::copy::{TagFault, faulty_tags, suggested_tags};
use crate::given;

const DESCRIPTION: &str = "Suggests hashtags from the key phrases of a post and names the faults of those in \
    it. How many people follow a tag is not known here.";

const COUNT_MAX: usize = 30;
const SOURCE: &str = "tags are key phrases of the text; faults after the accessibility advice of the platforms (capitals for \
    screen readers) and the way links are made of tags. Reach is not measured";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HashtagsArguments {
    /// The post.
    #[serde(default)]
    text: Option<String>,
    /// Instead of `text`: the text of a file, which a gateway fills in for its id.
    #[serde(default)]
    file_text: Option<String>,
    /// Such as `instagram`: its limit is kept.
    #[serde(default)]
    platform: Option<String>,
    /// The number of tags, at most 30.
    #[serde(default = "five")]
    count: usize,
}

fn five() -> usize {
    5
}

#[derive(Serialize, JsonSchema)]
struct HashtagsOutput {
    /// The best first. They say what the text says: a rule of thumb, not a measured reach.
    hashtags: Vec<String>,
    /// Faults of hashtags in the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<FaultyTag>,
    /// The platform's limit, if it has one, with the place where it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_source: Option<&'static str>,
    /// The grounds of suggestions and faults.
    basis: FindingBasis,
    source: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct FaultyTag {
    tag: String,
    fault: TagFault,
}

pub(super) fn tool() -> Tool {
    Tool::new("hashtags", "Suggest hashtags", DESCRIPTION, suggest)
}

fn suggest(arguments: HashtagsArguments, _: &Work) -> Result<HashtagsOutput, Trouble> {
    let HashtagsArguments { text, file_text, platform, count } = arguments;
    let text = given::text("text", text, file_text)?;
    if !(1..=COUNT_MAX).contains(&count) {
        return Err(Trouble::bad_arguments(format!("count: {count} is not from 1 to {COUNT_MAX}")));
    }
    let rules = match &platform {
        Some(platform) => Some(given::placement(platform, None)?.1),
        None => None,
    };
    let limit = rules.and_then(|rules| rules.hashtags_max);
    let tags = suggested_tags(&text, limit.map_or(count, |limit| count.min(limit)));
    let faults = faulty_tags(&text).into_iter().map(|(tag, fault)| FaultyTag { tag, fault });
    Ok(HashtagsOutput {
        hashtags: tags.into_iter().map(|tag| tag.tag).collect(),
        faults: faults.collect(),
        limit,
        limit_source: rules.filter(|_| limit.is_some()).map(|rules| rules.source.as_str()),
        basis: FindingBasis::RuleOfThumb,
        source: SOURCE,
    })
}
