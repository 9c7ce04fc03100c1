//! What the fuzz targets check, beyond not panicking.

mod rough;

pub use rough::RoughScene;

use anyrig::scene::diff::Scope;
use anyrig::scene::{Scene, Tolerance, diff, validate};
use anyrig::{Context, Limits, MemorySource, Registry};

/// Small limits, so that a fuzzer finds a passed one before the machine does.
fn context() -> Context {
    let mut limits = Limits::default();
    limits.elements = 1 << 20;
    limits.memory_bytes = 64 << 20;
    limits.pixels = 1 << 20;
    Context::new().with_limits(limits)
}

/// Reads bytes as a format. What can be read is sound, comes back byte-equal as a document, and can be written.
pub fn read(id: &str, name: &str, bytes: &[u8]) {
    let registry = Registry::standard();
    let importer = registry.importer(id).expect("a standard format");
    let source = MemorySource::new(name, bytes);
    if let Ok(document) = importer.document(&source, &context()) {
        let written = document.write().expect("an untouched document can be written");
        assert_eq!(written.to_vec(), bytes, "an untouched document changed");
    }
    if let Ok(scene) = importer.import(&source, &context()) {
        assert_sound(&scene);
        export_all(&registry, &scene);
    }
}

/// Writes a scene in every format and reads it back.
pub fn round_trip(rough: &RoughScene) {
    let mut scene = rough.build();
    validate(&mut scene, &context());
    assert_sound(&scene);
    export_all(&Registry::standard(), &scene);
}

fn assert_sound(scene: &Scene) {
    let mut again = scene.clone();
    let context = context();
    validate(&mut again, &context);
    let report = context.take_report();
    assert!(report.is_empty(), "validation complains about its own result: {:?}", report.diagnostics());
    // Extras are the source's own values, among them such as are not numbers and differ from themselves.
    let changes = diff(&again, scene, Tolerance::EXACT.with_scope(Scope::WithoutExtras));
    assert!(changes.is_empty(), "validation changes its own result: {changes:?}");
}

/// Whatever an exporter writes its own verification accepts, and some importer reads.
fn export_all(registry: &Registry, scene: &Scene) {
    for exporter in registry.exporters() {
        let Ok(files) = exporter.export(scene.clone(), "out", &context()) else { continue };
        let Some((main, beside)) = files.split_first() else { continue };
        let mut source = MemorySource::new(main.name.as_str(), main.content.to_shared());
        for file in beside {
            source = source.with_file(file.name.as_str(), file.content.to_shared());
        }
        let id = exporter.info().id;
        if let Err(error) = exporter.verify(&main.name, &source, &context()) {
            panic!("{id} does not accept what it wrote: {error}");
        }
        // A context of its own: what was written may be larger than what the small limits allow.
        if let Err(error) = registry.load(&source, Some(id), &Context::new()) {
            panic!("{id} cannot be read back: {error}");
        }
    }
}
