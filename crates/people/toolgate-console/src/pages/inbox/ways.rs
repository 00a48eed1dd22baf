//! The addresses of the inbox.

use crate::address::PageAddress;

pub(super) fn inbox() -> PageAddress {
    PageAddress::of(["console", "inbox"])
}

pub(super) fn approval_page(id: &str) -> PageAddress {
    PageAddress::of(["console", "inbox", "approvals", id])
}

pub(super) fn question_page(id: &str) -> PageAddress {
    PageAddress::of(["console", "inbox", "inputs", id])
}
