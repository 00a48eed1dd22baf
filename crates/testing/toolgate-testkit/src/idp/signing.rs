//! Keys and signatures of the test identity provider.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ED25519, EcdsaKeyPair, Ed25519KeyPair, KeyPair,
    UnparsedPublicKey, VerificationAlgorithm,
};
use serde_json::{Value, json};

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum KeyKind {
    Es256,
    Ed25519,
}

pub(super) struct SigningKey {
    id: String,
    pair: Pair,
}

enum Pair {
    Es256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

pub(super) struct Header(Value);

impl Header {
    pub(super) fn with_algorithm(mut self, algorithm: &str) -> Self {
        self.0["alg"] = json!(algorithm);
        self
    }
}

impl SigningKey {
    pub(super) fn make(kind: KeyKind) -> Self {
        let random = SystemRandom::new();
        let pair = match kind {
            KeyKind::Es256 => {
                let kind = &ECDSA_P256_SHA256_FIXED_SIGNING;
                let document = EcdsaKeyPair::generate_pkcs8(kind, &random).expect("keys can be made");
                Pair::Es256(
                    EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).expect("it was just made"),
                )
            }
            KeyKind::Ed25519 => {
                let document = Ed25519KeyPair::generate_pkcs8(&random).expect("keys can be made");
                Pair::Ed25519(Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("it was just made"))
            }
        };
        Self { id: super::random_text(), pair }
    }

    pub(super) fn header(&self, typ: Option<&str>) -> Header {
        let mut header = json!({ "alg": self.algorithm(), "kid": self.id });
        if let Some(typ) = typ {
            header["typ"] = json!(typ);
        }
        Header(header)
    }

    pub(super) fn sign(&self, header: &Header, claims: &Value) -> String {
        let message = format!("{}.{}", encode(header.0.to_string()), encode(claims.to_string()));
        let signature = match &self.pair {
            Pair::Es256(pair) => {
                let signed = pair.sign(&SystemRandom::new(), message.as_bytes());
                signed.expect("a good key signs").as_ref().to_vec()
            }
            Pair::Ed25519(pair) => pair.sign(message.as_bytes()).as_ref().to_vec(),
        };
        format!("{message}.{}", encode(signature))
    }

    /// The public half, as it is published.
    pub(super) fn jwk(&self) -> Value {
        let mut jwk = match &self.pair {
            Pair::Es256(pair) => {
                // An uncompressed point: a marker, then both coordinates.
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({ "kty": "EC", "crv": "P-256", "x": encode(x), "y": encode(y) })
            }
            Pair::Ed25519(pair) => {
                json!({ "kty": "OKP", "crv": "Ed25519", "x": encode(pair.public_key().as_ref()) })
            }
        };
        jwk["kid"] = json!(self.id);
        jwk["use"] = json!("sig");
        jwk["alg"] = json!(self.algorithm());
        jwk
    }

    fn algorithm(&self) -> &'static str {
        match self.pair {
            Pair::Es256(_) => "ES256",
            Pair::Ed25519(_) => "EdDSA",
        }
    }
}

pub(super) fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl SigningKey {
    /// The claims of a token that this very key signed.
    pub(super) fn verified(&self, token: &str) -> Option<serde_json::Map<String, Value>> {
        let (message, signature) = token.rsplit_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        let (algorithm, key): (&'static dyn VerificationAlgorithm, &[u8]) = match &self.pair {
            Pair::Es256(pair) => (&ECDSA_P256_SHA256_FIXED, pair.public_key().as_ref()),
            Pair::Ed25519(pair) => (&ED25519, pair.public_key().as_ref()),
        };
        UnparsedPublicKey::new(algorithm, key).verify(message.as_bytes(), &signature).ok()?;
        let claims = URL_SAFE_NO_PAD.decode(message.split_once('.')?.1).ok()?;
        serde_json::from_slice(&claims).ok()
    }
}
