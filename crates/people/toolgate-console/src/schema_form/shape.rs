//! The shape of a schema, as far as a form can show it. It stays small for any schema: fields, depth and
//! followed references are limited, and the rest is written as JSON.

mod layers;

use serde_json::{Map, Value};

use layers::SchemaLayers;

/// Fields of one form.
const FIELDS_MAX: usize = 200;
/// Objects within objects.
const DEPTH_MAX: usize = 4;
/// Options of one choice; more of them are typed.
const CHOICES_MAX: usize = 200;
/// A text that may be longer gets more room.
const LINE_CHARS: u64 = 200;
/// Texts that are usually long.
const LONG_NAMES: [&str; 13] = [
    "body",
    "code",
    "comment",
    "content",
    "contents",
    "description",
    "html",
    "markdown",
    "message",
    "prompt",
    "query",
    "sql",
    "text",
];

/// A schema that was looked through.
pub(crate) struct FormShape {
    /// An object at the top, or JSON where it is something else.
    pub(crate) root: FormNode,
}

/// One value that the schema describes.
#[derive(Clone, Debug)]
pub(crate) struct FormNode {
    pub(crate) name: String,
    pub(crate) pointer: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    /// Its type in words.
    pub(crate) word: String,
    /// Its other conditions, in words.
    pub(crate) notes: Vec<String>,
    pub(crate) is_required: bool,
    /// Required, together with everything around it.
    pub(crate) is_certain: bool,
    pub(crate) is_nullable: bool,
    pub(crate) default: Option<Value>,
    pub(crate) example: Option<Value>,
    pub(crate) kind: ControlKind,
    /// The members of a list's objects: for readers; forms write such lists as JSON.
    pub(crate) held: Vec<FormNode>,
}

#[derive(Clone, Debug)]
pub(crate) enum ControlKind {
    Line,
    Paragraph,
    Number,
    Truth,
    Choice(Vec<Value>),
    /// Simple values, one on each line.
    Lines(ItemKind),
    /// Any of these, in their order.
    Choices(Vec<Value>),
    Group(NodeGroup),
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ItemKind {
    Text,
    Number,
}

#[derive(Clone, Debug)]
pub(crate) struct NodeGroup {
    pub(crate) nodes: Vec<FormNode>,
    /// True if members that the schema does not name are allowed.
    pub(crate) is_open: bool,
}

impl FormShape {
    pub(crate) fn of(schema: &Value) -> Self {
        let mut builder = ShapeBuilder { root: schema, left: FIELDS_MAX };
        let mut root = builder.node(NodePosition::root(), schema);
        // A tool with an empty schema still takes an object.
        if schema.as_object().is_some_and(Map::is_empty) {
            root.kind = ControlKind::Group(NodeGroup { nodes: Vec::new(), is_open: true });
        }
        if !matches!(root.kind, ControlKind::Group(_)) {
            root.kind = ControlKind::Json;
        }
        Self { root }
    }
}

/// The position of a value.
struct NodePosition {
    name: String,
    pointer: String,
    depth: usize,
    is_required: bool,
    is_certain: bool,
}

impl NodePosition {
    fn root() -> Self {
        Self { name: String::new(), pointer: String::new(), depth: 0, is_required: true, is_certain: true }
    }
}

struct ShapeBuilder<'a> {
    root: &'a Value,
    /// The number of remaining fields.
    left: usize,
}

impl<'a> ShapeBuilder<'a> {
    fn node(&mut self, place: NodePosition, schema: &'a Value) -> FormNode {
        let layers = SchemaLayers::of(self.root, schema);
        let kind = self.kind(&place, &layers);
        let held = self.held(&place, &layers, &kind);
        let text = |key| layers.text(key).map(str::to_owned);
        FormNode {
            title: text("title"),
            description: text("description"),
            word: layers.word(),
            notes: layers.notes(),
            is_required: place.is_required,
            is_certain: place.is_certain,
            is_nullable: layers.is_nullable,
            default: layers.get("default").cloned(),
            example: layers.get("examples").and_then(|all| all.get(0)).cloned(),
            name: place.name,
            pointer: place.pointer,
            kind,
            held,
        }
    }

    fn kind(&mut self, place: &NodePosition, layers: &SchemaLayers<'a>) -> ControlKind {
        if let Some(choices) = layers.choices() {
            return choice(choices);
        }
        match layers.type_word() {
            Some("string") => text_kind(&place.name, layers),
            Some("integer" | "number") => ControlKind::Number,
            Some("boolean") => ControlKind::Truth,
            Some("array") => self.list(layers),
            Some("object") => self.group(place, layers),
            _ => ControlKind::Json,
        }
    }

    fn group(&mut self, place: &NodePosition, layers: &SchemaLayers<'a>) -> ControlKind {
        let is_open = layers.is_open();
        let members = match layers.get("properties").and_then(Value::as_object) {
            Some(members) => members,
            // An undescribed object is written as JSON; at the top there is the field for the whole.
            None if place.depth > 0 => return ControlKind::Json,
            None => return ControlKind::Group(NodeGroup { nodes: Vec::new(), is_open }),
        };
        if place.depth >= DEPTH_MAX || members.len() > self.left {
            return ControlKind::Json;
        }
        self.left -= members.len();
        ControlKind::Group(NodeGroup { nodes: self.members(place, layers, members), is_open })
    }

    fn members(
        &mut self,
        place: &NodePosition,
        layers: &SchemaLayers<'a>,
        members: &'a Map<String, Value>,
    ) -> Vec<FormNode> {
        let required = layers.required();
        let mut nodes = Vec::with_capacity(members.len());
        for (name, schema) in members {
            let is_required = required.contains(&name.as_str());
            let place = NodePosition {
                pointer: format!("{}/{}", place.pointer, name.replace('~', "~0").replace('/', "~1")),
                name: name.clone(),
                depth: place.depth + 1,
                is_required,
                is_certain: place.is_certain && is_required,
            };
            nodes.push(self.node(place, schema));
        }
        nodes
    }

    fn list(&mut self, layers: &SchemaLayers<'a>) -> ControlKind {
        let Some(items) = layers.get("items").filter(|_| layers.get("prefixItems").is_none()) else {
            return ControlKind::Json;
        };
        let items = SchemaLayers::of(self.root, items);
        match (items.choices(), items.type_word()) {
            (Some(choices), _) if choices.len() <= CHOICES_MAX => ControlKind::Choices(choices),
            (None, Some("string")) => ControlKind::Lines(ItemKind::Text),
            (None, Some("integer" | "number")) => ControlKind::Lines(ItemKind::Number),
            _ => ControlKind::Json,
        }
    }

    /// The members of a list of objects, for readers.
    fn held(&mut self, place: &NodePosition, layers: &SchemaLayers<'a>, kind: &ControlKind) -> Vec<FormNode> {
        if !matches!(kind, ControlKind::Json)
            || layers.type_word() != Some("array")
            || place.depth >= DEPTH_MAX
        {
            return Vec::new();
        }
        let Some(items) = layers.get("items") else { return Vec::new() };
        let items = SchemaLayers::of(self.root, items);
        let within = NodePosition {
            name: String::new(),
            pointer: format!("{}/-", place.pointer),
            depth: place.depth + 1,
            is_required: true,
            is_certain: false,
        };
        match items.get("properties").and_then(Value::as_object) {
            Some(members) if members.len() <= self.left => {
                self.left -= members.len();
                self.members(&within, &items, members)
            }
            _ => Vec::new(),
        }
    }
}

fn choice(choices: Vec<Value>) -> ControlKind {
    if choices.len() <= CHOICES_MAX {
        return ControlKind::Choice(choices);
    }
    if choices.iter().all(Value::is_string) { ControlKind::Line } else { ControlKind::Json }
}

fn text_kind(name: &str, layers: &SchemaLayers<'_>) -> ControlKind {
    let longest = layers.get("maxLength").and_then(Value::as_u64);
    let is_formatted = layers.get("format").is_some() || layers.get("pattern").is_some();
    let is_long = match longest {
        Some(longest) => longest > LINE_CHARS,
        None => !is_formatted && LONG_NAMES.contains(&name.to_ascii_lowercase().as_str()),
    };
    if is_long || layers.get("contentMediaType").is_some() {
        ControlKind::Paragraph
    } else {
        ControlKind::Line
    }
}
