//! A quick check of a policy's condition: is it certainly false for this call? Cedar needs microseconds for
//! each policy; most policies over arguments are about other arguments, or limits that are not reached, and
//! that is quickly seen.
//!
//! The check understands a few forms (tests for fields, comparisons with literals, and, or, not) and answers
//! "unknown" to everything else and to everything that would be an error. Only Cedar decides that a policy
//! matches.

use std::cmp::Ordering;

use serde_json::Value;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::{Effects, Principal, Tool};

use crate::number::{CedarNumber, read_decimal};
use crate::scope::ScopeSide;
use crate::shape::SchemaShape;
use crate::traits::traits_of;

/// A condition, as far as it can be checked.
#[derive(Clone, Debug)]
pub(crate) enum PartialCondition {
    Unknown,
    Known(bool),
    Both(Box<[PartialCondition; 2]>),
    Either(Box<[PartialCondition; 2]>),
    Not(Box<PartialCondition>),
    /// `context.input has a.b`
    Has(Vec<String>),
    Compare(Operand, Relation, Literal),
    /// `["a", "b"].contains(context.input.c)`
    OneOf(Operand, Vec<Literal>),
    /// `context.input.a like "x*"`
    Like(Operand, LikePattern),
    /// `principal in [Group::"a", Group::"b"]`, `principal is Agent`, `principal == Agent::"c"`
    Principal(Vec<ScopeSide>),
    /// The same for the resource.
    Resource(Vec<ScopeSide>),
    /// `context has agent`
    HasAgent,
    /// `resource.traits.contains("promotion")`
    Trait(String),
}

#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Input(Vec<String>),
    Effect(Effects),
    OwnName,
    Server,
    PrincipalName,
    PrincipalRole,
    Agent,
    Template,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Literal {
    Bool(bool),
    Long(i64),
    Decimal(i64),
    Text(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The visible data. Data that is not available yet is unknown, which differs from absent.
#[derive(Clone, Copy)]
pub(crate) struct VisibleData<'a> {
    pub(crate) call: Option<VisibleCall<'a>>,
    pub(crate) tool: &'a Tool,
    pub(crate) principal: &'a Principal,
    pub(crate) agent: Option<&'a str>,
    pub(crate) template: PolicyTemplate,
}

#[derive(Clone, Copy)]
pub(crate) struct VisibleCall<'a> {
    pub(crate) arguments: &'a Value,
    pub(crate) shape: &'a SchemaShape,
}

/// A value in a call that can be compared.
enum ComparableValue<'a> {
    Bool(bool),
    Long(i64),
    Decimal(i64),
    Text(&'a str),
}

impl PartialCondition {
    /// Reads the conditions of a policy in its JSON form.
    pub(crate) fn of(policy: &Value) -> PartialCondition {
        let conditions = policy.get("conditions").and_then(Value::as_array);
        let Some(conditions) = conditions else { return PartialCondition::Unknown };
        let each = conditions.iter().map(|condition| {
            let body = condition.get("body").map_or(PartialCondition::Unknown, read);
            match condition.get("kind").and_then(Value::as_str) {
                Some("when") => body,
                Some("unless") => PartialCondition::Not(Box::new(body)),
                _ => PartialCondition::Unknown,
            }
        });
        each.reduce(|left, right| PartialCondition::Both(Box::new([left, right])))
            .unwrap_or(PartialCondition::Known(true))
    }

    pub(crate) fn is_certainly_false(&self, sight: VisibleData<'_>) -> bool {
        self.look(sight) == Some(false)
    }

    /// Cedar's result; `None` if it is not certain.
    pub(crate) fn look(&self, sight: VisibleData<'_>) -> Option<bool> {
        match self {
            PartialCondition::Unknown => None,
            PartialCondition::Known(value) => Some(*value),
            // The right side counts only once the left is certain: the left may be an error.
            PartialCondition::Both(sides) => {
                if sides[0].look(sight)? {
                    sides[1].look(sight)
                } else {
                    Some(false)
                }
            }
            PartialCondition::Either(sides) => {
                if sides[0].look(sight)? {
                    Some(true)
                } else {
                    sides[1].look(sight)
                }
            }
            PartialCondition::Not(inner) => inner.look(sight).map(|value| !value),
            PartialCondition::Has(path) => has(sight.call?.arguments, path),
            PartialCondition::Compare(operand, relation, literal) => {
                compare(&sight.see(operand)?, *relation, literal)
            }
            PartialCondition::OneOf(operand, literals) => {
                let seen = sight.see(operand)?;
                literals.iter().try_fold(false, |found, literal| {
                    Some(found || compare(&seen, Relation::Equal, literal)?)
                })
            }
            PartialCondition::Like(operand, pattern) => match sight.see(operand)? {
                ComparableValue::Text(text) => Some(pattern.fits(text)),
                _ => None,
            },
            PartialCondition::Principal(sides) => {
                Some(sides.iter().any(|side| side.fits_principal(sight.principal)))
            }
            PartialCondition::Resource(sides) => Some(sides.iter().any(|side| side.fits_tool(sight.tool))),
            PartialCondition::HasAgent => Some(sight.agent.is_some()),
            PartialCondition::Trait(name) => Some(traits_of(sight.tool).contains(&name.as_str())),
        }
    }
}

/// Each step must be an object that can be asked; null is the same as absent.
fn has(arguments: &Value, path: &[String]) -> Option<bool> {
    let mut at = arguments;
    for name in path {
        match at.as_object()?.get(name) {
            None | Some(Value::Null) => return Some(false),
            Some(value) => at = value,
        }
    }
    Some(true)
}

impl<'a> VisibleData<'a> {
    fn see(self, operand: &Operand) -> Option<ComparableValue<'a>> {
        match operand {
            Operand::Input(path) => self.see_argument(path),
            Operand::Effect(effect) => Some(ComparableValue::Bool(self.tool.effects.contains(*effect))),
            Operand::OwnName => Some(ComparableValue::Text(&self.tool.own)),
            Operand::Server => Some(ComparableValue::Text(self.tool.server.as_str())),
            Operand::PrincipalName => Some(ComparableValue::Text(self.principal.id.as_str())),
            Operand::PrincipalRole => Some(ComparableValue::Text(self.principal.role.as_str())),
            Operand::Agent => self.agent.map(ComparableValue::Text),
            Operand::Template => Some(ComparableValue::Text(self.template.as_str())),
        }
    }

    fn see_argument(self, path: &[String]) -> Option<ComparableValue<'a>> {
        let VisibleCall { arguments: mut at, mut shape } = self.call?;
        for name in path {
            at = at.as_object()?.get(name)?;
            shape = shape.field(name);
        }
        match at {
            Value::Bool(value) => Some(ComparableValue::Bool(*value)),
            Value::String(text) => Some(ComparableValue::Text(text)),
            Value::Number(number) => Some(match CedarNumber::of(number, shape) {
                CedarNumber::Long(value) => ComparableValue::Long(value),
                CedarNumber::Decimal(value) => ComparableValue::Decimal(value),
            }),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// Compares values of the same type. Different types are unequal or an error: Cedar decides which.
fn compare(seen: &ComparableValue<'_>, relation: Relation, literal: &Literal) -> Option<bool> {
    let order = match (seen, literal) {
        (ComparableValue::Long(a), Literal::Long(b)) | (ComparableValue::Decimal(a), Literal::Decimal(b)) => {
            return Some(relation.holds(a.cmp(b)));
        }
        (ComparableValue::Bool(a), Literal::Bool(b)) => a.cmp(b),
        (ComparableValue::Text(a), Literal::Text(b)) => (*a).cmp(b.as_str()),
        _ => return None,
    };
    matches!(relation, Relation::Equal | Relation::Unequal).then(|| relation.holds(order))
}

impl Relation {
    fn holds(self, order: Ordering) -> bool {
        match self {
            Relation::Equal => order.is_eq(),
            Relation::Unequal => order.is_ne(),
            Relation::Less => order.is_lt(),
            Relation::LessOrEqual => order.is_le(),
            Relation::Greater => order.is_gt(),
            Relation::GreaterOrEqual => order.is_ge(),
        }
    }

    /// The same with its sides exchanged.
    fn turned(self) -> Relation {
        match self {
            Relation::Less => Relation::Greater,
            Relation::LessOrEqual => Relation::GreaterOrEqual,
            Relation::Greater => Relation::Less,
            Relation::GreaterOrEqual => Relation::LessOrEqual,
            same => same,
        }
    }
}

/// Cedar's names for comparisons. Decimals are compared by methods only; those fail on anything else, and so do these.
const OPERATORS: [(&str, Relation); 6] = [
    ("==", Relation::Equal),
    ("!=", Relation::Unequal),
    ("<", Relation::Less),
    ("<=", Relation::LessOrEqual),
    (">", Relation::Greater),
    (">=", Relation::GreaterOrEqual),
];
const METHODS: [(&str, Relation); 4] = [
    ("lessThan", Relation::Less),
    ("lessThanOrEqual", Relation::LessOrEqual),
    ("greaterThan", Relation::Greater),
    ("greaterThanOrEqual", Relation::GreaterOrEqual),
];

fn read(node: &Value) -> PartialCondition {
    read_known(node).unwrap_or(PartialCondition::Unknown)
}

fn read_known(node: &Value) -> Option<PartialCondition> {
    let (name, body) = node.as_object()?.iter().next()?;
    let sides = || Some([read(body.get("left")?), read(body.get("right")?)]);
    match name.as_str() {
        "&&" => Some(PartialCondition::Both(Box::new(sides()?))),
        "||" => Some(PartialCondition::Either(Box::new(sides()?))),
        "!" => Some(PartialCondition::Not(Box::new(read(body.get("arg")?)))),
        "Value" => body.as_bool().map(PartialCondition::Known),
        "has" => read_has(body),
        "contains" => read_one_of(body).or_else(|| read_own_set(body)),
        "like" => Some(PartialCondition::Like(
            read_operand(body.get("left")?)?,
            LikePattern::read(body.get("pattern")?)?,
        )),
        // A flag by itself: `resource.write`.
        "." => Some(PartialCondition::Compare(read_operand(node)?, Relation::Equal, Literal::Bool(true))),
        other => read_membership(other, body).or_else(|| read_comparison(other, body)),
    }
}

fn read_has(body: &Value) -> Option<PartialCondition> {
    let of_context = body.get("left")?.get("Var").and_then(Value::as_str) == Some("context");
    if of_context && body.get("attr")?.as_str() == Some("agent") {
        return Some(PartialCondition::HasAgent);
    }
    let mut path = input_path(body.get("left")?)?;
    match body.get("attr")? {
        Value::String(name) => path.push(name.clone()),
        Value::Array(names) => {
            path.extend(
                names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()?,
            );
        }
        _ => return None,
    }
    Some(PartialCondition::Has(path))
}

fn read_one_of(body: &Value) -> Option<PartialCondition> {
    let set = body.get("left")?.get("Set")?.as_array()?;
    let literals = set.iter().map(read_literal).collect::<Option<Vec<_>>>()?;
    Some(PartialCondition::OneOf(read_operand(body.get("right")?)?, literals))
}

/// `resource.traits.contains("promotion")`, `resource.effects.contains("write")`
fn read_own_set(body: &Value) -> Option<PartialCondition> {
    let access = body.get("left")?.get(".")?;
    let Literal::Text(name) = read_literal(body.get("right")?)? else { return None };
    match (access.get("left")?.get("Var")?.as_str()?, access.get("attr")?.as_str()?) {
        ("resource", "traits") => Some(PartialCondition::Trait(name)),
        ("resource", "effects") => Some(match Effects::named(&name) {
            Some(effect) => {
                PartialCondition::Compare(Operand::Effect(effect), Relation::Equal, Literal::Bool(true))
            }
            None => PartialCondition::Known(false),
        }),
        _ => None,
    }
}

/// The pieces of a pattern with wildcards between them: `"a*b"` is `["a", "b"]`.
#[derive(Clone, Debug)]
pub(crate) struct LikePattern(Vec<String>);

impl LikePattern {
    fn read(elements: &Value) -> Option<LikePattern> {
        let mut pieces = vec![String::new()];
        for element in elements.as_array()? {
            match element {
                Value::String(name) if name == "Wildcard" => pieces.push(String::new()),
                other => pieces.last_mut()?.push_str(other.get("Literal")?.as_str()?),
            }
        }
        Some(LikePattern(pieces))
    }

    fn fits(&self, text: &str) -> bool {
        let Some((first, others)) = self.0.split_first() else { return false };
        let Some((last, middle)) = others.split_last() else { return text == first };
        let Some(mut rest) =
            text.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str()))
        else {
            return false;
        };
        for piece in middle {
            let Some(at) = rest.find(piece.as_str()) else { return false };
            rest = &rest[at + piece.len()..];
        }
        true
    }
}

fn read_comparison(name: &str, body: &Value) -> Option<PartialCondition> {
    let find =
        |of: &[(&str, Relation)]| of.iter().find(|(one, _)| *one == name).map(|(_, relation)| *relation);
    if let Some(relation) = find(&OPERATORS) {
        let (left, right) = (body.get("left")?, body.get("right")?);
        let comparison = read_sides(left, relation, right)?;
        // `<` on decimals is an error to Cedar.
        let ordered = !matches!(relation, Relation::Equal | Relation::Unequal);
        let on_decimals = matches!(comparison, PartialCondition::Compare(_, _, Literal::Decimal(_)));
        return (!(ordered && on_decimals)).then_some(comparison);
    }
    let relation = find(&METHODS)?;
    let [left, right] = body.as_array()?.as_slice() else { return None };
    let comparison = read_sides(left, relation, right)?;
    matches!(comparison, PartialCondition::Compare(_, _, Literal::Decimal(_))).then_some(comparison)
}

fn read_sides(left: &Value, relation: Relation, right: &Value) -> Option<PartialCondition> {
    if let (Some(operand), Some(literal)) = (read_operand(left), read_literal(right)) {
        return Some(PartialCondition::Compare(operand, relation, literal));
    }
    Some(PartialCondition::Compare(read_operand(right)?, relation.turned(), read_literal(left)?))
}

fn read_operand(node: &Value) -> Option<Operand> {
    if let Some(path) = input_path(node) {
        return (!path.is_empty()).then_some(Operand::Input(path));
    }
    let access = node.get(".")?;
    let (of, attribute) = (access.get("left")?.get("Var")?.as_str()?, access.get("attr")?.as_str()?);
    match (of, attribute) {
        ("resource", "name") => Some(Operand::OwnName),
        ("resource", "server") => Some(Operand::Server),
        ("resource", flag) => Effects::named(flag).map(Operand::Effect),
        ("principal", "name") => Some(Operand::PrincipalName),
        ("principal", "role") => Some(Operand::PrincipalRole),
        ("context", "agent") => Some(Operand::Agent),
        ("context", "template") => Some(Operand::Template),
        _ => None,
    }
}

/// Tests of the type and the groups of the principal or the resource.
fn read_membership(name: &str, body: &Value) -> Option<PartialCondition> {
    if name == "!=" {
        return read_membership("==", body).map(|same| PartialCondition::Not(Box::new(same)));
    }
    let right = body.get("right");
    let sides = match name {
        "==" => vec![ScopeSide::exactly(read_entity(right?)?)],
        "in" => match right?.get("Set") {
            Some(set) => set
                .as_array()?
                .iter()
                .map(|one| Some(ScopeSide::within(read_entity(one)?)))
                .collect::<Option<_>>()?,
            None => vec![ScopeSide::within(read_entity(right?)?)],
        },
        "is" if body.get("in").is_none() => {
            vec![ScopeSide::is(body.get("entity_type")?.as_str()?.to_owned())]
        }
        _ => return None,
    };
    match body.get("left")?.get("Var")?.as_str()? {
        "principal" => Some(PartialCondition::Principal(sides)),
        "resource" => Some(PartialCondition::Resource(sides)),
        _ => None,
    }
}

fn read_entity(node: &Value) -> Option<(String, String)> {
    let entity = node.get("Value")?.get("__entity")?;
    let text = |name| entity.get(name).and_then(Value::as_str).map(str::to_owned);
    Some((text("type")?, text("id")?))
}

/// The members of `context.input.a.b` after the input.
fn input_path(node: &Value) -> Option<Vec<String>> {
    let access = node.get(".")?;
    let (left, attribute) = (access.get("left")?, access.get("attr")?.as_str()?);
    if attribute == "input" && left.get("Var").and_then(Value::as_str) == Some("context") {
        return Some(Vec::new());
    }
    let mut path = input_path(left)?;
    path.push(attribute.to_owned());
    Some(path)
}

fn read_literal(node: &Value) -> Option<Literal> {
    if let Some(arguments) = node.get("decimal") {
        let text = arguments.as_array()?.first()?.get("Value")?.as_str()?;
        return read_decimal(text).map(Literal::Decimal);
    }
    match node.get("Value")? {
        Value::Bool(value) => Some(Literal::Bool(*value)),
        Value::String(text) => Some(Literal::Text(text.clone())),
        Value::Number(number) => number.as_i64().map(Literal::Long),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
