//! The additional options of the command line.

use std::path::PathBuf;
use std::time::Duration;

use capability_browser::{BrowserLimits, BrowserSettings, ChromiumSandbox, HostPattern, HostRules};
use url::Url;

const MIB: u64 = 1 << 20;

/// Everything is optional: without any of it, every public host may be visited, and no script of an agent runs.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Browser")]
pub struct BrowserOptions {
    /// The Chromium program; by default the first of chromium, chromium-headless-shell, google-chrome and chrome on the PATH
    #[arg(long, value_name = "FILE", env = "BROWSER_CHROMIUM")]
    pub chromium: Option<PathBuf>,
    /// A host that pages may use, exactly (jobs.example) or with everything below it (*.jobs.example); may be repeated. By
    /// default every public host
    #[arg(long, value_name = "HOST", env = "BROWSER_ALLOW_SITE", value_delimiter = ',')]
    pub allow_site: Vec<HostPattern>,
    /// Allow loopback and private addresses as well
    #[arg(long, env = "BROWSER_ALLOW_PRIVATE")]
    pub allow_private: bool,
    /// Offer the tool evaluate, with which an agent runs its own scripts in pages
    #[arg(long, env = "BROWSER_EVALUATE")]
    pub evaluate: bool,
    /// Refuse a click or a key that sends a form unless the call says so with `submit`, so that a policy can gate it
    #[arg(long, env = "BROWSER_GUARD_FORMS")]
    pub guard_forms: bool,
    /// Chromium's own sandbox: auto uses it where this machine can, required refuses to start without it
    #[arg(long, value_name = "MODE", env = "BROWSER_SANDBOX", value_enum, default_value_t = SandboxMode::Auto)]
    pub sandbox: SandboxMode,
    #[command(flatten)]
    pub search: SearchOptions,
    #[command(flatten)]
    pub limits: PageLimitOptions,
}

/// Chromium's own sandbox, in words of the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum SandboxMode {
    Auto,
    Required,
    Off,
}

/// The engine behind the tool `search`.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Search")]
pub struct SearchOptions {
    /// The address of a search with {query} in it, such as https://search.example/search?q={query}&format=json; switches the
    /// tool search on
    #[arg(long, value_name = "URL", env = "BROWSER_SEARCH_URL", value_parser = search_address)]
    pub search_url: Option<String>,
    /// The form of its answer: json of an API, or a page that the browser shows
    #[arg(long, value_name = "FORM", env = "BROWSER_SEARCH_FORM", value_enum, default_value_t = SearchForm::Page)]
    pub search_form: SearchForm,
    /// The environment variable with the key, if the API requires one
    #[arg(long, value_name = "VARIABLE", env = "BROWSER_SEARCH_KEY_ENV", requires = "search_url")]
    pub search_key_env: Option<String>,
    /// The header that takes the key, such as X-Subscription-Token; by default the key is a bearer token
    #[arg(long, value_name = "HEADER", env = "BROWSER_SEARCH_KEY_HEADER", requires = "search_key_env")]
    pub search_key_header: Option<String>,
}

/// The form of an engine's answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum SearchForm {
    Json,
    #[default]
    Page,
}

/// Limits of pages. Those of calls are the kit's.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub struct PageLimitOptions {
    /// Sessions and runs that have pages at the same time
    #[arg(long, value_name = "N", env = "BROWSER_CONTEXTS", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub contexts: u16,
    /// Tabs of each
    #[arg(long, value_name = "N", env = "BROWSER_TABS", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub tabs: u16,
    /// Time limit for loading a page
    #[arg(long, value_name = "SECONDS", env = "BROWSER_PAGE_SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=120))]
    pub page_seconds: u64,
    /// Time limit for an action
    #[arg(long, value_name = "SECONDS", env = "BROWSER_ACTION_SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=60))]
    pub action_seconds: u64,
    /// Pages of a session that did nothing for so long are closed, and its cookies are gone
    #[arg(long, value_name = "MINUTES", env = "BROWSER_IDLE_MINUTES", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=1440))]
    pub idle_minutes: u64,
    /// The largest download
    #[arg(long, value_name = "MIB", env = "BROWSER_DOWNLOAD_MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub download_mib: u64,
    /// The memory of one page's process; a page above it is closed
    #[arg(long, value_name = "MIB", env = "BROWSER_PAGE_MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(128..=65_536))]
    pub page_mib: u64,
}

/// Checked when the program starts, not at the first search.
fn search_address(written: &str) -> Result<String, String> {
    const EXAMPLE: &str = "expected an address such as https://search.example/search?q={query}";
    if !written.contains("{query}") {
        return Err(EXAMPLE.to_owned());
    }
    let url = Url::parse(&written.replace("{query}", "query-of-an-agent")).map_err(|_| EXAMPLE.to_owned())?;
    let is_fixed = url.host_str().is_some_and(|host| !host.contains("query-of-an-agent"));
    match is_fixed && matches!(url.scheme(), "http" | "https") {
        true => Ok(written.to_owned()),
        false => Err(EXAMPLE.to_owned()),
    }
}

impl BrowserOptions {
    /// The engine's settings.
    pub(crate) fn settings(&self) -> BrowserSettings {
        let said = &self.limits;
        let own_sandbox = match self.sandbox {
            SandboxMode::Auto => ChromiumSandbox::Auto,
            SandboxMode::Required => ChromiumSandbox::Required,
            SandboxMode::Off => ChromiumSandbox::Off,
        };
        BrowserSettings {
            program: self.chromium.clone(),
            hosts: HostRules {
                allow: self.allow_site.clone(),
                private: self.allow_private,
                ..HostRules::default()
            },
            limits: BrowserLimits {
                contexts: usize::from(said.contexts),
                tabs: usize::from(said.tabs),
                page_time: Duration::from_secs(said.page_seconds),
                action_time: Duration::from_secs(said.action_seconds),
                idle: Duration::from_secs(said.idle_minutes * 60),
                renderer_mib: said.page_mib,
                download_bytes: said.download_mib * MIB,
                ..BrowserLimits::default()
            },
            own_sandbox,
            ..BrowserSettings::default()
        }
    }
}
