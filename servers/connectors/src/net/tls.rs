//! TLS with the machine's certificates and those that the operator names.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio::sync::OnceCell;

/// Certificates are read by the first connection that needs them.
pub(super) struct TlsClient {
    ca_file: Option<PathBuf>,
    config: OnceCell<Arc<ClientConfig>>,
}

impl TlsClient {
    pub(super) fn new(ca_file: Option<PathBuf>) -> Self {
        Self { ca_file, config: OnceCell::new() }
    }

    pub(super) async fn config(&self) -> io::Result<Arc<ClientConfig>> {
        let reading = || async {
            let ca_file = self.ca_file.clone();
            let read = tokio::task::spawn_blocking(move || roots(ca_file.as_deref())).await;
            let roots = read.map_err(io::Error::other)??;
            let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
                .with_safe_default_protocol_versions()
                .map_err(io::Error::other)?;
            Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
        };
        self.config.get_or_try_init(reading).await.cloned()
    }
}

fn roots(ca_file: Option<&Path>) -> io::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let Some(ca_file) = ca_file else { return Ok(roots) };
    let unreadable = |why: String| {
        io::Error::other(format!("the certificates of {} cannot be read: {why}", ca_file.display()))
    };
    for certificate in
        CertificateDer::pem_file_iter(ca_file).map_err(|error| unreadable(error.to_string()))?
    {
        let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
        roots.add(certificate).map_err(|error| unreadable(error.to_string()))?;
    }
    Ok(roots)
}
