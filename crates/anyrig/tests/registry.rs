//! The facade with a format that was added by its user, as a library would.

mod toy;

use anyrig::{
    Context, ConvertRequest, Error, ErrorKind, Losses, MemorySource, Registry, Result, Road, Source, Value, Verify,
    Via, options,
};
use toy::{TOY, Toy};

const TWO_TRIANGLES: &str = "TOY1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n2 0 1\n0 3 1\n";

fn registry(toy: Toy) -> Registry {
    let mut registry = Registry::empty();
    registry.add_importer(toy);
    registry.add_exporter(toy);
    registry
}

fn source(name: &str) -> MemorySource {
    MemorySource::new(name, TWO_TRIANGLES.as_bytes())
}

fn request(change: impl FnOnce(&mut ConvertRequest)) -> ConvertRequest {
    let mut request = ConvertRequest::new("toy");
    change(&mut request);
    request
}

fn kind<T>(result: Result<T>) -> Option<ErrorKind> {
    result.err().map(|e| e.kind())
}

#[test]
fn the_document_road_keeps_bytes_and_attachments() {
    let text = "TOY1   0 0 0  1 0 0  0 1 0";
    let source = MemorySource::new("a.toy", text.as_bytes()).with_file("skin.png", vec![7]);
    let conversion = registry(Toy::default()).convert(&source, &request(|_| {}), &Context::new()).expect("good");
    assert_eq!(conversion.road, Road::Document);
    let files: Vec<_> = conversion.files.iter().map(|f| (f.name.as_str(), f.content.to_vec())).collect();
    assert_eq!(files, [("a.toy", text.as_bytes().to_vec()), ("skin.png", vec![7])]);
}

#[test]
fn the_scene_road_is_taken_when_asked_for_and_when_it_must() {
    let registry = registry(Toy::default());
    let road = |source: &dyn Source, request: &ConvertRequest, context: &Context| {
        registry.convert(source, request, context).map(|c| c.road)
    };
    let scaled = || Context::new().with_options("toy", [("scale", 2.0)].into_iter().fold(Value::Null, with));
    let old = MemorySource::new("old.toy", "TOY2\n0 0 0\n1 0 0\n0 1 0\n".as_bytes());
    assert_eq!(road(&source("a.toy"), &request(|r| r.via = Via::Scene), &Context::new()), Ok(Road::Scene));
    assert_eq!(road(&source("a.toy"), &request(|_| {}), &scaled()), Ok(Road::Scene));
    assert_eq!(road(&old, &request(|_| {}), &Context::new()), Ok(Road::Scene));
    let document = request(|r| r.via = Via::Document);
    assert_eq!(kind(road(&source("a.toy"), &document, &scaled())), Some(ErrorKind::Usage));
    assert_eq!(kind(road(&old, &document, &Context::new())), Some(ErrorKind::Unsupported));
}

fn with(mut value: Value, (key, number): (&str, f64)) -> Value {
    value.set(key, number);
    value
}

#[test]
fn verification_finds_what_is_missing() {
    let scene = |verify| request(|r| (r.via, r.verify) = (Via::Scene, verify));
    let convert = |toy: Toy, verify| registry(toy).convert(&source("a.toy"), &scene(verify), &Context::new());
    assert!(convert(Toy::default(), Verify::Full).is_ok());
    // A whole triangle is missing: no count or offset is wrong, only the shape.
    let forgets = Toy { forgets: true, ..Toy::default() };
    assert!(convert(forgets, Verify::Structure).is_ok());
    let error = convert(forgets, Verify::Full).expect_err("a triangle is missing");
    assert!(error.message().contains("2 triangles, lines and points became 1"), "{error}");
    assert_eq!(error.place().file, "a.toy");
    let one_corner = MemorySource::new("a.toy", "TOY1 0 0 0".as_bytes());
    let structure = |verify| kind(registry(Toy::default()).convert(&one_corner, &scene(verify), &Context::new()));
    assert_eq!((structure(Verify::Structure), structure(Verify::None)), (Some(ErrorKind::Truncated), None));
}

#[test]
fn refused_losses_are_an_error_on_both_sides() {
    let strict = request(|r| (r.via, r.losses) = (Via::Scene, Losses::Refuse));
    let convert = |toy: Toy, name: &str| kind(registry(toy).convert(&source(name), &strict, &Context::new()));
    assert_eq!(convert(Toy::default(), "a.toy"), None);
    assert_eq!(convert(Toy { loses: true, ..Toy::default() }, "a.toy"), Some(ErrorKind::Losses));
    assert_eq!(convert(Toy::default(), "lossy.toy"), Some(ErrorKind::Losses));
    let context = Context::new();
    let told = registry(Toy { loses: true, ..Toy::default() }).convert(&source("a.toy"), &strict, &context);
    assert!(told.is_err());
    assert_eq!(context.report().count_of("toy.lost"), 1, "the report outlives the error");
}

#[test]
fn files_never_leave_the_output_folder() {
    for name in ["../a.toy", "/a.toy", "C:/a.toy", "a\\..\\..\\b"] {
        let toy = Toy { bad_name: Some(name), ..Toy::default() };
        let result = registry(toy).convert(&source("a.toy"), &request(|r| r.via = Via::Scene), &Context::new());
        assert_eq!(kind(result), Some(ErrorKind::Unsupported), "{name}");
    }
}

#[test]
fn stems_become_safe_names() {
    let registry = registry(Toy::default());
    for (stem, name) in [("a/../b", "a_.._b.toy"), ("CON", "_CON.toy"), ("狐", "狐.toy"), ("..", "unnamed.toy")] {
        let request = request(|r| r.stem = Some(stem.to_owned()));
        let conversion = registry.convert(&source("x.toy"), &request, &Context::new()).expect("good");
        assert_eq!(conversion.files[0].name, name);
    }
}

#[test]
fn content_decides_and_names_only_help() {
    let registry = registry(Toy::default());
    let id = |name: &str, bytes: &[u8]| registry.detect(&MemorySource::new(name, bytes)).map(|i| i.info().id);
    assert_eq!(id("picture.png", b"TOY1"), Ok("toy"));
    assert_eq!(id("a.TOY", b"whatever"), Ok("toy"));
    assert_eq!(kind(id("a.glb", b"whatever")), Some(ErrorKind::Unsupported));
    assert_eq!(kind(id("a.toy", b"")), Some(ErrorKind::Truncated));
    let error = registry.importer("tyo").err().map(|e: Error| e.message().to_owned()).expect("no such format");
    assert!(error.contains("did you mean `toy`?"), "{error}");
}

#[test]
fn limits_hold_before_anything_is_read() {
    let mut limits = anyrig::Limits::default();
    limits.input_bytes = 10;
    let context = Context::new().with_limits(limits);
    let result = registry(Toy::default()).convert(&source("a.toy"), &request(|_| {}), &context);
    assert_eq!(kind(result), Some(ErrorKind::LimitExceeded));
}

#[test]
fn a_plan_tells_what_a_conversion_would() {
    let toy = Toy { loses: true, ..Toy::default() };
    let plan = registry(toy).plan(&source("a.toy"), &request(|r| r.via = Via::Scene), &Context::new()).expect("good");
    assert_eq!((plan.road, plan.stem.as_str(), plan.predicted.count_of("toy.lost")), (Road::Scene, "a", 1));
    let plan = registry(toy).plan(&source("a.toy"), &request(|_| {}), &Context::new()).expect("good");
    assert_eq!((plan.road, plan.predicted.is_empty()), (Road::Document, true));
}

#[test]
fn options_find_their_owner() {
    let toy = Toy::default();
    let route = |key: &str, value: &str| options::route(&[(key.to_owned(), value.to_owned())], Some(&toy), Some(&toy));
    assert_eq!(
        route("scale", "2"),
        Ok(vec![(
            "toy".to_owned(),
            [("scale", 2)].into_iter().fold(Value::Null, |mut v, (k, n)| {
                v.set(k, n);
                v
            })
        )])
    );
    let error = route("sclae", "2").expect_err("no such option");
    assert!(error.message().contains("did you mean `scale`?"), "{error}");
    assert!(options::route(&[("x".to_owned(), String::new())], None, None).is_err());
}

#[test]
fn formats_are_data() {
    let formats = registry(Toy::default()).formats();
    let [toy] = formats.as_slice() else { panic!("one format") };
    assert_eq!((toy.id, toy.read, toy.write), (TOY.id, true, true));
    let clips = toy.capabilities.iter().find(|c| c.feature == "clips").expect("every feature has a row");
    assert_eq!((clips.support, clips.note), ("drops", "toys stand still"));
    assert_eq!(toy.options[0].key, "scale");
}

#[test]
fn an_inspection_counts_what_is_there() {
    let found = registry(Toy::default()).inspect(&source("a.toy"), None, &Context::new()).expect("good");
    assert_eq!((found.format.as_str(), found.version.as_str(), found.counts.triangles), ("toy", "1", 2));
    let bounds = found.bounds.expect("there are points");
    assert_eq!((bounds.min, bounds.max), ([0.0; 3], [2.0, 3.0, 1.0]));
}
