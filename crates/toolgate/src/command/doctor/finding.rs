//! One finding of the doctor.

/// One finding.
pub(super) struct DoctorFinding {
    pub(super) ok: bool,
    pub(super) about: String,
    pub(super) says: String,
    pub(super) hint: Option<String>,
}

pub(super) fn fine(about: &str, says: String) -> DoctorFinding {
    DoctorFinding { ok: true, about: about.into(), says, hint: None }
}

pub(super) fn wrong(about: &str, says: String, hint: Option<String>) -> DoctorFinding {
    DoctorFinding { ok: false, about: about.into(), says, hint }
}
