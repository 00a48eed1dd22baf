//! The mounts that are allowed.

use toolgate_core::scope::{AgentDefinition, AgentName, Definitions};

use super::*;

fn servers(names: &[&str]) -> Vec<ServerName> {
    names.iter().map(|name| ServerName::new(name).expect("a legal name")).collect()
}

fn mounts(of_servers: &[&str], providers: &[&str]) -> Mounts {
    Mounts {
        servers: servers(of_servers).into_iter().collect(),
        providers: providers.iter().map(|name| (*name).to_owned()).collect(),
        ..Mounts::default()
    }
}

/// A scope from the time of `files`, `bank` and `mail`.
fn base(mounts: Mounts) -> Scope {
    let definition = AgentDefinition::named(AgentName::default_agent());
    let scope = Definitions::default().scope(&definition).expect("no capabilities");
    Scope { mounts, servers: Some(servers(&["files", "bank", "mail"])), ..scope }
}

fn refused(own: &Mounts, before: &Mounts, base: &Scope) -> Option<(&'static str, String)> {
    let providers = ["slack".to_owned()].into();
    let there = servers(&["files", "bank", "later"]);
    let refusal = check(
        own,
        before,
        base,
        &KnownMounts { servers: &there, providers: &providers, tells: MountDisclosure::Names },
    )
    .err()?;
    assert!(refusal.field.is_some_and(|field| field.starts_with("mounts.")));
    Some((refusal.code.name, refusal.hint))
}

#[test]
fn mounts_have_to_be_there_and_within_the_agent() {
    let (none, all) = (Mounts::default(), base(Mounts::default()));
    let narrow = base(mounts(&["files"], &["teams"]));
    let cases = [
        (mounts(&[], &[]), &all, None),
        (mounts(&["files", "bank"], &["slack"]), &all, None),
        (mounts(&["files"], &[]), &narrow, None),
        (mounts(&["fils"], &[]), &all, Some(("unknown_mount", "did you mean files?"))),
        (
            mounts(&["mail"], &[]),
            &all,
            Some(("unknown_mount", "`toolgate servers list` shows all there are")),
        ),
        (mounts(&["later"], &[]), &all, Some(("unknown_mount", "open another session"))),
        (mounts(&["bank"], &[]), &narrow, Some(("mount_left_out", "it has files"))),
        (mounts(&[], &["slak"]), &all, Some(("unknown_mount", "did you mean slack?"))),
        (mounts(&[], &["x\n"]), &all, Some(("invalid_mounts", ""))),
    ];
    for (own, base, expected) in cases {
        let expected = expected.map(|(code, hint)| (code, hint.to_owned()));
        assert_eq!(refused(&own, &none, base), expected, "{own:?}");
    }
    // A removed server may stay mounted, but cannot be added.
    let gone = mounts(&["mail"], &["fax"]);
    assert_eq!(refused(&gone, &gone, &all), None);
}

#[test]
fn a_session_mounts_pointers_within_those_of_its_agent() {
    let pointers = |all: &[&str]| Mounts {
        pointers: all.iter().map(|one| (*one).to_owned()).collect(),
        ..Mounts::default()
    };
    let code = |own: &Mounts, base: &Scope, tells: MountDisclosure| {
        let known = KnownMounts { servers: &[], providers: &BTreeSet::new(), tells };
        check(own, &Mounts::default(), base, &known).err().map(|refusal| refusal.code.name)
    };
    let (agent, operator) = (MountDisclosure::Nothing, MountDisclosure::Names);
    let (bare, bound) = (base(Mounts::default()), base(pointers(&["project/*"])));
    let (inside, outside) = (pointers(&["project/a"]), pointers(&["*"]));
    assert_eq!(code(&inside, &bound, agent), None);
    assert_eq!(code(&outside, &bound, operator), Some("mount_left_out"));
    assert_eq!(code(&inside, &bare, agent), Some("mount_left_out"), "an agent does not mount what it likes");
    assert_eq!(code(&outside, &bare, operator), None);
    assert_eq!(mounted(&bound, &inside).mounts, inside, "they narrow the agent's");
    assert_eq!(mounted(&bound, &Mounts::default()).mounts, pointers(&["project/*"]));
}

#[test]
fn own_mounts_add_up_but_for_servers_which_they_narrow() {
    let all = base(mounts(&[], &["teams"]));
    let mounted_all = mounted(&all, &mounts(&["files"], &["slack"]));
    assert_eq!(mounted_all.mounts, mounts(&["files"], &["slack", "teams"]));
    assert_eq!((mounted_all.servers.clone(), mounted_all.layers.len()), (all.servers.clone(), 1));
    let narrow = base(mounts(&["files", "bank"], &[]));
    assert_eq!(mounted(&narrow, &mounts(&[], &[])), narrow);
    assert_eq!(mounted(&narrow, &mounts(&["bank"], &[])).mounts, mounts(&["bank"], &[]));
}
