//! Reloading keeps working policies.

use super::*;

fn folder(guard: &str) -> (tempfile::TempDir, PolicyEngine) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("guard.cedar"), guard).unwrap();
    let sources = Sources { folder: Some(folder.path().to_owned()), ..Sources::default() };
    let engine = PolicyEngine::load(sources).unwrap();
    (folder, engine)
}

fn is_permitted(engine: &PolicyEngine) -> bool {
    decide(engine, &agent(), &transfer(), json!({})).verdict == Verdict::Permit
}

#[test]
fn a_change_is_noticed_and_taken_up() {
    let (folder, engine) = folder(PERMIT_ALL);
    let first = engine.version();
    assert!(is_permitted(&engine) && !engine.sources_changed());

    fs::write(folder.path().join("guard.cedar"), "forbid(principal, action, resource);").unwrap();
    assert!(engine.sources_changed());
    let second = engine.reload(&[]).unwrap();
    assert_ne!(second, first);
    assert_eq!(engine.version(), second);
    assert!(!is_permitted(&engine) && !engine.sources_changed());

    fs::write(folder.path().join("guard.cedar"), PERMIT_ALL).unwrap();
    assert_eq!(engine.reload(&[]).unwrap(), first);
}

#[test]
fn what_does_not_load_leaves_the_old_in_force_and_is_told_once() {
    let (folder, engine) = folder(PERMIT_ALL);
    let first = engine.version();
    fs::write(folder.path().join("gates.cedar"), "@quorum(\"0\") forbid(principal, action, resource);")
        .unwrap();
    assert!(engine.sources_changed());
    let error = engine.reload(&[]).unwrap_err();
    let shown = folder.path().join("gates.cedar").display().to_string();
    assert!(
        error
            .to_string()
            .starts_with(&format!("{shown}:1:1: `@quorum(\"0\")` is no number of people\nhint: ")),
        "{error}"
    );
    assert_eq!(engine.version(), first);
    assert!(is_permitted(&engine));
    assert!(!engine.sources_changed());
    assert_eq!(engine.refusal(), Some(error));

    fs::remove_file(folder.path().join("gates.cedar")).unwrap();
    assert_eq!(engine.reload(&[]).unwrap(), first);
    assert_eq!(engine.refusal(), None, "what loads takes the refusal back");

    fs::remove_dir_all(folder.path()).unwrap();
    assert!(engine.sources_changed());
    assert!(engine.reload(&[]).unwrap_err().to_string().contains("the policy folder cannot be read"));
    assert!(is_permitted(&engine));
}

#[test]
fn other_sources_take_the_place_of_the_old_only_if_they_load() {
    let engine = engine(&[]);
    let first = engine.version();
    let strict = sources(&[], PolicyTemplate::AuditCritical);
    let broken =
        Sources { extra: vec![("settings".into(), PolicyPurpose::Guard, "permit".into())], ..strict.clone() };
    assert!(engine.reload_from(broken, &[]).unwrap_err().to_string().starts_with("settings:1:"));
    assert_eq!((engine.version(), engine.template()), (first, PolicyTemplate::Exploratory));
    assert_ne!(engine.reload_from(strict, &[]).unwrap(), first);
    assert_eq!(engine.template(), PolicyTemplate::AuditCritical);
    assert!(!is_permitted(&engine));
    // The next reload reads the new sources, not the old ones.
    engine.reload(&[]).unwrap();
    assert!(!is_permitted(&engine));
}

#[test]
fn texts_that_are_set_count_beside_the_sources_and_outlast_other_sources() {
    let set = |text: &str| vec![("setting policy.guard".to_owned(), PolicyPurpose::Guard, text.to_owned())];
    let (_folder, engine) = folder(PERMIT_ALL);
    let first = engine.version();
    let forbid = "forbid(principal, action, resource);";
    assert_eq!(engine.reload_set(Vec::new(), &[]), None, "nothing is set already");
    let second = engine.reload_set(set(forbid), &[]).unwrap().unwrap();
    assert!(second != first && !is_permitted(&engine));
    assert_eq!(engine.reload_set(set(forbid), &[]), None);
    engine.reload_from(sources(&[], PolicyTemplate::Exploratory), &[]).unwrap();
    engine.reload(&[]).unwrap();
    assert!(!is_permitted(&engine), "it outlasts other sources");
    assert!(engine.is_from(&sources(&[], PolicyTemplate::Exploratory)));

    let refused = engine.reload_set(set("forbid"), &[]).unwrap().unwrap_err();
    assert!(refused.to_string().starts_with("setting policy.guard:1:"), "{refused}");
    assert!(!is_permitted(&engine) && engine.refusal().is_some());
    engine.reload_set(Vec::new(), &[]).unwrap().unwrap();
    assert!(is_permitted(&engine) && engine.refusal().is_none());

    let again = PolicyEngine::load_with(Sources::default(), set(forbid)).unwrap();
    assert!(!is_permitted(&again));
    assert_eq!(again.texts(), [("setting policy.guard".to_owned(), forbid.to_owned())]);
}

#[test]
fn a_file_and_a_text_that_cannot_be_read_are_told_together() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.cedar"), [0xff]).unwrap();
    fs::write(folder.path().join("b.cedar"), "permit").unwrap();
    let sources = Sources { folder: Some(folder.path().to_owned()), ..Sources::default() };
    assert_eq!(PolicyEngine::load(sources).err().unwrap().problems.len(), 2);
}

#[test]
fn deciding_goes_on_while_policies_are_exchanged() {
    let (folder, engine) = folder(PERMIT_ALL);
    let (permit, forbid) = (PERMIT_ALL, "forbid(principal, action, resource);");
    let versions = std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let (principal, tool, arguments) = (agent(), transfer(), json!({}));
            let question = question(&principal, &tool, &arguments);
            let mut seen = std::collections::BTreeMap::new();
            // Ends when both versions have decided.
            while seen.len() < 2 {
                let decision = engine.decide(&question);
                seen.insert(decision.policy_version, decision.verdict == Verdict::Permit);
            }
            seen
        });
        for text in [forbid, permit].into_iter().cycle() {
            fs::write(folder.path().join("guard.cedar"), text).unwrap();
            engine.reload(&[]).unwrap();
            if asking.is_finished() {
                break;
            }
        }
        asking.join().unwrap()
    });
    let mut verdicts: Vec<bool> = versions.into_values().collect();
    verdicts.sort_unstable();
    assert_eq!(verdicts, [false, true]);
}
