//! Follows every link: from `/docs` without a login, and from `/` with one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use reqwest::header::{CONTENT_TYPE, COOKIE};
use toolgate_testkit::gateway::Gateway;
use url::Url;

/// More pages than this are not read: a list that links to itself with ever new filters has no end.
const PAGES_MAX: usize = 1_500;
/// Looks of one page that differ in their query alone.
const QUERIES_MAX: usize = 6;
/// Addresses that never end, or lead out.
const NOT_FOLLOWED: [&str; 2] = ["/console/events", "/console/logout"];

/// The faults, and the number of visited pages.
pub(crate) struct Walk {
    pub(crate) broken: Vec<String>,
    pub(crate) pages: BTreeSet<String>,
}

/// Reads everything of the same origin that is reachable from these paths.
pub(crate) async fn walk(gateway: &Gateway, starts: &[&str], cookie: Option<&str>) -> Walk {
    let base = Url::parse(&gateway.url("/")).expect("an address");
    let mut walker = Walker::new(gateway, cookie);
    for start in starts {
        walker.note(&base.join(start).expect("a path"), "the beginning");
    }
    while let Some(address) = walker.waiting.pop_front() {
        assert!(walker.seen.len() < PAGES_MAX, "there is no end to the pages");
        walker.read(&address).await;
    }
    walker.finish()
}

struct Walker {
    http: reqwest::Client,
    cookie: Option<String>,
    origin: url::Origin,
    waiting: VecDeque<Url>,
    /// Pages that were read or will be, without fragments.
    seen: BTreeSet<String>,
    queries: BTreeMap<String, usize>,
    /// The ids on each page.
    ids: BTreeMap<String, BTreeSet<String>>,
    /// Page and fragment of a link, and its source.
    fragments: BTreeSet<(String, String, String)>,
    broken: Vec<String>,
    linked_from: BTreeMap<String, String>,
}

impl Walker {
    fn new(gateway: &Gateway, cookie: Option<&str>) -> Self {
        let redirects = reqwest::redirect::Policy::none();
        let http = reqwest::Client::builder().no_proxy().redirect(redirects).build().expect("a client");
        Self {
            http,
            cookie: cookie.map(str::to_owned),
            origin: Url::parse(&gateway.url("/")).expect("an address").origin(),
            waiting: VecDeque::new(),
            seen: BTreeSet::new(),
            queries: BTreeMap::new(),
            ids: BTreeMap::new(),
            fragments: BTreeSet::new(),
            broken: Vec::new(),
            linked_from: BTreeMap::new(),
        }
    }

    /// A link to this was found.
    fn note(&mut self, address: &Url, from: &str) {
        if address.origin() != self.origin || NOT_FOLLOWED.contains(&address.path()) {
            return;
        }
        let mut page = address.clone();
        page.set_fragment(None);
        if let Some(fragment) = address.fragment().filter(|fragment| !fragment.is_empty()) {
            self.fragments.insert((key(&page), fragment.to_owned(), from.to_owned()));
        }
        if self.seen.contains(&key(&page)) || !self.wants(&page) {
            return;
        }
        self.seen.insert(key(&page));
        self.linked_from.insert(key(&page), from.to_owned());
        self.waiting.push_back(page);
    }

    fn wants(&mut self, page: &Url) -> bool {
        let count = self.queries.entry(page.path().to_owned()).or_default();
        *count += 1;
        *count <= QUERIES_MAX
    }

    async fn read(&mut self, address: &Url) {
        let mut request = self.http.get(address.clone());
        if let Some(cookie) = &self.cookie {
            request = request.header(COOKIE, cookie);
        }
        let response = request.send().await.unwrap_or_else(|error| panic!("{address}: {error}"));
        let status = response.status();
        if status.is_redirection() {
            let to = response.headers().get("location").and_then(|to| to.to_str().ok()).unwrap_or_default();
            let to = address.join(to).expect("an address");
            return self.note(&to, &key(address));
        }
        if !status.is_success() {
            let from = self.linked_from.get(&key(address)).map(String::as_str).unwrap_or_default();
            return self.broken.push(format!("{} says {status}; linked from {from}", key(address)));
        }
        let kind =
            response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("text/html") {
            let text = response.text().await.expect("a page can be read");
            self.take_in(address, &text);
        }
    }

    fn take_in(&mut self, address: &Url, text: &str) {
        self.ids.insert(key(address), attributes(text, "id").into_iter().collect());
        let links = ["href", "src", "action"].into_iter().flat_map(|name| match name {
            // Forms that change something are not followed.
            "action" => searches(text),
            name => attributes(text, name),
        });
        for link in links {
            match address.join(&link) {
                Ok(target) => self.note(&target, &key(address)),
                Err(error) => self.broken.push(format!("{}: {link:?} is no address: {error}", key(address))),
            }
        }
    }

    fn finish(mut self) -> Walk {
        for (page, fragment, from) in &self.fragments {
            let fragment = percent_encoding::percent_decode_str(fragment).decode_utf8_lossy();
            if self.ids.get(page).is_some_and(|ids| !ids.contains(fragment.as_ref())) {
                self.broken.push(format!("{page} has no #{fragment}; linked from {from}"));
            }
        }
        Walk { broken: self.broken, pages: self.seen }
    }
}

fn key(address: &Url) -> String {
    address.query().map_or_else(|| address.path().to_owned(), |query| format!("{}?{query}", address.path()))
}

/// The values of an attribute, anywhere in a tag.
pub(crate) fn attributes(html: &str, name: &str) -> Vec<String> {
    tags(html).flat_map(|tag| attribute(tag, name)).collect()
}

/// The targets of forms that only read.
fn searches(html: &str) -> Vec<String> {
    let forms = tags(html).filter(|tag| tag.starts_with("form"));
    let asking = forms.filter(|tag| attribute(tag, "method").is_none_or(|method| method == "get"));
    asking.flat_map(|tag| attribute(tag, "action")).collect()
}

/// The text between `<` and `>`. Our pages are generated: quotes are double and `>` in them is escaped.
fn tags(html: &str) -> impl Iterator<Item = &str> {
    html.split('<').skip(1).filter_map(|part| part.split_once('>').map(|(tag, _)| tag))
}

pub(crate) fn attribute(tag: &str, name: &str) -> Option<String> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    let value = tag[start..].split('"').next()?;
    Some(
        value
            .replace("&amp;", "&")
            .replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("&lt;", "<")
            .replace("&gt;", ">"),
    )
}
