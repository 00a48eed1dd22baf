//! Secrets from the command line: they come in by a pipe, stay in the vault and never come out.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::json;

use super::{CliFolder, Said};

const VALUE: &str = "hunter2-of-the-vault";

fn piped(place: &CliFolder, args: &[&str], value: &str) -> Said {
    let mut command = place.command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    child.stdin.take().expect("a pipe").write_all(value.as_bytes()).expect("the value is taken");
    Said::from(child.wait_with_output().expect("it ends"))
}

fn place() -> CliFolder {
    CliFolder::new(
        "[[servers]]\nname = \"hub\"\nurl = \"http://127.0.0.1:9/mcp\"\nheaders = { Authorization = \"Bearer ${vault:TOKEN}\" }\n",
    )
}

#[test]
fn a_secret_is_listed_by_its_name_and_its_value_is_nowhere() {
    let place = place();
    let stored = piped(&place, &["secrets", "set", "hub", "TOKEN"], &format!("{VALUE}\n")).well();
    piped(&place, &["secrets", "set", "hub", "TOKEN", "--principal", "ann"], "another").well();
    let listed = place.run(&["secrets", "list", "--json"]).well();
    let ledger = place.run(&["ledger", "tail", "--json"]).well();
    for said in [&stored, &listed, &ledger] {
        assert!(!said.stdout.contains(VALUE) && !said.stderr.contains(VALUE), "{said:?}");
    }
    let names: Vec<_> = listed
        .json()
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["name"].clone(), one["principal"].clone()))
        .collect();
    assert_eq!(names, [(json!("TOKEN"), json!(null)), (json!("TOKEN"), json!("ann"))]);
    let data = place.path("toolgate-data");
    for entry in
        std::fs::read_dir(&data).expect("the data folder").map(|entry| entry.expect("an entry").path())
    {
        let bytes = std::fs::read(&entry).expect("a file");
        assert!(!bytes.windows(VALUE.len()).any(|part| part == VALUE.as_bytes()), "{}", entry.display());
    }
    let mode = std::fs::metadata(data.join("vault.key")).expect("a key").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn what_cannot_be_a_secret_is_refused_with_a_hint() {
    let place = place();
    piped(&place, &["secrets", "set", "hub", "TOKEN"], "\n").badly(1, &["there is no value", "hint: "]);
    piped(&place, &["secrets", "set", "hub", "MY KEY"], "x").badly(2, &["MY KEY", "1 to 64"]);
    piped(&place, &["secrets", "set", "h:b", "TOKEN"], "x").badly(1, &["':'", "hint: "]);
    piped(&place, &["secrets", "set", "hub", "oauth"], "x").badly(1, &["servers login hub"]);
    place.run(&["secrets", "remove", "hub", "TOKEN"]).badly(1, &["TOKEN", "everyone", "hint: "]);
}

#[test]
fn the_doctor_misses_a_secret_until_it_is_stored_and_again_when_it_is_removed() {
    let place = place();
    let doctor = || place.run(&["doctor"]).stdout;
    let missing = "toolgate secrets set hub TOKEN";
    assert!(doctor().contains(missing), "{}", doctor());
    piped(&place, &["secrets", "set", "hub", "TOKEN"], VALUE).well();
    let told = doctor();
    assert!(!told.contains(missing) && told.contains("1 secret, 0 sign-ins; its key fits"), "{told}");
    place.run(&["secrets", "remove", "hub", "TOKEN"]).well();
    assert!(doctor().contains(missing));
}

#[test]
fn a_lost_key_is_told_by_the_doctor() {
    let place = place();
    piped(&place, &["secrets", "set", "hub", "TOKEN"], VALUE).well();
    std::fs::remove_file(place.path("toolgate-data/vault.key")).expect("removed");
    let told = place.run(&["doctor"]).stdout;
    assert!(told.contains("WRONG vault: holds 1 secret and its key is gone"), "{told}");
}
