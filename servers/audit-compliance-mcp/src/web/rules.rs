//! The rules.

use std::collections::BTreeMap;

use super::contrast;
use super::names::{accessible_name, by_id, is_labelled};
use super::style::StyleSheet;
use super::tree::{WebNode, WebTree};
use crate::report::{Finding, FindingList, Severity, Spot};

/// Questions that a program without a browser cannot decide.
pub const NOT_CHECKED: &[&str] = &[
    "whether alternative texts, labels, headings and link texts say what they should",
    "contrast where colours come from other files, scripts, pictures or media queries",
    "keyboard use, focus order and visibility, time limits, errors of forms, and whatever scripts change",
    "captions, transcripts and audio descriptions of media beyond whether a track is there",
];

struct WebCheck<'t> {
    tree: &'t WebTree,
    found: FindingList,
}

/// Checks a page.
pub fn check(html: &str) -> Vec<Finding> {
    let tree = WebTree::of(html);
    let mut check = WebCheck { tree: &tree, found: FindingList::default() };
    check.page();
    let mut heading = 0;
    let ids = check.ids();
    for (node, element) in tree.elements() {
        check.pictures(node, element);
        check.controls(node, element);
        check.markup(node, element, &mut heading);
        check.aria(node, element, &ids);
    }
    check.contrasts();
    check.found.sorted()
}

impl<'t> WebCheck<'t> {
    fn add(&mut self, rule: &str, severity: Severity, asks: &str, mend: &str, node: usize) {
        let element = &self.tree.nodes[node];
        let evidence = shown(element);
        let finding = Finding::new(format!("wcag {rule}"), severity, asks, mend);
        self.found.add(finding.at(Spot::line(element.line)).evidence(evidence));
    }

    fn error(&mut self, rule: &str, asks: &str, mend: &str, node: usize) {
        self.add(rule, Severity::Error, asks, mend, node);
    }

    /// The page as a whole.
    fn page(&mut self) {
        let of = |tag: &str| self.tree.elements().find(|(_, it)| it.tag() == tag).map(|(node, _)| node);
        let (html, title, main) = (of("html"), of("title"), of("main"));
        let text_of = |node: usize| {
            self.tree
                .below(node)
                .iter()
                .filter_map(|it| self.tree.nodes[*it].text.as_deref())
                .collect::<String>()
        };
        let titled = title.is_some_and(|it| !text_of(it).trim().is_empty());
        let landmark = main.is_some()
            || self.tree.elements().any(|(_, it)| it.attribute("role") == Some("main") || it.tag() == "h1");
        let root = html.unwrap_or(0);
        if !titled {
            self.error("2.4.2", "A page has a title.", "write a title element", root);
        }
        let language = self.tree.nodes[root].attribute("lang").map(str::to_owned);
        match language {
            None => self.error("3.1.1", "A page says its language.", "add lang to the html element", root),
            Some(language) if !is_language(&language) => {
                self.error(
                    "3.1.1",
                    "The language of a page is a valid tag.",
                    "write a tag such as en or pt-BR",
                    root,
                );
            }
            Some(_) => {}
        }
        if !landmark {
            self.add(
                "2.4.1",
                Severity::Warning,
                "Repeated blocks can be skipped.",
                "add a main element and headings",
                root,
            );
        }
    }

    fn pictures(&mut self, node: usize, element: &WebNode) {
        let named = || !accessible_name(self.tree, node).trim().is_empty();
        let decorative = matches!(element.attribute("role"), Some("presentation" | "none"))
            || element.attribute("aria-hidden") == Some("true");
        let lacks = match element.tag() {
            "img" => element.attribute("alt").is_none() && !named() && !decorative,
            "area" => element.attribute("href").is_some() && !named(),
            "input" => {
                element.attribute("type").is_some_and(|it| it.eq_ignore_ascii_case("image")) && !named()
            }
            "svg" => element.attribute("role") == Some("img") && !named(),
            "object" | "embed" => !named() && !decorative,
            _ => false,
        };
        if lacks {
            self.error(
                "1.1.1",
                "Pictures have a text alternative.",
                "write alt; alt=\"\" if it only decorates",
                node,
            );
        }
        if element.tag() == "video" {
            let tracks = self.tree.below(node);
            let captioned = tracks
                .iter()
                .any(|it| matches!(self.tree.nodes[*it].attribute("kind"), Some("captions" | "subtitles")));
            if !captioned && element.attribute("muted").is_none() {
                self.add(
                    "1.2.2",
                    Severity::Warning,
                    "Videos with sound have captions.",
                    "add a track of captions",
                    node,
                );
            }
        }
        let plays = element.attribute("autoplay").is_some() && element.attribute("controls").is_none();
        if matches!(element.tag(), "audio" | "video") && plays && element.attribute("muted").is_none() {
            self.error(
                "1.4.2",
                "Sound that plays by itself can be stopped.",
                "add controls, or do not play by itself",
                node,
            );
        }
    }

    fn controls(&mut self, node: usize, element: &WebNode) {
        let kind = element.attribute("type").unwrap_or("text").to_ascii_lowercase();
        let nameless = || accessible_name(self.tree, node).trim().is_empty();
        let hidden = element.attribute("aria-hidden") == Some("true");
        match element.tag() {
            "input" if matches!(kind.as_str(), "hidden" | "image") => {}
            "input" if matches!(kind.as_str(), "submit" | "reset") => {}
            "input" if kind == "button" && nameless() => {
                self.error("4.1.2", "Buttons have a name.", "write value or aria-label", node);
            }
            "input" | "select" | "textarea" if kind != "button" && !is_labelled(self.tree, node) => {
                self.error("1.3.1", "Form fields have labels.", "add a label element with for", node);
            }
            "button" if nameless() => {
                self.error("4.1.2", "Buttons have a name.", "write text or aria-label", node)
            }
            "a" if element.attribute("href").is_some() && nameless() && !hidden => {
                self.error("2.4.4", "Links have a text.", "write text, or alt of the picture inside", node);
            }
            "iframe" if nameless() && !hidden => {
                self.error("4.1.2", "Frames have a title.", "add title", node)
            }
            _ => {}
        }
        let token = element.attribute("autocomplete").unwrap_or_default().to_ascii_lowercase();
        if !token.is_empty() && !token.split_whitespace().all(is_autocomplete) {
            self.error("1.3.5", "autocomplete has known values.", "use a value of the HTML standard", node);
        }
    }

    fn markup(&mut self, node: usize, element: &WebNode, heading: &mut u32) {
        let parent = element.parent.map_or("", |it| self.tree.nodes[it].tag());
        match element.tag() {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = element.tag()[1..].parse().unwrap_or(1);
                if accessible_name(self.tree, node).is_empty() {
                    self.error("1.3.1", "Headings have a text.", "write it, or remove the heading", node);
                }
                if level > *heading + 1 {
                    self.add(
                        "2.4.6",
                        Severity::Note,
                        "Headings do not skip levels.",
                        "number headings by their depth",
                        node,
                    );
                }
                *heading = level;
            }
            "li" if !matches!(parent, "ul" | "ol" | "menu") => {
                self.error("1.3.1", "List items are in lists.", "put li into ul or ol", node);
            }
            "dt" | "dd" if !matches!(parent, "dl" | "div") => {
                self.error("1.3.1", "Terms are in description lists.", "put dt and dd into dl", node);
            }
            "marquee" | "blink" => {
                self.error("2.2.2", "Nothing moves without an end.", "remove the element", node)
            }
            "meta" => self.meta(node, element),
            _ => {}
        }
        let language = element.attribute("lang").filter(|_| element.tag() != "html");
        if language.is_some_and(|it| !is_language(it)) {
            self.error(
                "3.1.2",
                "Languages of parts are valid tags.",
                "write a tag such as en or pt-BR",
                node,
            );
        }
        if element.attribute("tabindex").and_then(|it| it.trim().parse::<i64>().ok()).is_some_and(|it| it > 0)
        {
            self.add(
                "2.4.3",
                Severity::Warning,
                "The focus follows the order of the page.",
                "use tabindex 0 or none",
                node,
            );
        }
    }

    fn meta(&mut self, node: usize, element: &WebNode) {
        let content = element.attribute("content").unwrap_or_default().to_ascii_lowercase().replace(' ', "");
        let is =
            |key: &str, value: &str| element.attribute(key).is_some_and(|it| it.eq_ignore_ascii_case(value));
        let scale = content.split(',').find_map(|it| it.strip_prefix("maximum-scale=")?.parse::<f64>().ok());
        let fixed = content.contains("user-scalable=no")
            || content.contains("user-scalable=0")
            || scale.is_some_and(|it| it < 2.0);
        if is("name", "viewport") && fixed {
            self.error("1.4.4", "Text can be enlarged to 200 %.", "allow zooming in the viewport", node);
        }
        let seconds = content.split([';', ',']).next().and_then(|it| it.parse::<f64>().ok());
        if is("http-equiv", "refresh") && seconds.is_some_and(|it| it > 0.0 && it < 72_000.0) {
            self.error("2.2.1", "A page does not reload by itself.", "remove the refresh", node);
        }
    }

    fn aria(&mut self, node: usize, element: &WebNode, ids: &BTreeMap<String, usize>) {
        let role = element.attribute("role").filter(|it| !it.trim().is_empty());
        if role.is_some_and(|it| !it.split_whitespace().any(is_role)) {
            self.error("4.1.2", "Roles are those of WAI-ARIA.", "use a known role", node);
        }
        let unknown =
            element.attributes().any(|(name, _)| name.strip_prefix("aria-").is_some_and(|it| !is_aria(it)));
        if unknown {
            self.error(
                "4.1.2",
                "Attributes are those of WAI-ARIA.",
                "correct the name of the attribute",
                node,
            );
        }
        let focusable = matches!(element.tag(), "a" | "button" | "input" | "select" | "textarea")
            && element.attribute("tabindex") != Some("-1");
        let inside_hidden = element.attribute("aria-hidden") == Some("true");
        if focusable && inside_hidden && element.attribute("disabled").is_none() {
            self.error("4.1.2", "What can be focused is not hidden.", "remove aria-hidden", node);
        }
        for key in ["aria-labelledby", "aria-describedby", "for"] {
            let Some(targets) = element.attribute(key).filter(|_| key != "for" || element.tag() == "label")
            else {
                continue;
            };
            for id in targets.split_whitespace() {
                if by_id(self.tree, id).is_none() {
                    self.error("1.3.1", "References lead to an element.", "correct the id", node);
                } else if ids.get(id).is_some_and(|count| *count > 1) {
                    self.error(
                        "4.1.2",
                        "Ids that are referred to are unique.",
                        "give each element its own id",
                        node,
                    );
                }
            }
        }
    }

    fn ids(&self) -> BTreeMap<String, usize> {
        let mut ids = BTreeMap::new();
        for id in self.tree.elements().filter_map(|(_, it)| it.attribute("id")) {
            *ids.entry(id.to_owned()).or_insert(0) += 1;
        }
        ids
    }

    fn contrasts(&mut self) {
        let sheet = StyleSheet::of(self.tree);
        for faint in contrast::faint(self.tree, &sheet) {
            let element = &self.tree.nodes[faint.node];
            let hex = |it: [u8; 3]| format!("#{:02x}{:02x}{:02x}", it[0], it[1], it[2]);
            let evidence = format!(
                "{:.2} of {}: {} on {} in {}",
                faint.ratio,
                faint.wanted,
                hex(faint.text),
                hex(faint.ground),
                shown(element)
            );
            let finding = Finding::new(
                "wcag 1.4.3",
                Severity::Error,
                "Text has a contrast of 4.5, large text of 3.",
                "darken the text or lighten its ground",
            );
            self.found.add(finding.at(Spot::line(element.line)).evidence(evidence));
        }
    }
}

/// The start tag of an element, shortened.
fn shown(element: &WebNode) -> String {
    let mut text = format!("<{}", element.tag());
    for (name, value) in element.attributes().take(4) {
        let value: String = value.chars().take(40).collect();
        text.push_str(&format!(" {name}=\"{value}\""));
    }
    text + ">"
}

fn is_language(language: &str) -> bool {
    let mut parts = language.trim().split('-');
    let first = parts.next().unwrap_or_default();
    (2..=8).contains(&first.len())
        && first.bytes().all(|it| it.is_ascii_alphabetic())
        && parts.all(|it| (1..=8).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_alphanumeric()))
}

fn is_autocomplete(token: &str) -> bool {
    const TOKENS: &str = "on off name honorific-prefix given-name additional-name family-name honorific-suffix nickname email username new-password current-password one-time-code organization-title organization street-address address-line1 address-line2 address-line3 address-level4 address-level3 address-level2 address-level1 country country-name postal-code cc-name cc-given-name cc-additional-name cc-family-name cc-number cc-exp cc-exp-month cc-exp-year cc-csc cc-type transaction-currency transaction-amount language bday bday-day bday-month bday-year sex tel tel-country-code tel-national tel-area-code tel-local tel-extension impp url photo shipping billing home work mobile fax pager webauthn";
    token.starts_with("section-") || TOKENS.split(' ').any(|it| it == token)
}

fn is_role(role: &str) -> bool {
    const ROLES: &str = "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading img image insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem";
    role.starts_with("doc-") || role.starts_with("graphics-") || ROLES.split(' ').any(|it| it == role)
}

fn is_aria(name: &str) -> bool {
    const NAMES: &str = "activedescendant atomic autocomplete braillelabel brailleroledescription busy checked colcount colindex colindextext colspan controls current describedby description details disabled dropeffect errormessage expanded flowto grabbed haspopup hidden invalid keyshortcuts label labelledby level live modal multiline multiselectable orientation owns placeholder posinset pressed readonly relevant required roledescription rowcount rowindex rowindextext rowspan selected setsize sort valuemax valuemin valuenow valuetext";
    NAMES.split(' ').any(|it| it == name)
}
