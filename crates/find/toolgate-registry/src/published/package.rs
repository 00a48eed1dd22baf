//! A package as the command that runs it, at its exact version. Only known runners are started, and their own options are not
//! the publisher's to choose.

use std::collections::BTreeMap;

use super::entry::{PublishedEntry, PublishedTransport, WayRefusal};
use super::input::{InputFilling, PublishedInput, SecretPlace, literal};
use super::pinned::{image, is_exact_version, is_npm_name, is_part, is_sha256, is_whole_version};
use super::server::PublishedPackage;
use super::wishes::{AddWishes, ContainerRuntime};

const ARGUMENT: SecretPlace = SecretPlace::Refused("an argument of its program");
const BY_HAND: &str = "add the server to toolgate.toml by hand, if you know its source";
/// Characters that a shell would act on. No shell sees them here; people should.
const OF_SHELLS: &[char] = &[';', '|', '&', '`', '$', '<', '>', '(', ')', '\n'];
/// The beginnings of variables that decide which program runs, or where it is fetched from.
const OF_RUNNERS: [&str; 12] = [
    "LD_",
    "DYLD_",
    "NPM_CONFIG_",
    "PIP_",
    "UV_",
    "NUGET_",
    "DOTNET_",
    "DOCKER_",
    "CONTAINER_",
    "BASH_",
    "TOOLGATE_",
    "XDG_",
];
const OF_MACHINE: [&str; 11] = [
    "PATH",
    "HOME",
    "SHELL",
    "USER",
    "TMPDIR",
    "IFS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONSTARTUP",
];

/// The command of a package, without the arguments of its own program.
struct PackageRunner {
    command: &'static str,
    args: Vec<String>,
    digest: Option<String>,
    notes: Vec<String>,
}

pub(super) fn command(package: &PublishedPackage, wishes: &AddWishes) -> Result<PublishedEntry, WayRefusal> {
    let transport = package.transport.kind.as_str();
    if !matches!(transport, "" | "stdio") {
        let says = format!(
            "its program opens a port of its own ({transport:?}), and Toolgate starts programs that speak over standard input"
        );
        return Err(WayRefusal::new(says, "start it yourself, and add its address: `[[servers]] url`"));
    }
    let mut filling = InputFilling::with(&wishes.values);
    let env = environment(package, &mut filling)?;
    let mut runner = runner(package, wishes, &env)?;
    let arguments = arguments(package, &mut filling)?;
    filling.finish()?;
    if arguments.iter().any(|argument| argument.contains(OF_SHELLS)) {
        let note =
            "an argument has characters that a shell would act on; Toolgate starts programs without a shell";
        runner.notes.push(note.to_owned());
    }
    note_runtime(package, &mut runner);
    runner.args.extend(arguments);
    let InputFilling { secrets, left_out, .. } = filling;
    Ok(PublishedEntry {
        transport: PublishedTransport::Command { command: runner.command.to_owned(), args: runner.args, env },
        secrets,
        left_out,
        digest: runner.digest,
        notes: runner.notes,
    })
}

fn runner(
    package: &PublishedPackage,
    wishes: &AddWishes,
    env: &BTreeMap<String, String>,
) -> Result<PackageRunner, WayRefusal> {
    match package.kind() {
        "npm" => npm(package),
        "pypi" => pypi(package),
        "nuget" => nuget(package),
        "oci" => oci(package, wishes.containers, env),
        "mcpb" => Err(WayRefusal::new("it is a bundle, which Toolgate does not unpack", BY_HAND)),
        "cargo" | "go" => Err(WayRefusal::new("its program has to be built and installed first", BY_HAND)),
        _ => Err(WayRefusal::new(
            format!("Toolgate knows no packages of the kind {:?}", package.registry_type),
            BY_HAND,
        )),
    }
}

fn npm(package: &PublishedPackage) -> Result<PackageRunner, WayRefusal> {
    usual_source(package, &["https://registry.npmjs.org"])?;
    let version = exact(package, is_whole_version)?;
    named(package, is_npm_name)?;
    let package_version = format!("{}@{version}", package.identifier);
    Ok(fetched(package, "npx", vec!["-y".to_owned(), package_version]))
}

fn pypi(package: &PublishedPackage) -> Result<PackageRunner, WayRefusal> {
    usual_source(package, &["https://pypi.org", "https://pypi.org/simple"])?;
    let version = exact(package, is_exact_version)?;
    named(package, is_part)?;
    let name = package.identifier.clone();
    Ok(fetched(package, "uvx", vec!["--from".to_owned(), format!("{name}=={version}"), name]))
}

fn nuget(package: &PublishedPackage) -> Result<PackageRunner, WayRefusal> {
    usual_source(package, &["https://api.nuget.org", "https://api.nuget.org/v3/index.json"])?;
    let version = exact(package, is_exact_version)?;
    named(package, is_part)?;
    let package_version = format!("{}@{version}", package.identifier);
    Ok(fetched(package, "dnx", vec![package_version, "--yes".to_owned(), "--".to_owned()]))
}

fn fetched(package: &PublishedPackage, command: &'static str, args: Vec<String>) -> PackageRunner {
    let digest = package.file_sha256.as_deref().filter(|digest| is_sha256(digest));
    let digest = digest.map(|digest| format!("sha256:{digest}"));
    let notes = digest.iter().map(|_| {
        format!("{command} takes the exact version, but does not compare the digest of the package")
    });
    PackageRunner { command, args, notes: notes.collect(), digest }
}

fn oci(
    package: &PublishedPackage,
    runtime: Option<ContainerRuntime>,
    env: &BTreeMap<String, String>,
) -> Result<PackageRunner, WayRefusal> {
    let Some(runtime) = runtime else {
        let says = "it is an image, and whoever may start containers may do anything on this machine";
        return Err(WayRefusal::new(
            says,
            "`--runtime docker` or `--runtime podman` says that it may be started",
        ));
    };
    let base = package.registry_base_url.as_deref().unwrap_or("https://docker.io");
    let host = base.trim_start_matches("https://").trim_end_matches('/');
    let Some((image, digest)) = image(&package.identifier, host, package.version.as_deref()) else {
        let says = format!("the image {:?} has no exact version", package.identifier);
        return Err(WayRefusal::new(says, BY_HAND));
    };
    let mut args: Vec<String> =
        ["run", "-i", "--rm", "--cap-drop=ALL", "--security-opt=no-new-privileges"].map(str::to_owned).into();
    // The values stay out of the command line, which every process can read.
    args.extend(env.keys().flat_map(|name| ["-e".to_owned(), name.clone()]));
    args.push(image);
    let mut notes = vec![format!(
        "the sandbox hides the socket of {0}; `sandbox = {{ read = [\"…\"] }}` opens it, and the server can then do what {0} can",
        runtime.as_str()
    )];
    if digest.is_none() {
        notes.push(
            "the registry names no digest of the image, so its tag may lead to another image later"
                .to_owned(),
        );
    }
    Ok(PackageRunner { command: runtime.as_str(), args, digest, notes })
}

/// The runner asks its own source, and would not find the package of another.
fn usual_source(package: &PublishedPackage, usual: &[&str]) -> Result<(), WayRefusal> {
    match package.registry_base_url.as_deref().map(|base| base.trim_end_matches('/')) {
        Some(base) if !usual.contains(&base) => Err(WayRefusal::new(
            format!("its package lies at {base}, which is not the usual source"),
            BY_HAND,
        )),
        _ => Ok(()),
    }
}

fn exact(package: &PublishedPackage, is_exact: fn(&str) -> bool) -> Result<&str, WayRefusal> {
    match package.version.as_deref() {
        Some(version) if is_exact(version) => Ok(version),
        Some(version) => {
            Err(WayRefusal::new(format!("{version:?} is not an exact version of its package"), BY_HAND))
        }
        None => Err(WayRefusal::new("it names no version of its package", BY_HAND)),
    }
}

fn named(package: &PublishedPackage, is_name: fn(&str) -> bool) -> Result<(), WayRefusal> {
    if is_name(&package.identifier) {
        return Ok(());
    }
    let says = format!("{:?} cannot be the name of a package", package.identifier);
    Err(WayRefusal::new(says, "nothing good writes such an entry: do not add it"))
}

fn environment(
    package: &PublishedPackage,
    filling: &mut InputFilling<'_>,
) -> Result<BTreeMap<String, String>, WayRefusal> {
    let mut env = BTreeMap::new();
    for input in &package.environment_variables {
        check_variable(&input.name)?;
        if let Some(value) = filling.fill(input, &input.name, SecretPlace::Vault)? {
            env.insert(input.name.clone(), value);
        }
    }
    Ok(env)
}

fn check_variable(name: &str) -> Result<(), WayRefusal> {
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if !starts || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(WayRefusal::new(format!("{name:?} cannot be the name of a variable"), BY_HAND));
    }
    let upper = name.to_ascii_uppercase();
    let decides =
        OF_RUNNERS.iter().any(|start| upper.starts_with(start)) || OF_MACHINE.contains(&upper.as_str());
    if decides {
        let says = format!("it sets {name}, which decides what is run or where it is fetched from");
        return Err(WayRefusal::new(says, BY_HAND));
    }
    Ok(())
}

fn arguments(package: &PublishedPackage, filling: &mut InputFilling<'_>) -> Result<Vec<String>, WayRefusal> {
    let mut arguments = Vec::new();
    for input in &package.package_arguments {
        let name = literal(&input.name, "an argument")?;
        let label = label_of(input);
        let Some(value) = filling.fill(input, &label, ARGUMENT)? else { continue };
        match (name.as_str(), value.is_empty()) {
            ("", _) => arguments.push(value),
            (_, true) => arguments.push(name),
            (long, false) if long.starts_with("--") => arguments.push(format!("{long}={value}")),
            (_, false) => arguments.extend([name, value]),
        }
    }
    Ok(arguments)
}

/// The name under which the operator gives it a value.
pub(super) fn label_of(input: &PublishedInput) -> String {
    let hint = input.value_hint.as_deref().filter(|hint| !hint.is_empty());
    match (input.name.trim_start_matches('-'), hint) {
        ("", Some(hint)) => hint.to_owned(),
        ("", None) => "argument".to_owned(),
        (name, _) => name.to_owned(),
    }
}

/// Options of the runner itself could switch off what confines the program.
fn note_runtime(package: &PublishedPackage, runner: &mut PackageRunner) {
    if !package.runtime_arguments.is_empty() {
        let options: Vec<String> = package.runtime_arguments.iter().map(label_of).collect();
        let (command, options) = (runner.command, options.join(", "));
        runner.notes.push(format!(
            "its wishes for {command} itself are left out ({options}); add those that you want to `args`"
        ));
    }
    if let Some(hint) = package.runtime_hint.as_deref().filter(|hint| *hint != runner.command) {
        runner.notes.push(format!("it would be run by {hint:?}; {} is written", runner.command));
    }
}
