//! Faults that a stand-in can be told to have.

/// A fault of a provider.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProviderFault {
    /// 429, with or without a time. Nothing happens.
    RateLimited { after_s: Option<u64> },
    /// 500, although the request was carried out.
    ErrorAfterEffect,
    /// The request is carried out, and the connection breaks in the middle of the answer.
    LostAfterEffect,
    /// A page of a proxy instead of JSON, with status 200. Nothing happens.
    Html,
    /// Every page names another one.
    EndlessPages,
    /// Every page names the second one.
    RepeatedCursor,
    /// From the second page on, records have other members.
    ChangedSchema,
    /// The credentials have expired.
    ExpiredCredentials,
    /// Somebody took the credentials back.
    RevokedCredentials,
    /// 302 to this address. Nothing happens.
    Redirect { location: String },
}

/// A fault, and the requests that it is for.
pub(super) struct FaultPlan {
    fault: ProviderFault,
    /// Requests that do not have it yet.
    spared: u32,
    /// Requests that still have it; none: all.
    left: Option<u32>,
    /// Only paths that end so.
    path_end: String,
}

impl FaultPlan {
    pub(super) fn new(fault: ProviderFault, left: Option<u32>, path_end: &str) -> Self {
        Self { fault, spared: 0, left, path_end: path_end.to_owned() }
    }

    /// The first requests are answered as usual.
    pub(super) fn after(self, spared: u32) -> Self {
        Self { spared, ..self }
    }

    /// The fault of a request to this path, which uses it up.
    pub(super) fn take(&mut self, path: &str) -> Option<ProviderFault> {
        if !path.ends_with(&self.path_end) || self.left == Some(0) {
            return None;
        }
        if self.spared > 0 {
            self.spared -= 1;
            return None;
        }
        self.left = self.left.map(|left| left - 1);
        Some(self.fault.clone())
    }
}
