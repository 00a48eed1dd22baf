//! Keys by their names, with modifiers, on a keyboard of the United States.

use std::str::FromStr;

use capability_kit::Trouble;

/// Chromium's bits.
const ALT: u8 = 1;
const CONTROL: u8 = 2;
const META: u8 = 4;
const SHIFT: u8 = 8;

/// Name in lower case, key, code, number.
const NAMED: [(&str, &str, &str, u32); 34] = [
    ("enter", "Enter", "Enter", 13),
    ("return", "Enter", "Enter", 13),
    ("tab", "Tab", "Tab", 9),
    ("escape", "Escape", "Escape", 27),
    ("esc", "Escape", "Escape", 27),
    ("backspace", "Backspace", "Backspace", 8),
    ("delete", "Delete", "Delete", 46),
    ("del", "Delete", "Delete", 46),
    ("insert", "Insert", "Insert", 45),
    ("home", "Home", "Home", 36),
    ("end", "End", "End", 35),
    ("pageup", "PageUp", "PageUp", 33),
    ("pagedown", "PageDown", "PageDown", 34),
    ("arrowleft", "ArrowLeft", "ArrowLeft", 37),
    ("left", "ArrowLeft", "ArrowLeft", 37),
    ("arrowup", "ArrowUp", "ArrowUp", 38),
    ("up", "ArrowUp", "ArrowUp", 38),
    ("arrowright", "ArrowRight", "ArrowRight", 39),
    ("right", "ArrowRight", "ArrowRight", 39),
    ("arrowdown", "ArrowDown", "ArrowDown", 40),
    ("down", "ArrowDown", "ArrowDown", 40),
    ("space", " ", "Space", 32),
    ("f1", "F1", "F1", 112),
    ("f2", "F2", "F2", 113),
    ("f3", "F3", "F3", 114),
    ("f4", "F4", "F4", 115),
    ("f5", "F5", "F5", 116),
    ("f6", "F6", "F6", 117),
    ("f7", "F7", "F7", 118),
    ("f8", "F8", "F8", 119),
    ("f9", "F9", "F9", 120),
    ("f10", "F10", "F10", 121),
    ("f11", "F11", "F11", 122),
    ("f12", "F12", "F12", 123),
];

/// Bit, key, code, number.
const MODIFIERS: [(u8, &str, &str, u32); 4] = [
    (CONTROL, "Control", "ControlLeft", 17),
    (ALT, "Alt", "AltLeft", 18),
    (META, "Meta", "MetaLeft", 91),
    (SHIFT, "Shift", "ShiftLeft", 16),
];

/// `Enter`, `a`, `Control+A`, `Shift+Tab`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyChord {
    modifiers: u8,
    key: PressedKey,
}

/// One key as Chromium wants it described.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PressedKey {
    pub(crate) key: String,
    pub(crate) code: String,
    pub(crate) number: u32,
    /// Empty for a key that types nothing.
    pub(crate) text: String,
}

/// One step of pressing a chord.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct KeyStep {
    pub(crate) kind: &'static str,
    pub(crate) modifiers: u8,
    pub(crate) key: PressedKey,
}

impl KeyChord {
    /// Modifiers down, the key down and up, modifiers up.
    pub(crate) fn steps(&self) -> Vec<KeyStep> {
        let held: Vec<&(u8, &str, &str, u32)> =
            MODIFIERS.iter().filter(|(bit, ..)| self.modifiers & bit != 0).collect();
        let of = |(_, key, code, number): &(u8, &str, &str, u32)| PressedKey {
            key: (*key).to_owned(),
            code: (*code).to_owned(),
            number: *number,
            text: String::new(),
        };
        let mut steps = Vec::new();
        let mut down = 0;
        for modifier in &held {
            down |= modifier.0;
            steps.push(KeyStep { kind: "rawKeyDown", modifiers: down, key: of(modifier) });
        }
        let kind = if self.key.text.is_empty() { "rawKeyDown" } else { "keyDown" };
        steps.push(KeyStep { kind, modifiers: down, key: self.key.clone() });
        steps.push(KeyStep { kind: "keyUp", modifiers: down, key: self.key.clone() });
        for modifier in held.iter().rev() {
            down &= !modifier.0;
            steps.push(KeyStep { kind: "keyUp", modifiers: down, key: of(modifier) });
        }
        steps
    }
}

impl FromStr for KeyChord {
    type Err = Trouble;

    fn from_str(text: &str) -> Result<Self, Trouble> {
        let refused = || {
            Trouble::bad_arguments(format!("{text:?} is not a key"))
                .hint("write a key such as Enter, Tab, Escape, ArrowDown or a, after modifiers such as Control+ or Shift+")
        };
        let (before, name) = match text.strip_suffix("++") {
            Some(before) => (before, "+"),
            None => text.rsplit_once('+').filter(|(_, name)| !name.is_empty()).unwrap_or(("", text)),
        };
        let mut modifiers = 0;
        for word in before.split('+').filter(|word| !word.is_empty()) {
            modifiers |= modifier(word).ok_or_else(refused)?;
        }
        let key = key(name, modifiers).ok_or_else(refused)?;
        Ok(Self { modifiers, key })
    }
}

fn modifier(word: &str) -> Option<u8> {
    match word.to_ascii_lowercase().as_str() {
        "control" | "ctrl" | "controlormeta" => Some(CONTROL),
        "alt" | "option" => Some(ALT),
        "meta" | "cmd" | "command" | "super" => Some(META),
        "shift" => Some(SHIFT),
        _ => None,
    }
}

fn key(name: &str, modifiers: u8) -> Option<PressedKey> {
    let types = modifiers & (CONTROL | ALT | META) == 0;
    let mut signs = name.chars();
    if let (Some(sign), None) = (signs.next(), signs.next()) {
        return (!sign.is_control()).then(|| of_sign(sign, modifiers, types));
    }
    let lower = name.to_ascii_lowercase();
    if let Some((_, key, code, number)) = NAMED.iter().find(|(named, ..)| *named == lower) {
        let text = match *key {
            "Enter" if types => "\r",
            " " if types => " ",
            _ => "",
        };
        return Some(PressedKey {
            key: (*key).to_owned(),
            code: (*code).to_owned(),
            number: *number,
            text: text.to_owned(),
        });
    }
    let (_, key, code, number) = MODIFIERS.iter().find(|(_, key, ..)| key.eq_ignore_ascii_case(name))?;
    Some(PressedKey {
        key: (*key).to_owned(),
        code: (*code).to_owned(),
        number: *number,
        text: String::new(),
    })
}

fn of_sign(sign: char, modifiers: u8, types: bool) -> PressedKey {
    let typed = if modifiers & SHIFT != 0 { sign.to_ascii_uppercase() } else { sign };
    // `Control+A` means the key A, not a capital letter.
    let typed = if types || modifiers & SHIFT != 0 { typed } else { typed.to_ascii_lowercase() };
    let upper = sign.to_ascii_uppercase();
    let (code, number) = match upper {
        'A'..='Z' => (format!("Key{upper}"), u32::from(upper)),
        '0'..='9' => (format!("Digit{upper}"), u32::from(upper)),
        ' ' => ("Space".to_owned(), 32),
        _ => (String::new(), 0),
    };
    let text = if types { typed.to_string() } else { String::new() };
    PressedKey { key: typed.to_string(), code, number, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chord(text: &str) -> KeyChord {
        text.parse().unwrap()
    }

    #[test]
    fn keys_have_names_signs_and_modifiers() {
        assert_eq!(chord("Enter").key.text, "\r");
        assert_eq!(chord("esc").key.key, "Escape");
        assert_eq!((chord("a").key.text.as_str(), chord("A").key.text.as_str()), ("a", "A"));
        assert_eq!(chord("Shift+a").key.text, "A");
        assert_eq!(chord("+").key.key, "+");
        assert_eq!(chord("ü").key.text, "ü");
        let all = chord("Control+A");
        assert_eq!((all.modifiers, all.key.key.as_str(), all.key.text.as_str()), (CONTROL, "a", ""));
        assert_eq!(chord("Control++").key.key, "+");
        assert_eq!(chord("Shift").key.code, "ShiftLeft");
        for text in ["", "Hyper+a", "NoSuchKey", "\u{7}"] {
            assert!(text.parse::<KeyChord>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn modifiers_are_held_while_the_key_is_pressed() {
        let steps = chord("Control+Shift+Tab").steps();
        let words: Vec<(&str, &str, u8)> =
            steps.iter().map(|step| (step.kind, step.key.key.as_str(), step.modifiers)).collect();
        assert_eq!(
            words,
            [
                ("rawKeyDown", "Control", CONTROL),
                ("rawKeyDown", "Shift", CONTROL | SHIFT),
                ("rawKeyDown", "Tab", CONTROL | SHIFT),
                ("keyUp", "Tab", CONTROL | SHIFT),
                ("keyUp", "Shift", CONTROL),
                ("keyUp", "Control", 0),
            ]
        );
    }
}
