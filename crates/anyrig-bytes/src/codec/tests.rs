//! One description, walked by every codec.

use super::*;
use crate::{Context, ErrorKind, Value};
use proptest::prelude::*;

#[derive(Clone, Debug, Default, PartialEq)]
struct Part {
    name: RawText,
    mask: u8,
    weight: f32,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Thing {
    title: RawText,
    parts: Vec<Part>,
    values: Buffer<f32>,
    indices: Buffer<u16>,
    raw: SharedBytes,
    corners: Vec<[f64; 2]>,
    tail: SharedBytes,
}

impl Record for Thing {
    fn walk<C: Codec>(&mut self, codec: &mut C) -> Result<()> {
        let mut magic = *b"THNG";
        codec.magic("magic", &mut magic)?;
        codec.text("title", TextForm::LengthU32, &mut self.title)?;
        list(codec, "parts", 2, &mut self.parts, |c, part| {
            c.text("name", TextForm::NulTerminated, &mut part.name)?;
            c.field("mask", &mut part.mask)?;
            // Only there when the mask says so.
            if part.mask & 1 != 0 { c.field("weight", &mut part.weight) } else { Ok(()) }
        })?;
        let count = codec.count("value_count", self.values.len(), 4)?;
        array(codec, "values", count, &mut self.values)?;
        let count = codec.count("index_count", self.indices.len(), 2)?;
        array(codec, "indices", count, &mut self.indices)?;
        let len = codec.count("raw_len", self.raw.len(), 1)?;
        codec.blob("raw", len, &mut self.raw)?;
        let count = codec.trailing_count("corners", self.corners.len(), 2, 16)?;
        elements(codec, "corners", count, &mut self.corners, |c, corner| c.field("at", corner))?;
        codec.rest("tail", &mut self.tail)
    }
}

fn bytes_of(thing: &Thing) -> Vec<u8> {
    to_rope(thing, |codec, thing| thing.walk(codec)).expect("writes").to_vec()
}

fn through_json(thing: &Thing, arrays: Arrays) -> Result<Thing> {
    let json = to_json(&tree(thing)?, arrays)?;
    load(&parse_json(&json, &Context::new())?, Thing::default())
}

fn part() -> impl Strategy<Value = Part> {
    (prop::collection::vec(1u8.., 0..6), any::<u8>(), any::<u32>()).prop_map(|(name, mask, bits)| {
        let weight = if mask & 1 != 0 { f32::from_bits(bits) } else { 0.0 };
        Part { name: RawText(name), mask, weight }
    })
}

fn thing() -> impl Strategy<Value = Thing> {
    let bytes = |most| prop::collection::vec(any::<u8>(), 0..most);
    let numbers = (prop::collection::vec(any::<u32>(), 0..40), prop::collection::vec(any::<u16>(), 0..40));
    let corners = prop::collection::vec(any::<[u64; 2]>(), 0..3);
    let all = (bytes(8), prop::collection::vec(part(), 0..4), numbers, bytes(100), corners, bytes(15));
    all.prop_map(|(title, parts, (values, indices), raw, corners, tail)| Thing {
        title: RawText(title),
        parts,
        values: values.into_iter().map(f32::from_bits).collect(),
        indices: indices.into(),
        raw: raw.into(),
        // Fewer than two corners leave no room for what follows: it would be read as a corner.
        tail: if corners.len() == 2 { tail.into() } else { SharedBytes::default() },
        corners: corners.into_iter().map(|c| c.map(f64::from_bits)).collect(),
    })
}

proptest! {
    #[test]
    fn any_record_survives_bytes_and_json(thing in thing()) {
        let bytes = bytes_of(&thing);
        let read = from_bytes(&bytes.clone().into(), &Context::new(), |codec, thing: &mut Thing| thing.walk(codec)).expect("reads");
        prop_assert_eq!(&bytes_of(&read), &bytes);
        for arrays in [Arrays::Elements, Arrays::Base64] {
            let loaded = through_json(&thing, arrays).expect("loads");
            prop_assert_eq!(&bytes_of(&loaded), &bytes);
        }
        let tree = tree(&thing).expect("a tree");
        prop_assert_eq!(diff(&tree, &tree, 0.0), vec![]);
    }

    #[test]
    fn any_json_is_refused_or_loaded_without_panic(thing in thing(), at: prop::sample::Index, with: u8) {
        let mut json = to_json(&tree(&thing).expect("a tree"), Arrays::Elements).expect("JSON");
        let at = at.index(json.len());
        json[at] = with;
        if let Ok(value) = parse_json(&json, &Context::new()) {
            let _ = load(&value, Thing::default());
        }
    }

    #[test]
    fn an_edit_changes_one_value_only(thing in thing(), bits: u32, pick: prop::sample::Index) {
        prop_assume!(!thing.values.is_empty());
        let index = pick.index(thing.values.len());
        let mut edited = thing.clone();
        let value = serde_json::to_string(&f32::from_bits(bits).to_value()).expect("JSON");
        edit(&mut edited, &[Assignment::parse(&format!("values[{index}]={value}"))?]).expect("edits");
        let mut wanted = thing.clone();
        wanted.values.make_mut()[index] = f32::from_bits(bits);
        prop_assert_eq!(bytes_of(&edited), bytes_of(&wanted));
    }
}

fn sample() -> Thing {
    let part = |name: &str, mask, weight| Part { name: name.into(), mask, weight };
    Thing {
        title: "a".into(),
        parts: vec![part("left", 1, 0.5), part("right", 0, 0.0)],
        values: vec![1.0, 2.0, 3.0].into(),
        indices: vec![5, 6].into(),
        raw: vec![1, 2].into(),
        corners: vec![[0.5, 1.0], [2.0, 3.0]],
        tail: vec![9].into(),
    }
}

#[test]
fn spans_say_what_they_are() {
    let spans = trace(&sample(), |codec, thing| thing.walk(codec)).expect("traces");
    let kind = |path: &str| spans.iter().find(|s| s.path == path).map(|s| s.kind.clone());
    assert_eq!(kind("values"), Some(SpanKind::Array(ItemLayout::of(Scalar::F32, 1))));
    assert_eq!(kind("raw"), Some(SpanKind::Opaque));
    assert_eq!(kind("tail"), Some(SpanKind::Unknown));
    assert_eq!(spans[0].value, Value::from("THNG"));
    let named: Vec<&str> = spans.iter().map(|s| s.path.as_str()).filter(|p| p.starts_with("parts")).collect();
    assert_eq!(
        named,
        ["parts.count", "parts[0].name", "parts[0].mask", "parts[0].weight", "parts[1].name", "parts[1].mask"]
    );
}

#[test]
fn edits_reach_every_kind_of_field() {
    let set = |text: &str| {
        let mut thing = sample();
        edit(&mut thing, &[Assignment::parse(text).expect("PATH=VALUE")]).map(|()| thing)
    };
    assert_eq!(set("title=42").map(|t| t.title), Ok("42".into()));
    assert_eq!(set("title=\"4 = 2\"").map(|t| t.title), Ok("4 = 2".into()));
    assert_eq!(set("title={\"$hex\":\"ff\"}").map(|t| t.title.0), Ok(vec![0xff]));
    assert_eq!(set("parts[right].mask=1").map(|t| t.parts[1].mask), Ok(1));
    assert_eq!(set("corners[1].at[0]=7").map(|t| t.corners[1]), Ok([7.0, 3.0]));
    assert_eq!(set("raw={\"$hex\":\"0a0b\"}").map(|t| t.raw.to_vec()), Ok(vec![10, 11]));
    assert_eq!(set("indices[1]=65535").map(|t| t.indices.to_vec()), Ok(vec![5, 65535]));
    let wrong = [
        ("raw={\"$hex\":\"0a\"}", "2 bytes are wanted"),
        ("raw=x", "$hex"),
        ("indices[1]=65536", "0 to 65535"),
        ("indices[2]=1", "`indices[1]`"),
        ("value_count=2", "number of elements"),
        ("parts[0].name=a\u{0}b", "NUL"),
        ("corners[1].at[2]=7", "`corners[1].at[1]`"),
        ("parts[rihgt].mask=1", "`parts[right]`"),
        ("magic=XXXX", "layout"),
    ];
    for (text, hint) in wrong {
        let error = set(text).expect_err(text);
        assert_eq!(error.kind(), ErrorKind::Usage, "{text}");
        assert!(error.message().contains(hint), "{text}: {error}");
    }
}

#[test]
fn differences_are_told_field_by_field() {
    let mut other = sample();
    other.title = "b".into();
    other.values = vec![1.0, 2.5, 9.0].into();
    other.parts.pop();
    other.corners[0][1] = 1.25;
    other.tail = SharedBytes::default();
    let differ = |tolerance| diff(&tree(&sample()).expect("a tree"), &tree(&other).expect("a tree"), tolerance);
    let found = differ(0.0);
    let paths: Vec<&str> = found.iter().map(|d| d.path.as_str()).collect();
    assert_eq!(paths, ["title", "parts", "values", "corners[0].at", "tail"]);
    let values = found[2].elements.clone().expect("an array");
    assert_eq!((values.count, values.of), (2, 3));
    assert_eq!(values.first.map(|f| f.path).as_deref(), Some("values[1]"));
    assert_eq!(values.largest.map(|l| (l.path, l.apart)), Some(("values[2]".to_owned(), Some(6.0))));
    assert!(found[3].message.contains("0.25 apart at most"), "{}", found[3].message);
    let paths: Vec<String> = differ(1.0).into_iter().map(|d| d.path).collect();
    assert_eq!(paths, ["title", "parts", "values", "tail"]);
}

#[test]
fn a_zero_of_the_other_sign_differs_by_its_bits_only() {
    let leaf = |v: f32| Tree::Record(vec![("x".into(), Tree::Leaf(v.to_value()))]);
    assert_eq!(diff(&leaf(0.0), &leaf(-0.0), 0.0).len(), 1);
    assert_eq!(diff(&leaf(0.0), &leaf(-0.0), 1e-9), []);
    assert_eq!(diff(&leaf(f32::NAN), &leaf(f32::NAN), 0.0), []);
}
