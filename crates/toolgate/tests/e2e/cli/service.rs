//! The gateway as a service of a user, where there is no systemd, no home to write to, or a gateway already; and
//! what health checks ask.

use toolgate_testkit::gateway::Gateway;

use super::CliFolder;
use crate::toolgate;

#[test]
fn the_unit_that_is_printed_names_the_program_and_its_folders() {
    let place = CliFolder::new("");
    let unit = place.run(&["service", "install", "--print"]).well().stdout;
    let program = toolgate().canonicalize().expect("it is there");
    let data = place.path("toolgate-data");
    let command =
        format!("ExecStart=\"{}\" serve --data \"{}\" --config ", program.display(), data.display());
    assert!(unit.contains(&command) && unit.contains("WantedBy=default.target"), "{unit}");
    assert!(!place.path(".config").exists() && !data.exists(), "nothing was made");
}

#[test]
fn without_systemd_nothing_is_left_behind() {
    let place = CliFolder::new("");
    let install = || place.command(&["service", "install"]).env("PATH", place.path("none")).output();
    super::Said::from(install().expect("it runs"))
        .badly(1, &["there is no systemd on this machine", "hint: ", "--print"]);
    let unit = place.path(".config/systemd/user/toolgate.service");
    assert!(!unit.exists(), "what was written is taken back");
    std::fs::write(&unit, "[Unit]\n").expect("a unit of somebody else");
    super::Said::from(install().expect("it runs")).badly(1, &["was not written by `toolgate service`"]);
    assert_eq!(std::fs::read_to_string(&unit).expect("it stays"), "[Unit]\n");
}

#[test]
fn a_home_that_cannot_be_written_is_said() {
    let place = CliFolder::new("");
    // Root may write anywhere but here.
    let said = place.command(&["service", "install"]).env("XDG_CONFIG_HOME", "/proc/self").output();
    super::Said::from(said.expect("it runs")).badly(1, &["could not write /proc/self/systemd", "--print"]);
    place.run(&["service", "status"]).badly(1, &["the service is not installed", "hint: "]);
    place.run(&["service", "uninstall"]).badly(1, &["there is no ", "hint: "]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_runs_already_is_not_made_a_service() {
    let gateway = Gateway::boot(toolgate(), "");
    let said = gateway.cli_command(&["service", "install"]).output().expect("it runs");
    super::Said::from(said).badly(1, &["a gateway (pid ", "already runs on", "hint: stop it first"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_health_check_asks_whether_the_gateway_is_ready() {
    let gateway = Gateway::boot(toolgate(), "");
    let said = gateway.cli_command(&["ready"]).output().expect("it runs");
    assert!(super::Said::from(said).well().stdout.starts_with("ready at http://127.0.0.1:"));
    let place = CliFolder::new("");
    place.run(&["ready"]).badly(1, &["no gateway runs on", "hint: "]);
}

#[test]
fn an_upgrade_says_what_it_would_do_and_refuses_a_newer_database() {
    let place = CliFolder::new("");
    place.run(&["store", "upgrade", "--check"]).badly(1, &["there is no database in", "hint: "]);
    place.run(&["token", "create", "--role", "agent"]).well();
    let said = place.run(&["store", "upgrade", "--check"]).well();
    assert!(said.stdout.contains("there is nothing to do"), "{said:?}");
    place.run(&["store", "upgrade"]).well();
}
