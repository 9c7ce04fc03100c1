//! `.xml` files of materials, triggers, textures and models, as text that keeps its spelling.

use super::texts::text;
use anyrig_bytes::codec::{Codec, Record, list};
use anyrig_bytes::{Context, Error, Place, Result, Rope};

/// An XML file: tokens whose spellings, strung together, are the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct XmlFile {
    /// The tokens in file order.
    pub tokens: Vec<Token>,
}

/// What an XML file of the engines is about, by its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum XmlKind {
    /// A material.
    Material,
    /// Triggers and metadata beside an animation.
    Animation,
    /// Sampling of the texture beside it.
    Texture,
    /// Metadata beside a model.
    Model,
}

impl XmlKind {
    const ALL: [Self; 4] = [Self::Material, Self::Animation, Self::Texture, Self::Model];

    fn of_root(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.root() == name)
    }

    /// The name of the root.
    pub fn root(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::Animation => "animation",
            Self::Texture => "texture",
            Self::Model => "model",
        }
    }

    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Material => "Urho material XML",
            Self::Animation => "Urho animation XML",
            Self::Texture => "Urho texture XML",
            Self::Model => "Urho model XML",
        }
    }
}

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// Text, comments, declarations: anything between tags, as it is spelled.
    Other(String),
    /// `<name …>` or `<name …/>`.
    Open(Tag),
    /// `</name>`, as it is spelled.
    Close(String),
}

/// An opening tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tag {
    /// Name.
    pub name: String,
    /// Attributes in order.
    pub attributes: Vec<Attribute>,
    /// Blanks and `>` or `/>`.
    pub end: String,
}

impl Default for Token {
    fn default() -> Self {
        Self::Other(String::new())
    }
}

/// An attribute as it is spelled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribute {
    /// Blanks before the name.
    pub gap: String,
    /// Name.
    pub name: String,
    /// The equals sign with the blanks around it.
    pub equals: String,
    /// `"` or `'`.
    pub quote: String,
    /// The value between the quotes, entities unresolved.
    pub raw: String,
}

impl Tag {
    /// A tag without content, in the engine's spelling.
    pub fn empty(name: &str) -> Self {
        Self { name: name.to_owned(), attributes: Vec::new(), end: "/>".to_owned() }
    }

    /// The same tag with one more attribute.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.set(name, value);
        self
    }

    /// True when the tag has no content.
    pub fn is_empty(&self) -> bool {
        self.end.ends_with("/>")
    }

    /// An attribute's value with entities resolved.
    pub fn get(&self, name: &str) -> Option<String> {
        self.attributes.iter().find(|a| a.name == name).map(|a| unescape(&a.raw))
    }

    /// Sets an attribute; the others keep their spelling.
    pub fn set(&mut self, name: &str, value: &str) {
        let raw = escape(value);
        match self.attributes.iter_mut().find(|a| a.name == name) {
            Some(attribute) => attribute.raw = raw,
            None => self.attributes.push(Attribute {
                gap: " ".to_owned(),
                name: name.to_owned(),
                equals: "=".to_owned(),
                quote: "\"".to_owned(),
                raw,
            }),
        }
    }
}

/// How far into a file its root is looked for.
const HEAD_BYTES: usize = 4096;

impl XmlFile {
    /// What the file is about, when it begins as XML with a root that the engines know.
    pub fn kind_of(bytes: &[u8]) -> Option<XmlKind> {
        let head = &bytes[..bytes.len().min(HEAD_BYTES)];
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
        if !text.starts_with(b"<") {
            return None;
        }
        // A head may end within a character.
        let text = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let mut scanner = Scanner { text, at: 0 };
        loop {
            let start = scanner.at;
            match scanner.token() {
                Ok(Some(Token::Open(tag))) => return XmlKind::of_root(&tag.name),
                Ok(Some(_)) => {}
                Ok(None) => return None,
                // The root's own tag may be cut or broken.
                Err(_) => {
                    let name = scanner.text.get(start..)?.strip_prefix('<')?;
                    return XmlKind::of_root(name.split(is_no_name).next()?);
                }
            }
        }
    }

    /// What the file is about.
    pub fn kind(&self) -> Option<XmlKind> {
        let root = self.tokens.iter().find_map(|token| match token {
            Token::Open(tag) => Some(tag),
            _ => None,
        })?;
        XmlKind::of_root(&root.name)
    }

    /// Takes the text apart.
    ///
    /// # Errors
    /// Malformed with line and column; limits.
    pub fn read(bytes: &[u8], context: &Context) -> Result<Self> {
        book(bytes, context)?;
        let text = std::str::from_utf8(bytes).map_err(|e| {
            let place = Place::byte(e.valid_up_to() as u64);
            Error::malformed(place, "the file is not UTF-8; save it in that encoding")
        })?;
        let mut scanner = Scanner { text, at: 0 };
        let mut tokens = Vec::new();
        while let Some(token) = scanner.token()? {
            tokens.push(token);
        }
        Ok(Self { tokens })
    }

    /// The text; equal to what was read when nothing was changed.
    pub fn write(&self) -> Rope {
        let mut text = String::new();
        for token in &self.tokens {
            match token {
                Token::Other(spelling) | Token::Close(spelling) => text.push_str(spelling),
                Token::Open(tag) => write_tag(&mut text, tag),
            }
        }
        text.into_bytes().into()
    }

    /// A file in the engine's own spelling: a root, and one line per element in it.
    pub fn new(kind: XmlKind, elements: impl IntoIterator<Item = Tag>) -> Self {
        let root = kind.root();
        let mut tokens = vec![Token::Other("<?xml version=\"1.0\"?>\n".to_owned())];
        tokens.push(Token::Open(Tag { end: ">".to_owned(), ..Tag::empty(root) }));
        for tag in elements {
            tokens.push(Token::Other("\n\t".to_owned()));
            tokens.push(Token::Open(tag));
        }
        tokens.push(Token::Other("\n".to_owned()));
        tokens.push(Token::Close(format!("</{root}>")));
        tokens.push(Token::Other("\n".to_owned()));
        Self { tokens }
    }

    /// The elements that lie directly in the root.
    pub fn elements(&self) -> impl Iterator<Item = &Tag> {
        let mut depth = 0usize;
        self.tokens.iter().filter_map(move |token| match token {
            Token::Open(tag) => {
                let found = (depth == 1).then_some(tag);
                depth += usize::from(!tag.is_empty());
                found
            }
            Token::Close(_) => {
                depth = depth.saturating_sub(1);
                None
            }
            Token::Other(_) => None,
        })
    }

    /// All opening tags for writing, at any depth.
    pub fn tags_mut(&mut self) -> impl Iterator<Item = &mut Tag> {
        self.tokens.iter_mut().filter_map(|token| match token {
            Token::Open(tag) => Some(tag),
            _ => None,
        })
    }
}

fn write_tag(text: &mut String, tag: &Tag) {
    text.push('<');
    text.push_str(&tag.name);
    for a in &tag.attributes {
        text.push_str(&a.gap);
        text.push_str(&a.name);
        text.push_str(&a.equals);
        text.push_str(&a.quote);
        text.push_str(&a.raw);
        text.push_str(&a.quote);
    }
    text.push_str(&tag.end);
}

/// Names and values of the tokens: what dumps, edits and differences are made over. The bytes are the text itself.
impl Record for XmlFile {
    fn walk<C: Codec>(&mut self, codec: &mut C) -> Result<()> {
        list(codec, "tokens", 1, &mut self.tokens, token)
    }
}

/// What is not an opening tag has no name.
fn token<C: Codec>(codec: &mut C, token: &mut Token) -> Result<()> {
    let mut tag = match token {
        Token::Open(tag) => std::mem::take(tag),
        Token::Other(_) | Token::Close(_) => Tag::default(),
    };
    text(codec, "name", &mut tag.name)?;
    if tag.name.is_empty() {
        let mut spelling = match token {
            Token::Other(spelling) | Token::Close(spelling) => std::mem::take(spelling),
            Token::Open(_) => String::new(),
        };
        text(codec, "text", &mut spelling)?;
        let closes = spelling.starts_with("</");
        *token = if closes { Token::Close(spelling) } else { Token::Other(spelling) };
        return Ok(());
    }
    list(codec, "attributes", 5, &mut tag.attributes, |c, a| {
        text(c, "gap", &mut a.gap)?;
        text(c, "name", &mut a.name)?;
        text(c, "equals", &mut a.equals)?;
        text(c, "quote", &mut a.quote)?;
        text(c, "value", &mut a.raw)
    })?;
    text(codec, "end", &mut tag.end)?;
    *token = Token::Open(tag);
    Ok(())
}

/// What an allocator needs for a text however short it is.
const TEXT_OVERHEAD: u64 = 16;

/// Books what the tokens of a text need, which is many times the text where tags are short.
fn book(bytes: &[u8], context: &Context) -> Result<()> {
    let count = |wanted: u8| bytes.iter().filter(|b| **b == wanted).count() as u64;
    // What lies between two tags is a token, too.
    let (tokens, attributes) = (2 * count(b'<') + 1, count(b'='));
    context.take_elements(tokens.saturating_add(attributes), Place::whole)?;
    // A list of attributes has room for four when there is one.
    let lists = attributes.saturating_mul(4 * size_of::<Attribute>() as u64);
    // Names, ends, gaps and quotes are texts of their own, however short.
    let texts = tokens.saturating_mul(2).saturating_add(attributes.saturating_mul(5)).saturating_mul(TEXT_OVERHEAD);
    let bytes = (tokens * size_of::<Token>() as u64).saturating_add(lists).saturating_add(bytes.len() as u64);
    let bytes = bytes.saturating_add(texts);
    context.take_memory(bytes, Place::whole)
}

/// What ends a name.
fn is_no_name(c: char) -> bool {
    c.is_whitespace() || "<>/=\"'".contains(c)
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn token(&mut self) -> Result<Option<Token>> {
        let rest = self.rest();
        if rest.is_empty() {
            return Ok(None);
        }
        if !rest.starts_with('<') {
            let len = rest.find('<').unwrap_or(rest.len());
            return Ok(Some(Token::Other(self.take(len).to_owned())));
        }
        for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")] {
            if rest.starts_with(start) {
                return Ok(Some(Token::Other(self.take_through(start.len(), end)?)));
            }
        }
        if rest.starts_with("</") {
            return Ok(Some(Token::Close(self.take_through(2, ">")?)));
        }
        self.tag().map(|tag| Some(Token::Open(tag)))
    }

    fn take(&mut self, len: usize) -> &'a str {
        let taken = self.rest().get(..len).unwrap_or_default();
        self.at += taken.len();
        taken
    }

    fn take_through(&mut self, skip: usize, end: &str) -> Result<String> {
        let found = self.rest().get(skip..).and_then(|r| r.find(end));
        match found {
            Some(len) => Ok(self.take(skip + len + end.len()).to_owned()),
            None => Err(self.error(&format!("no {end} follows"))),
        }
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let len = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.take(len).to_owned()
    }

    fn name(&mut self) -> Result<String> {
        let name = self.take_while(|c| !is_no_name(c));
        if name.is_empty() { Err(self.error("a name is expected here")) } else { Ok(name) }
    }

    fn tag(&mut self) -> Result<Tag> {
        self.take(1);
        let mut tag = Tag { name: self.name()?, ..Tag::default() };
        loop {
            let gap = self.take_while(char::is_whitespace);
            for end in ["/>", ">"] {
                if self.rest().starts_with(end) {
                    tag.end = gap + self.take(end.len());
                    return Ok(tag);
                }
            }
            tag.attributes.push(self.attribute(gap)?);
        }
    }

    fn attribute(&mut self, gap: String) -> Result<Attribute> {
        let name = self.name()?;
        let equals = self.take_while(|c| c.is_whitespace() || c == '=');
        if equals.trim() != "=" {
            return Err(self.error("an attribute is written NAME=\"VALUE\""));
        }
        let quote = self.take(1).to_owned();
        if !["\"", "'"].contains(&quote.as_str()) {
            return Err(self.error("an attribute's value stands in quotes"));
        }
        let Some(len) = self.rest().find(&quote) else {
            return Err(self.error("the attribute's closing quote is missing"));
        };
        let raw = self.take(len).to_owned();
        self.take(1);
        Ok(Attribute { gap, name, equals, quote, raw })
    }

    fn error(&self, message: &str) -> Error {
        let before = self.text.get(..self.at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Error::malformed(Place::line_column(narrow(line), narrow(column)), message)
    }
}

/// The five entities of XML 1.0 (4.6); the quotes too, so that any quote may surround the value.
const ENTITIES: [(&str, char); 5] = [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\'')];

fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match ENTITIES.iter().find(|(_, plain)| *plain == c) {
            Some((name, _)) => escaped.push_str(&format!("&{name};")),
            // XML 1.0 allows no other control characters, not even escaped ones.
            None if c.is_control() && !"\t\n\r".contains(c) => escaped.push('_'),
            None if c.is_control() => escaped.push_str(&format!("&#{};", u32::from(c))),
            None => escaped.push(c),
        }
    }
    escaped
}

fn unescape(raw: &str) -> String {
    let mut text = String::new();
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        match rest[1..].split_once(';').and_then(|(name, after)| entity(name).map(|c| (c, after))) {
            Some((c, after)) => {
                text.push(c);
                rest = after;
            }
            None => {
                text.push('&');
                rest = &rest[1..];
            }
        }
    }
    text + rest
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix('x') {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => number.parse().ok(),
        };
        return code.and_then(char::from_u32);
    }
    ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, c)| *c)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPELLED: &str = "\u{feff}<?xml version='1.0'?>\r\n<!-- a > b -->\n<material >\r\n\
        \t<technique  name = 'Techniques/Diff.xml'/ >\n</material>";

    #[test]
    fn spelling_stays() {
        let text = SPELLED.replace("/ >", " />");
        let xml = XmlFile::read(text.as_bytes(), &Context::new()).expect("well formed");
        assert_eq!(xml.write().to_vec(), text.as_bytes());
        let names: Vec<_> = xml.elements().map(|t| t.get("name")).collect();
        assert_eq!(names, [Some("Techniques/Diff.xml".to_owned())]);
    }

    #[test]
    fn an_edit_changes_its_value_only() {
        let text = SPELLED.replace("/ >", " />");
        let mut xml = XmlFile::read(text.as_bytes(), &Context::new()).expect("well formed");
        let tag = xml.tags_mut().find(|t| t.name == "technique").expect("there is one");
        tag.set("name", "a'&<b");
        assert_eq!(tag.get("name").as_deref(), Some("a'&<b"));
        let wanted = text.replace("Techniques/Diff.xml", "a&apos;&amp;&lt;b");
        assert_eq!(String::from_utf8(xml.write().to_vec()).expect("UTF-8"), wanted);
    }

    #[test]
    fn faults_have_a_line_and_a_column() {
        for (text, place) in [
            (SPELLED, "line 4, column 42"),
            ("<material>\n<a b></a>", "line 2, column 5"),
            ("<material>\n<a b='", "line 2, column 7"),
            ("<!-- ", "line 1, column 1"),
        ] {
            let error = XmlFile::read(text.as_bytes(), &Context::new()).expect_err(text);
            assert_eq!(error.place().to_string(), place, "{text}: {error}");
        }
    }

    #[test]
    fn the_root_says_the_kind_however_long_its_tag_is() {
        let long = format!("<!-- a --><material {}/>", "a='1' ".repeat(2000));
        for text in [long.as_str(), "<material", "<material a=", "<?xml version=\"1.0\"?>\n<material/>", "<material>"] {
            assert_eq!(XmlFile::kind_of(text.as_bytes()), Some(XmlKind::Material), "{text}");
        }
        for text in ["<materials", "<mat", "<!-- <material>", "material", "<a><material/></a>", ""] {
            assert_eq!(XmlFile::kind_of(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn nested_elements_are_not_the_materials_own() {
        let xml = XmlFile::read(b"<material><a><b/></a><c x=\"&#65;&#x42;&no;&\"/></material>", &Context::new())
            .expect("well formed");
        let own: Vec<_> = xml.elements().map(|t| t.name.as_str()).collect();
        assert_eq!(own, ["a", "c"]);
        assert_eq!(xml.elements().nth(1).and_then(|t| t.get("x")).as_deref(), Some("AB&no;&"));
    }
}
