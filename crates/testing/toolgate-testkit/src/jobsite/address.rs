//! The addresses of vacancies: `/jobs/form/48213?fault=slow`.

use std::fmt;
use std::str::FromStr;

/// The way in which an application is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum VacancyKind {
    /// One page with one form.
    Form,
    /// Three steps in an iframe, the second with an upload.
    Wizard,
    /// A login with a code, and a form in a shadow DOM.
    Portal,
}

/// A fault of the site that an address asks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SiteFault {
    /// The confirmation comes some time after the application was stored.
    Slow,
    /// The application is stored, and the answer is an error.
    Error,
    /// The first attempt lacks a field that the form did not have.
    Invalid,
    /// The first attempt finds that its session has expired.
    Expired,
    /// A page wants to know that a person is there.
    Captcha,
    /// A second application of the same person is stored, too.
    Duplicates,
}

/// A vacancy, by its address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct VacancyAddress {
    pub kind: VacancyKind,
    pub number: u32,
    pub fault: Option<SiteFault>,
}

impl VacancyKind {
    pub const ALL: [VacancyKind; 3] = [VacancyKind::Form, VacancyKind::Wizard, VacancyKind::Portal];

    pub fn as_str(self) -> &'static str {
        match self {
            VacancyKind::Form => "form",
            VacancyKind::Wizard => "wizard",
            VacancyKind::Portal => "portal",
        }
    }
}

impl SiteFault {
    pub const ALL: [SiteFault; 6] = [
        SiteFault::Slow,
        SiteFault::Error,
        SiteFault::Invalid,
        SiteFault::Expired,
        SiteFault::Captcha,
        SiteFault::Duplicates,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            SiteFault::Slow => "slow",
            SiteFault::Error => "error",
            SiteFault::Invalid => "invalid",
            SiteFault::Expired => "expired",
            SiteFault::Captcha => "captcha",
            SiteFault::Duplicates => "duplicates",
        }
    }
}

impl VacancyAddress {
    /// The vacancy that a path below `/jobs` names, and the rest of the path.
    pub(super) fn of<'a>(path: &'a str, query: &str) -> Option<(Self, &'a str)> {
        let mut parts = path.strip_prefix("/jobs/")?.splitn(3, '/');
        let kind = parts.next()?.parse().ok()?;
        let number = parts.next()?.parse().ok()?;
        let mut pairs = url::form_urlencoded::parse(query.as_bytes());
        let fault = pairs.find(|(name, _)| name == "fault").and_then(|(_, fault)| fault.parse().ok());
        Some((Self { kind, number, fault }, parts.next().unwrap_or_default()))
    }

    /// Its name in the books of the site: `form/48213`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.kind.as_str(), self.number)
    }

    /// An address below it, with its fault.
    pub(super) fn below(&self, rest: &str) -> String {
        let path = format!("/jobs/{}{rest}", self.name());
        match self.fault {
            Some(fault) => format!("{path}?fault={}", fault.as_str()),
            None => path,
        }
    }
}

impl fmt::Display for VacancyAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.below(""))
    }
}

impl FromStr for VacancyKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}

impl FromStr for SiteFault {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|fault| fault.as_str() == text).ok_or(())
    }
}
