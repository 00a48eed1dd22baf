//! The availability of a server's name beside the existing ones.

use toolgate_core::ServerName;

use crate::naming::{RESERVED_SERVER, look_of};

/// Two names that people or agents could not tell apart.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the server name {wanted} reads like {existing}, which is taken: agents would see both as the same")]
pub struct NameCollision {
    pub wanted: ServerName,
    pub existing: ServerName,
}

/// A name that no server can have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the server name {0} is reserved: Toolgate's own tools have it")]
pub struct ReservedName(pub ServerName);

/// Checks that a server's name is not reserved.
pub fn check_reserved(wanted: &ServerName) -> Result<(), ReservedName> {
    if look_of(wanted) == RESERVED_SERVER { Err(ReservedName(wanted.clone())) } else { Ok(()) }
}

/// Capital letters, and dots written as two underscores, make no difference. The very same name is no collision: it is
/// the same server.
pub fn check_server_name<'a>(
    existing: impl Iterator<Item = &'a ServerName>,
    wanted: &ServerName,
) -> Result<(), NameCollision> {
    let look = look_of(wanted);
    let mut others = existing.filter(|name| *name != wanted);
    match others.find(|name| look_of(name) == look) {
        Some(existing) => Err(NameCollision { wanted: wanted.clone(), existing: existing.clone() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collides(existing: &str, wanted: &str) -> bool {
        let name = |text| ServerName::new(text).expect("a name");
        check_server_name([name(existing)].iter(), &name(wanted)).is_err()
    }

    #[test]
    fn the_name_of_the_gateway_itself_is_nobodys() {
        let reserved = |text| check_reserved(&ServerName::new(text).expect("a name")).is_err();
        assert!(reserved("toolgate") && reserved("Toolgate"));
        assert!(!reserved("toolgate-two") && !reserved("toolgat"));
    }

    #[test]
    fn names_that_look_alike_to_agents_collide_and_no_others_do() {
        for (existing, wanted) in [("files", "Files"), ("a.b", "a__b"), ("A.b", "a__B"), ("Ünï", "ünÏ")] {
            assert!(collides(existing, wanted) && collides(wanted, existing), "{existing} and {wanted}");
        }
        for (existing, wanted) in [("files", "files"), ("a.b", "a.bc"), ("a.b", "a_b"), ("数据", "中国")]
        {
            assert!(!collides(existing, wanted), "{existing} and {wanted}");
        }
    }
}
