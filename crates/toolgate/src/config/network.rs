//! `[network]` and `network` of a server: the allowed addresses of servers that were named over the network,
//! and the connection settings. A server's own values override the general ones.

use std::ops::Range;
use std::path::{Path, PathBuf};

use toolgate_core::address::AddressRules;
use toolgate_core::egress::{Egress, Identity, Pem, Proxy, ProxyBypass, Trust};
use toolgate_outbound::{TlsPart, read_proxy};

use super::problem::ConfigProblems;
use super::reference::ReferenceMode;
use super::section::{ConfigSection, Located};
use super::value::{ReadContext, TableValues};

pub(super) const KEYS: &[&str] = &[
    "allow_loopback",
    "allow_private",
    "ca_file",
    "public_roots",
    "client_certificate",
    "client_key",
    "proxy",
    "no_proxy",
];
pub(super) const SERVER_KEYS: &[&str] =
    &["ca_file", "public_roots", "client_certificate", "client_key", "proxy", "no_proxy"];

/// More than all public authorities together.
const PEM_BYTES_MAX: u64 = 4 << 20;

/// The content of `[network]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NetworkSettings {
    pub(crate) rules: AddressRules,
    pub(crate) ways: EgressConfig,
}

/// The connection settings, and the private file among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EgressConfig {
    pub(crate) egress: Egress,
    /// The file of the private key; absolute.
    pub(crate) key_file: Option<PathBuf>,
}

pub(super) fn read(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> NetworkSettings {
    section.refuse_unknown_keys(KEYS, &[], problems);
    let mut allowed = |key| section.boolean(key, problems).is_some_and(|allowed| allowed.value);
    let rules =
        AddressRules { allow_loopback: allowed("allow_loopback"), allow_private: allowed("allow_private") };
    let ways = read_ways(&ctx.values(section), ctx.folder, &EgressConfig::default(), problems);
    NetworkSettings { rules, ways }
}

/// The connection settings of a table; missing ones are as in `usual`.
pub(super) fn read_ways(
    values: &TableValues<'_>,
    folder: &Path,
    usual: &EgressConfig,
    problems: &mut ConfigProblems,
) -> EgressConfig {
    let reader = EgressReader { values, folder };
    let trust = reader.trust(problems);
    let identity = reader.identity(problems);
    let proxy = reader.proxy(problems);
    let direct = reader.direct(problems);
    let (identity, key_file) = match identity {
        Some((identity, key_file)) => (identity, Some(key_file)),
        None => (usual.egress.identity.clone(), usual.key_file.clone()),
    };
    let egress = Egress {
        trust: trust.unwrap_or_else(|| usual.egress.trust.clone()),
        identity,
        proxy: proxy.unwrap_or_else(|| usual.egress.proxy.clone()),
        direct: direct.unwrap_or_else(|| usual.egress.direct.clone()),
    };
    EgressConfig { egress, key_file }
}

struct EgressReader<'a> {
    values: &'a TableValues<'a>,
    folder: &'a Path,
}

/// A named file and its content; `None` if no file is opened.
struct NamedFile {
    path: PathBuf,
    span: Range<usize>,
    pem: Option<Pem>,
}

impl EgressReader<'_> {
    fn section(&self) -> &ConfigSection<'_> {
        self.values.section
    }

    fn trust(&self, problems: &mut ConfigProblems) -> Option<Trust> {
        let public_roots = self.section().boolean("public_roots", problems);
        if let (Some(Located { value: false, span }), None) =
            (&public_roots, self.section().key_span("ca_file"))
        {
            let what =
                format!("`public_roots = false` in {} leaves no authority to trust", self.section().title());
            let hint = "add `ca_file = \"…\"`, or remove the line";
            problems.add(span.clone(), what, "`public_roots` only beside `ca_file`", hint);
        }
        let file = self.file("ca_file", "certificates of authorities in PEM", problems)?;
        let pem = file.pem.clone()?;
        let trust = match public_roots.is_none_or(|roots| roots.value) {
            true => Trust::MachineAnd(pem),
            false => Trust::Only(pem),
        };
        let egress = Egress { trust: trust.clone(), ..Egress::default() };
        self.checked(&egress, &[("ca_file", &file)], problems).then_some(trust)
    }

    /// Without opened files, there is still the path of the key.
    fn identity(&self, problems: &mut ConfigProblems) -> Option<(Option<Identity>, PathBuf)> {
        const BOTH: &str = "both `client_certificate` and `client_key`";
        let certificate = self.file("client_certificate", "a certificate in PEM", problems);
        let key = self.file("client_key", "a private key in PEM", problems);
        for (key, other) in [("client_certificate", "client_key"), ("client_key", "client_certificate")] {
            if let (Some(span), None) = (self.section().key_span(key), self.section().key_span(other)) {
                let what = format!("{} has `{key}` without `{other}`", self.section().title());
                let hint = "a PEM file that holds both may be named twice";
                problems.add(span, what, BOTH, hint);
            }
        }
        let (certificate, key) = (certificate?, key?);
        let (Some(certificates), Some(key_pem)) = (certificate.pem.clone(), key.pem.clone()) else {
            return Some((None, key.path));
        };
        let identity = Identity { certificates, key: key_pem };
        let egress = Egress { identity: Some(identity.clone()), ..Egress::default() };
        let files = [("client_certificate", &certificate), ("client_key", &key)];
        self.checked(&egress, &files, problems).then(|| (Some(identity), key.path.clone()))
    }

    fn checked(&self, egress: &Egress, files: &[(&str, &NamedFile)], problems: &mut ConfigProblems) -> bool {
        let Err(bad) = toolgate_outbound::check(egress) else { return true };
        let at_fault = match bad.part() {
            TlsPart::Key => files.last(),
            TlsPart::Authority | TlsPart::Certificate | TlsPart::Machine => files.first(),
        };
        let (key, file) = at_fault.expect("whatever is checked has a file");
        let what = format!("`{key}` in {}: {}: {bad}", self.section().title(), file.path.display());
        let expected = "PEM: text between `-----BEGIN …-----` and `-----END …-----`";
        let hint = "`openssl x509 -in FILE -noout -text` shows a certificate, `openssl pkey -in FILE -noout` reads a key";
        problems.add(file.span.clone(), what, expected, hint);
        false
    }

    fn file(&self, key: &str, expected: &str, problems: &mut ConfigProblems) -> Option<NamedFile> {
        let Located { value: path, span } = self.values.path(key, self.folder, problems)?;
        // Commands without connections do not need its content.
        if matches!(self.values.references, ReferenceMode::Keep) {
            return Some(NamedFile { path, span, pem: None });
        }
        match read_file(&path) {
            Ok(content) => Some(NamedFile { path, span, pem: Some(Pem::new(content)) }),
            Err(why) => {
                let what = format!(
                    "`{key}` in {}: {} cannot be read: {why}",
                    self.section().title(),
                    path.display()
                );
                let hint = "a relative path starts at the folder of this file";
                problems.add(span, what, format!("a readable file with {expected}"), hint);
                None
            }
        }
    }

    /// `Some(None)` if it is explicitly disabled.
    fn proxy(&self, problems: &mut ConfigProblems) -> Option<Option<Proxy>> {
        const EXPECTED: &str = "the address of an HTTP proxy, such as `http://proxy.example:3128`";
        let written = self.section().string("proxy", problems)?;
        let expanded = self.values.expand("proxy", &written, problems)?;
        if self.values.is_kept(written.value) {
            return None;
        }
        if expanded.trim().is_empty() {
            return Some(None);
        }
        match read_proxy(&expanded) {
            Ok(proxy) => Some(Some(proxy)),
            Err(bad) => {
                // The address itself may contain a password.
                let what = format!("`proxy` in {} {bad}", self.section().title());
                problems.add(written.span, what, EXPECTED, bad.hint);
                None
            }
        }
    }

    fn direct(&self, problems: &mut ConfigProblems) -> Option<Vec<ProxyBypass>> {
        const EXPECTED: &str = "names such as `host.example`, domains such as `.example`, addresses such as `10.0.0.0/8`, or `*`";
        self.section().key_span("no_proxy")?;
        let mut direct = Vec::new();
        for written in self.section().strings("no_proxy", problems) {
            match written.value.parse() {
                Ok(one) => direct.push(one),
                Err(bad) => {
                    let what = format!("`no_proxy` in {}: {bad}", self.section().title());
                    problems.add(written.span, what, EXPECTED, "without scheme, port and path");
                }
            }
        }
        Some(direct)
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let data = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if data.len() > PEM_BYTES_MAX {
        return Err(format!("it has more than {PEM_BYTES_MAX} bytes"));
    }
    std::fs::read(path).map_err(|error| error.to_string())
}
