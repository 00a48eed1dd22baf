//! The policy templates: one table of names and meanings, from which lists, texts and schemas are made.

macro_rules! templates {
    ($least:ident = $least_name:literal: $least_meaning:literal, $($template:ident = $name:literal: $meaning:literal,)+) => {
        /// A level of care. A later one is stricter, and has all gates of the earlier ones.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub enum PolicyTemplate {
            #[default]
            #[doc = $least_meaning]
            $least,
            $(#[doc = $meaning] $template,)+
        }

        impl PolicyTemplate {
            /// All templates, from the least strict to the strictest.
            pub const ALL: [PolicyTemplate; Self::NAMES.len()] = [Self::$least, $(Self::$template),+];
            /// Their names in the same order.
            pub const NAMES: [&'static str; Self::MEANINGS.len()] = [$least_name, $($name),+];
            /// Names with meanings, in the same order.
            pub const MEANINGS: &'static [(&'static str, &'static str)] =
                &[($least_name, $least_meaning), $(($name, $meaning)),+];
            /// The names in one line, as the hint after an unknown one has them.
            pub const LISTED: &'static str = concat!("one of: ", $least_name, $(", ", $name),+);
        }
    };
}

templates! {
    Exploratory = "exploratory": "no gates of its own",
    Standard = "standard": "asks about promotions and external writes",
    Regulated = "regulated": "also asks about schema changes and decisions on claims",
    AuditCritical = "audit_critical": "asks about every write and every external action",
}

impl PolicyTemplate {
    pub const fn as_str(self) -> &'static str {
        Self::MEANINGS[self as usize].0
    }

    /// Its meaning, for people.
    pub const fn meaning(self) -> &'static str {
        Self::MEANINGS[self as usize].1
    }

    pub fn parse(name: &str) -> Option<PolicyTemplate> {
        Self::ALL.into_iter().find(|template| template.as_str() == name)
    }

    /// True if effects that only the server claims are believed.
    pub fn believes_hints(self) -> bool {
        self < PolicyTemplate::Regulated
    }

    /// The result where two scopes meet: strictness never relaxes.
    #[must_use]
    pub fn strictest(a: PolicyTemplate, b: PolicyTemplate) -> PolicyTemplate {
        a.max(b)
    }
}

impl std::fmt::Display for PolicyTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for PolicyTemplate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> serde::Deserialize<'de> for PolicyTemplate {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&name).ok_or_else(|| serde::de::Error::unknown_variant(&name, &Self::NAMES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stricter_of_two_levels_holds_whichever_comes_first() {
        for (place, a) in PolicyTemplate::ALL.into_iter().enumerate() {
            for b in PolicyTemplate::ALL.into_iter().skip(place) {
                assert_eq!(PolicyTemplate::strictest(a, b), b);
                assert_eq!(PolicyTemplate::strictest(b, a), b);
            }
        }
    }

    #[test]
    fn a_template_is_written_and_read_by_its_name() {
        for (template, name) in PolicyTemplate::ALL.into_iter().zip(PolicyTemplate::NAMES) {
            assert_eq!((template.as_str(), PolicyTemplate::parse(name)), (name, Some(template)));
            let written = serde_json::to_string(&template).unwrap();
            assert_eq!(written, format!("\"{name}\""));
            assert_eq!(serde_json::from_str::<PolicyTemplate>(&written).unwrap(), template);
            assert!(PolicyTemplate::LISTED.contains(name));
        }
        assert_eq!(PolicyTemplate::parse("lax"), None);
        let refused = serde_json::from_str::<PolicyTemplate>("\"lax\"").unwrap_err().to_string();
        assert!(refused.contains("lax") && refused.contains(PolicyTemplate::NAMES[0]), "{refused}");
    }
}
