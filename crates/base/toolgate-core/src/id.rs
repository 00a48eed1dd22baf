//! Opaque ids: a prefix that names the kind, and a value without meaning. An id is a name, never a
//! permission.

use std::fmt;
use std::sync::Arc;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            pub const PREFIX: &'static str = $prefix;

            /// Wraps an id that was created earlier, or one that a caller names; only a lookup tells whether
            /// it exists.
            pub fn new(id: impl Into<Arc<str>>) -> Self {
                Self(id.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The text itself, not a copy.
            pub fn shared(&self) -> Arc<str> {
                Arc::clone(&self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// One tool call, from its proposal to its end.
    CallId,
    "tc_"
);
id!(
    /// A question to people whether one exact call may run.
    ApprovalId,
    "apr_"
);
id!(
    /// A standing "don't ask again for this".
    GrantId,
    "grt_"
);
id!(
    /// A session, as the ledger names it. Never the secret that opens it.
    SessionId,
    "ses_"
);
id!(
    /// An access token, as the ledger names it. Never its secret.
    TokenId,
    "tok_"
);
id!(
    /// One execution of a task.
    RunId,
    "run_"
);
id!(
    /// Uploaded bytes.
    FileId,
    "file_"
);
id!(
    /// A result that was too large or too binary for the context.
    RefId,
    "ref_"
);
id!(
    /// A place for one upload.
    UploadId,
    "upl_"
);
id!(
    /// A credential for a site outside, as agents name it. Never its values.
    CredentialId,
    "cred_"
);
id!(
    /// A definition of work.
    TaskId,
    "task_"
);
id!(
    /// A rule that starts runs of a task.
    AutomationId,
    "aut_"
);
id!(
    /// A name that leads to a manifest.
    PointerId,
    "ptr_"
);
id!(
    /// A version of a schema.
    SchemaId,
    "sch_"
);
id!(
    /// Work that takes long, with a lease.
    WorkId,
    "wrk_"
);
id!(
    /// A governed set of pointers to ask.
    KnowledgeBaseId,
    "kb_"
);
id!(
    /// A statement that stands or falls with its evidence.
    ClaimId,
    "clm_"
);
id!(
    /// A piece of evidence for or against a claim.
    EvidenceId,
    "evd_"
);
id!(
    /// A question to a person within a run.
    InputId,
    "inp_"
);
