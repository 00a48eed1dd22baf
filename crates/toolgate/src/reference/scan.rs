//! The codes in the sources. Wherever a function, a closure, a field or a variable is named `code`, its text
//! is one; a new way to make them is found as long as it uses that name.

mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use tokens::{Tokens, is_code};

/// Crates whose codes no caller receives.
const NOT_HEARD: [&str; 2] = ["toolgate-bench", "toolgate-testkit"];
/// Words in the places of codes that are none: values of the ledger only, and halves that a code is chosen
/// by.
const NO_CODES: [&str; 5] = ["code", "field", "handle", "joined", "parameter"];

/// Codes, and where each is used.
pub(super) fn codes() -> BTreeMap<String, Vec<String>> {
    let crates = crates();
    let all = || crates.values().flatten();
    let shared = |maker: &Maker| maker.reach == Reach::Everybody;
    let everywhere: BTreeSet<Maker> = all().flat_map(|file| makers(&file.tokens)).filter(shared).collect();
    let constants: BTreeMap<String, String> = all().flat_map(|file| file.tokens.constants()).collect();
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for files in crates.values() {
        let own: BTreeSet<Maker> = files.iter().flat_map(|file| makers(&file.tokens)).collect();
        let known = Known { own: &own, everywhere: &everywhere, constants: &constants };
        for file in files {
            for code in used(&file.tokens, &known) {
                found.entry(code).or_default().push(file.name.clone());
            }
        }
    }
    found.retain(|code, _| !NO_CODES.contains(&code.as_str()));
    found
}

struct Source {
    name: String,
    tokens: Tokens,
}

/// The sources of each crate, without tests.
fn crates() -> BTreeMap<PathBuf, Vec<Source>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = BTreeMap::new();
    let inside = |folder: PathBuf| {
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir())
    };
    let groups = inside(root.join("crates")).chain([root.join("crates"), root.join("domains")]);
    for path in groups.flat_map(inside) {
        if NOT_HEARD.iter().any(|name| path.ends_with(name)) || !path.join("src").is_dir() {
            continue;
        }
        let mut sources = Vec::new();
        read(&path.join("src"), &mut sources);
        found.insert(path, sources);
    }
    found
}

fn read(folder: &Path, sources: &mut Vec<Source>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if matches!(name.as_str(), "tests" | "fixture" | "reference" | "codes") {
            continue;
        }
        if path.is_dir() {
            read(&path, sources);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source is text");
            // Tests in the file itself come last.
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            sources.push(Source { name: path.display().to_string(), tokens: Tokens::of(text) });
        }
    }
}

/// A function that is given a code.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Maker {
    /// Its type.
    of: Option<String>,
    name: String,
    /// The index among its arguments.
    place: usize,
    reach: Reach,
}

/// The scope of its use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Reach {
    Everybody,
    OwnCrate,
}

fn makers(tokens: &Tokens) -> Vec<Maker> {
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        if tokens.is(at, "fn") && tokens.is(tokens.opening(at), "(") {
            let parameters = tokens.parts(tokens.opening(at));
            let holds = |part: &Range<usize>, word| (part.start..part.end).any(|at| tokens.is(at, word));
            let mut own = parameters.iter().filter(|part| !holds(part, "self"));
            let place = own.position(|part| tokens.is(part.start, "code") && holds(part, "str"));
            let of = tokens.type_around(at);
            let reach = if tokens.before(at, &["pub"]) { Reach::Everybody } else { Reach::OwnCrate };
            let name = tokens.text(at + 1).to_owned();
            found.extend(place.map(|place| Maker { of, name, place, reach }));
        }
        // let told = |status, code| …
        if at > 1 && tokens.is(at, "|") && tokens.is(at - 1, "=") {
            let place = tokens.closure_parts(at).iter().position(|part| tokens.is(part.start, "code"));
            let name = tokens.text(at - 2).to_owned();
            found.extend(place.map(|place| Maker { of: None, name, place, reach: Reach::OwnCrate }));
        }
    }
    found
}

/// The makers of codes.
struct Known<'a> {
    own: &'a BTreeSet<Maker>,
    everywhere: &'a BTreeSet<Maker>,
    constants: &'a BTreeMap<String, String>,
}

fn used(tokens: &Tokens, known: &Known<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        if tokens.is(at, "(") && at > 0 && !tokens.before(at, &["fn", "_"]) {
            found.extend(called(tokens, at, known));
        }
        if let Some(code) = is_code(tokens.text(at)) {
            let named = tokens.before(at, &["code", ":"]) || tokens.before(at, &["\"code\"", ":"]);
            let with_status = tokens.before(at, &["StatusCode", "::", "_", ","]);
            found.extend((named || with_status).then(|| code.to_owned()));
        }
        if tokens.is(at, "fn") && tokens.text(at + 1) == "code" {
            found.extend(tokens.codes_in(tokens.body(at)));
        }
        if tokens.is(at, "let") {
            found.extend(bound(tokens, at));
        }
    }
    found
}

/// The codes passed to a call whose arguments begin here.
fn called(tokens: &Tokens, at: usize, known: &Known<'_>) -> Vec<String> {
    let name = tokens.text(at - 1);
    let of = tokens.before(at - 1, &["_", "::"]).then(|| tokens.text(at - 3).to_owned());
    let of = if of.as_deref() == Some("Self") { tokens.type_around(at) } else { of };
    let is_type = of.as_ref().is_some_and(|of| of.starts_with(char::is_uppercase));
    let fits =
        |maker: &&Maker| maker.name == name && (if is_type { maker.of == of } else { maker.of.is_none() });
    let elsewhere = || known.everywhere.iter().find(fits).filter(|_| of.is_some());
    let Some(maker) = known.own.iter().find(fits).or_else(elsewhere) else { return Vec::new() };
    let parts = tokens.parts(at);
    let Some(part) = parts.get(maker.place) else { return Vec::new() };
    let mut found = tokens.codes_in(part.clone());
    found.extend(part.clone().filter_map(|at| known.constants.get(tokens.text(at)).cloned()));
    found
}

/// The codes of `let code = …;` and `let (…, code, …) = …;`.
fn bound(tokens: &Tokens, at: usize) -> Vec<String> {
    let end = tokens.end_of_statement(at);
    if tokens.is(at + 1, "code") && tokens.is(at + 2, "=") {
        return tokens.codes_in(at..end);
    }
    if !tokens.is(at + 1, "(") {
        return Vec::new();
    }
    let place = tokens.parts(at + 1).iter().position(|part| tokens.is(part.start, "code"));
    let Some(place) = place else { return Vec::new() };
    let opens =
        |at: &usize| tokens.is(*at, "(") && ["=>", "=", "{", "return"].contains(&tokens.text(*at - 1));
    let tuples = (at + 2..end).filter(opens).map(|at| tokens.parts(at));
    tuples.filter_map(|parts| parts.get(place).map(|part| tokens.codes_in(part.clone()))).flatten().collect()
}
