//! Names for the arguments that people are shown. A plain digest of unredacted arguments would tell whoever sees the
//! redacted ones whether a guess at the rest is right; these names tell it only to the gateway.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use toolgate_core::Digest;
use toolgate_core::approval::Approval;
use toolgate_core::id::ApprovalId;

use crate::{Store, StoreError};

/// Separates the names from everything else that is made with the same key.
const CONTEXT: &[u8] = b"toolgate shown arguments 1\0";

/// Gives arguments their names.
#[derive(Clone)]
pub struct ArgumentNames([u8; 32]);

impl Store {
    pub async fn argument_names(&self) -> Result<ArgumentNames, StoreError> {
        Ok(ArgumentNames(self.sealing_key().await?))
    }
}

impl ArgumentNames {
    /// The name of arguments in an approval. The same arguments have another in the next approval.
    pub fn name(&self, approval: &ApprovalId, arguments: Digest) -> Digest {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(CONTEXT);
        // The text comes last: everything before it has a fixed length.
        mac.update(arguments.as_bytes());
        mac.update(approval.as_str().as_bytes());
        Digest::from_bytes(mac.finalize().into_bytes().into())
    }

    /// The arguments that a decision names, as far as they are those that would run now. Other names are those of none.
    pub fn arguments(&self, approval: &Approval, name: Digest) -> Digest {
        match self.name(&approval.id, approval.effective) == name {
            true => approval.effective,
            false => Digest::from_bytes([0; 32]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_of_one_approval_and_no_digest() {
        let (names, digest) = (ArgumentNames([7; 32]), Digest::of("{\"pin\":\"4711\"}"));
        let (one, two) = (ApprovalId::new("apr_1"), ApprovalId::new("apr_2"));
        assert_eq!(names.name(&one, digest), names.name(&one, digest));
        assert_ne!(names.name(&one, digest), digest);
        assert_ne!(names.name(&one, digest), names.name(&two, digest));
        assert_ne!(names.name(&one, digest), ArgumentNames([8; 32]).name(&one, digest));
    }
}
