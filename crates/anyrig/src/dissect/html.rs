//! A dissection as one page that needs nothing else.

use super::{ByteKind, DissectedSpan, Dissection};
use anyrig_bytes::codec::hex;
use std::fmt::Write;

/// Bytes of a span that are shown.
const SHOWN_BYTES: usize = 16;
/// Characters of a value that are shown.
const SHOWN_CHARS: usize = 400;
/// Groups of at most so many rows are open at first.
const OPEN_ROWS: usize = 40;

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8884;--dim:#888}\
body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}\
h1{font-size:1.3rem;margin:0 0 .2rem}p{margin:.2rem 0}.dim{color:var(--dim)}\
.bar{display:flex;height:14px;margin:1rem 0;border-radius:3px;overflow:hidden;background:var(--line)}.bar i{display:block;min-width:1px}\
details{border-top:1px solid var(--line)}summary{cursor:pointer;padding:.25rem 0;font-weight:600;overflow-wrap:anywhere}\
summary span{font-weight:400;color:var(--dim);margin-left:.6rem}\
table{border-collapse:collapse;width:100%;table-layout:fixed;margin-bottom:.6rem}\
td,th{text-align:left;vertical-align:top;padding:.15rem .5rem;border-top:1px solid var(--line);overflow-wrap:anywhere}\
th{font-weight:400;color:var(--dim)}td:nth-child(-n+3){font-family:ui-monospace,monospace;font-size:12px}\
col.o{width:7.5rem}col.l{width:5.5rem}col.b{width:25rem}\
.value{background:#4a90d9}.array{background:#3a9d6b}.opaque{background:#8d6cc0}.text{background:#c9a227}.padding{background:#999}\
.unknown{background:#e0701b}.unread{background:#d02c3b}\
tr.unknown,tr.unread{background:#e0701b26}tr.unread{background:#d02c3b26}tr.value,tr.array,tr.opaque,tr.text,tr.padding{background:none}\
.key i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin:0 .3em 0 1em}";

/// One page for a browser, without scripts and without anything from elsewhere. `bytes` is the dissected file. Fields
/// of one record are folded together; arrays show their first elements.
pub fn html(dissection: &Dissection, bytes: &[u8]) -> String {
    let mut page = String::new();
    // Writing to a string cannot fail.
    let _ = head(&mut page, dissection);
    for group in groups(&dissection.spans) {
        let _ = rows(&mut page, group, bytes);
    }
    page.push_str("</body></html>\n");
    page
}

fn head(page: &mut String, d: &Dissection) -> std::fmt::Result {
    let title = escaped(&d.file);
    write!(page, "<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>")?;
    write!(page, "<meta name=viewport content=\"width=device-width\"><style>{STYLE}</style></head><body>")?;
    write!(page, "<h1>{title}</h1><p>{} ({}), {} bytes</p>", escaped(&d.dialect), escaped(&d.format), d.bytes)?;
    let share = |count: u64| if d.bytes == 0 { 0.0 } else { count as f64 * 100.0 / d.bytes as f64 };
    let s = d.shares;
    let (named, unknown, unread) = (share(s.named), share(s.unknown), share(s.unread));
    write!(page, "<p>{named:.2}&nbsp;% named, {unknown:.2}&nbsp;% of unknown meaning ({} bytes), ", s.unknown)?;
    write!(page, "{unread:.2}&nbsp;% unread ({} bytes)</p><p class=\"key dim\">", s.unread)?;
    let kinds = [
        ByteKind::Value,
        ByteKind::Array,
        ByteKind::Opaque,
        ByteKind::Text,
        ByteKind::Padding,
        ByteKind::Unknown,
        ByteKind::Unread,
    ];
    for kind in kinds {
        write!(page, "<i class={0}></i>{0}", name(kind))?;
    }
    page.push_str("</p><div class=bar>");
    for (kind, len) in runs(&d.spans) {
        write!(page, "<i class={} style=\"flex:{len} 0 0\"></i>", name(kind))?;
    }
    page.push_str("</div>");
    Ok(())
}

/// What follows what in the file, neighbours of one kind together, at most so many that a screen can show.
fn runs(spans: &[DissectedSpan]) -> Vec<(ByteKind, u64)> {
    const MOST: usize = 400;
    let mut runs: Vec<(ByteKind, u64)> = Vec::new();
    let mut end = 0;
    for span in spans {
        let len = (span.offset + span.len).saturating_sub(end.max(span.offset));
        end = end.max(span.offset + span.len);
        match runs.last_mut() {
            Some((kind, sum)) if *kind == span.kind => *sum += len,
            _ if len > 0 => runs.push((span.kind, len)),
            _ => {}
        }
    }
    // Small ones go into the neighbour before, unless they stand out.
    let total: u64 = runs.iter().map(|(_, len)| len).sum();
    let small = total / MOST as u64;
    let mut shown: Vec<(ByteKind, u64)> = Vec::new();
    for (kind, len) in runs {
        let stands_out = matches!(kind, ByteKind::Unknown | ByteKind::Unread);
        match shown.last_mut() {
            Some((before, sum)) if *before == kind || (len < small && !stands_out) => *sum += len,
            _ => shown.push((kind, len)),
        }
    }
    shown
}

/// Neighbours of one record.
fn groups(spans: &[DissectedSpan]) -> impl Iterator<Item = &[DissectedSpan]> {
    spans.chunk_by(|a, b| record(&a.path) == record(&b.path))
}

/// The outermost record of a path: `bones[3]` of `bones[3].position`.
fn record(path: &str) -> &str {
    path.split(['.', ' ']).next().unwrap_or_default()
}

fn rows(page: &mut String, group: &[DissectedSpan], bytes: &[u8]) -> std::fmt::Result {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return Ok(()) };
    let end = group.iter().map(|s| s.offset + s.len).max().unwrap_or(last.offset);
    let open = if group.len() <= OPEN_ROWS { " open" } else { "" };
    let title = match (record(&first.path), first.kind) {
        ("", _) => "unread",
        (record, _) => record,
    };
    write!(page, "<details{open}><summary>{}", escaped(title))?;
    write!(page, "<span>{:#x}, {} bytes, {} rows</span></summary>", first.offset, end - first.offset, group.len())?;
    page.push_str("<table><col class=o><col class=l><col class=b><col><col>");
    page.push_str("<tr><th>offset<th>length<th>bytes<th>field<th>value</tr>");
    for span in group {
        let kind = name(span.kind);
        let start = usize::try_from(span.offset).unwrap_or(usize::MAX);
        let shown = SHOWN_BYTES.min(usize::try_from(span.len).unwrap_or(SHOWN_BYTES));
        let content = bytes.get(start..start.saturating_add(shown)).unwrap_or_default();
        let pairs: Vec<String> = content.iter().map(|b| hex(&[*b])).collect();
        let more = if span.len > shown as u64 { " …" } else { "" };
        write!(page, "<tr class={kind}><td>{:#x}<td>{}<td>{}{more}", span.offset, span.len, pairs.join(" "))?;
        let path = if span.path.is_empty() { kind } else { &span.path };
        write!(page, "<td>{}<td>{}</tr>", escaped(path), escaped(&value(span)))?;
    }
    page.push_str("</table></details>");
    Ok(())
}

/// What there is to say about a span.
fn value(span: &DissectedSpan) -> String {
    let mut text = match (span.count, span.stride) {
        (Some(count), Some(stride)) => {
            let elements: Vec<String> = span.elements.iter().map(json).collect();
            let more = if count > elements.len() as u64 { " …" } else { "" };
            format!("{count} × {stride} bytes: {}{more}", elements.join(" "))
        }
        _ if span.value.is_null() => String::new(),
        _ => json(&span.value),
    };
    if let Some((cut, _)) = text.char_indices().nth(SHOWN_CHARS) {
        text.truncate(cut);
        text.push('…');
    }
    text
}

fn json(value: &anyrig_bytes::Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn name(kind: ByteKind) -> &'static str {
    match kind {
        ByteKind::Value => "value",
        ByteKind::Array => "array",
        ByteKind::Opaque => "opaque",
        ByteKind::Text => "text",
        ByteKind::Padding => "padding",
        ByteKind::Unknown => "unknown",
        ByteKind::Unread => "unread",
    }
}

/// Text that a browser shows as it is.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::Value;
    use anyrig_bytes::codec::Span;

    #[test]
    fn names_from_files_cannot_leave_their_place() {
        let evil = "</td><script>alert(1)</script>\u{1b}";
        let traced = vec![Span::new(0, 2, evil).with_value(Value::from(evil))];
        let mut dissection = Dissection::new(traced, &vec![1, 2, 3].into(), 3);
        evil.clone_into(&mut dissection.file);
        let page = html(&dissection, &[1, 2, 3]);
        assert!(!page.contains("<script") && !page.contains('\u{1b}') && !page.contains("http"));
        assert!(page.contains("&lt;script&gt;") && page.contains("33.33&nbsp;% unread"));
    }
}
