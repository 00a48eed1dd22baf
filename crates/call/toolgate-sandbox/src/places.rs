//! Well-known places: those of secrets, caches of programs, and sockets that lead out of any confinement.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Secrets in a home folder. A server that needs one is given it by name.
const HOME_SECRETS: [&str; 33] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".config/git/credentials",
    ".git-credentials",
    ".docker",
    ".config/containers",
    ".kube",
    ".config/helm",
    ".terraform.d",
    ".vault-token",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".cargo/credentials.toml",
    ".password-store",
    ".local/share/keyrings",
    ".config/op",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".Xauthority",
    // Clients of the gateway keep their tokens for it there.
    ".claude",
    ".claude.json",
    ".codex",
    ".config/Claude",
    ".config/Code/User/mcp.json",
    ".cursor/mcp.json",
];

/// A process that can reach these can start others outside of any confinement, or watch the screen.
const SOCKETS: [&str; 13] = [
    "/run/docker.sock",
    "/run/docker",
    "/run/podman",
    "/run/containerd",
    "/run/crio",
    "/run/lxd.socket",
    "/run/incus",
    "/run/libvirt",
    "/run/dbus/system_bus_socket",
    "/run/systemd/private",
    "/var/snap/lxd/common/lxd/unix.socket",
    "/var/lib/incus/unix.socket",
    "/tmp/.X11-unix",
];
/// The sockets of a user's session; the user's number follows.
const SESSION: &str = "/run/user";
/// The folders of SSH agents, by their prefix.
const AGENTS: (&str, &str) = ("/tmp", "ssh-");

/// Programs that only ask a container's runtime to start untrusted code. They are useless without its
/// sockets.
const RUNTIMES: [&str; 3] = ["docker", "podman", "nerdctl"];
const RUNTIME_SECRETS: [&str; 2] = [".docker", ".config/containers"];

/// Folders of a home folder with caches of programs.
const CACHES: [&str; 4] = [".cache", ".npm", ".local/share/uv", ".bun/install/cache"];
/// The required caches of a program, by the prefix of its name.
const NEEDED_CACHES: [(&str, &str); 6] = [
    ("npx", ".npm"),
    ("npm", ".npm"),
    ("uv", ".local/share/uv"),
    ("uv", ".cache"),
    ("bun", ".bun/install/cache"),
    ("deno", ".cache"),
];
/// Variables that relocate caches.
const CACHE_VARIABLES: [&str; 7] = [
    "XDG_CACHE_HOME",
    "npm_config_cache",
    "NPM_CONFIG_CACHE",
    "UV_CACHE_DIR",
    "PIP_CACHE_DIR",
    "DENO_DIR",
    "BUN_INSTALL_CACHE_DIR",
];

/// Programs that confine others in turn, in namespaces of their own: Chromium's sandbox needs them.
const CONFINERS: [&str; 1] = ["browser-mcp"];

const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];
const TEMPORARY_VARIABLE: &str = "TMPDIR";

/// Folders and files of a home folder that servers do not see.
pub fn hidden_in_home() -> &'static [&'static str] {
    &HOME_SECRETS
}

pub(crate) fn secrets(home: &Path, program: &str) -> Vec<PathBuf> {
    let is_of_runtime = |name: &&&str| is_runtime(program) && RUNTIME_SECRETS.contains(*name);
    HOME_SECRETS.iter().filter(|name| !is_of_runtime(name)).map(|name| home.join(name)).collect()
}

pub(crate) fn sockets(user: u32, program: &str) -> Vec<PathBuf> {
    if is_runtime(program) {
        return Vec::new();
    }
    let session = Path::new(SESSION).join(user.to_string());
    let agents = fs::read_dir(AGENTS.0).into_iter().flatten().flatten();
    let agents = agents.filter(|entry| entry.file_name().to_string_lossy().starts_with(AGENTS.1));
    let agents = agents.map(|entry| entry.path());
    SOCKETS.iter().map(PathBuf::from).chain([session]).chain(agents).collect()
}

pub(crate) fn temporary(env: &BTreeMap<String, String>) -> Vec<PathBuf> {
    let own = env.get(TEMPORARY_VARIABLE).map(PathBuf::from);
    own.into_iter().chain(TEMPORARY.iter().map(PathBuf::from)).collect()
}

pub(crate) fn caches(home: Option<&Path>, env: &BTreeMap<String, String>) -> Vec<PathBuf> {
    let elsewhere = CACHE_VARIABLES.iter().filter_map(|name| env.get(*name)).map(PathBuf::from);
    let usual = home.into_iter().flat_map(|home| CACHES.iter().map(|name| home.join(name)));
    usual.chain(elsewhere.filter(|folder| folder.is_absolute())).collect()
}

/// The folders that must exist before a process can be allowed to write to them.
pub(crate) fn needed_caches(home: &Path, program: &str) -> Vec<PathBuf> {
    let name = file_name(program);
    let needed = NEEDED_CACHES.iter().filter(|(begins, _)| name.starts_with(begins));
    needed.map(|(_, folder)| home.join(folder)).collect()
}

pub(crate) fn is_confiner(program: &str) -> bool {
    CONFINERS.contains(&file_name(program))
}

fn is_runtime(program: &str) -> bool {
    RUNTIMES.contains(&file_name(program))
}

fn file_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_speaks_to_a_containers_runtime_sees_its_sockets() {
        let home = Path::new("/home/me");
        assert!(sockets(1000, "/usr/bin/docker").is_empty());
        assert!(sockets(1000, "npx").contains(&PathBuf::from("/run/user/1000")));
        assert!(!secrets(home, "docker").contains(&home.join(".docker")));
        assert!(secrets(home, "docker").contains(&home.join(".ssh")));
        assert!(secrets(home, "npx").contains(&home.join(".docker")));
    }

    #[test]
    fn only_the_browsers_server_confines_others() {
        assert!(is_confiner("/opt/servers/browser-mcp") && !is_confiner("/opt/servers/doc-parser-mcp"));
    }

    #[test]
    fn caches_may_lie_elsewhere() {
        let env =
            BTreeMap::from([("UV_CACHE_DIR".into(), "/big/uv".into()), ("DENO_DIR".into(), "here".into())]);
        let caches = caches(Some(Path::new("/home/me")), &env);
        assert!(caches.contains(&"/home/me/.npm".into()) && caches.contains(&"/big/uv".into()));
        assert!(caches.iter().all(|folder| folder.is_absolute()), "{caches:?}");
    }
}
