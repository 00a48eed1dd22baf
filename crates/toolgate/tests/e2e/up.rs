//! `script/up` with stand-ins for cargo and the gateway: its output while it builds, and that nothing of it
//! is left after it is asked to end, at any time.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use toolgate_testkit::gateway::{signal, until};

use crate::doors::WAIT;
use crate::outside::repository;

/// Says as cargo does how far it is, and never ends.
const CARGO: &str = "#!/bin/sh
echo '   Compiling one v1.0.0' >&2
printf '    Building [=>   ] 7/398: one, two\\r' >&2
echo $$ >>\"$STARTED\"
sleep 600 &
echo $! >>\"$STARTED\"
wait
";

/// Ends cleanly when asked to.
const GATEWAY: &str = "#!/bin/sh
echo $$ >>\"$STARTED\"
trap 'exit 0' TERM
echo 'Toolgate is ready.'
while :; do sleep 0.1; done
";

/// A running `script/up` whose programs record their process ids.
struct Up {
    folder: tempfile::TempDir,
    process: Child,
}

impl Up {
    fn start(environment: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [("bin/cargo", CARGO), ("programs/toolgate", GATEWAY)] {
            write_program(&folder.path().join(name), text);
        }
        let path =
            format!("{}:{}", folder.path().join("bin").display(), std::env::var("PATH").expect("a PATH"));
        let process = Command::new(repository().join("script/up"))
            .env("PATH", path)
            .env("STARTED", folder.path().join("started"))
            .env("CARGO_TARGET_DIR", folder.path().join("target"))
            .env("TOOLGATE_MODEL", "")
            .env("CAPABILITY_OCR_MODELS", "")
            .env("CAPABILITY_SPEECH_MODELS", "")
            .env("CAPABILITY_FACE_MODELS", "")
            .env_remove("TOOLGATE_SERVERS")
            .env_remove("TOOLGATE_PROGRAMS")
            .envs(
                environment
                    .iter()
                    .map(|(name, value)| (name, value.replace('~', &folder.path().display().to_string()))),
            )
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(folder.path().join("said")).expect("a file"))
            // As a shell starts a background job.
            .process_group(0)
            .spawn()
            .expect("script/up starts");
        Self { folder, process }
    }

    fn said(&self) -> String {
        fs::read_to_string(self.folder.path().join("said")).unwrap_or_default()
    }

    /// The processes that its programs have recorded, once there are `count`.
    fn started(&self, count: usize) -> Vec<u32> {
        let noted = || -> Option<Vec<u32>> {
            let text = fs::read_to_string(self.folder.path().join("started")).ok()?;
            let ids: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
            (ids.len() >= count).then_some(ids)
        };
        until(WAIT, noted).unwrap_or_else(|| panic!("not everything was started; it said {}", self.said()))
    }

    /// Its exit code, after everything that it started is gone.
    fn end(mut self, with: &str, started: &[u32]) -> Option<i32> {
        signal(with, self.process.id());
        let status = until(WAIT, || self.process.try_wait().expect("it is a child of ours"));
        let status = status.unwrap_or_else(|| panic!("it did not end; it said {}", self.said()));
        for id in started {
            let gone = until(WAIT, || (!is_running(*id)).then_some(()));
            assert!(gone.is_some(), "process {id} still runs; it said {}", self.said());
        }
        status.code()
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        // After a failed test.
        drop(self.process.kill());
    }
}

fn write_program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
    fs::write(path, text).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it may be run");
}

/// A zombie has ended; its parent has only not waited for it.
fn is_running(id: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    status.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

#[test]
fn a_build_that_is_interrupted_leaves_no_compiler_running() {
    for with in ["-TERM", "-INT"] {
        let up = Up::start(&[]);
        let started = up.started(2);
        assert!(up.said().contains("about"), "it says how long it takes: {}", up.said());
        assert_ne!(up.end(with, &started), Some(0));
    }
}

#[test]
fn servers_that_are_being_built_end_with_the_gateway() {
    let up = Up::start(&[("TOOLGATE_PROGRAMS", "~/programs")]);
    let started = up.started(3);
    assert_eq!(up.end("-TERM", &started), Some(0), "the gateway ended well");
}
