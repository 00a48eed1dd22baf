//! A page as a snapshot shows it: a line for each element.

/// An element that can be acted on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SeenElement<'a> {
    pub(super) role: &'a str,
    pub(super) name: &'a str,
    pub(super) reference: &'a str,
}

pub(super) struct SeenPage<'a> {
    text: &'a str,
    elements: Vec<SeenElement<'a>>,
}

impl<'a> SeenPage<'a> {
    pub(super) fn read(text: &'a str) -> Self {
        Self { text, elements: text.lines().filter_map(element).collect() }
    }

    pub(super) fn says(&self, words: &str) -> bool {
        self.text.contains(words)
    }

    pub(super) fn find(&self, role: &str, name: &str) -> Option<&'a str> {
        let found = self.elements.iter().find(|one| one.role == role && one.name == name);
        found.map(|one| one.reference)
    }

    pub(super) fn elements(&self) -> &[SeenElement<'a>] {
        &self.elements
    }
}

/// The address in the first line of a page. A snapshot whose address the agent knows has a title alone, in quotes.
pub(super) fn address(answer: &str) -> Option<&str> {
    let head = answer.lines().find(|line| line.starts_with("Page: "))?;
    head.strip_suffix(')')?.rsplit_once(" (").map(|(_, address)| address)
}

/// `textbox "Full name" e3 = "Ada"`
fn element(line: &str) -> Option<SeenElement<'_>> {
    let (role, rest) = line.trim_start().split_once(' ')?;
    let (name, rest) = rest.strip_prefix('"')?.split_once("\" ")?;
    let reference = rest.split(' ').next().filter(|word| is_reference(word))?;
    Some(SeenElement { role, name, reference })
}

/// `e3`, or `f1e3` in a frame.
fn is_reference(word: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts = word.split_once('e');
    parts.is_some_and(|(frame, number)| {
        is_number(number) && (frame.is_empty() || frame.strip_prefix('f').is_some_and(is_number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "Page: Apply (http://127.0.0.1:1/jobs/form/1)\nheading 1 \"Welder\"\nform \"Application\"\n \
        textbox \"Full name\" e3 = \"Ada\" required\n file \"Resume\" f1e2\n button \"Submit application\" e7\n";

    #[test]
    fn elements_are_found_by_role_and_name() {
        let page = SeenPage::read(PAGE);
        assert_eq!(page.find("textbox", "Full name"), Some("e3"));
        assert_eq!(page.find("file", "Resume"), Some("f1e2"));
        assert_eq!(page.find("button", "Next"), None);
        assert_eq!(address(PAGE), Some("http://127.0.0.1:1/jobs/form/1"));
        assert_eq!(address("Page: \"Apply (http://127.0.0.1:2/)\"\nbutton \"Next\" e1"), None);
        assert!(page.says("Welder") && page.elements().len() == 3);
    }
}
