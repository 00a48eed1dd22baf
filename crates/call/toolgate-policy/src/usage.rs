//! The inputs of a policy: whether it needs a call or only the caller, which arguments, and which entities it
//! names. Derived from Cedar's JSON form of the policy. In doubt it reports more, never less.

use std::collections::BTreeSet;

use serde_json::Value;

/// The arguments that matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum UsedArguments {
    All,
    Named(BTreeSet<String>),
}

impl UsedArguments {
    pub(crate) fn none() -> Self {
        UsedArguments::Named(BTreeSet::new())
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        match self {
            UsedArguments::All => true,
            UsedArguments::Named(names) => names.contains(name),
        }
    }

    #[must_use]
    pub(crate) fn and(self, other: &UsedArguments) -> UsedArguments {
        match (self, other) {
            (UsedArguments::Named(mut names), UsedArguments::Named(others)) => {
                names.extend(others.iter().cloned());
                UsedArguments::Named(names)
            }
            _ => UsedArguments::All,
        }
    }
}

/// An entity that a policy names: `Action::"bank:transfer"`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct NamedEntity {
    pub(crate) entity_type: String,
    pub(crate) id: String,
}

#[derive(Clone, Debug)]
pub(crate) struct PolicyUsage {
    /// True if the result depends on data that only a call has: arguments, session, run, task.
    pub(crate) call: bool,
    /// True if it depends on the agent's name.
    pub(crate) agent: bool,
    pub(crate) fields: UsedArguments,
    pub(crate) entities: BTreeSet<NamedEntity>,
    /// Every entity type that is named, on its own or with an id.
    pub(crate) entity_types: BTreeSet<String>,
}

impl PolicyUsage {
    /// Reads the JSON form of a policy.
    pub(crate) fn of(policy: &Value) -> PolicyUsage {
        let mut usage = PolicyUsage {
            call: false,
            agent: false,
            fields: UsedArguments::none(),
            entities: BTreeSet::new(),
            entity_types: BTreeSet::new(),
        };
        usage.walk(policy);
        usage
    }

    fn walk(&mut self, node: &Value) {
        match node {
            Value::Array(nodes) => nodes.iter().for_each(|node| self.walk(node)),
            Value::Object(members) => {
                if self.takes_as_context(node) {
                    return;
                }
                self.note_entity(node);
                members.values().for_each(|node| self.walk(node));
            }
            _ => {}
        }
    }

    /// Notes an expression over the context and returns true if it was one.
    fn takes_as_context(&mut self, node: &Value) -> bool {
        let (path, needed) = match (context_path(node), context_test(node)) {
            (Some(path), _) => (path.clone(), field_of(&path)),
            // `context has input` is true for any content.
            (None, Some(path)) if path == ["input"] => (path, UsedArguments::none()),
            (None, Some(path)) => (path.clone(), field_of(&path)),
            (None, None) => return false,
        };
        match path.as_slice() {
            ["agent", ..] => self.agent = true,
            // It is the same for all calls that a set of policies judges.
            ["template", ..] => {}
            _ => self.call = true,
        }
        self.fields = std::mem::replace(&mut self.fields, UsedArguments::All).and(&needed);
        true
    }

    fn note_entity(&mut self, node: &Value) {
        if let Some(name) = node.get("entity_type").and_then(Value::as_str) {
            self.entity_types.insert(name.to_owned());
        }
        let text = |name| node.get(name).and_then(Value::as_str);
        if let (Some(entity_type), Some(id)) = (text("type"), text("id")) {
            self.entity_types.insert(entity_type.to_owned());
            self.entities.insert(NamedEntity { entity_type: entity_type.to_owned(), id: id.to_owned() });
        }
    }
}

/// The members of `context.a.b`.
fn context_path(node: &Value) -> Option<Vec<&str>> {
    if node.get("Var").and_then(Value::as_str) == Some("context") {
        return Some(Vec::new());
    }
    let access = node.get(".")?;
    let mut path = context_path(access.get("left")?)?;
    path.push(access.get("attr")?.as_str()?);
    Some(path)
}

/// The members that `context.a has b.c` asks about.
fn context_test(node: &Value) -> Option<Vec<&str>> {
    let test = node.get("has")?;
    let mut path = context_path(test.get("left")?)?;
    match test.get("attr") {
        Some(Value::String(attribute)) => path.push(attribute),
        Some(Value::Array(attributes)) => path.extend(attributes.iter().filter_map(Value::as_str)),
        // A form of the test that is not known here: everything may matter.
        _ => path.clear(),
    }
    Some(path)
}

/// The argument at the end of a path through the context. The context or the input as a whole is all of them.
fn field_of(path: &[&str]) -> UsedArguments {
    match path {
        [] | ["input"] => UsedArguments::All,
        ["input", field, ..] => UsedArguments::Named([(*field).to_owned()].into()),
        _ => UsedArguments::none(),
    }
}

#[cfg(test)]
mod tests {
    use cedar_policy::Policy;

    use super::*;

    fn usage(condition: &str) -> PolicyUsage {
        let text = format!("permit(principal, action, resource) when {{ {condition} }};");
        PolicyUsage::of(&Policy::parse(None, text).unwrap().to_json().unwrap())
    }

    #[test]
    fn fields_are_found_wherever_they_stand() {
        for (condition, fields) in [
            ("context.input.a == 1", &["a"][..]),
            ("context.input has a && context.input.a.b > 2", &["a"]),
            ("context.input has a.b", &["a"]),
            ("context[\"input\"][\"odd name\"] == 1", &["odd name"]),
            ("[context.input.a].contains({x: context.input.b})", &["a", "b"]),
            ("if context.input.a then context.input.b == 1 else true", &["a", "b"]),
            ("context.input.a.greaterThan(decimal(\"1.0\"))", &["a"]),
            ("context.input.a like \"x*\"", &["a"]),
            ("context has session && context.session == \"s\"", &[]),
            ("context has input", &[]),
        ] {
            let usage = usage(condition);
            assert!(usage.call && !usage.agent, "{condition}");
            let expected = fields.iter().map(|&field| field.to_owned()).collect();
            assert_eq!(usage.fields, UsedArguments::Named(expected), "{condition}");
        }
    }

    #[test]
    fn the_input_as_a_whole_needs_every_field() {
        for condition in ["context.input == {a: 1}", "context == {}", "[context.input].isEmpty()"] {
            assert_eq!(usage(condition).fields, UsedArguments::All, "{condition}");
        }
    }

    #[test]
    fn agent_and_template_are_known_before_there_is_a_call() {
        for (condition, agent) in [
            ("context has agent && context.agent == \"clerk\"", true),
            ("context[\"agent\"] like \"c*\"", true),
            ("context.template == \"regulated\"", false),
        ] {
            let usage = usage(condition);
            assert_eq!((usage.call, usage.agent), (false, agent), "{condition}");
            assert_eq!(usage.fields, UsedArguments::none(), "{condition}");
        }
        for condition in ["context == {}", "context has agent && context has task", "context has input"] {
            assert!(usage(condition).call, "{condition}");
        }
    }

    #[test]
    fn a_policy_without_context_needs_none() {
        for condition in ["principal == Human::\"context\"", "resource.name == \"context.input.a\"", "true"] {
            let usage = usage(condition);
            assert!(!usage.call && !usage.agent, "{condition}");
        }
    }

    #[test]
    fn entities_and_their_types_are_found_in_scope_and_condition() {
        let text = r#"permit(principal is Agent in Group::"g", action in [Action::"a:b"], resource in Server::"s")
            when { principal in Role::"agent" || resource is Tool };"#;
        let usage = PolicyUsage::of(&Policy::parse(None, text).unwrap().to_json().unwrap());
        let types: Vec<&str> = usage.entity_types.iter().map(String::as_str).collect();
        assert_eq!(types, ["Action", "Agent", "Group", "Role", "Server", "Tool"]);
        let entities: Vec<String> =
            usage.entities.iter().map(|one| format!("{}::{}", one.entity_type, one.id)).collect();
        assert_eq!(entities, ["Action::a:b", "Group::g", "Role::agent", "Server::s"]);
        assert!(!usage.call && !usage.agent);
    }
}
