//! TLS for an egress. The machine's root certificates are read once, and configurations are shared: a gateway
//! has many servers and few egress settings.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use toolgate_core::egress::{Egress, Identity, Pem, Trust};

/// The number of cached configurations. Another one is simply built again.
const KNOWN_MAX: usize = 32;

/// The reason why TLS cannot be configured as requested.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadEgress {
    #[error("no root certificates were found on this machine: {0}")]
    NoRoots(String),
    #[error("{0}")]
    Authority(String),
    #[error("{0}")]
    Certificate(String),
    #[error("{0}")]
    Key(String),
}

/// The part at fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TlsPart {
    Machine,
    Authority,
    Certificate,
    Key,
}

impl BadEgress {
    pub fn part(&self) -> TlsPart {
        match self {
            Self::NoRoots(_) => TlsPart::Machine,
            Self::Authority(_) => TlsPart::Authority,
            Self::Certificate(_) => TlsPart::Certificate,
            Self::Key(_) => TlsPart::Key,
        }
    }
}

/// Checks that certificates and keys can be read and belong together. The machine's own are not read.
pub fn check(egress: &Egress) -> Result<(), BadEgress> {
    match &egress.trust {
        Trust::Machine => {}
        Trust::MachineAnd(pem) | Trust::Only(pem) => add(&mut RootCertStore::empty(), pem)?,
    }
    identified(builder().with_root_certificates(RootCertStore::empty()), egress.identity.as_ref())?;
    Ok(())
}

/// The configuration for connections that leave so.
pub(crate) fn tls(egress: &Egress) -> Result<Arc<ClientConfig>, BadEgress> {
    static KNOWN: Mutex<Vec<(TlsKey, Arc<ClientConfig>)>> = Mutex::new(Vec::new());
    let wanted = TlsKey { trust: egress.trust.clone(), identity: egress.identity.clone() };
    let mut known = KNOWN.lock();
    if let Some((_, config)) = known.iter().find(|(one, _)| *one == wanted) {
        return Ok(config.clone());
    }
    let config = Arc::new(make(egress)?);
    if known.len() == KNOWN_MAX {
        known.remove(0);
    }
    known.push((wanted, config.clone()));
    Ok(config)
}

/// A configuration without trusted roots, for addresses in plain HTTP.
pub(crate) fn without_roots() -> Arc<ClientConfig> {
    static SHARED: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    let make = || Arc::new(builder().with_root_certificates(RootCertStore::empty()).with_no_client_auth());
    SHARED.get_or_init(make).clone()
}

/// The part of an egress that determines a configuration.
#[derive(PartialEq)]
struct TlsKey {
    trust: Trust,
    identity: Option<Identity>,
}

fn make(egress: &Egress) -> Result<ClientConfig, BadEgress> {
    let roots = match &egress.trust {
        Trust::Machine => machine()?.clone(),
        Trust::MachineAnd(pem) => {
            // A machine without roots of its own may still have the operator's.
            let mut roots = machine().cloned().unwrap_or_else(|_| RootCertStore::empty());
            add(&mut roots, pem)?;
            roots
        }
        Trust::Only(pem) => {
            let mut roots = RootCertStore::empty();
            add(&mut roots, pem)?;
            roots
        }
    };
    identified(builder().with_root_certificates(roots), egress.identity.as_ref())
}

fn builder() -> ConfigBuilder<ClientConfig, WantsVerifier> {
    // Named, because another crate of the program may bring a second provider and make the choice ambiguous.
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions();
    builder.expect("the provider has the protocol versions that it was built with")
}

fn machine() -> Result<&'static RootCertStore, BadEgress> {
    static FOUND: OnceLock<Result<RootCertStore, BadEgress>> = OnceLock::new();
    FOUND.get_or_init(read_machine).as_ref().map_err(Clone::clone)
}

fn read_machine() -> Result<RootCertStore, BadEgress> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (valid, invalid) = roots.add_parsable_certificates(found.certs);
    tracing::debug!(valid, invalid, "the machine's root certificates");
    #[cfg(feature = "own-roots")]
    if roots.is_empty() {
        // An empty image has no certificates. Where there are some, they alone count: an administrator may have taken one away.
        let (valid, _) =
            roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned());
        tracing::info!(valid, "the machine has no root certificates; those inside of the program are used");
    }
    if roots.is_empty() {
        let why = found.errors.first().map_or_else(|| "it has none".to_owned(), ToString::to_string);
        return Err(BadEgress::NoRoots(why));
    }
    Ok(roots)
}

fn add(roots: &mut RootCertStore, pem: &Pem) -> Result<(), BadEgress> {
    for certificate in certificates(pem).map_err(BadEgress::Authority)? {
        let added = roots.add(certificate);
        added.map_err(|error| BadEgress::Authority(format!("a certificate in it is damaged: {error}")))?;
    }
    Ok(())
}

fn certificates(pem: &Pem) -> Result<Vec<CertificateDer<'static>>, String> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.content()).collect();
    let read = read.map_err(|error| format!("it is not PEM: {error}"))?;
    match read.is_empty() {
        true => Err("it holds no certificate in PEM".into()),
        false => Ok(read),
    }
}

fn identified(
    builder: ConfigBuilder<ClientConfig, rustls::client::WantsClientCert>,
    identity: Option<&Identity>,
) -> Result<ClientConfig, BadEgress> {
    let Some(Identity { certificates: chain, key }) = identity else {
        return Ok(builder.with_no_client_auth());
    };
    let chain = certificates(chain).map_err(BadEgress::Certificate)?;
    let key = PrivateKeyDer::from_pem_slice(key.content());
    let key = key.map_err(|_| {
        BadEgress::Key("it holds no private key in PEM that can be read without a password".into())
    })?;
    builder.with_client_auth_cert(chain, key).map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => {
            BadEgress::Key("it is not the key of the first certificate in `client_certificate`".into())
        }
        rustls::Error::InvalidCertificate(_) => {
            BadEgress::Certificate(format!("its certificate is damaged: {error}"))
        }
        other => BadEgress::Key(format!("it cannot be used: {other}")),
    })
}
