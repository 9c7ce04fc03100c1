//! Just enough of Rust's lexical grammar to tell code, comments and literals apart.

/// A source split by lines: what is code and what is comment. Literals are blank in both.
pub struct Lexed {
    pub lines: Vec<Line>,
}

/// One line of source.
#[derive(Debug, Default, Clone)]
pub struct Line {
    pub code: String,
    pub comment: String,
    /// The line belongs to an item under `#[cfg(test)]`.
    pub in_test: bool,
}

/// Splits `source`.
pub fn lex(source: &str) -> Lexed {
    let mut lexer = Lexer { rest: source, lines: vec![Line::default()] };
    while !lexer.rest.is_empty() {
        lexer.step();
    }
    let mut lines = lexer.lines;
    mark_tests(&mut lines);
    Lexed { lines }
}

#[derive(Clone, Copy)]
enum Part {
    Code,
    Comment,
    Literal,
}

struct Lexer<'a> {
    rest: &'a str,
    lines: Vec<Line>,
}

impl Lexer<'_> {
    fn step(&mut self) {
        let rest = self.rest;
        if rest.starts_with("//") {
            self.take(rest.find('\n').unwrap_or(rest.len()), Part::Comment);
        } else if rest.starts_with("/*") {
            self.take(block_comment(rest), Part::Comment);
        } else if let Some(body) = rest.strip_prefix('"') {
            self.take(1 + quoted(body, '"'), Part::Literal);
        } else if rest.starts_with('\'') {
            self.take(character(rest), Part::Literal);
        } else if let Some(length) = raw_string(rest) {
            self.take(length, Part::Literal);
        } else {
            self.take(word(rest), Part::Code);
        }
    }

    fn take(&mut self, length: usize, part: Part) {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        for (index, piece) in taken.split('\n').enumerate() {
            if index > 0 {
                self.lines.push(Line::default());
            }
            let Some(line) = self.lines.last_mut() else { continue };
            match part {
                Part::Code => line.code.push_str(piece),
                Part::Comment => line.comment.push_str(piece),
                // One blank keeps the neighbours apart.
                Part::Literal => line.code.push(' '),
            }
        }
    }
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        let step = &text.as_bytes()[at..];
        if step.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if step.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// Length up to and with the closing quote.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A character literal, or the lone quote of a lifetime.
fn character(text: &str) -> usize {
    let mut inner = text[1..].chars();
    match (inner.next(), inner.next()) {
        (Some('\\'), _) => 1 + quoted(&text[1..], '\''),
        (Some(c), Some('\'')) => 2 + c.len_utf8(),
        _ => 1,
    }
}

fn raw_string(text: &str) -> Option<usize> {
    let after = ["br", "cr", "r"].iter().find_map(|prefix| text.strip_prefix(prefix))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let closing = format!("\"{}", "#".repeat(hashes));
    let end = body.find(&closing).map_or(body.len(), |at| at + closing.len());
    Some(text.len() - body.len() + end)
}

/// A whole identifier, so that its last letter is not taken for a raw string's prefix; or one character.
fn word(text: &str) -> usize {
    let letters = text.find(|c| !is_word(c)).unwrap_or(text.len());
    if letters > 0 { letters } else { text.chars().next().map_or(0, char::len_utf8) }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether `code` holds `wanted` with no letter right before or behind it.
pub fn has_word(code: &str, wanted: &str) -> bool {
    code.match_indices(wanted).any(|(at, _)| {
        let (before, behind) = (&code[..at], &code[at + wanted.len()..]);
        let goes_on = wanted.ends_with(is_word) && behind.starts_with(is_word);
        !(before.ends_with(is_word) || goes_on)
    })
}

/// Marks each item that follows `#[cfg(test)]`, up to its closing brace or semicolon.
fn mark_tests(lines: &mut [Line]) {
    let mut depth = None;
    for line in lines {
        let mut code = line.code.as_str();
        line.in_test = depth.is_some();
        if depth.is_none() {
            let Some(at) = code.find("#[cfg(test)]") else { continue };
            code = &code[at + "#[cfg(test)]".len()..];
            line.in_test = true;
            depth = Some(0);
        }
        depth = depth.and_then(|open| item_depth(code, open));
    }
}

/// The brace depth after this line of an item, or nothing where the item has ended.
fn item_depth(code: &str, mut depth: usize) -> Option<usize> {
    for c in code.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return None,
            '}' => depth -= 1,
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    Some(depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(source: &str) -> Vec<String> {
        lex(source).lines.iter().map(|line| line.code.clone()).collect()
    }

    #[test]
    fn literals_and_comments_are_not_code() {
        let source = "let a = \"b \\\" // c\"; // d\nlet e = r#\"f \" g\"#; /* h /* i */\nj */ k";
        assert_eq!(code(source), ["let a =  ; ", "let e =  ; ", " k"]);
        let comments: Vec<_> = lex(source).lines.iter().map(|line| line.comment.clone()).collect();
        assert_eq!(comments, ["// d", "/* h /* i */", "j */"]);
    }

    #[test]
    fn characters_are_not_lifetimes() {
        assert_eq!(code("f('\"', '\\'', 'é', b'x')"), ["f( ,  ,  , b )"]);
        assert_eq!(code("fn f<'a>(x: &'a str) -> &'static str"), ["fn f< a>(x: & a str) -> & static str"]);
    }

    #[test]
    fn literals_over_several_lines_keep_the_count() {
        assert_eq!(code("a(\"b\nc\")\nd").len(), 3);
    }

    #[test]
    fn raw_prefixes_are_whole_words() {
        assert_eq!(code("bar\"x\" br\"y\" r#type"), ["bar    r#type"]);
    }

    #[test]
    fn words_have_ends() {
        assert!(has_word("unsafe {", "unsafe"));
        assert!(!has_word("unsafe_code", "unsafe"));
        assert!(!has_word("eprintln!(", "println!("));
        assert!(has_word("std::println!(x)", "println!("));
    }

    #[test]
    fn test_items_end_where_they_end() {
        let source =
            "a\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nc\n#[cfg(test)]\nuse d;\ne\n#[cfg(test)] fn f() {}\ng";
        let marked: Vec<_> = lex(source).lines.iter().map(|line| line.in_test).collect();
        assert_eq!(marked, [false, true, true, true, true, false, true, true, false, true, false]);
    }
}
