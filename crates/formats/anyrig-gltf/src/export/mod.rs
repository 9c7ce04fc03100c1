//! x
use anyrig_bytes::*;
use anyrig_scene::*;
pub(crate) fn export(_s: Scene, _stem: &str, _f: crate::Form, _c: &Context) -> Result<Vec<ExportedFile>> {
    Ok(vec![])
}
pub(crate) fn predict(_s: &Scene, _c: &Context) -> Report {
    Report::default()
}
