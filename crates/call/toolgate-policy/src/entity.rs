//! Principals and tools as the entities that policies speak of.
//!
//! | entity | attributes | belongs to |
//! |---|---|---|
//! | `Human`, `Agent`, `Service` `::"<principal id>"` | `name`, `role` | `Group::"<group>"`, `Role::"<role>"` |
//! | `Tool::"bank:transfer"` | `server`, `name`, `effects`, `read`, `write`, `external`, `destructive`, `traits`, `version` | `Server::"bank"` |
//! | `Action::"bank:transfer"` | | |

use std::collections::{HashMap, HashSet};
use std::str::FromStr;

use cedar_policy::{
    Context, Entities, Entity, EntityId, EntityTypeName, EntityUid, Request, RestrictedExpression,
};
use toolgate_core::{Effects, Principal, PrincipalKind, Tool};

use crate::traits::traits_of;

pub(crate) const ACTION: &str = "Action";
pub(crate) const GROUP: &str = "Group";
pub(crate) const ROLE: &str = "Role";
pub(crate) const SERVER: &str = "Server";
pub(crate) const TOOL: &str = "Tool";
/// Everything a policy can name.
pub(crate) const ENTITY_TYPES: [&str; 8] = ["Human", "Agent", "Service", GROUP, ROLE, TOOL, SERVER, ACTION];

pub(crate) fn principal_type(kind: PrincipalKind) -> &'static str {
    match kind {
        PrincipalKind::Human => "Human",
        PrincipalKind::Agent => "Agent",
        PrincipalKind::Service => "Service",
    }
}

pub(crate) fn uid(entity_type: &str, id: &str) -> EntityUid {
    let name = EntityTypeName::from_str(entity_type).expect("our entity types are identifiers");
    EntityUid::from_type_name_and_id(name, EntityId::new(id))
}

pub(crate) fn principal_uid(principal: &Principal) -> EntityUid {
    uid(principal_type(principal.kind), principal.id.as_str())
}

/// The entities of a call, by name.
#[derive(Debug)]
pub(crate) struct CallUids {
    principal: EntityUid,
    action: EntityUid,
    resource: EntityUid,
}

impl CallUids {
    pub(crate) fn of(principal: &Principal, tool: &Tool) -> Self {
        Self {
            principal: principal_uid(principal),
            action: uid(ACTION, tool.name.as_str()),
            resource: uid(TOOL, tool.name.as_str()),
        }
    }

    pub(crate) fn request(&self, context: Context) -> Request {
        let [principal, action, resource] = [&self.principal, &self.action, &self.resource].map(Clone::clone);
        Request::new(principal, action, resource, context, None).expect("without a schema nothing is checked")
    }
}

pub(crate) fn principal_entity(principal: &Principal) -> Entity {
    let attributes = HashMap::from([
        ("name".to_owned(), text(principal.id.as_str())),
        ("role".to_owned(), text(principal.role.as_str())),
    ]);
    let mut parents: HashSet<EntityUid> = principal.groups.iter().map(|group| uid(GROUP, group)).collect();
    parents.insert(uid(ROLE, principal.role.as_str()));
    entity(principal_uid(principal), attributes, parents)
}

pub(crate) fn tool_entity(tool: &Tool) -> Entity {
    let flags = Effects::NAMES.into_iter().map(|(effect, name)| {
        (name.to_owned(), RestrictedExpression::new_bool(tool.effects.contains(effect)))
    });
    let mut attributes: HashMap<String, RestrictedExpression> = flags.collect();
    attributes.extend([
        ("server".to_owned(), text(tool.server.as_str())),
        ("name".to_owned(), text(&tool.own)),
        ("version".to_owned(), text(&tool.version.to_string())),
        ("effects".to_owned(), RestrictedExpression::new_set(tool.effects.names().map(text))),
        ("traits".to_owned(), RestrictedExpression::new_set(traits_of(tool).into_iter().map(text))),
    ]);
    entity(uid(TOOL, tool.name.as_str()), attributes, [uid(SERVER, tool.server.as_str())].into())
}

/// Everything that a policy can look up while one principal calls one tool.
pub(crate) fn entities(principal: Entity, tool: Entity) -> Entities {
    Entities::from_entities([principal, tool], None).expect("a principal is no tool")
}

fn entity(
    uid: EntityUid,
    attributes: HashMap<String, RestrictedExpression>,
    parents: HashSet<EntityUid>,
) -> Entity {
    Entity::new(uid, attributes, parents).expect("strings, booleans and sets evaluate to themselves")
}

fn text(value: &str) -> RestrictedExpression {
    RestrictedExpression::new_string(value.to_owned())
}
