//! The dependencies of the pages.

use std::sync::Arc;

use toolgate_core::governance::Clock;

use crate::cookie::Cookies;
use crate::ports::{Backend, Logins};

/// The dependencies of the pages.
pub struct ConsoleSetup {
    /// The REST API.
    pub backend: Arc<dyn Backend>,
    pub logins: Arc<dyn Logins>,
    pub clock: Arc<dyn Clock>,
    pub cookies: Cookies,
    /// The largest form that is read.
    pub form_bytes_max: usize,
}

/// The state of every page.
pub(crate) type PageContext = Arc<ConsoleSetup>;
