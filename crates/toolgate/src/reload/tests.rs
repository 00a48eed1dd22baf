//! The file changes under the watch, and is polled as often as a test requires.

use std::path::Path;

use super::*;

struct Desk {
    folder: tempfile::TempDir,
    watch: ConfigWatch,
}

fn nothing(_: &str) -> Option<String> {
    None
}

fn at(cwd: &Path) -> ConfigHints<'_> {
    ConfigHints { config: None, data: None, cwd, env: &nothing }
}

impl Desk {
    /// A gateway that started with this file; without a file if there is none.
    fn new(text: Option<&str>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        if let Some(text) = text {
            std::fs::write(folder.path().join("toolgate.toml"), text).expect("written");
        }
        let at = at(folder.path());
        let running = Config::load(&at, ReferenceMode::Resolve(&nothing)).expect("a good file");
        let watch = ConfigWatch::new(&at, nothing, |_| true, running);
        Self { folder, watch }
    }

    fn write(&self, text: &str) {
        std::fs::write(self.folder.path().join("toolgate.toml"), text).expect("written");
    }

    /// As many polls as a file needs to settle.
    fn settled(&mut self) -> Option<FileChange> {
        (0..3).find_map(|_| self.watch.look())
    }

    #[track_caller]
    fn changed(&mut self) -> (Vec<String>, Vec<&'static str>) {
        match self.settled() {
            Some(FileChange::Changed { config, restart }) => {
                (config.servers.iter().map(|server| server.spec.name.to_string()).collect(), restart)
            }
            other => panic!("not a change: {other:?}"),
        }
    }
}

const ONE: &str = "[[servers]]\nname = \"one\"\nurl = \"http://127.0.0.1:9/mcp\"\n";

#[test]
fn a_file_that_stays_is_never_a_change() {
    let mut desk = Desk::new(Some(ONE));
    assert!(desk.settled().is_none() && desk.settled().is_none());
    desk.write(&format!("# a word\n{ONE}"));
    assert!(desk.settled().is_none(), "a comment says nothing");
}

#[test]
fn what_needs_a_restart_is_named_until_it_is_taken_back() {
    let mut desk = Desk::new(Some(ONE));
    desk.settled();
    desk.write(&format!(
        "listen = \"127.0.0.1:1\"\n[limits]\npage_size = 9\n[registry]\ndrift = \"accept\"\n{ONE}\
         [[servers]]\nname = \"two\"\ncommand = \"x\"\n"
    ));
    assert_eq!(desk.changed(), (vec!["one".to_owned(), "two".to_owned()], vec!["listen", "[limits]"]));
    desk.write("listen = \"127.0.0.1:1\"\n");
    assert_eq!(desk.changed(), (vec![], vec!["listen"]), "the gateway still listens where it started");
    desk.write(ONE);
    assert_eq!(desk.changed(), (vec!["one".to_owned()], vec![]));
}

#[test]
fn what_changed_before_the_first_look_is_seen() {
    let mut desk = Desk::new(Some(ONE));
    desk.write("");
    assert_eq!(desk.changed(), (vec![], vec![]));
}

#[test]
fn a_half_written_file_is_left_to_settle() {
    let mut desk = Desk::new(Some(ONE));
    desk.settled();
    for half in ["[[serv", "[[servers]]\nname = \"tw", "[[servers]]\nname = \"two\""] {
        desk.write(half);
        assert!(desk.watch.look().is_none(), "{half:?} was judged at first sight");
    }
    desk.write("[[servers]]\nname = \"two\"\ncommand = \"x\"\n");
    assert!(desk.watch.look().is_none());
    assert!(matches!(desk.watch.look(), Some(FileChange::Changed { .. })));
}

#[test]
fn a_file_that_does_not_load_is_told_once_with_the_text_of_a_start() {
    let mut desk = Desk::new(Some(ONE));
    desk.write("listn = \"x\"\n");
    let Some(FileChange::Refused(error)) = desk.settled() else { panic!("it loaded") };
    let at_start =
        Config::load(&at(desk.folder.path()), ReferenceMode::Resolve(&nothing)).expect_err("broken");
    assert_eq!(error.to_string(), at_start.to_string());
    assert!(error.to_string().starts_with("toolgate.toml:1:1: "), "{error}");
    assert!(desk.settled().is_none(), "it was told already");
    desk.write(ONE);
    assert_eq!(desk.changed(), (vec!["one".to_owned()], vec![]), "all is as before, and that is said");
}

#[test]
fn a_file_that_goes_keeps_what_was_in_force() {
    let mut desk = Desk::new(Some(ONE));
    desk.settled();
    let path = desk.folder.path().join("toolgate.toml");
    std::fs::remove_file(&path).expect("removed");
    assert!(matches!(desk.settled(), Some(FileChange::Refused(_))));
    desk.write(ONE);
    assert!(matches!(desk.settled(), Some(FileChange::Changed { .. })));
}

#[test]
fn a_file_that_appears_is_taken() {
    let mut desk = Desk::new(None);
    assert!(desk.settled().is_none());
    desk.write(ONE);
    assert_eq!(desk.changed(), (vec!["one".to_owned()], vec![]));
}

#[tokio::test(start_paused = true)]
async fn the_watch_waits_for_the_next_change() {
    let mut desk = Desk::new(Some(ONE));
    let waiting = tokio::time::timeout(Duration::from_secs(60), desk.watch.next()).await;
    assert!(waiting.is_err(), "nothing changed");
    desk.write("");
    assert!(matches!(desk.watch.next().await, FileChange::Changed { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_change_is_taken_up_within_a_second() {
    let mut desk = Desk::new(Some(ONE));
    let waiting = tokio::time::timeout(Duration::from_secs(60), desk.watch.next()).await;
    assert!(waiting.is_err(), "nothing changed");
    let begun = tokio::time::Instant::now();
    desk.write("");
    assert!(matches!(desk.watch.next().await, FileChange::Changed { .. }));
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(1), "it took {took:?}");
}

#[test]
fn a_capability_server_that_appears_is_a_change() {
    use std::os::unix::fs::PermissionsExt;

    let mut desk = Desk::new(Some("[capability_servers]\nfolder = \"bin\"\n"));
    assert!(desk.settled().is_none());
    let program = desk.folder.path().join("bin/one-mcp");
    std::fs::create_dir(desk.folder.path().join("bin")).expect("a folder");
    std::fs::write(&program, "").expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("its mode is set");
    assert_eq!(desk.changed(), (vec!["one-mcp".to_owned()], vec![]));
    std::fs::remove_file(&program).expect("removed");
    assert_eq!(desk.changed(), (vec![], vec![]));
}
