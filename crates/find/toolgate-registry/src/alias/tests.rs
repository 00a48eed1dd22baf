use super::*;

fn alias(name: &str, target: &str, owner: &str) -> Alias {
    Alias {
        name: name.into(),
        target: CanonicalName::recorded(target),
        until_ms: None,
        primary: false,
        owner: owner.into(),
    }
}

fn shown(name: &str, target: &str) -> Alias {
    Alias { primary: true, ..alias(name, target, "toolgate.toml") }
}

fn tools() -> Vec<CanonicalName> {
    ["files:read", "mail:send"].map(CanonicalName::recorded).to_vec()
}

#[test]
fn two_names_for_one_tool_and_one_name_said_twice_are_fine() {
    let others = [alias("old", "files:read", "toolgate.toml")];
    let wanted = [alias("old", "files:read", "settings"), alias("older", "files:read", "settings")];
    assert_eq!(check(tools().iter(), &others, &wanted), Ok(()));
    // An alias may equal the tool's own wire name.
    assert_eq!(check(tools().iter(), &[], &[alias("files__read", "files:read", "settings")]), Ok(()));
}

#[test]
fn one_name_for_two_tools_is_refused_with_both_owners() {
    let others = [alias("old", "files:read", "toolgate.toml")];
    let told = |wanted: Alias| check(tools().iter(), &others, &[wanted]).expect_err("taken").to_string();
    assert_eq!(
        told(alias("old", "mail:send", "server \"mail\"")),
        "the name \"old\" is taken: toolgate.toml, for files:read has it, and server \"mail\", for mail:send wants it"
    );
    assert!(told(alias("files:read", "mail:send", "settings")).contains("server \"files\", for files:read"));
    assert!(told(alias("files__read", "mail:send", "settings")).contains("server \"files\", for files:read"));
}

#[test]
fn what_a_name_becomes_on_the_wire_is_taken_too() {
    let wanted =
        [shown("files.text.read", "files:read"), alias("files__text__read", "mail:send", "settings")];
    assert!(check(tools().iter(), &[], &wanted).is_err());
}

#[test]
fn old_quarrels_of_others_are_not_held_against_somebody_new() {
    let others = [alias("old", "files:read", "toolgate.toml"), alias("old", "mail:send", "settings")];
    assert_eq!(check(tools().iter(), &others, &[alias("new", "mail:send", "settings")]), Ok(()));
}

#[test]
fn renames_tell_what_agents_saw_and_see() {
    let told = |before: &[Alias], after: &[Alias]| -> Vec<String> {
        renames(before, after).iter().map(|one| format!("{} {} -> {}", one.tool, one.from, one.to)).collect()
    };
    let first = [shown("files.text.read", "files:read")];
    let second = [shown("documents.text.read", "files:read")];
    assert_eq!(told(&[], &first), ["files:read files__read -> files__text__read"]);
    assert_eq!(told(&first, &second), ["files:read files__text__read -> documents__text__read"]);
    assert_eq!(told(&second, &[]), ["files:read documents__text__read -> files__read"]);
    assert!(told(&first, &first).is_empty());
    assert!(told(&[], &[alias("old", "files:read", "settings")]).is_empty());
}

#[test]
fn names_that_a_server_gives_its_tools_are_never_what_agents_see() {
    let server = ServerName::new("files").expect("a name");
    let extra = ToolExtra {
        aliases: vec!["old_read".into(), "files.text.read".into(), "files.text.get".into()],
        ..ToolExtra::default()
    };
    let aliases = of_extras(&server, &BTreeMap::from([("read".to_owned(), extra)]));
    let told: Vec<(&str, bool)> = aliases.iter().map(|one| (one.name.as_str(), one.primary)).collect();
    assert_eq!(told, [("old_read", false), ("files.text.read", false), ("files.text.get", false)]);
    assert_eq!(aliases[0].owner, "server \"files\"");
}
