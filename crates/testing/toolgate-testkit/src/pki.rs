//! Certificates for tests: a private authority and its certificates, valid or not. Written in DER by hand,
//! since a certificate has few parts and a crate that writes them would bring many.

use std::fmt::Write as _;
use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

/// From 2020 to 2049.
const GOOD: (&str, &str) = ("200101000000Z", "491231235959Z");
/// Until 2021.
const OVER: (&str, &str) = ("200101000000Z", "210101000000Z");

const EC_PUBLIC_KEY: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const ECDSA_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 0x11];

/// A certificate and its key.
pub struct Certificate {
    der: Vec<u8>,
    pkcs8: Vec<u8>,
}

impl Certificate {
    pub fn pem(&self) -> String {
        pem("CERTIFICATE", &self.der)
    }

    pub fn key_pem(&self) -> String {
        pem("PRIVATE KEY", &self.pkcs8)
    }
}

/// An issuer of certificates.
pub struct Authority {
    name: String,
    own: Certificate,
    key: EcdsaKeyPair,
}

impl Authority {
    pub fn new(name: &str) -> Self {
        let (pkcs8, key) = fresh_key();
        let constraints = extension(BASIC_CONSTRAINTS, &sequence(&[boolean(true)]));
        let body = body(name, name, &key, GOOD, &constraints);
        let der = signed(&body, &key);
        Self { name: name.to_owned(), own: Certificate { der, pkcs8 }, key }
    }

    /// The root certificate for clients.
    pub fn pem(&self) -> String {
        self.own.pem()
    }

    /// A good certificate for these names and addresses.
    pub fn sign(&self, names: &[&str]) -> Certificate {
        self.sign_within(names, GOOD)
    }

    /// An expired certificate.
    pub fn sign_expired(&self, names: &[&str]) -> Certificate {
        self.sign_within(names, OVER)
    }

    fn sign_within(&self, names: &[&str], time: (&str, &str)) -> Certificate {
        let (pkcs8, key) = fresh_key();
        let names: Vec<Vec<u8>> = names.iter().map(|name| general_name(name)).collect();
        let alternative = extension(SUBJECT_ALT_NAME, &sequence(&names));
        let body = body(&self.name, "leaf", &key, time, &alternative);
        Certificate { der: signed(&body, &self.key), pkcs8 }
    }

    /// The TLS configuration of a server with this certificate.
    pub fn server(&self, certificate: &Certificate) -> Arc<ServerConfig> {
        let builder = builder().with_no_client_auth();
        Arc::new(
            builder.with_single_cert(chain(certificate), key_of(certificate)).expect("a good certificate"),
        )
    }

    /// The same, for clients that show a certificate of this authority's only.
    pub fn server_for_known(&self, certificate: &Certificate) -> Arc<ServerConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(self.own.der.clone().into()).expect("a good authority");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider).build();
        let builder = builder().with_client_cert_verifier(verifier.expect("one authority"));
        Arc::new(
            builder.with_single_cert(chain(certificate), key_of(certificate)).expect("a good certificate"),
        )
    }
}

fn builder() -> rustls::ConfigBuilder<ServerConfig, rustls::WantsVerifier> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    builder.expect("the provider has the usual versions")
}

fn chain(certificate: &Certificate) -> Vec<CertificateDer<'static>> {
    vec![certificate.der.clone().into()]
}

fn key_of(certificate: &Certificate) -> PrivateKeyDer<'static> {
    PrivatePkcs8KeyDer::from(certificate.pkcs8.clone()).into()
}

fn fresh_key() -> (Vec<u8>, EcdsaKeyPair) {
    let random = SystemRandom::new();
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).expect("a key");
    let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, pkcs8.as_ref(), &random);
    (pkcs8.as_ref().to_vec(), key.expect("a key that was just made"))
}

fn body(issuer: &str, subject: &str, key: &EcdsaKeyPair, time: (&str, &str), extension: &[u8]) -> Vec<u8> {
    let algorithm = sequence(&[object(EC_PUBLIC_KEY), object(P256)]);
    let public = sequence(&[algorithm, bits(key.public_key().as_ref())]);
    let validity = sequence(&[tagged(0x17, time.0.as_bytes()), tagged(0x17, time.1.as_bytes())]);
    let mut serial = [0; 8];
    getrandom::fill(&mut serial).expect("random bytes");
    // Positive, and not shortened.
    serial[0] = (serial[0] & 0x7f) | 0x40;
    sequence(&[
        tagged(0xa0, &tagged(0x02, &[2])),
        tagged(0x02, &serial),
        sequence(&[object(ECDSA_SHA256)]),
        name(issuer),
        validity,
        name(subject),
        public,
        tagged(0xa3, &sequence(&[extension.to_vec()])),
    ])
}

fn signed(body: &[u8], key: &EcdsaKeyPair) -> Vec<u8> {
    let signature = key.sign(&SystemRandom::new(), body).expect("a signature");
    sequence(&[body.to_vec(), sequence(&[object(ECDSA_SHA256)]), bits(signature.as_ref())])
}

fn name(common: &str) -> Vec<u8> {
    let part = sequence(&[object(COMMON_NAME), tagged(0x0c, common.as_bytes())]);
    sequence(&[tagged(0x31, &part)])
}

fn general_name(text: &str) -> Vec<u8> {
    match text.parse() {
        Ok(IpAddr::V4(address)) => tagged(0x87, &address.octets()),
        Ok(IpAddr::V6(address)) => tagged(0x87, &address.octets()),
        Err(_) => tagged(0x82, text.as_bytes()),
    }
}

fn extension(id: &[u8], value: &[u8]) -> Vec<u8> {
    sequence(&[object(id), boolean(true), tagged(0x04, value)])
}

fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    tagged(0x30, &parts.concat())
}

fn object(id: &[u8]) -> Vec<u8> {
    tagged(0x06, id)
}

fn boolean(value: bool) -> Vec<u8> {
    tagged(0x01, &[if value { 0xff } else { 0 }])
}

fn bits(value: &[u8]) -> Vec<u8> {
    tagged(0x03, &[&[0], value].concat())
}

fn tagged(tag: u8, value: &[u8]) -> Vec<u8> {
    let length = u16::try_from(value.len()).expect("certificates are short");
    let [high, low] = length.to_be_bytes();
    let mut out = match length {
        0..0x80 => vec![tag, low],
        0x80..0x100 => vec![tag, 0x81, low],
        _ => vec![tag, 0x82, high, low],
    };
    out.extend_from_slice(value);
    out
}

fn pem(label: &str, der: &[u8]) -> String {
    let mut text = format!("-----BEGIN {label}-----\n");
    for line in BASE64_STANDARD.encode(der).as_bytes().chunks(64) {
        writeln!(text, "{}", String::from_utf8_lossy(line)).expect("text takes text");
    }
    text + &format!("-----END {label}-----\n")
}
