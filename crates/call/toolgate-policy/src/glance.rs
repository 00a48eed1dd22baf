//! A quick check of a policy's condition: is it certainly false for this call? Cedar needs microseconds for
//! each policy; most policies over arguments are about other arguments, or limits that are not reached, and
//! that is quickly seen.
//!
//! The check understands a few forms (tests for fields, comparisons with literals, and, or, not) and answers
//! "unknown" to everything else and to everything that would be an error. Only Cedar decides that a policy
//! matches.

use std::cmp::Ordering;

use serde_json::Value;
use toolgate_core::decision::Template;
use toolgate_core::{Effects, Principal, Tool};

use crate::number::{Fixed, read_decimal};
use crate::scope::Side;
use crate::shape::Shape;
use crate::traits::traits_of;

/// A condition, as far as it can be checked.
#[derive(Clone, Debug)]
pub(crate) enum Glance {
    Unknown,
    Known(bool),
    Both(Box<[Glance; 2]>),
    Either(Box<[Glance; 2]>),
    Not(Box<Glance>),
    /// `context.input has a.b`
    Has(Vec<String>),
    Compare(Operand, Relation, Literal),
    /// `["a", "b"].contains(context.input.c)`
    OneOf(Operand, Vec<Literal>),
    /// `context.input.a like "x*"`
    Like(Operand, Pattern),
    /// `principal in [Group::"a", Group::"b"]`, `principal is Agent`, `principal == Agent::"c"`
    Principal(Vec<Side>),
    /// The same for the resource.
    Resource(Vec<Side>),
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
pub(crate) struct Sight<'a> {
    pub(crate) call: Option<Call<'a>>,
    pub(crate) tool: &'a Tool,
    pub(crate) principal: &'a Principal,
    pub(crate) agent: Option<&'a str>,
    pub(crate) template: Template,
}

#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) arguments: &'a Value,
    pub(crate) shape: &'a Shape,
}

/// A value in a call that can be compared.
enum Seen<'a> {
    Bool(bool),
    Long(i64),
    Decimal(i64),
    Text(&'a str),
}

impl Glance {
    /// Reads the conditions of a policy in its JSON form.
    pub(crate) fn of(policy: &Value) -> Glance {
        let conditions = policy.get("conditions").and_then(Value::as_array);
        let Some(conditions) = conditions else { return Glance::Unknown };
        let each = conditions.iter().map(|condition| {
            let body = condition.get("body").map_or(Glance::Unknown, read);
            match condition.get("kind").and_then(Value::as_str) {
                Some("when") => body,
                Some("unless") => Glance::Not(Box::new(body)),
                _ => Glance::Unknown,
            }
        });
        each.reduce(|left, right| Glance::Both(Box::new([left, right]))).unwrap_or(Glance::Known(true))
    }

    pub(crate) fn is_certainly_false(&self, sight: Sight<'_>) -> bool {
        self.look(sight) == Some(false)
    }

    /// Cedar's result; `None` if it is not certain.
    pub(crate) fn look(&self, sight: Sight<'_>) -> Option<bool> {
        match self {
            Glance::Unknown => None,
            Glance::Known(value) => Some(*value),
            // The right side counts only once the left is certain: the left may be an error.
            Glance::Both(sides) => {
                if sides[0].look(sight)? {
                    sides[1].look(sight)
                } else {
                    Some(false)
                }
            }
            Glance::Either(sides) => {
                if sides[0].look(sight)? {
                    Some(true)
                } else {
                    sides[1].look(sight)
                }
            }
            Glance::Not(inner) => inner.look(sight).map(|value| !value),
            Glance::Has(path) => has(sight.call?.arguments, path),
            Glance::Compare(operand, relation, literal) => compare(&sight.see(operand)?, *relation, literal),
            Glance::OneOf(operand, literals) => {
                let seen = sight.see(operand)?;
                literals.iter().try_fold(false, |found, literal| {
                    Some(found || compare(&seen, Relation::Equal, literal)?)
                })
            }
            Glance::Like(operand, pattern) => match sight.see(operand)? {
                Seen::Text(text) => Some(pattern.fits(text)),
                _ => None,
            },
            Glance::Principal(sides) => Some(sides.iter().any(|side| side.fits_principal(sight.principal))),
            Glance::Resource(sides) => Some(sides.iter().any(|side| side.fits_tool(sight.tool))),
            Glance::HasAgent => Some(sight.agent.is_some()),
            Glance::Trait(name) => Some(traits_of(&sight.tool.own).contains(&name.as_str())),
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

impl<'a> Sight<'a> {
    fn see(self, operand: &Operand) -> Option<Seen<'a>> {
        match operand {
            Operand::Input(path) => self.see_argument(path),
            Operand::Effect(effect) => Some(Seen::Bool(self.tool.effects.contains(*effect))),
            Operand::OwnName => Some(Seen::Text(&self.tool.own)),
            Operand::Server => Some(Seen::Text(self.tool.server.as_str())),
            Operand::PrincipalName => Some(Seen::Text(self.principal.id.as_str())),
            Operand::PrincipalRole => Some(Seen::Text(self.principal.role.as_str())),
            Operand::Agent => self.agent.map(Seen::Text),
            Operand::Template => Some(Seen::Text(self.template.as_str())),
        }
    }

    fn see_argument(self, path: &[String]) -> Option<Seen<'a>> {
        let Call { arguments: mut at, mut shape } = self.call?;
        for name in path {
            at = at.as_object()?.get(name)?;
            shape = shape.field(name);
        }
        match at {
            Value::Bool(value) => Some(Seen::Bool(*value)),
            Value::String(text) => Some(Seen::Text(text)),
            Value::Number(number) => Some(match Fixed::of(number, shape) {
                Fixed::Long(value) => Seen::Long(value),
                Fixed::Decimal(value) => Seen::Decimal(value),
            }),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// Compares values of the same type. Different types are unequal or an error: Cedar decides which.
fn compare(seen: &Seen<'_>, relation: Relation, literal: &Literal) -> Option<bool> {
    let order = match (seen, literal) {
        (Seen::Long(a), Literal::Long(b)) | (Seen::Decimal(a), Literal::Decimal(b)) => {
            return Some(relation.holds(a.cmp(b)));
        }
        (Seen::Bool(a), Literal::Bool(b)) => a.cmp(b),
        (Seen::Text(a), Literal::Text(b)) => (*a).cmp(b.as_str()),
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

fn read(node: &Value) -> Glance {
    read_known(node).unwrap_or(Glance::Unknown)
}

fn read_known(node: &Value) -> Option<Glance> {
    let (name, body) = node.as_object()?.iter().next()?;
    let sides = || Some([read(body.get("left")?), read(body.get("right")?)]);
    match name.as_str() {
        "&&" => Some(Glance::Both(Box::new(sides()?))),
        "||" => Some(Glance::Either(Box::new(sides()?))),
        "!" => Some(Glance::Not(Box::new(read(body.get("arg")?)))),
        "Value" => body.as_bool().map(Glance::Known),
        "has" => read_has(body),
        "contains" => read_one_of(body).or_else(|| read_own_set(body)),
        "like" => Some(Glance::Like(read_operand(body.get("left")?)?, Pattern::read(body.get("pattern")?)?)),
        // A flag by itself: `resource.write`.
        "." => Some(Glance::Compare(read_operand(node)?, Relation::Equal, Literal::Bool(true))),
        other => read_membership(other, body).or_else(|| read_comparison(other, body)),
    }
}

fn read_has(body: &Value) -> Option<Glance> {
    let of_context = body.get("left")?.get("Var").and_then(Value::as_str) == Some("context");
    if of_context && body.get("attr")?.as_str() == Some("agent") {
        return Some(Glance::HasAgent);
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
    Some(Glance::Has(path))
}

fn read_one_of(body: &Value) -> Option<Glance> {
    let set = body.get("left")?.get("Set")?.as_array()?;
    let literals = set.iter().map(read_literal).collect::<Option<Vec<_>>>()?;
    Some(Glance::OneOf(read_operand(body.get("right")?)?, literals))
}

/// `resource.traits.contains("promotion")`, `resource.effects.contains("write")`
fn read_own_set(body: &Value) -> Option<Glance> {
    let access = body.get("left")?.get(".")?;
    let Literal::Text(name) = read_literal(body.get("right")?)? else { return None };
    match (access.get("left")?.get("Var")?.as_str()?, access.get("attr")?.as_str()?) {
        ("resource", "traits") => Some(Glance::Trait(name)),
        ("resource", "effects") => Some(match Effects::named(&name) {
            Some(effect) => Glance::Compare(Operand::Effect(effect), Relation::Equal, Literal::Bool(true)),
            None => Glance::Known(false),
        }),
        _ => None,
    }
}

/// The pieces of a pattern with wildcards between them: `"a*b"` is `["a", "b"]`.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(Vec<String>);

impl Pattern {
    fn read(elements: &Value) -> Option<Pattern> {
        let mut pieces = vec![String::new()];
        for element in elements.as_array()? {
            match element {
                Value::String(name) if name == "Wildcard" => pieces.push(String::new()),
                other => pieces.last_mut()?.push_str(other.get("Literal")?.as_str()?),
            }
        }
        Some(Pattern(pieces))
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

fn read_comparison(name: &str, body: &Value) -> Option<Glance> {
    let find =
        |of: &[(&str, Relation)]| of.iter().find(|(one, _)| *one == name).map(|(_, relation)| *relation);
    if let Some(relation) = find(&OPERATORS) {
        let (left, right) = (body.get("left")?, body.get("right")?);
        let comparison = read_sides(left, relation, right)?;
        // `<` on decimals is an error to Cedar.
        let ordered = !matches!(relation, Relation::Equal | Relation::Unequal);
        let on_decimals = matches!(comparison, Glance::Compare(_, _, Literal::Decimal(_)));
        return (!(ordered && on_decimals)).then_some(comparison);
    }
    let relation = find(&METHODS)?;
    let [left, right] = body.as_array()?.as_slice() else { return None };
    let comparison = read_sides(left, relation, right)?;
    matches!(comparison, Glance::Compare(_, _, Literal::Decimal(_))).then_some(comparison)
}

fn read_sides(left: &Value, relation: Relation, right: &Value) -> Option<Glance> {
    if let (Some(operand), Some(literal)) = (read_operand(left), read_literal(right)) {
        return Some(Glance::Compare(operand, relation, literal));
    }
    Some(Glance::Compare(read_operand(right)?, relation.turned(), read_literal(left)?))
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
fn read_membership(name: &str, body: &Value) -> Option<Glance> {
    if name == "!=" {
        return read_membership("==", body).map(|same| Glance::Not(Box::new(same)));
    }
    let right = body.get("right");
    let sides = match name {
        "==" => vec![Side::exactly(read_entity(right?)?)],
        "in" => match right?.get("Set") {
            Some(set) => set
                .as_array()?
                .iter()
                .map(|one| Some(Side::within(read_entity(one)?)))
                .collect::<Option<_>>()?,
            None => vec![Side::within(read_entity(right?)?)],
        },
        "is" if body.get("in").is_none() => vec![Side::is(body.get("entity_type")?.as_str()?.to_owned())],
        _ => return None,
    };
    match body.get("left")?.get("Var")?.as_str()? {
        "principal" => Some(Glance::Principal(sides)),
        "resource" => Some(Glance::Resource(sides)),
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
