//! README.md and README.zh-CN.md are one document in two languages.

use super::Violation;

const ENGLISH: &str = "README.md";
const CHINESE: &str = "README.zh-CN.md";

/// Checks that both have the same headings by level and the same code blocks.
pub fn check(english: &str, chinese: &str) -> Vec<Violation> {
    let (english, chinese) = (outline(english), outline(chinese));
    let mut violations = Vec::new();
    for (index, (ours, theirs)) in english.iter().zip(&chinese).enumerate() {
        if ours.content != theirs.content {
            let message = format!("part {} of {CHINESE} differs here: {} / {}", index + 1, ours, theirs);
            violations.push(Violation::new(ENGLISH, ours.line, message));
            // What follows is out of step and would only repeat the finding.
            return violations;
        }
    }
    let shared = english.len().min(chinese.len());
    if let Some(extra) = english.get(shared) {
        violations.push(Violation::new(ENGLISH, extra.line, format!("{CHINESE} lacks this: {extra}")));
    }
    if let Some(extra) = chinese.get(shared) {
        violations.push(Violation::new(CHINESE, extra.line, format!("{ENGLISH} lacks this: {extra}")));
    }
    violations
}

struct Part {
    line: usize,
    content: Content,
}

#[derive(PartialEq, Eq)]
enum Content {
    Heading(usize),
    Code(String),
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.content {
            Content::Heading(level) => write!(f, "heading of level {level} (line {})", self.line),
            Content::Code(_) => write!(f, "code block (line {})", self.line),
        }
    }
}

fn outline(text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        let fence = line.trim_start().starts_with("```");
        match parts.last_mut() {
            Some(Part { content: Content::Code(code), .. }) if fenced => *code += &format!("{line}\n"),
            _ if fence => parts.push(Part { line: index + 1, content: Content::Code(format!("{line}\n")) }),
            _ => parts.extend(heading_level(line).map(|n| Part { line: index + 1, content: Content::Heading(n) })),
        }
        fenced ^= fence;
    }
    parts
}

fn heading_level(line: &str) -> Option<usize> {
    let level = line.len() - line.trim_start_matches('#').len();
    (level > 0 && line[level..].starts_with(' ')).then_some(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH_TEXT: &str = "# anyrig\n\ntext\n\n## Use\n\n```sh\n# not a heading\nrun it\n```\n\n## Licence\n";
    const CHINESE_TEXT: &str = "# anyrig\n\n文字\n\n## 使用\n\n```sh\n# not a heading\nrun it\n```\n\n## 许可\n";

    #[test]
    fn translations_pass() {
        assert_eq!(check(ENGLISH_TEXT, CHINESE_TEXT), []);
    }

    #[test]
    fn a_changed_code_block_fails() {
        let found = check(ENGLISH_TEXT, &CHINESE_TEXT.replace("run it", "run that"));
        assert_eq!((found.len(), found[0].line), (1, 7));
    }

    #[test]
    fn a_heading_of_another_level_fails() {
        assert_eq!(check(ENGLISH_TEXT, &CHINESE_TEXT.replace("## 使用", "### 使用")).len(), 1);
    }

    #[test]
    fn a_missing_end_fails_on_either_side() {
        let shorter = ENGLISH_TEXT.replace("## Licence\n", "");
        assert_eq!(check(ENGLISH_TEXT, &shorter)[0].path, ENGLISH);
        assert_eq!(check(&shorter, ENGLISH_TEXT)[0].path, CHINESE);
    }
}
