//! From one format to another.

use crate::optimize::Optimization;
use crate::registry::extension_of;
use crate::request::{Axes, ConvertRequest, Losses, Verify, Via};
use crate::verify::{check_whole, verify};
use crate::written::check_names;
use crate::{Packaging, Registry};
use anyrig_bytes::names::safe_file_name;
use anyrig_bytes::{Context, Error, ErrorKind, Place, Report, Result, Role, Severity, Source};
use anyrig_passes::{BakeOptions, BakeRigOptions, ReduceKeysOptions};
use anyrig_scene::{Document, ExportedFile, Exporter, Importer, NodeId, Scene, Space};
use serde::Serialize;

/// All there are.
const ROLES: [Role; 6] = [Role::Motion, Role::FoundMotion, Role::Skeleton, Role::Rest, Role::Template, Role::Meta];

/// The way that a conversion took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Road {
    /// The document was written back.
    Document,
    /// Through the scene.
    Scene,
}

/// What came out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Conversion {
    /// The files by relative name, the main one first. Every name stays below the folder that they are written to.
    pub files: Vec<ExportedFile>,
    /// What was noticed.
    pub report: Report,
    /// Which way was taken.
    pub road: Road,
    /// Id of the format that was read.
    pub source_format: &'static str,
    /// Id of the target.
    pub target: &'static str,
    /// How the files lie together.
    pub packaging: Packaging,
    /// What optimising did, when it was wanted.
    pub optimization: Option<Optimization>,
}

/// From where to where.
#[derive(Clone, Copy)]
pub(crate) struct Route<'a> {
    pub(crate) importer: &'a dyn Importer,
    pub(crate) exporter: &'a dyn Exporter,
    pub(crate) source: &'a dyn Source,
    pub(crate) stem: &'a str,
}

/// Reads a source as a scene, in the named format or the one that its content shows.
///
/// # Errors
/// Whatever makes the file unusable; [`anyrig_bytes::ErrorKind::Usage`] for an unknown format name.
pub fn load(source: &dyn Source, from: Option<&str>, context: &Context) -> Result<Scene> {
    Registry::standard().load(source, from, context)
}

/// Converts a source with the standard registry; see [`Registry::convert`].
///
/// # Errors
/// As [`Registry::convert`].
pub fn convert(source: &dyn Source, request: &ConvertRequest, context: &Context) -> Result<Conversion> {
    Registry::standard().convert(source, request, context)
}

impl Registry {
    /// Reads a source as a scene, in the named format or the one that its content shows.
    ///
    /// # Errors
    /// As [`load`].
    pub fn load(&self, source: &dyn Source, from: Option<&str>, context: &Context) -> Result<Scene> {
        let importer = self.importer_for(from, source)?;
        import(importer, source, context)
    }

    /// Reads, exports and verifies. The context's report keeps what was noticed also when this fails.
    ///
    /// # Errors
    /// What makes the input unusable or the target impossible; [`anyrig_bytes::ErrorKind::Usage`] for unknown formats
    /// and options; [`anyrig_bytes::ErrorKind::Losses`] when the request refuses losses.
    pub fn convert(&self, source: &dyn Source, request: &ConvertRequest, context: &Context) -> Result<Conversion> {
        let importer = self.importer_for(request.from.as_deref(), source)?;
        let exporter = self.exporter(&request.to)?;
        let stem = stem_of(source, request);
        let route = Route { importer, exporter, source, stem: &stem };
        let (files, road, optimization) = match &request.optimize {
            Some(options) => {
                let (files, road, done) = self.convert_optimized(&route, (request, options), context)?;
                (files, road, Some(done))
            }
            None => {
                let (files, road) = self.convert_plainly(&route, request, context)?;
                (files, road, None)
            }
        };
        refuse_losses(request.losses, context)?;
        check_names(&files)?;
        let is_input = optimization.as_ref().is_some_and(Optimization::kept_input);
        let is_caller = matches!(request.verify, Verify::None | Verify::ByCaller);
        // A document was looked at when the road was chosen.
        if !is_caller && !is_input && road == Road::Scene {
            verify(exporter, &files, context)?;
        }
        Ok(Conversion {
            files,
            report: context.report(),
            road,
            source_format: importer.info().id,
            target: exporter.info().id,
            packaging: exporter.packaging(),
            optimization,
        })
    }

    fn convert_plainly(
        &self,
        route: &Route<'_>,
        request: &ConvertRequest,
        context: &Context,
    ) -> Result<(Vec<ExportedFile>, Road)> {
        let through_scene = || self.through_scene(route, request, context, |_| Ok(()));
        match written_back(route, request, context)? {
            Back::Files(files) => Ok((files, Road::Document)),
            Back::No => Ok((through_scene()?, Road::Scene)),
            Back::Damaged(fault) => Ok((through_scene().map_err(|e| with_fault(e, &fault))?, Road::Scene)),
        }
    }

    /// The scene is handed to the exporter, so that none is alive while the files are verified; only a full
    /// verification keeps one. `change` sees it before.
    pub(crate) fn through_scene(
        &self,
        route: &Route<'_>,
        request: &ConvertRequest,
        context: &Context,
        change: impl FnOnce(&mut Scene) -> Result<()>,
    ) -> Result<Vec<ExportedFile>> {
        let Route { importer, exporter, source, stem } = *route;
        let mut scene = import(importer, source, context)?;
        if request.axes == Axes::Keep {
            let Space { uv_origin, winding, .. } = scene.space;
            scene.space = Space::GLTF.with_uv_origin(uv_origin).with_winding(winding);
        }
        // What is optimised may still be written as it was, so that nothing is lost.
        if request.optimize.is_none() {
            refuse_losses(request.losses, context)?;
        }
        context.check_cancelled()?;
        if let Some(options) = &request.bake {
            bake(&mut scene, options, context)?;
        }
        change(&mut scene)?;
        let kept = (request.verify == Verify::Full).then(|| scene.clone());
        let told_before = context.report().diagnostics().len();
        let files = exporter.export(scene, stem, context)?;
        context.check_cancelled()?;
        if let Some(kept) = kept {
            check_names(&files)?;
            let mut told = Report::default();
            context.report().diagnostics().iter().skip(told_before).cloned().for_each(|d| told.push(d));
            self.verify_read_back(exporter, (&kept, &told), &files, context)?;
        }
        Ok(files)
    }
}

fn bake(scene: &mut Scene, options: &BakeRigOptions, context: &Context) -> Result<()> {
    anyrig_passes::bake_rig(scene, options, context)?;
    anyrig_passes::bake_motion(scene, &BakeOptions::default(), context)?;
    anyrig_passes::reduce_keys(scene, &ReduceKeysOptions::default(), context)?;
    Ok(())
}

/// The way of a request: axes that are kept change what a scene means, so that it is needed.
pub(crate) fn via_of(request: &ConvertRequest) -> Result<Via> {
    if request.bake.is_some() {
        return match request.via {
            Via::Document => {
                let message = "`--via document` writes the file back untouched, so that nothing can be baked; take \
                               `--via scene`";
                Err(Error::usage(message))
            }
            Via::Auto | Via::Scene => Ok(Via::Scene),
        };
    }
    match (request.axes, request.via) {
        (Axes::Keep, Via::Document) => {
            let message = "`--via document` writes the file back untouched and keeps its axes anyway; leave \
                           `--keep-space` out, or take `--via scene`";
            Err(Error::usage(message))
        }
        (Axes::Keep, _) => Ok(Via::Scene),
        (Axes::Convert, via) => Ok(via),
    }
}

/// The stem that the outputs of a request get.
pub(crate) fn stem_of(source: &dyn Source, request: &ConvertRequest) -> String {
    safe_file_name(request.stem.as_deref().unwrap_or_else(|| source.stem()), "unnamed")
}

pub(crate) fn import(importer: &dyn Importer, source: &dyn Source, context: &Context) -> Result<Scene> {
    context.check_cancelled()?;
    check_size(source, context)?;
    check_attachments(importer, context)?;
    let scene = importer.import(source, context).and_then(|scene| {
        check_depth(&scene, context)?;
        Ok(scene)
    });
    scene.map_err(|e| e.in_file(source.name()))
}

/// Refuses a tree of nodes that is deeper than the limit; whoever allows much must not meet it as a recursion.
fn check_depth(scene: &Scene, context: &Context) -> Result<()> {
    let limit = context.limits().depth;
    let mut next: Vec<(NodeId, u32)> =
        scene.nodes.ids().filter(|id| scene.nodes[*id].parent.is_none()).map(|id| (id, 1)).collect();
    while let Some((id, depth)) = next.pop() {
        let node = &scene.nodes[id];
        if depth > limit {
            let message = format!("this node lies deeper than the limit of {limit} levels of nodes");
            return Err(Error::limit(Place::element(format!("node {:?}", node.name)), message));
        }
        next.extend(node.children.iter().map(|child| (*child, depth + 1)));
    }
    Ok(())
}

pub(crate) fn read_document(
    importer: &dyn Importer,
    source: &dyn Source,
    context: &Context,
) -> Result<Box<dyn Document>> {
    context.check_cancelled()?;
    check_size(source, context)?;
    importer.document(source, context).map_err(|e| e.in_file(source.name()))
}

/// Refuses attachments that the importer would not look at.
fn check_attachments(importer: &dyn Importer, context: &Context) -> Result<()> {
    let used = importer.attachment_roles();
    let mut unused = ROLES.iter().filter(|role| !used.contains(role));
    let Some(attachment) = unused.find_map(|role| context.attachments(*role).next()) else { return Ok(()) };
    let (name, what) = (&attachment.name, format!("{:?}", attachment.role).to_lowercase());
    let id = importer.info().id;
    Err(Error::usage(format!("{name}: the reader of `{id}` takes no attached {what}; convert it by itself")))
}

fn has_attachments(context: &Context) -> bool {
    ROLES.iter().any(|role| context.attachments(*role).next().is_some())
}

fn check_size(source: &dyn Source, context: &Context) -> Result<()> {
    let (size, limit) = (source.bytes().len() as u64, context.limits().input_bytes);
    if size > limit {
        let message =
            format!("{size} bytes are more than the limit of {limit} for an input; raise it if you trust the file");
        return Err(Error::limit(Place::whole().in_file(source.name()), message));
    }
    Ok(())
}

pub(crate) enum Chosen {
    Document(Box<dyn Document>),
    Scene,
}

pub(crate) fn choose_road(
    importer: &dyn Importer,
    exporter: &dyn Exporter,
    via: Via,
    source: &dyn Source,
    context: &Context,
) -> Result<Chosen> {
    let options = exporter.info().options.is_some_and(|o| context.has_options(o.owner));
    let related = importer.info().extensions.iter().any(|e| exporter.info().extensions.contains(e));
    match via {
        Via::Scene => return Ok(Chosen::Scene),
        Via::Auto if options || !related || has_attachments(context) => return Ok(Chosen::Scene),
        Via::Document if has_attachments(context) => {
            let message = "`--via document` writes the file back untouched and takes no attachments; leave them out, \
                           or take `--via scene`";
            return Err(Error::usage(message));
        }
        Via::Document if options => {
            let message = "`--via document` writes the file back untouched and takes no options of the target; \
                           leave the options out, or take `--via scene`";
            return Err(Error::usage(message));
        }
        Via::Auto | Via::Document => {}
    }
    let document = read_document(importer, source, context)?;
    if exporter.keeps(importer.info(), &document.dialect()) {
        return Ok(Chosen::Document(document));
    }
    if via == Via::Auto {
        return Ok(Chosen::Scene);
    }
    let (dialect, target) = (document.dialect(), exporter.info().id);
    let message = format!("{dialect} read as {} is not what `{target}` writes; take `--via scene`", importer.info().id);
    Err(Error::unsupported(Place::whole().in_file(source.name()), message))
}

/// What becomes of an input whose document could be written back.
pub(crate) enum Back {
    /// It was.
    Files(Vec<ExportedFile>),
    /// That is not the way.
    No,
    /// It would be read as damaged; the scene repairs that, or says what cannot be repaired.
    Damaged(Error),
}

/// Writes a document back where that is the way. Its bytes are those of the input, so one that does not read back is no
/// fault of anyrig's: it goes through the scene then, which tells what it repairs.
pub(crate) fn written_back(route: &Route<'_>, request: &ConvertRequest, context: &Context) -> Result<Back> {
    let via = via_of(request)?;
    let chosen = choose_road(route.importer, route.exporter, via, route.source, context)?;
    let Chosen::Document(document) = chosen else { return Ok(Back::No) };
    let files = write_document(&*document, route)?;
    if request.verify == Verify::None {
        return Ok(Back::Files(files));
    }
    check_names(&files)?;
    match check_whole(route.exporter, &files, context) {
        Ok(()) => Ok(Back::Files(files)),
        Err(e) if e.ends_job() => Err(e),
        Err(e) if via == Via::Auto => Ok(Back::Damaged(e)),
        Err(e) => {
            let message = format!(
                "the input is damaged, and would be written back so: {}; `--via scene` repairs what can be repaired, \
                 `--verify none` writes it back all the same",
                e.message()
            );
            Err(Error::new(e.kind(), e.place().clone(), message).in_file(route.source.name()))
        }
    }
}

/// Why a damaged input became nothing.
fn with_fault(error: Error, fault: &Error) -> Error {
    let is_same = error.message().contains(fault.message());
    if is_same || error.ends_job() || error.kind() == ErrorKind::Losses {
        return error;
    }
    let message =
        format!("{}; nor can the damaged input be written back as it is: {}", error.message(), fault.message());
    Error::new(error.kind(), error.place().clone(), message)
}

pub(crate) fn write_document(document: &dyn Document, route: &Route<'_>) -> Result<Vec<ExportedFile>> {
    let Route { exporter, source, stem, .. } = *route;
    let known = exporter.info().extensions;
    let of_source = extension_of(source.name()).filter(|e| known.contains(&e.as_str()));
    let usual = || document.extension().or(known.first().copied()).map(str::to_owned);
    let name = match document.extension().map(str::to_owned).or(of_source).or_else(usual) {
        Some(extension) => format!("{stem}.{extension}"),
        None => stem.to_owned(),
    };
    let mut files = vec![ExportedFile::new(name, document.write()?)];
    files.extend(document.attachments().into_iter().map(|(name, bytes)| ExportedFile::new(name, bytes)));
    Ok(files)
}

/// Fails when the report so far has a loss and the caller accepts none.
pub(crate) fn refuse_losses(losses: Losses, context: &Context) -> Result<()> {
    if losses == Losses::Report {
        return Ok(());
    }
    let report = context.report();
    let lost: Vec<_> = report.diagnostics().iter().filter(|d| d.severity == Severity::Lost).collect();
    let Some(first) = lost.first() else { return Ok(()) };
    let more = if lost.len() > 1 { format!(" and {} more", lost.len() - 1) } else { String::new() };
    let message = format!("something would be lost, which was forbidden: {}: {}{more}", first.subject, first.message);
    Err(Error::losses(message))
}
