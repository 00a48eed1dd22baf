//! The state of a test gateway: SQLite in its folder, or its own database on Postgres.

use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolgate_stage::postgres::{Database, script};
use toolgate_testkit::gateway::signal;

#[derive(Clone)]
pub(crate) enum Backing {
    Sqlite,
    Postgres(Arc<Database>),
    /// The same database, for a gateway with its own stream.
    Shared(Arc<Database>, &'static str),
}

impl Backing {
    /// Its own database on the Postgres that all tests share.
    pub(crate) fn postgres() -> Self {
        Self::Postgres(Arc::new(Database::with_tables()))
    }

    pub(crate) fn toml(&self) -> String {
        match self {
            Backing::Sqlite => String::new(),
            Backing::Postgres(database) => format!("[store]\nurl = {:?}\n", database.url),
            Backing::Shared(database, stream) => {
                format!("[store]\nurl = {:?}\nstream = {stream:?}\n", database.url)
            }
        }
    }

    pub(crate) fn database(&self) -> Option<&Arc<Database>> {
        match self {
            Backing::Sqlite => None,
            Backing::Postgres(database) | Backing::Shared(database, _) => Some(database),
        }
    }
}

/// A Postgres of one test, which can go down and come back.
pub(crate) struct PostgresServer {
    folder: PathBuf,
    url: String,
}

impl PostgresServer {
    pub(crate) fn start() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toolgate-outage-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let url = script("start", Some(&folder));
        Self { folder, url }
    }

    pub(crate) fn backing(&self) -> Backing {
        Backing::Postgres(Arc::new(Database::create(&self.url)))
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Ends it at once, as if the machine had gone.
    pub(crate) fn go_away(&self) {
        let pid = std::fs::read_to_string(self.data().join("postmaster.pid")).expect("it runs");
        let pid = pid.lines().next().and_then(|pid| pid.parse().ok()).expect("its first line is its number");
        signal("-QUIT", pid);
        let gone = toolgate_testkit::gateway::until(crate::doors::WAIT, || {
            (!Path::new(&format!("/proc/{pid}")).exists()).then_some(())
        });
        gone.expect("it ends");
    }

    /// Stops every process of it: connections stay, or can be made, and nothing comes back.
    pub(crate) fn fall_silent(&self) {
        self.processes().into_iter().for_each(|pid| signal("-STOP", pid));
    }

    /// The same, and the connections that were there are cut.
    pub(crate) fn cut_and_fall_silent(&self) {
        let mut processes = self.processes().into_iter();
        signal("-STOP", processes.next().expect("it runs"));
        processes.for_each(|pid| signal("-KILL", pid));
    }

    pub(crate) fn speak_again(&self) {
        self.processes().into_iter().for_each(|pid| signal("-CONT", pid));
    }

    /// The first process, and those that it has started; none if it does not run.
    fn processes(&self) -> Vec<u32> {
        let file = std::fs::read_to_string(self.data().join("postmaster.pid")).unwrap_or_default();
        let Some(first) = file.lines().next().and_then(|pid| pid.parse().ok()) else { return Vec::new() };
        let children = format!("/proc/{first}/task/{first}/children");
        let children = std::fs::read_to_string(children).unwrap_or_default();
        std::iter::once(first).chain(children.split_whitespace().filter_map(|pid| pid.parse().ok())).collect()
    }

    /// Starts it again at its address, with its settings.
    pub(crate) fn come_back(&self) {
        let options = std::fs::read_to_string(self.data().join("postmaster.opts")).expect("it has run");
        let program = Path::new(options.split(' ').next().expect("the program comes first"));
        let control = program.with_file_name("pg_ctl");
        let owner = std::fs::metadata(self.data()).expect("the folder is there");
        let log = self.data().join("log");
        let mut command = Command::new(control);
        command.arg("-D").arg(self.data()).arg("-l").arg(log).args(["-w", "-s", "restart"]).current_dir("/");
        if std::fs::metadata("/proc/self").expect("Linux").uid() != owner.uid() {
            command.uid(owner.uid()).gid(owner.gid());
        }
        let output = command.output().expect("pg_ctl runs");
        assert!(output.status.success(), "{output:?}");
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.speak_again();
        script("stop", Some(&self.folder));
    }
}
