//! SPDX licence expressions: <https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/>.

/// Whether `expression` can be met with licences of `allowed` alone.
///
/// `OR` is our choice, `AND` binds tighter and asks for both; `/` is the older spelling of `OR` in Cargo manifests.
pub fn is_allowed(expression: &str, allowed: &[&str]) -> Result<bool, String> {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut parser = Parser { words: spaced.split_whitespace().collect(), at: 0, allowed };
    let verdict = parser.any()?;
    match parser.peek() {
        None => Ok(verdict),
        Some(word) => Err(format!("`{word}` is not expected")),
    }
}

struct Parser<'a> {
    words: Vec<&'a str>,
    at: usize,
    allowed: &'a [&'a str],
}

impl Parser<'_> {
    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).copied()
    }

    fn accept(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        self.at += usize::from(found);
        found
    }

    fn any(&mut self) -> Result<bool, String> {
        let mut verdict = self.all()?;
        while self.accept("OR") {
            verdict |= self.all()?;
        }
        Ok(verdict)
    }

    fn all(&mut self) -> Result<bool, String> {
        let mut verdict = self.single()?;
        while self.accept("AND") {
            verdict &= self.single()?;
        }
        Ok(verdict)
    }

    fn single(&mut self) -> Result<bool, String> {
        if self.accept("(") {
            let verdict = self.any()?;
            return if self.accept(")") { Ok(verdict) } else { Err("a parenthesis stays open".to_owned()) };
        }
        let mut licence = self.name()?;
        if self.accept("WITH") {
            licence = format!("{licence} WITH {}", self.name()?);
        }
        Ok(self.allowed.contains(&licence.as_str()))
    }

    fn name(&mut self) -> Result<String, String> {
        let word = self.peek().ok_or("it ends too early")?;
        if ["OR", "AND", "WITH", ")"].contains(&word) {
            return Err(format!("`{word}` stands where a licence should"));
        }
        let name = word.to_owned();
        self.at += 1;
        Ok(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWED: &[&str] = &["MIT", "Apache-2.0", "Zlib", "Apache-2.0 WITH LLVM-exception"];

    fn verdict(expression: &str) -> bool {
        is_allowed(expression, ALLOWED).unwrap()
    }

    #[test]
    fn a_choice_needs_one_and_a_sum_needs_all() {
        assert!(verdict("MIT"));
        assert!(verdict("GPL-2.0-only OR MIT"));
        assert!(!verdict("GPL-2.0-only AND MIT"));
        assert!(verdict("MIT/Apache-2.0"));
        assert!(!verdict("GPL-2.0-only"));
    }

    #[test]
    fn and_binds_tighter_than_or() {
        assert!(verdict("MIT OR Zlib AND GPL-2.0-only"));
        assert!(!verdict("(MIT OR Zlib) AND GPL-2.0-only"));
        assert!(verdict("(MIT OR GPL-2.0-only) AND (Zlib)"));
    }

    #[test]
    fn an_exception_is_part_of_the_name() {
        assert!(verdict("Apache-2.0 WITH LLVM-exception OR GPL-2.0-only"));
        assert!(!verdict("MIT WITH LLVM-exception"));
    }

    #[test]
    fn nonsense_is_an_error() {
        for expression in ["", "OR MIT", "MIT OR", "(MIT", "MIT)", "MIT Zlib", "MIT WITH"] {
            assert!(is_allowed(expression, ALLOWED).is_err(), "{expression}");
        }
    }
}
