//! The traits of a tool: those that it declares, or those in its own name, word by word. Levels of care rely on
//! them if effects are not enough.

use toolgate_core::Tool;
use toolgate_core::tool::ToolTrait;

/// Moves something to a place that others rely on.
pub(crate) const PROMOTION: &str = ToolTrait::Promotion.as_str();
/// Changes the form of data.
pub(crate) const SCHEMA: &str = ToolTrait::SchemaChange.as_str();
/// Decides on a claim.
pub(crate) const CLAIM: &str = ToolTrait::ClaimDecision.as_str();

const PROMOTING: &[&str] = &[
    "promote",
    "promotes",
    "promotion",
    "promotions",
    "publish",
    "publishes",
    "republish",
    "unpublish",
    "release",
    "releases",
    "deploy",
    "deploys",
    "deployment",
    "deployments",
    "redeploy",
    "undeploy",
    "rollout",
    "rollback",
];
const POINTERS: &[&str] = &["pointer", "pointers"];
const MOVING: &[&str] = &["move", "set", "advance", "update", "reset", "rewind", "swap", "forward"];

const SCHEMAS: &[&str] = &["schema", "schemas", "migrate", "migration", "migrations", "ddl", "alter"];
const SHAPED: &[&str] =
    &["table", "tables", "column", "columns", "index", "indexes", "database", "databases", "collection"];
const RESHAPING: &[&str] =
    &["create", "drop", "add", "remove", "delete", "rename", "modify", "change", "update", "truncate"];

const CLAIMS: &[&str] = &["claim", "claims"];
const DECIDING: &[&str] = &[
    "accept",
    "adjudicate",
    "adjust",
    "approve",
    "assess",
    "close",
    "confirm",
    "decide",
    "decision",
    "decline",
    "deny",
    "determine",
    "dispute",
    "pay",
    "promote",
    "reject",
    "reopen",
    "resolve",
    "retract",
    "settle",
    "verify",
];

/// The traits of a tool, sorted. A tool that declares them has no others, whatever its name is.
pub(crate) fn traits_of(tool: &Tool) -> Vec<&'static str> {
    match tool.handling.traits {
        Some(declared) => {
            let mut declared: Vec<&str> = declared.iter().map(|one| one.as_str()).collect();
            declared.sort_unstable();
            declared
        }
        None => traits_in(&tool.own),
    }
}

/// The traits that a tool's own name gives it, sorted.
fn traits_in(own: &str) -> Vec<&'static str> {
    let words = words(own);
    let any = |of: &[&str]| words.iter().any(|word| of.contains(&word.as_str()));
    let told = [
        (CLAIM, any(CLAIMS) && any(DECIDING)),
        (PROMOTION, any(PROMOTING) || any(POINTERS) && any(MOVING)),
        (SCHEMA, any(SCHEMAS) || any(SHAPED) && any(RESHAPING)),
    ];
    told.into_iter().filter(|(_, holds)| *holds).map(|(name, _)| name).collect()
}

/// `promoteModel`, `promote_model` and `models.promote-now` in lower-case words.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut previous_is_lower = false;
    for character in name.chars() {
        let starts_a_word = character.is_uppercase() && previous_is_lower;
        if (starts_a_word || !character.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        previous_is_lower = character.is_lowercase() || character.is_numeric();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_tool_does() {
        for (own, expected) in [
            ("promote_model", &[PROMOTION][..]),
            ("promoteModel", &[PROMOTION]),
            ("pages.publish", &[PROMOTION]),
            ("create-release", &[PROMOTION]),
            ("Deploy", &[PROMOTION]),
            ("pointer.move", &[PROMOTION]),
            ("pointer.list", &[]),
            ("mousepointer", &[]),
            ("alter_table", &[SCHEMA]),
            ("addColumn", &[SCHEMA]),
            ("table_read", &[]),
            ("run_migrations", &[SCHEMA]),
            ("claim_decide", &[CLAIM]),
            ("approveClaim", &[CLAIM]),
            ("claim_ticket", &[]),
            ("approve_invoice", &[]),
            ("publish_schema", &[PROMOTION, SCHEMA]),
            ("", &[]),
            ("transfer", &[]),
        ] {
            assert_eq!(traits_in(own), expected, "{own}");
        }
    }

    #[test]
    fn a_declared_trait_counts_and_the_name_does_not() {
        let server = toolgate_core::ServerName::new("toolgate").expect("a name");
        let mut tool = Tool::unread(&server, "substrate__pointer__advance");
        assert_eq!(traits_of(&tool), [PROMOTION]);
        tool.handling.traits = Some(&[ToolTrait::PointerMove]);
        assert_eq!(traits_of(&tool), ["pointer_move"]);
        tool.handling.traits = Some(&[]);
        assert!(traits_of(&tool).is_empty());
    }
}
