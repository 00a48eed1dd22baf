//! `[[filters]]`: data that must not leave in arguments or arrive in results, and the action on a match.

use toolgate_pipeline::filter::{
    BadExpression, DataKind, FILTERS_MAX, FilterAction, FilterRule, FilteredTraffic, NAME_CHARS_MAX,
    expression, known_kinds,
};

use super::problem::ConfigProblems;
use super::section::{ConfigSection, Located};
use super::tools::checked_patterns;

pub(super) const KEYS: &[&str] = &["name", "on", "tools", "match", "kinds", "action", "approvers"];

const ON_HINT: &str = "`arguments` is what goes to servers, `results` what comes back";
const ACTION_HINT: &str =
    "`mask` passes it on without what was found, `block` does not pass it on, `ask` asks a person";
const KINDS_HINT: &str = "`toolgate filters kinds` says what each of them finds";
const EVERY_TOOL: &str = "*";

/// Reads all `[[filters]]` tables.
pub(super) fn read(sections: Vec<ConfigSection<'_>>, problems: &mut ConfigProblems) -> Vec<FilterRule> {
    let mut rules: Vec<FilterRule> = Vec::new();
    let all = sections.len();
    for section in sections {
        let span = section.span.clone();
        let Some(rule) = read_filter(section, problems) else { continue };
        if rules.iter().any(|other| other.name == rule.name) {
            let what = format!("two filters are named {:?}", rule.name);
            problems.add(span, what, "a name that no other filter has", "rename one of them");
        } else if rules.len() == FILTERS_MAX {
            let what = format!("there are {all} filters");
            let expected = format!("at most {FILTERS_MAX} of them");
            problems.add(span, what, expected, "put expressions together with `|`");
            return rules;
        } else {
            rules.push(rule);
        }
    }
    rules
}

/// Reads one table. `None` if a problem was added.
fn read_filter(mut section: ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<FilterRule> {
    match section.string("name", &mut ConfigProblems::default()) {
        Some(name) => section.rename(format!("filter {:?}", name.value)),
        None => section.rename("a `[[filters]]` table".into()),
    }
    section.refuse_unknown_keys(KEYS, &[], problems);
    let name = checked_name(&section, problems);
    let action = section.word(
        "action",
        &FilterAction::ALL.map(|action| (action.as_str(), action)),
        ACTION_HINT,
        problems,
    );
    if section.key_span("action").is_none() {
        let what = format!("{} has no `action`", section.title());
        problems.add(section.span.clone(), what, "`mask`, `block` or `ask`", ACTION_HINT);
    }
    let on = section.word("on", &FilteredTraffic::ALL.map(|on| (on.as_str(), on)), ON_HINT, problems);
    let tools = match section.key_span("tools") {
        Some(_) => checked_patterns(&section, "tools", problems),
        None => vec![EVERY_TOOL.to_owned()],
    };
    let kinds: Option<Vec<DataKind>> = section.words("kinds", &known_kinds(), KINDS_HINT, problems);
    let pattern =
        section.string("match", problems).map(|written| checked_expression(&section, &written, problems));
    if section.key_span("match").is_none() && kinds.as_ref().is_none_or(Vec::is_empty) {
        let what = format!("{} looks for nothing", section.title());
        let expected = "`kinds`, `match`, or both";
        problems.add(section.span.clone(), what, expected, "add a line such as `kinds = [\"card\"]`");
        return None;
    }
    let approvers = approvers(&section, action, problems);
    let (name, action) = (name?, action?);
    let on = checked_on(&section, on, action, problems)?;
    let pattern = match pattern {
        Some(checked) => Some(checked?),
        None => None,
    };
    Some(FilterRule { name, on, tools, pattern, kinds: kinds.unwrap_or_default(), action, approvers })
}

fn checked_name(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<String> {
    const EXPECTED: &str = "1 to 64 characters that people and models can read";
    let Some(name) = section.string("name", problems) else {
        if section.key_span("name").is_none() {
            let what = format!("{} has no `name`", section.title());
            let hint = "it stands wherever something is masked: `name = \"no card numbers\"`";
            problems.add(section.span.clone(), what, EXPECTED, hint);
        }
        return None;
    };
    let text = name.value;
    let fits = !text.trim().is_empty() && text.chars().count() <= NAME_CHARS_MAX;
    if fits && !text.chars().any(|c| c.is_control() || matches!(c, '[' | ']' | '"' | '\\')) {
        return Some(text.to_owned());
    }
    let what = format!("`name` in a `[[filters]]` table cannot be {text:?}");
    problems.add(name.span, what, EXPECTED, "leave out brackets, quotes and control characters");
    None
}

fn checked_expression(
    section: &ConfigSection<'_>,
    written: &Located<&str>,
    problems: &mut ConfigProblems,
) -> Option<String> {
    let bad = match expression(written.value) {
        Ok(_) => return Some(written.value.to_owned()),
        Err(bad) => bad,
    };
    let what = format!("`match` in {} is not an expression that can be used: {bad}", section.title());
    let hint = match bad {
        BadExpression::Syntax(_) => {
            "write it in single quotes, so that `\\` stands for itself; look-around and back references are not known"
        }
        BadExpression::MatchesNothing => "say that something must be there: `+` instead of `*`",
        BadExpression::TooLong | BadExpression::TooLarge => {
            "make several filters of it, or shorten the repetitions"
        }
    };
    problems.add(written.span.clone(), what, "a regular expression such as '(?i)project\\s+falcon'", hint);
    None
}

/// People approve a call before it runs; a result cannot be approved.
fn checked_on(
    section: &ConfigSection<'_>,
    on: Option<FilteredTraffic>,
    action: FilterAction,
    problems: &mut ConfigProblems,
) -> Option<FilteredTraffic> {
    match (on, action) {
        (None, FilterAction::Ask) => Some(FilteredTraffic::Arguments),
        (None, _) => Some(FilteredTraffic::Both),
        (Some(FilteredTraffic::Arguments), _) | (Some(_), FilterAction::Mask | FilterAction::Block) => on,
        (Some(_), FilterAction::Ask) => {
            let span = section.key_span("on").expect("what was read was written");
            let what = format!("{} asks people about results", section.title());
            let expected =
                "`on = \"arguments\"` beside `action = \"ask\"`: people agree to calls before they run";
            let hint = "mask or block results with a filter of their own; a gate of policy asks before the call runs";
            problems.add(span, what, expected, hint);
            None
        }
    }
}

fn approvers(
    section: &ConfigSection<'_>,
    action: Option<FilterAction>,
    problems: &mut ConfigProblems,
) -> Vec<String> {
    let groups: Vec<String> =
        section.strings("approvers", problems).into_iter().map(|group| group.value.to_owned()).collect();
    if let (Some(span), Some(FilterAction::Mask | FilterAction::Block)) =
        (section.key_span("approvers"), action)
    {
        let what = format!("{} has `approvers`, but does not ask", section.title());
        problems.add(span, what, "`approvers` beside `action = \"ask\"`", "remove the line, or ask");
    }
    groups
}
