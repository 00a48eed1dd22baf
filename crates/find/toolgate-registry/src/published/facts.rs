//! The difference between two entries, in lines that people read.

use super::input::PublishedInput;
use super::package::label_of;
use super::server::{PublishedPackage, PublishedRemote, PublishedServer};

/// What one entry says and the other does not: `- before`, `+ after`.
pub fn difference(before: &PublishedServer, after: &PublishedServer) -> Vec<String> {
    let (old, new) = (facts(before), facts(after));
    let gone = old.iter().filter(|fact| !new.contains(fact)).map(|fact| format!("- {fact}"));
    let come = new.iter().filter(|fact| !old.contains(fact)).map(|fact| format!("+ {fact}"));
    gone.chain(come).collect()
}

fn facts(server: &PublishedServer) -> Vec<String> {
    let mut facts = vec![
        format!("version {}", server.version),
        format!("status {}", server.status.as_str()),
        format!("description {}", server.description),
    ];
    facts.extend(server.repository.iter().map(|repository| format!("repository {repository}")));
    server.packages.iter().for_each(|package| of_package(package, &mut facts));
    server.remotes.iter().for_each(|remote| of_remote(remote, &mut facts));
    facts
}

/// The version stands in the first line alone, so that another version is one difference.
fn of_package(package: &PublishedPackage, facts: &mut Vec<String>) {
    let whole = format!("{} {}", package.kind(), package.identifier);
    facts.push(format!("package {} {}", package.kind(), package.named()));
    facts.extend(package.registry_base_url.iter().map(|base| format!("package {whole} from {base}")));
    facts.extend(package.file_sha256.iter().map(|digest| format!("package {whole} digest sha256:{digest}")));
    facts.extend(package.runtime_hint.iter().map(|hint| format!("package {whole} run by {hint}")));
    let inputs = [
        ("argument", &package.package_arguments),
        ("argument of the runner", &package.runtime_arguments),
        ("variable", &package.environment_variables),
    ];
    for (what, inputs) in inputs {
        facts.extend(inputs.iter().map(|input| format!("package {whole} {what} {}", of_input(input))));
    }
}

fn of_remote(remote: &PublishedRemote, facts: &mut Vec<String>) {
    facts.push(format!("remote {} ({})", remote.url, remote.kind));
    let headers = remote.headers.iter();
    facts.extend(headers.map(|header| format!("remote {} header {}", remote.url, of_input(header))));
}

fn of_input(input: &PublishedInput) -> String {
    let mut words = vec![label_of(input)];
    words.extend(input.value.iter().map(|value| format!("= {value:?}")));
    words.extend(input.default.iter().map(|default| format!("by default {default:?}")));
    let marks = [(input.is_required, "required"), (input.is_secret, "secret")];
    words.extend(marks.into_iter().filter(|(is_so, _)| *is_so).map(|(_, word)| word.to_owned()));
    words.join(" ")
}
