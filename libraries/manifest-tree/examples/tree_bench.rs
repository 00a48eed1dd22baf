//! The cost of trees: `cargo run --profile dist -p manifest-tree --example tree_bench -- [--entries N] [--git FOLDER]`.
//!
//! A tree of a million entries in memory: building, editing, comparing, with the nodes read and written and the growth of the process.
//! With `--git`, the same paths in a bare repository in a new folder: index, trees, and differences by `git diff-tree`.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use manifest_tree::{
    BlobDigest, EntryKind, EntryPath, MemoryNodes, NewNode, NoSuchNode, NodeSink, NodeSource, TreeDiff,
    TreeEdit, TreeEditing, TreeEntry, TreeListing, TreeLookup, TreeProving, TreeRoot, TreeWalk, build_sorted,
    drive,
};

const CHANGES: u64 = 10_000;
/// How often short operations are repeated; the median counts.
const REPEATS: usize = 101;

struct BenchNodes {
    nodes: MemoryNodes,
    reads: Cell<usize>,
}

impl NodeSource for BenchNodes {
    type Error = NoSuchNode;

    fn node(&self, digest: &BlobDigest) -> Result<Arc<[u8]>, NoSuchNode> {
        self.reads.set(self.reads.get() + 1);
        self.nodes.node(digest)
    }
}

/// Counts nodes and forgets them.
struct ForgottenNodes(usize);

impl NodeSink for ForgottenNodes {
    type Error = Infallible;

    fn put(&mut self, _: NewNode) -> Result<(), Infallible> {
        self.0 += 1;
        Ok(())
    }
}

/// One measured operation.
struct Measured {
    time: Duration,
    /// Time on a processor, which other programs do not lengthen.
    cpu: Duration,
    reads: usize,
    writes: usize,
    growth_kib: u64,
}

fn say(text: std::fmt::Arguments<'_>) {
    writeln!(std::io::stdout(), "{text}").expect("the output is read");
}

fn scramble(number: u64) -> u64 {
    let number = (number ^ (number >> 31)).wrapping_mul(0x7fb5_d329_728e_a185);
    (number ^ (number >> 27)).wrapping_mul(0x81da_def4_bc2d_d44d)
}

fn path(number: u64) -> String {
    format!("corpus/{:04}/part-{:02}/document-{number:07}.json", number / 5_000, number / 100 % 50)
}

fn entry(number: u64, version: u64) -> TreeEntry {
    let mut digest = [0; 32];
    for (index, word) in digest.chunks_exact_mut(8).enumerate() {
        word.copy_from_slice(&scramble(number ^ version << 40 ^ (index as u64) << 56).to_le_bytes());
    }
    TreeEntry {
        kind: EntryKind::Artifact,
        digest: BlobDigest::new(digest),
        bytes: scramble(number) % 1_000_000,
        media_type: "application/json".into(),
        metadata: Arc::default(),
    }
}

fn checked(text: &str) -> EntryPath {
    EntryPath::new(text).expect("the path is good")
}

/// Resident memory now and at its highest since `forget_highest`.
fn resident_kib(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells the memory of a process");
    let line = status.lines().find(|line| line.starts_with(name)).expect("the line is there");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}

fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux tells the time of a process");
    let nanoseconds = text.split_whitespace().next().and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.expect("a number"))
}

fn forget_highest() {
    std::fs::write("/proc/self/clear_refs", "5").expect("a process may reset its own highest mark");
}

/// Measures `work`, which returns the number of nodes written.
fn measure(nodes: &BenchNodes, work: impl FnOnce(&BenchNodes) -> usize) -> Measured {
    nodes.reads.set(0);
    forget_highest();
    let before = resident_kib("VmRSS");
    let (start, cpu) = (Instant::now(), cpu_time());
    let writes = work(nodes);
    let (time, cpu) = (start.elapsed(), cpu_time() - cpu);
    let growth_kib = resident_kib("VmHWM").saturating_sub(before);
    Measured { time, cpu, reads: nodes.reads.get(), writes, growth_kib }
}

fn report(name: &str, measured: &Measured) {
    let Measured { time, cpu, reads, writes, growth_kib } = measured;
    let [ms, cpu] = [time, cpu].map(|time| time.as_secs_f64() * 1e3);
    let mib = *growth_kib as f64 / 1024.0;
    say(format_args!(
        "{name:<44} {ms:>10.3} ms {cpu:>10.3} on the processor {reads:>8} read {writes:>8} written {mib:>7.1} MiB"
    ));
}

fn median(mut all: Vec<Measured>) -> Measured {
    all.sort_by_key(|measured| measured.time);
    all.swap_remove(all.len() / 2)
}

fn edit(root: &TreeRoot, edits: Vec<TreeEdit>, nodes: &BenchNodes) -> (TreeRoot, Vec<NewNode>) {
    let mut new = Vec::new();
    let mut editing = TreeEditing::new(root.digest, edits).expect("no path comes twice");
    let outcome = drive(&mut editing, nodes, |page| new.extend(page)).expect("the edits are good");
    (outcome.root, new)
}

fn count_changes(old: &TreeRoot, new: &TreeRoot, nodes: &BenchNodes) -> usize {
    let mut count = 0;
    drive(&mut TreeDiff::new(old.digest, new.digest), nodes, |page| count += page.len())
        .expect("trees compare");
    count
}

/// Distinct numbers below `entries`, in order.
fn random_numbers(entries: u64) -> BTreeSet<u64> {
    let mut numbers = BTreeSet::new();
    let mut seed = 0;
    while (numbers.len() as u64) < CHANGES.min(entries) {
        numbers.insert(scramble(seed) % entries);
        seed += 1;
    }
    numbers
}

/// Replaces each third of the numbered entries, removes each third, adds a neighbour to each third.
fn mixed(numbers: impl Iterator<Item = u64>) -> Vec<TreeEdit> {
    let edit = |(index, number): (usize, u64)| match index % 3 {
        0 => TreeEdit { path: checked(&path(number)), entry: Some(entry(number, 1)) },
        1 => TreeEdit { path: checked(&path(number)), entry: None },
        _ => TreeEdit { path: checked(&format!("{}.new", path(number))), entry: Some(entry(number, 1)) },
    };
    numbers.enumerate().map(edit).collect()
}

/// Edits, and compares with the tree before.
fn bench_edits(name: &str, root: &TreeRoot, edits: Vec<TreeEdit>, nodes: &mut BenchNodes) {
    let count = edits.len();
    let mut outcome = None;
    let measured = measure(nodes, |nodes| outcome.insert(edit(root, edits, nodes)).1.len());
    report(&format!("edit, {name}"), &measured);
    let (new, written) = outcome.expect("the edit was made");
    for node in written {
        nodes.nodes.put(node).unwrap_or_else(|never| match never {});
    }
    let measured = measure(nodes, |nodes| {
        assert_eq!(count_changes(root, &new, nodes), count);
        0
    });
    report(&format!("diff, {name}"), &measured);
    let bound = 2 * usize::from(root.height) * count;
    say(format_args!("{:<44} {} of {bound} nodes that the goal allows", "", measured.reads));
}

fn bench_single(entries: u64, root: &TreeRoot, nodes: &mut BenchNodes) {
    let numbers: Vec<u64> = (0..REPEATS as u64).map(|one| scramble(one + 7) % entries).collect();
    for (name, version) in [("one replaced", 2), ("one added", 3)] {
        let (mut edits, mut diffs, mut reads) = (Vec::new(), Vec::new(), 0);
        for number in &numbers {
            let end = if version == 3 { ".new" } else { "" };
            let path = checked(&format!("{}{end}", path(*number)));
            let change = TreeEdit { path, entry: Some(entry(*number, version)) };
            let mut outcome = None;
            edits.push(measure(nodes, |nodes| outcome.insert(edit(root, vec![change], nodes)).1.len()));
            let (new, written) = outcome.expect("the edit was made");
            for node in written {
                nodes.nodes.put(node).unwrap_or_else(|never| match never {});
            }
            diffs.push(measure(nodes, |nodes| {
                assert_eq!(count_changes(root, &new, nodes), 1);
                0
            }));
            reads += diffs.last().map_or(0, |measured| measured.reads);
        }
        let most = diffs.iter().map(|measured| measured.reads).max().unwrap_or(0);
        report(&format!("edit, {name}, median of {REPEATS}"), &median(edits));
        report(&format!("diff, {name}, median of {REPEATS}"), &median(diffs));
        let (mean, bound) = (reads as f64 / REPEATS as f64, 2 * root.height);
        say(format_args!("{:<44} {mean:.1} nodes on average, at most {most}; the goal is {bound}", ""));
    }
}

fn bench_reads(entries: u64, root: &TreeRoot, nodes: &BenchNodes) {
    let paths = (0..1_000).map(|one| checked(&path(scramble(one) % entries))).collect();
    let measured = measure(nodes, |nodes| {
        drive(&mut TreeLookup::new(root.digest, paths), nodes, |_| {}).expect("paths are looked up");
        0
    });
    report("look up 1,000 paths", &measured);
    let after = checked(&path(entries / 2));
    let measured = measure(nodes, |nodes| {
        drive(&mut TreeListing::new(root.digest, "", Some(after), 1_000), nodes, |_| {}).expect("a page");
        0
    });
    report("list 1,000 entries", &measured);
    let mut proof_bytes = 0;
    let measured = measure(nodes, |nodes| {
        let mut proving = TreeProving::new(root.digest, checked(&path(entries / 3)));
        let (proof, _) = drive(&mut proving, nodes, |_| {}).expect("a proof");
        proof_bytes = proof.nodes.iter().map(|node| node.len()).sum();
        0
    });
    report(&format!("prove a path ({proof_bytes} bytes)"), &measured);
    let measured = measure(nodes, |nodes| {
        drive(&mut TreeWalk::new([root.digest]), nodes, |_| {}).expect("a walk");
        0
    });
    report("walk everything", &measured);
}

fn bench_tree(entries: u64) {
    let mut nodes = BenchNodes { nodes: MemoryNodes::default(), reads: Cell::new(0) };
    let all = || (0..entries).map(|number| (checked(&path(number)), entry(number, 0)));
    let measured = measure(&nodes, |_| {
        let mut forgotten = ForgottenNodes(0);
        build_sorted(all(), &mut forgotten).expect("the entries are in order");
        forgotten.0
    });
    report(&format!("build {entries}"), &measured);
    let root = build_sorted(all(), &mut nodes.nodes).expect("the entries are in order");
    let bytes: usize = nodes.nodes.sizes().sum();
    let mean = bytes / nodes.nodes.len();
    say(format_args!("{:<44} height {}, {mean} bytes a node, {bytes} in all", "", root.height));
    bench_single(entries, &root, &mut nodes);
    let clustered = mixed((0..CHANGES).map(|one| entries / 3 + one));
    bench_edits("10,000 clustered", &root, clustered, &mut nodes);
    let random = random_numbers(entries);
    bench_edits("10,000 random", &root, mixed(random.into_iter()), &mut nodes);
    bench_reads(entries, &root, &nodes);
}

/// Runs git with `input`, and returns how long it took and how many lines it wrote.
fn git(folder: &Path, arguments: &[&str], input: &str) -> (Duration, String) {
    let start = Instant::now();
    let mut command = Command::new("git");
    command.arg("--git-dir").arg(folder).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("git can be run");
    let mut stdin = child.stdin.take().expect("the input is a pipe");
    stdin.write_all(input.as_bytes()).expect("git reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("git ends");
    assert!(output.status.success(), "git {arguments:?} fails");
    (start.elapsed(), String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn index_line(number: u64, version: u64) -> String {
    format!("100644 {}\t{}\n", &entry(number, version).digest.to_string()[..40], path(number))
}

fn bench_git(entries: u64, folder: &Path) {
    let said = |name: &str, time: Duration| {
        say(format_args!("{:<44} {:>10.3} ms", format!("git: {name}"), time.as_secs_f64() * 1e3));
    };
    git(folder, &["init", "-q", "--bare"], "");
    let lines: String = (0..entries).map(|number| index_line(number, 0)).collect();
    let (index, _) = git(folder, &["update-index", "--index-info"], &lines);
    let (trees, old) = git(folder, &["write-tree", "--missing-ok"], "");
    said("build (index, then trees)", index + trees);
    let random = random_numbers(entries);
    let clustered = (0..CHANGES).map(|one| entries / 3 + one);
    for (name, numbers) in [
        ("one", vec![entries / 2]),
        ("10,000 clustered", clustered.collect()),
        ("10,000 random", random.into_iter().collect()),
    ] {
        git(folder, &["read-tree", &old], "");
        let lines: String = numbers.iter().map(|number| index_line(*number, 1)).collect();
        let (index, _) = git(folder, &["update-index", "--index-info"], &lines);
        let (trees, new) = git(folder, &["write-tree", "--missing-ok"], "");
        said(&format!("edit, {name}"), index + trees);
        let (time, changes) = git(folder, &["diff-tree", "-r", "--no-renames", &old, &new], "");
        assert_eq!(changes.lines().count(), numbers.len());
        said(&format!("diff, {name}"), time);
    }
}

fn main() {
    let mut entries = 1_000_000;
    let mut arguments = std::env::args().skip(1);
    let mut folder = None;
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--entries", Some(number)) => entries = number.parse().expect("--entries takes a number"),
            ("--git", Some(path)) => folder = Some(path),
            _ => panic!("tree_bench [--entries N] [--git FOLDER]"),
        }
    }
    bench_tree(entries);
    if let Some(folder) = folder {
        bench_git(entries, Path::new(&folder));
    }
}
