//! `generate_queries`.

use capability_kit::{Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::query::{self, QueryWish, SearchDialect, SearchTree, WrittenQuery};

/// Terms of one list.
const TERMS_MAX: usize = 20;
const TERM_CHARS_MAX: usize = 100;
const SYNONYMS_MAX: usize = 8;

fn synonyms_default() -> usize {
    4
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GenerateQueriesArguments {
    /// The job that is searched for.
    #[serde(default)]
    title: Option<String>,
    /// Skills that each must be there.
    #[serde(default)]
    must: Vec<String>,
    /// Skills of which one is enough.
    #[serde(default)]
    any: Vec<String>,
    /// Words that must not be there.
    #[serde(default)]
    not: Vec<String>,
    #[serde(default)]
    location: Option<String>,
    /// Only remote work.
    #[serde(default)]
    remote: bool,
    /// All by default.
    #[serde(default)]
    dialects: Vec<SearchDialect>,
    /// Names for one thing, 1 to 8.
    #[serde(default = "synonyms_default")]
    synonyms: usize,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct GenerateQueriesOutput {
    queries: Vec<WrittenQuery>,
    /// The tree that all of them write.
    tree: SearchTree,
    /// The reasons of the added names.
    why: Vec<String>,
}

pub(super) fn generate(
    arguments: GenerateQueriesArguments,
    _: &Work,
) -> Result<GenerateQueriesOutput, Trouble> {
    check(&arguments)?;
    let wish = QueryWish {
        title: arguments.title.filter(|title| !title.trim().is_empty()),
        must: arguments.must,
        any: arguments.any,
        not: arguments.not,
        location: arguments.location.filter(|place| !place.trim().is_empty()),
        remote: arguments.remote,
        synonyms_max: arguments.synonyms.clamp(1, SYNONYMS_MAX),
    };
    let (tree, why) = query::plan(&wish);
    let dialects =
        if arguments.dialects.is_empty() { SearchDialect::ALL.to_vec() } else { arguments.dialects };
    let mut queries: Vec<WrittenQuery> = Vec::new();
    for dialect in dialects {
        if !queries.iter().any(|query| query.dialect == dialect) {
            queries.push(query::write(&tree, dialect));
        }
    }
    Ok(GenerateQueriesOutput { queries, tree, why })
}

fn check(arguments: &GenerateQueriesArguments) -> Result<(), Trouble> {
    let lists = [&arguments.must, &arguments.any, &arguments.not];
    if lists.iter().any(|list| list.len() > TERMS_MAX) {
        return Err(Trouble::bad_arguments(format!("a list has more than {TERMS_MAX} terms"))
            .hint("boards cut long queries; keep the most telling terms"));
    }
    let terms = lists.iter().flat_map(|list| list.iter()).chain(&arguments.title).chain(&arguments.location);
    if terms.into_iter().any(|term| term.chars().count() > TERM_CHARS_MAX) {
        return Err(Trouble::bad_arguments(format!("a term is longer than {TERM_CHARS_MAX} characters"))
            .hint("pass single words or short phrases"));
    }
    let blank = |terms: &[String]| terms.iter().all(|term| term.trim().is_empty());
    let has_title = arguments.title.as_deref().is_some_and(|title| !title.trim().is_empty());
    if !has_title && blank(&arguments.must) && blank(&arguments.any) {
        return Err(Trouble::bad_arguments("there is nothing to search for").hint("pass title, must or any"));
    }
    if lists.iter().flat_map(|list| list.iter()).any(|term| term.trim().is_empty()) {
        return Err(Trouble::bad_arguments("a term is empty").hint("leave empty terms out"));
    }
    Ok(())
}
