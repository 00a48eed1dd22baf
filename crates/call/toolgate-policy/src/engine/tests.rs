//! Decisions, levels of care, reloading, shadow mode, explaining.

use std::fs;

use serde_json::{Value, json};
use toolgate_core::decision::{Decision, OnTimeout, Policy, PolicyRequest, Verdict};
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::{Effects, PrincipalKind, Role};

use crate::fixture::*;
use crate::{PolicyEngine, PolicyPurpose, PolicyTemplate, Sources, VerdictKind};

mod gates;
mod guard;
mod levels;
mod reload;
mod shadow;

fn denial_error(verdict: &Verdict) -> &str {
    match verdict {
        Verdict::Deny(denial) => denial.error.as_deref().unwrap_or("no error"),
        other => panic!("not denied: {other:?}"),
    }
}
