//! Signatures are checked by ring, which is in the tree for TLS. There is no code here that signs, and none
//! for shared secrets.

use std::sync::Once;

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA256, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey,
    VerificationAlgorithm,
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(ErrorKind::UnsupportedAlgorithm.into()),
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes it the provider of this process. The first one stays.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if PROVIDER.install_default().is_err() {
            tracing::debug!("another provider checks the signatures of tokens");
        }
    });
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    let check = match algorithm {
        Algorithm::RS256 => SignatureCheck::Rsa(&RSA_PKCS1_2048_8192_SHA256),
        Algorithm::PS256 => SignatureCheck::Rsa(&RSA_PSS_2048_8192_SHA256),
        Algorithm::ES256 => SignatureCheck::Curve(&ECDSA_P256_SHA256_FIXED, AlgorithmFamily::Ec),
        Algorithm::ES384 => SignatureCheck::Curve(&ECDSA_P384_SHA384_FIXED, AlgorithmFamily::Ec),
        Algorithm::EdDSA => SignatureCheck::Curve(&ED25519, AlgorithmFamily::Ed),
        _ => return Err(ErrorKind::UnsupportedAlgorithm.into()),
    };
    if key.family() != check.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(RingVerifier { algorithm: *algorithm, check, key: key.clone() }))
}

struct RingVerifier {
    algorithm: Algorithm,
    check: SignatureCheck,
    key: DecodingKey,
}

enum SignatureCheck {
    Rsa(&'static RsaParameters),
    Curve(&'static dyn VerificationAlgorithm, AlgorithmFamily),
}

impl SignatureCheck {
    fn family(&self) -> AlgorithmFamily {
        match self {
            SignatureCheck::Rsa(_) => AlgorithmFamily::Rsa,
            SignatureCheck::Curve(_, family) => *family,
        }
    }
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let verified = match (&self.check, self.key.kind()) {
            (SignatureCheck::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (SignatureCheck::Curve(algorithm, _), DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(*algorithm, point).verify(message, signature)
            }
            _ => Err(ring::error::Unspecified),
        };
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
