//! Reads files of policy tests. Every key is known or refused with its line.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toolgate_core::credential::CredentialUse;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::scope::AgentName;
use toolgate_core::{Effects, Principal, PrincipalId, PrincipalKind, Role, ServerName};

use crate::explain::VerdictKind;
use crate::problem::{PolicyProblem, TextPosition, did_you_mean};

use super::split;

/// One test as it was written.
#[derive(Clone, Debug)]
pub(super) struct TestCase {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) name: String,
    pub(super) principal: Principal,
    pub(super) tool: String,
    pub(super) server: ServerName,
    pub(super) own: String,
    pub(super) effects: Option<Effects>,
    pub(super) arguments: Value,
    pub(super) session: Option<SessionId>,
    pub(super) agent: Option<AgentName>,
    pub(super) template: Option<PolicyTemplate>,
    pub(super) run: Option<RunId>,
    pub(super) task: Option<String>,
    pub(super) credentials: Vec<CredentialUse>,
    pub(super) expect: VerdictKind,
    pub(super) by: Option<BTreeSet<String>>,
    pub(super) quorum: Option<u32>,
}

const TEST_KEYS: [&str; 14] = [
    "name",
    "principal",
    "tool",
    "effects",
    "arguments",
    "session",
    "agent",
    "template",
    "run",
    "task",
    "credentials",
    "expect",
    "by",
    "quorum",
];
const PRINCIPAL_KEYS: [&str; 4] = ["id", "kind", "role", "groups"];
const CREDENTIAL_KEYS: [&str; 3] = ["id", "origin", "new"];

type TomlItem<'i> = Spanned<DeValue<'i>>;

/// Parses the tests of one file, and adds its errors.
pub(super) fn read(file: &str, text: &str, problems: &mut Vec<PolicyProblem>) -> Vec<TestCase> {
    let root = match DeTable::parse(text) {
        Ok(root) => root,
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            problems.push(PolicyProblem::at(file, text, at, error.message()));
            return Vec::new();
        }
    };
    let mut reader = CaseReader { file, text, problems };
    reader.known_keys(root.get_ref(), &["test"]);
    let Some(tests) = root.get_ref().get("test") else {
        reader
            .problems
            .push(PolicyProblem::of_file(file, "has no tests").hint("write `[[test]]` above each"));
        return Vec::new();
    };
    let Some(tests) = tests.get_ref().as_array() else {
        reader.refuse(tests.span().start, "`test` is one table", "write `[[test]]`, with two brackets");
        return Vec::new();
    };
    tests.iter().filter_map(|test| reader.case(test)).collect()
}

struct CaseReader<'a> {
    file: &'a str,
    text: &'a str,
    problems: &'a mut Vec<PolicyProblem>,
}

impl CaseReader<'_> {
    fn case(&mut self, test: &TomlItem<'_>) -> Option<TestCase> {
        let at = test.span().start;
        let table = self.table(test, "test")?;
        self.known_keys(table, &TEST_KEYS);
        let before = self.problems.len();
        let name = self.required_text(table, "name", at);
        let principal = self.principal(table.get("principal"));
        let tool = self.required_text(table, "tool", at);
        let (server, own) = self.tool_name(&tool, table.get("tool"));
        let expect = self.expect(table, at);
        let case = TestCase {
            file: self.file.to_owned(),
            line: TextPosition::of(self.text, at).line,
            name: name.unwrap_or_default(),
            principal,
            tool: tool.unwrap_or_default(),
            server,
            own,
            effects: self.effects(table.get("effects")),
            arguments: self.arguments(table.get("arguments")),
            session: self.text(table, "session").map(SessionId::new),
            agent: self.agent(table),
            template: self.choice(table, "template", PolicyTemplate::parse, &PolicyTemplate::NAMES),
            run: self.text(table, "run").map(RunId::new),
            task: self.text(table, "task"),
            credentials: self.credentials(table.get("credentials")),
            expect: expect.unwrap_or(VerdictKind::Permit),
            by: self
                .approval_only(table, "by", expect)
                .and_then(|by| self.texts(by))
                .map(BTreeSet::from_iter),
            quorum: self.approval_only(table, "quorum", expect).and_then(|quorum| self.quorum(quorum)),
        };
        (self.problems.len() == before).then_some(case)
    }

    fn principal(&mut self, item: Option<&TomlItem<'_>>) -> Principal {
        let usual = Principal::new(PrincipalId::new("test"), Role::Agent);
        let Some(table) = item.and_then(|item| self.table(item, "principal")) else { return usual };
        self.known_keys(table, &PRINCIPAL_KEYS);
        let role =
            self.choice(table, "role", Role::parse, &Role::ALL.map(Role::as_str)).unwrap_or(Role::Agent);
        let kind =
            self.choice(table, "kind", PrincipalKind::parse, &PrincipalKind::ALL.map(PrincipalKind::as_str));
        let id = self.text(table, "id").unwrap_or_else(|| "test".to_owned());
        let groups = table.get("groups").and_then(|groups| self.texts(groups)).unwrap_or_default();
        Principal {
            id: PrincipalId::new(&id),
            kind: kind.unwrap_or(role.usual_kind()),
            role,
            groups: groups.into(),
        }
    }

    fn credentials(&mut self, item: Option<&TomlItem<'_>>) -> Vec<CredentialUse> {
        let Some(item) = item else { return Vec::new() };
        let Some(items) = item.get_ref().as_array() else {
            let hint = "write `credentials = [{ origin = \"https://jobs.example\", new = true }]`";
            self.refuse(item.span().start, "`credentials` is no list", hint);
            return Vec::new();
        };
        items.iter().filter_map(|item| self.credential(item)).collect()
    }

    fn credential(&mut self, item: &TomlItem<'_>) -> Option<CredentialUse> {
        let table = self.table(item, "credentials")?;
        self.known_keys(table, &CREDENTIAL_KEYS);
        let id = self.text(table, "id");
        let origin = self.required_text(table, "origin", item.span().start)?;
        let is_new = match table.get("new").map(|new| (new.get_ref(), new.span().start)) {
            None => false,
            Some((DeValue::Boolean(is_new), _)) => *is_new,
            Some((_, at)) => {
                self.refuse(at, "`new` is neither true nor false", "write `new = true`");
                false
            }
        };
        Some(CredentialUse::supposed(id.as_deref(), &origin, is_new))
    }

    fn agent(&mut self, table: &DeTable<'_>) -> Option<AgentName> {
        let name = AgentName::new(&self.text(table, "agent")?);
        name.map_err(|problem| {
            let at = table.get("agent").map_or(0, |item| item.span().start);
            self.refuse(at, problem, "write the name of an agent definition: `agent = \"clerk\"`");
        })
        .ok()
    }

    fn tool_name(&mut self, name: &Option<String>, item: Option<&TomlItem<'_>>) -> (ServerName, String) {
        let split = name.as_deref().and_then(split);
        if let (None, Some(item), Some(_)) = (&split, item, name) {
            self.refuse(
                item.span().start,
                "the tool is not named by its canonical name",
                "write `server:tool`",
            );
        }
        split.unwrap_or_else(|| (ServerName::new("none").expect("it is a name"), String::new()))
    }

    fn expect(&mut self, table: &DeTable<'_>, at: usize) -> Option<VerdictKind> {
        let parse = |text: &str| VerdictKind::ALL.into_iter().find(|kind| kind.as_str() == text);
        if table.get("expect").is_none() {
            self.refuse(
                at,
                "the test has no `expect`",
                "write `expect = \"permit\"`, \"deny\" or \"approve\"",
            );
        }
        let known = VerdictKind::ALL.map(VerdictKind::as_str);
        self.choice(table, "expect", parse, &known)
    }

    fn effects(&mut self, item: Option<&TomlItem<'_>>) -> Option<Effects> {
        let item = item?;
        let mut effects = Effects::NONE;
        for name in self.texts(item)? {
            match Effects::named(&name) {
                Some(effect) => effects = effects.and(effect),
                None => {
                    let known = Effects::NAMES.map(|(_, name)| name);
                    let hint = did_you_mean(&name, known).unwrap_or_else(|| one_of(&known));
                    self.refuse(item.span().start, format!("there is no effect `{name}`"), hint);
                }
            }
        }
        Some(effects)
    }

    fn arguments(&mut self, item: Option<&TomlItem<'_>>) -> Value {
        let Some(item) = item else { return Value::Object(Map::new()) };
        let table = self.table(item, "arguments");
        table.map_or(Value::Null, |table| Value::Object(self.object(table)))
    }

    fn object(&mut self, table: &DeTable<'_>) -> Map<String, Value> {
        table.iter().map(|(key, item)| (key.get_ref().to_string(), self.json(item))).collect()
    }

    fn json(&mut self, item: &TomlItem<'_>) -> Value {
        match item.get_ref() {
            DeValue::String(text) => Value::String(text.to_string()),
            DeValue::Boolean(value) => Value::Bool(*value),
            DeValue::Datetime(time) => Value::String(time.to_string()),
            DeValue::Array(items) => Value::Array(items.iter().map(|item| self.json(item)).collect()),
            DeValue::Table(table) => Value::Object(self.object(table)),
            DeValue::Integer(number) => {
                let value = i64::from_str_radix(number.as_str(), number.radix()).ok().map(Value::from);
                self.number(value, item)
            }
            DeValue::Float(number) => {
                let value = number.as_str().parse().ok().and_then(serde_json::Number::from_f64);
                self.number(value.map(Value::Number), item)
            }
        }
    }

    fn number(&mut self, value: Option<Value>, item: &TomlItem<'_>) -> Value {
        value.unwrap_or_else(|| {
            self.refuse(item.span().start, "JSON has no such number", "write a number of at most 64 bits");
            Value::Null
        })
    }

    fn quorum(&mut self, item: &TomlItem<'_>) -> Option<u32> {
        let number = item.get_ref().as_integer();
        let quorum = number.and_then(|number| u32::from_str_radix(number.as_str(), number.radix()).ok());
        if quorum.is_none() {
            self.refuse(
                item.span().start,
                "`quorum` is no number of people",
                "write a whole number: `quorum = 2`",
            );
        }
        quorum
    }

    /// The keys that make sense only for a call that needs approval.
    fn approval_only<'t, 'i>(
        &mut self,
        table: &'t DeTable<'i>,
        key: &str,
        expect: Option<VerdictKind>,
    ) -> Option<&'t TomlItem<'i>> {
        let item = table.get(key)?;
        if expect.is_some_and(|expect| expect != VerdictKind::Approve) {
            let what = format!("`{key}` says who agrees, but no one is asked");
            self.refuse(item.span().start, what, "drop it, or write `expect = \"approve\"`");
        }
        Some(item)
    }

    fn choice<T>(
        &mut self,
        table: &DeTable<'_>,
        key: &str,
        parse: impl Fn(&str) -> Option<T>,
        known: &[&str],
    ) -> Option<T> {
        let text = self.text(table, key)?;
        let parsed = parse(&text);
        if parsed.is_none() {
            let hint = did_you_mean(&text, known.iter().copied()).unwrap_or_else(|| one_of(known));
            let at = table.get(key).map_or(0, |item| item.span().start);
            self.refuse(at, format!("`{key}` is not {text:?}"), hint);
        }
        parsed
    }

    fn required_text(&mut self, table: &DeTable<'_>, key: &str, at: usize) -> Option<String> {
        if table.get(key).is_none() {
            self.refuse(at, format!("the test has no `{key}`"), format!("write `{key} = \"…\"`"));
        }
        self.text(table, key)
    }

    fn text(&mut self, table: &DeTable<'_>, key: &str) -> Option<String> {
        let item = table.get(key)?;
        let text = item.get_ref().as_str().map(str::to_owned);
        if text.is_none() {
            self.refuse(item.span().start, format!("`{key}` is no text"), format!("write `{key} = \"…\"`"));
        }
        text
    }

    fn texts(&mut self, item: &TomlItem<'_>) -> Option<Vec<String>> {
        let items = item.get_ref().as_array();
        let text = |item: &TomlItem<'_>| item.get_ref().as_str().map(str::to_owned);
        let texts = items.and_then(|items| items.iter().map(text).collect());
        if texts.is_none() {
            self.refuse(item.span().start, "a list of texts belongs here", "write `[\"…\", \"…\"]`");
        }
        texts
    }

    fn table<'t, 'i>(&mut self, item: &'t TomlItem<'i>, what: &str) -> Option<&'t DeTable<'i>> {
        let table = item.get_ref().as_table();
        if table.is_none() {
            self.refuse(item.span().start, format!("`{what}` is no table"), "write `{ key = value }`");
        }
        table
    }

    fn known_keys(&mut self, table: &DeTable<'_>, known: &[&str]) {
        for key in table.keys() {
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                let hint = did_you_mean(name, known.iter().copied()).unwrap_or_else(|| one_of(known));
                self.refuse(key.span().start, format!("there is no key `{name}` here"), hint);
            }
        }
    }

    fn refuse(&mut self, at: usize, what: impl Into<String>, hint: impl Into<String>) {
        self.problems.push(PolicyProblem::at(self.file, self.text, at, what).hint(hint));
    }
}

fn one_of(known: &[&str]) -> String {
    let quoted: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    format!("it is one of {}", quoted.join(", "))
}
