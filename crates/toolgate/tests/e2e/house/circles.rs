//! Files that import each other in a circle. Such a circle has no file to read first, so a crate has none of more than a few files.
//!
//! Counted are paths of production code that begin with `crate`, `super`, `self` or a module of the file itself. A path leads to the
//! file that has what it names, also where another file merely passes that on with `pub use`. A `mod` line alone is no import, and neither is
//! the reach of what is `pub(in …)`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::packages;

/// How many files may import each other in a circle.
const FILES_MAX: usize = 3;

/// What a crate's modules are, by their paths; the root has none.
type Modules = BTreeMap<Vec<String>, Module>;

struct Module {
    file: String,
    words: Vec<String>,
    /// Names of what is defined in it.
    defined: BTreeSet<String>,
    imports: Vec<Import>,
}

/// A path that a module names.
struct Import {
    path: Vec<String>,
    /// Set where others find it here: the name, or `*` for everything that is behind the path.
    passed_on_as: Option<String>,
}

#[test]
fn no_crate_has_a_large_circle_of_files() {
    let mut wrong = Vec::new();
    for package in packages() {
        let folder = package.manifest_path.with_file_name("src");
        let mut files = BTreeMap::new();
        read_files(&folder, "", &mut files);
        let roots = ["lib.rs", "main.rs"].into_iter().filter(|root| files.contains_key(*root));
        let mut large: Vec<BTreeSet<String>> = roots.flat_map(|root| circles(&files, root)).collect();
        large.retain(|circle| circle.len() > FILES_MAX);
        wrong.extend(large.iter().map(|circle| format!("{}: {circle:?}", package.name)));
    }
    assert!(
        wrong.is_empty(),
        "circles of files that import each other:\n{}\nhint: move what both need into a file that imports neither",
        wrong.join("\n")
    );
}

/// The way of a request through the edge: files of a folder import those of later ones, and never of earlier ones. What lies beside
/// the folders is shared by all.
const WAY: [&str; 5] = ["doors", "protocol", "calls", "clients", "messages"];

#[test]
fn the_folders_of_the_edge_import_in_the_order_of_the_way() {
    let packages = packages();
    let edge = packages.iter().find(|package| package.name == "toolgate-edge").expect("there is an edge");
    let mut files = BTreeMap::new();
    read_files(&edge.manifest_path.with_file_name("src"), "", &mut files);
    let floor = |file: &str| {
        let folder = file.split_once('/')?.0;
        WAY.iter().position(|one| *one == folder)
    };
    let mut downwards = 0;
    for (file, targets) in edges(&files, "lib.rs") {
        for target in targets {
            let (Some(from), Some(to)) = (floor(&file), floor(&target)) else { continue };
            assert!(from <= to, "{file} imports {target}, and {} come before {}", WAY[to], WAY[from]);
            downwards += usize::from(from < to);
        }
    }
    assert!(downwards > 0, "the folders are called as they are");
}

pub(super) fn read_files(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a crate has sources") {
        let path = entry.expect("the folder can be read").path();
        let name = format!("{prefix}{}", path.file_name().expect("a name").to_string_lossy());
        if path.is_dir() {
            read_files(&path, &format!("{name}/"), files);
        } else if name.ends_with(".rs") {
            files.insert(name, std::fs::read_to_string(&path).expect("sources are text"));
        }
    }
}

/// Every set of two or more files of a crate that reach each other by imports.
fn circles(files: &BTreeMap<String, String>, root: &str) -> Vec<BTreeSet<String>> {
    let edges = edges(files, root);
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        edges.keys().map(|file| (file.as_str(), reached_from(&edges, file))).collect();
    let circle = |file: &String| -> BTreeSet<String> {
        let back = |other: &&&str| reached[**other].contains(file.as_str());
        reached[file.as_str()].iter().filter(back).map(|other| (*other).to_owned()).collect()
    };
    let all: BTreeSet<BTreeSet<String>> = edges.keys().map(circle).filter(|found| found.len() > 1).collect();
    all.into_iter().collect()
}

/// Which other files each file of a crate imports.
fn edges(files: &BTreeMap<String, String>, root: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut modules = Modules::new();
    load(files, root, Vec::new(), &mut modules);
    read_imports(&mut modules);
    let edges = modules.iter().map(|(place, module)| {
        let targets = module.imports.iter().filter_map(|import| resolve(&modules, place, &import.path, 0));
        let others = targets.filter(|file| *file != module.file).map(str::to_owned);
        (module.file.clone(), others.collect())
    });
    edges.collect()
}

fn reached_from<'a>(edges: &'a BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&str> = edges[from].iter().map(String::as_str).collect();
    while let Some(file) = next.pop() {
        if reached.insert(file) {
            next.extend(edges[file].iter().map(String::as_str));
        }
    }
    reached
}

fn load(files: &BTreeMap<String, String>, file: &str, place: Vec<String>, modules: &mut Modules) {
    let words = without_tests(words(&files[file]));
    let below = match file.rsplit_once('/').unwrap_or(("", file)) {
        (folder, "lib.rs" | "main.rs" | "mod.rs") => folder.to_owned(),
        _ => file.trim_end_matches(".rs").to_owned(),
    };
    let below = if below.is_empty() { below } else { format!("{below}/") };
    for declared in words.windows(3).filter(|three| three[0] == "mod" && three[2] == ";") {
        let child = &declared[1];
        let candidates = [format!("{below}{child}.rs"), format!("{below}{child}/mod.rs")];
        if let Some(found) = candidates.iter().find(|one| files.contains_key(*one)) {
            load(files, found, [&place[..], std::slice::from_ref(child)].concat(), modules);
        }
    }
    let is_definition =
        |word: &str| matches!(word, "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "mod");
    let defined = words.windows(2).filter(|two| is_definition(&two[0])).map(|two| two[1].clone()).collect();
    modules.insert(place, Module { file: file.to_owned(), words, defined, imports: Vec::new() });
}

fn read_imports(modules: &mut Modules) {
    let places: BTreeSet<Vec<String>> = modules.keys().cloned().collect();
    for (place, module) in modules {
        let below = places.iter().filter_map(|other| other.strip_prefix(&place[..]));
        let children: BTreeSet<&str> =
            below.filter_map(|rest| if let [child] = rest { Some(child.as_str()) } else { None }).collect();
        module.imports = imports(&module.words, |word| children.contains(word));
    }
}

fn imports(words: &[String], is_child: impl Fn(&str) -> bool) -> Vec<Import> {
    let mut imports = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
        let is_head = matches!(word.as_str(), "crate" | "self" | "super") || is_child(word);
        let is_reach = before == "in" && at >= 3 && words[at - 3] == "pub" && words[at - 2] == "(";
        let is_use = word == "use" && words.get(at + 1).is_some_and(|next| next != "<");
        if is_use {
            let is_public = matches!(before, "pub" | ")");
            at = read_tree(words, at + 1, &[], is_public, &mut imports);
        } else if is_head && !is_reach && before != "::" && before != "." {
            let mut path = vec![word.clone()];
            while words.get(at + 1).is_some_and(|next| next == "::")
                && words.get(at + 2).is_some_and(|next| is_name(next))
            {
                path.push(words[at + 2].clone());
                at += 2;
            }
            if path.len() > 1 {
                imports.push(Import { path, passed_on_as: None });
            }
            at += 1;
        } else {
            at += 1;
        }
    }
    imports
}

fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Reads one branch of a `use` from `at` on and says where it ends.
fn read_tree(
    words: &[String],
    mut at: usize,
    prefix: &[String],
    is_public: bool,
    imports: &mut Vec<Import>,
) -> usize {
    let mut path = prefix.to_vec();
    let mut name = None;
    loop {
        match words[at].as_str() {
            "::" => at += 1,
            "{" => {
                at += 1;
                while words[at] != "}" {
                    at = read_tree(words, at, &path, is_public, imports);
                    at += usize::from(words[at] == ",");
                }
                return at + 1;
            }
            "as" => {
                name = Some(words[at + 1].clone());
                at += 2;
            }
            "*" => {
                name = Some("*".to_owned());
                at += 1;
            }
            "," | "}" | ";" => {
                if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                    path.pop();
                }
                let name = name.or_else(|| path.last().cloned());
                imports.push(Import { path, passed_on_as: name.filter(|_| is_public) });
                return at;
            }
            word => {
                path.push(word.to_owned());
                at += 1;
            }
        }
    }
}

/// A chain of `pub use` longer than this is one that leads back to itself.
const PASSED_ON_MAX: usize = 8;

/// The file of this crate that a path of a module leads to.
fn resolve<'a>(modules: &'a Modules, from: &[String], path: &[String], depth: usize) -> Option<&'a str> {
    let (mut place, mut rest) = start(modules, from, path)?;
    while let Some((next, others)) = rest.split_first() {
        let inner = [&place[..], std::slice::from_ref(next)].concat();
        if !modules.contains_key(&inner) {
            break;
        }
        (place, rest) = (inner, others);
    }
    let module = &modules[&place];
    let Some((name, others)) = rest.split_first() else { return Some(&module.file) };
    if module.defined.contains(name) || depth > PASSED_ON_MAX {
        return Some(&module.file);
    }
    let passed_on = module.imports.iter().filter_map(|import| {
        let path = match import.passed_on_as.as_deref()? {
            "*" => [&import.path[..], std::slice::from_ref(name)].concat(),
            shown if shown == name => [&import.path[..], others].concat(),
            _ => return None,
        };
        let is_glob = import.passed_on_as.as_deref() == Some("*");
        let found = resolve(modules, &place, &path, depth + 1)?;
        let has_it = |one: &Module| one.file == found && one.defined.contains(name);
        (!is_glob || modules.values().any(has_it)).then_some(found)
    });
    passed_on.into_iter().next().or(Some(&module.file))
}

/// The module where a path begins, and the rest of the path; nothing for other crates.
fn start<'a>(modules: &Modules, from: &[String], path: &'a [String]) -> Option<(Vec<String>, &'a [String])> {
    let (first, rest) = path.split_first()?;
    match first.as_str() {
        "crate" => return Some((Vec::new(), rest)),
        "self" | "super" => {}
        child => {
            let inner = [from, &[child.to_owned()]].concat();
            return modules.contains_key(&inner).then(|| (from.to_vec(), path));
        }
    }
    let is_relative = |word: &&String| matches!(word.as_str(), "self" | "super");
    let (up, rest) = path.split_at(path.iter().take_while(is_relative).count());
    let floors = up.iter().filter(|word| *word == "super").count();
    Some((from[..from.len().checked_sub(floors)?].to_vec(), rest))
}

/// The words and signs of a source, without comments and literals of text.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match silent(rest, first) {
            Some(length) => length,
            None => {
                let length = word_length(rest, first);
                words.push(rest[..length].to_owned());
                length
            }
        };
        rest = &rest[length..];
    }
    words
}

/// How long what stands first is, if it is none of the words.
fn silent(text: &str, first: char) -> Option<usize> {
    match first {
        _ if text.starts_with("//") => Some(text.find('\n').unwrap_or(text.len())),
        _ if text.starts_with("/*") => Some(comment(text)),
        '"' => Some(string(text)),
        '\'' => Some(character(text)),
        'b' | 'r' => raw_string(text),
        _ => first.is_whitespace().then(|| first.len_utf8()),
    }
}

fn word_length(text: &str, first: char) -> usize {
    let is_part = |one: char| one.is_alphanumeric() || one == '_';
    match first {
        _ if text.starts_with("::") => 2,
        _ if is_part(first) => text.find(|one| !is_part(one)).unwrap_or(text.len()),
        _ => first.len_utf8(),
    }
}

fn comment(text: &str) -> usize {
    let mut depth = 0;
    for (at, _) in text.char_indices() {
        let rest = &text[at..];
        depth += i32::from(rest.starts_with("/*"));
        depth -= i32::from(rest.starts_with("*/"));
        if depth == 0 {
            return (at + 2).min(text.len());
        }
    }
    text.len()
}

fn raw_string(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('b').unwrap_or(text).strip_prefix('r')?;
    let hashes = inner.len() - inner.trim_start_matches('#').len();
    let content = inner[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = content.find(&end).map_or(content.len(), |at| at + end.len());
    Some(text.len() - content.len() + length)
}

fn string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, one) in text.char_indices().skip(1) {
        match one {
            '"' if !is_escaped => return at + 1,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    text.len()
}

/// A literal of one character, or the sign of a lifetime.
fn character(text: &str) -> usize {
    let mut inner = text.chars().skip(1);
    match (inner.next(), inner.next()) {
        (Some('\\'), Some(escaped)) => {
            let from = 2 + escaped.len_utf8();
            text[from..].find('\'').map_or(text.len(), |at| from + at + 1)
        }
        (Some(one), Some('\'')) => 2 + one.len_utf8(),
        _ => 1,
    }
}

/// The words without what only tests have.
fn without_tests(words: Vec<String>) -> Vec<String> {
    const MARKS: [&[&str]; 2] =
        [&["#", "[", "cfg", "(", "test", ")"], &["#", "[", "cfg", "(", "all", "(", "test", ","]];
    let mut kept = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let begins_with = |mark: &&[&str]| words[at..].iter().take(mark.len()).eq(mark.iter());
        if MARKS.iter().any(begins_with) {
            at = item_end(&words, at);
        } else {
            kept.push(words[at].clone());
            at += 1;
        }
    }
    kept
}

/// Where the item ends that begins here: with its block, or with a semicolon.
fn item_end(words: &[String], from: usize) -> usize {
    let mut depth = 0;
    for (at, word) in words.iter().enumerate().skip(from) {
        match word.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" => depth -= 1,
            "}" => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
    }
    words.len()
}

#[test]
fn a_circle_is_found_through_every_way_of_importing_and_nothing_else_makes_one() {
    let found = |files: &[(&str, &str)]| -> Vec<Vec<String>> {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        circles(&files, "lib.rs").into_iter().map(|circle| circle.into_iter().collect()).collect()
    };
    let root = "mod a;\nmod b;\nmod c;\npub use b::{Two as Second};\npub use c::*;";
    let ring = [
        ("lib.rs", root),
        ("a.rs", "mod inner;\nuse crate::Second;\nuse inner::In;\npub struct One;"),
        ("a/inner.rs", "pub struct In;\nfn call() { super::super::c::three() }"),
        ("b.rs", "use super::{c::{self, three}, a as other};\npub struct Two;"),
        ("c.rs", "pub fn three() {}"),
    ];
    assert_eq!(found(&ring), [["a.rs", "b.rs"]]);
    let mut wider = ring;
    wider[4].1 = "pub fn three() { let it: crate::a::inner::In = todo(); }";
    assert_eq!(found(&wider), [vec!["a.rs", "b.rs"], vec!["a/inner.rs", "c.rs"]]);
    let mut widest = ring;
    widest[4].1 = "pub fn three() -> crate::a::One { crate::a::One }";
    assert_eq!(found(&widest), [["a.rs", "a/inner.rs", "b.rs", "c.rs"]]);
    let mut silent = ring;
    silent[3].1 = "// use crate::a;\npub struct Two;\nconst TEXT: &str = \"\\\" crate::a::One\";\nconst SIGN: char = '\"';\n\
                   const RAW: &str = r#\"crate::a::One \"here\"\"#;\n#[cfg(test)]\nmod tests { use crate::a::One; }\n\
                   #[cfg(all(test, unix))]\nfn only_tests() { crate::a::one() }";
    assert_eq!(found(&silent), [[""; 0]; 0]);
}
