//! Geometry: polygons with their layers of data, and lines.
//!
//! From version 7000 on geometry is an object below models; before that models hold it themselves. Positions and what
//! the file has one entry per control point for stay on points; everything else goes to corners.

mod columns;
mod extras;
mod layers;
mod lines;
mod normals;
mod parts;
mod polygons;

use super::objects::{End, ObjectId, Objects};
use super::skins::unique;
use super::{Import, materials, nodes};
use crate::codes;
use crate::document::Node;
use anyrig_bytes::{Buffer, Context, Diagnostic, Result};
use anyrig_scene::{Domain, Mesh, MeshId, MeshInstance, NodeId, Part, Semantic, Stream, Trs};
use columns::{Column, Side};
use layers::{COLOR, Kind, Layer, Mapping};
use normals::Smoothing;
use parts::Assignment;
use polygons::Polygons;
use std::collections::BTreeSet;

/// What a diagnostic is about.
type Subject = String;

/// How many characters of a name are enough to know a mesh by.
const SUBJECT_CHARACTERS: usize = 256;

/// What messages call a mesh: a name may be long, and each of its layers may have something to tell.
fn subject(name: &str) -> Subject {
    name.chars().take(SUBJECT_CHARACTERS).collect()
}

/// A mesh that geometry became.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    pub mesh: MeshId,
    /// Names of the sets of texture coordinates.
    pub uv_sets: Vec<String>,
    /// The models that show it, each with the node that carries the mesh.
    pub shown: Vec<(ObjectId, NodeId)>,
}

/// Makes the meshes and shows them at their models' nodes.
pub(super) fn read(import: &mut Import<'_>) -> Result<()> {
    let models: Vec<(ObjectId, NodeId)> = import.nodes.iter().map(|(model, node)| (*model, *node)).collect();
    let mut tried = BTreeSet::new();
    for (model, node) in models {
        import.context.check_cancelled()?;
        for geometry in sources(&import.objects, model) {
            if tried.insert(geometry)
                && let Some((mesh, uv_sets)) = make(import, geometry, model)?
            {
                let mesh = import.scene.meshes.push(mesh);
                import.geometries.insert(geometry, Geometry { mesh, uv_sets, shown: Vec::new() });
            }
            show(import, geometry, (model, node))?;
        }
    }
    tell_unused(import, &tried)
}

/// Tells of geometry that no model shows. Shapes belong to the geometry that they change.
fn tell_unused(import: &Import<'_>, tried: &BTreeSet<ObjectId>) -> Result<()> {
    let all = import.objects.of_class("Geometry").filter(|o| o.subtype != "Shape" && !tried.contains(&o.id));
    for geometry in all {
        import.context.check_cancelled()?;
        let is_empty = geometry.subtype == "Mesh" && geometry.node.child("Vertices").is_none();
        if !is_empty {
            let message = "no model is connected to it";
            let line = Diagnostic::new(&codes::GEOMETRY_UNUSED, geometry.name.clone(), message);
            import.context.push(line.at(import.objects.place(geometry.id)));
        }
    }
    Ok(())
}

/// The objects that hold the geometry of a model, each once: the model itself before version 7000.
fn sources(objects: &Objects<'_>, model: ObjectId) -> Vec<ObjectId> {
    let object = objects.get(model);
    let inline = object.node.child("Vertices").is_some() || object.node.child("Points").is_some();
    let connected = objects.children(End::Object(model)).filter(|o| o.class == "Geometry" && o.subtype != "Shape");
    unique(inline.then_some(model).into_iter().chain(connected.map(|o| o.id)))
}

fn show(import: &mut Import<'_>, geometry: ObjectId, (model, node): (ObjectId, NodeId)) -> Result<()> {
    let Some(mesh) = import.geometries.get(&geometry).map(|made| made.mesh) else { return Ok(()) };
    let mut carrier = node;
    if import.scene.nodes[node].mesh.is_some() {
        // A node shows one mesh.
        carrier = nodes::helper(import, (node, geometry), "mesh", Trs::IDENTITY)?;
        import.scene.nodes[carrier].geometric = import.scene.nodes[node].geometric.clone();
    }
    import.scene.nodes[carrier].mesh = Some(MeshInstance::new(mesh));
    if let Some(made) = import.geometries.get_mut(&geometry) {
        made.shown.push((model, carrier));
    }
    Ok(())
}

fn make(import: &mut Import<'_>, geometry: ObjectId, model: ObjectId) -> Result<Option<(Mesh, Vec<String>)>> {
    let object = import.objects.get(geometry);
    let (node, subtype) = (object.node, object.subtype.clone());
    let name = if object.name.is_empty() { &import.objects.get(model).name } else { &object.name };
    // Several geometries may take the name of one model, which is kept in the mesh and while it is made.
    import.take_product(2 * name.len(), geometry)?;
    let name = name.clone();
    let slots = materials::most(import, geometry);
    let is_old = import.objects.document().version_number() < 6000;
    let mut reader = Reader { context: import.context, import: &mut *import, name: subject(&name), slots, is_old };
    let (parts, extras, uv_sets) = if node.child("Vertices").is_some() {
        reader.polygons(node)?
    } else if node.child("PointsIndex").is_some() {
        (reader.lines(node)?, anyrig_scene::Extras::default(), Vec::new())
    } else {
        if subtype != "Mesh" {
            let kind = if subtype.is_empty() { "unknown" } else { &*subtype };
            let line =
                Diagnostic::new(&codes::GEOMETRY_LOST, name, format!("geometry of the kind `{kind}` is not shown"));
            import.context.push(line.at(node.place()));
        }
        return Ok(None);
    };
    if parts.is_empty() {
        import.context.push(Diagnostic::new(&codes::NO_FACES, name, "").at(node.place()));
        return Ok(None);
    }
    let mut mesh = Mesh::default();
    (mesh.name, mesh.parts, mesh.extras) = (name, parts, extras);
    // Before version 7000 the geometry is the model, which has them.
    if geometry != model {
        import.attach_user_data(geometry, &mut mesh.extras)?;
    }
    if uv_sets.iter().any(|name| !name.is_empty()) {
        let names = uv_sets.iter().map(|n| anyrig_bytes::Value::from(n.clone())).collect();
        mesh.extras.set_bookkeeping("fbx.uv_sets", anyrig_bytes::Value::Array(names));
    }
    Ok(Some((mesh, uv_sets)))
}

/// Reads the geometry of one node.
struct Reader<'r, 'a> {
    context: &'a Context,
    import: &'r mut Import<'a>,
    name: String,
    /// Number of materials that the model wears.
    slots: usize,
    /// True before version 6000.
    is_old: bool,
}

type Made = (Vec<Part>, anyrig_scene::Extras, Vec<String>);

impl Reader<'_, '_> {
    fn book(&self, bytes: usize, node: Node<'_>) -> Result<()> {
        self.context.take_memory(bytes as u64, || node.place())
    }

    /// Books what one part of the mesh multiplies with another.
    fn book_product(&self, bytes: usize, node: Node<'_>) -> Result<()> {
        self.import.take_product_at(bytes, || node.place())
    }

    fn push(&self, code: &'static anyrig_bytes::Code, node: Node<'_>, message: &str, count: u64) {
        if count > 0 {
            self.context.push(Diagnostic::new(code, self.name.clone(), message).times(count).at(node.place()));
        }
    }

    /// The numbers of a child; empty when there is none.
    fn array<T: crate::Element>(&mut self, node: Node<'_>, name: &str) -> Result<Buffer<T>> {
        node.child(name).map_or_else(|| Ok(Buffer::default()), |child| child.array(&mut self.import.decoder))
    }

    fn polygons(&mut self, node: Node<'_>) -> Result<Made> {
        let positions = self.positions(node, "Vertices")?;
        let points = positions.len() / 3;
        let mut indexes = self.array::<i32>(node, "PolygonVertexIndex")?;
        let edges = self.array::<i32>(node, "Edges")?;
        self.book(indexes.len() * 12, node)?;
        self.context.take_elements(indexes.len() as u64, || node.place())?;
        let polygons = Polygons::new(std::mem::take(indexes.make_mut()), points, &edges);
        self.push(&codes::FACES, node, "a corner names a point that does not exist", polygons.broken.len() as u64);
        let short = polygons.offsets.windows(2).filter(|w| w[1] - w[0] < 3).count();
        self.push(&codes::SHORT_FACES, node, "", short as u64);
        let mut columns =
            vec![Column { semantic: Semantic::Position, domain: Domain::Point, width: 3, values: positions.clone() }];
        let at = positions.as_chunks::<3>().0;
        self.surface(node, &polygons, at, &mut columns)?;
        let uv_sets = self.uvs(node, &polygons, points, &mut columns)?;
        for (set, layer) in self.layers(node, COLOR, &polygons)?.iter().enumerate() {
            columns.push(self.spread(node, layer, Semantic::Color(set as u32), (&polygons, points))?);
        }
        let faces = self.assignment(node, &polygons)?;
        let extras = self.extras(node, &polygons, points)?;
        // Each part has a stream of each column.
        let streams = faces.further_parts().min(polygons.face_count()).saturating_mul(columns.len());
        self.book_product(streams.saturating_mul(size_of::<Stream>()), node)?;
        let parts = parts::split(polygons, &columns, points as u32, &faces);
        Ok((parts, extras, uv_sets))
    }

    fn positions(&mut self, node: Node<'_>, name: &str) -> Result<Buffer<f32>> {
        let mut positions = self.array::<f32>(node, name)?;
        let rest = positions.len() % 3;
        if rest > 0 {
            self.push(&codes::LAYER_RANGE, node, "coordinates that make no whole point were left out", rest as u64);
            let len = positions.len() - rest;
            positions.make_mut().truncate(len);
        }
        Ok(positions)
    }

    /// Books the values of all elements that a layer is spread over. Many layers may have few values each, of the same
    /// many elements; what they state themselves is in proportion to the file.
    fn book_spread(&self, node: Node<'_>, layer: &Layer, elements: usize) -> Result<()> {
        let all = elements.saturating_mul(layer.width * size_of::<f32>());
        self.book(all, node)?;
        self.book_product(all.saturating_sub(layer.stated_bytes()), node)
    }

    fn spread(
        &self,
        node: Node<'_>,
        layer: &Layer,
        semantic: Semantic,
        (polygons, points): (&Polygons, usize),
    ) -> Result<Column> {
        self.book_spread(node, layer, polygons.corners.len().max(points))?;
        let message = format!("{semantic}: entries out of range became the last one");
        let (column, wrong) = Column::spread(layer, semantic, polygons, points);
        self.push(&codes::LAYER_RANGE, node, &message, wrong);
        Ok(column)
    }

    /// Normals, made from smoothing where there are none, and tangents.
    fn surface(
        &mut self,
        node: Node<'_>,
        polygons: &Polygons,
        at: &[[f32; 3]],
        columns: &mut Vec<Column>,
    ) -> Result<()> {
        let layers = self.layers(node, layers::NORMAL, polygons)?;
        for further in layers.iter().skip(1) {
            self.push(&codes::LAYER_LOST, node, &format!("normals `{}`: the first ones count", further.name), 1);
        }
        let layer =
            layers.into_iter().next().map_or_else(|| self.old_normals(node, polygons, at.len()), |l| Ok(Some(l)))?;
        let normal = match layer {
            Some(layer) => {
                let mut column = self.spread(node, &layer, Semantic::Normal, (polygons, at.len()))?;
                let wrong = columns::make_unit(&mut column, polygons, at);
                self.push(&codes::NORMALS, node, "", wrong);
                column
            }
            None => self.made_normals(node, polygons, at)?,
        };
        let mut tangents = self.layers(node, layers::TANGENT, polygons)?.into_iter();
        if let Some(layer) = tangents.next() {
            let tangent = self.spread(node, &layer, Semantic::Custom("tangent".to_owned()), (polygons, at.len()))?;
            let side = self.side(node, layer.index, (polygons, at.len()))?;
            self.book(polygons.corners.len() * 16, node)?;
            columns.push(columns::tangents(&normal, &tangent, &side, polygons));
            self.push(&codes::TANGENT_SETS, node, "", tangents.count() as u64);
        }
        columns.insert(1, normal);
        Ok(())
    }

    /// Where the binormals of a layer of tangents are: as the file has them, else by the fourth number of the tangents.
    fn side(&mut self, node: Node<'_>, index: i64, (polygons, points): (&Polygons, usize)) -> Result<Side> {
        let binormals = self.layers(node, layers::BINORMAL, polygons)?;
        if let Some(layer) = binormals.iter().find(|b| b.index == index).or(binormals.first()) {
            let semantic = Semantic::Custom("binormal".to_owned());
            return Ok(Side::Binormals(self.spread(node, layer, semantic, (polygons, points))?));
        }
        let signs = self.layers(node, layers::TANGENT_SIGN, polygons)?;
        let Some(layer) = signs.iter().find(|signs| signs.index == index) else { return Ok(Side::Unsaid) };
        let semantic = Semantic::Custom("tangent sign".to_owned());
        Ok(Side::Signs(self.spread(node, layer, semantic, (polygons, points))?))
    }

    fn made_normals(&mut self, node: Node<'_>, polygons: &Polygons, at: &[[f32; 3]]) -> Result<Column> {
        // Sides of edges while they are matched.
        self.book(polygons.corners.len() * 64, node)?;
        let smoothing = self.smoothing(node, polygons)?;
        let values = normals::from_smoothing(polygons, at, &smoothing).into();
        self.push(&codes::NORMALS_MADE, node, "", 1);
        Ok(Column { semantic: Semantic::Normal, domain: Domain::Corner, width: 3, values })
    }

    fn smoothing(&mut self, node: Node<'_>, polygons: &Polygons) -> Result<Smoothing> {
        let Some(element) = self.first_element(node, "LayerElementSmoothing") else { return Ok(Smoothing::None) };
        if layers::mapping(element) == Some(Mapping::Edge) {
            let values = self.edge_values::<i32>(element, "Smoothing", polygons)?;
            return Ok(values.map_or(Smoothing::None, |values| Smoothing::Edges(values.to_vec())));
        }
        let values = self.face_values(element, "Smoothing", polygons.face_count())?;
        Ok(values.map_or(Smoothing::None, Smoothing::Faces))
    }

    /// Before version 6000 normals stand in the model; whether on points or on corners only their number tells, and
    /// where both fit, version 5000 means points.
    fn old_normals(&mut self, node: Node<'_>, polygons: &Polygons, points: usize) -> Result<Option<Layer>> {
        if !self.is_old || node.child("Normals").is_none() {
            return Ok(None);
        }
        let values = self.array::<f32>(node, "Normals")?;
        let (count, corners) = (values.len() / 3, polygons.corners.len());
        let prefers_points = node.document().version_number() == 5000;
        let mapping = match (count == points, count == corners) {
            (true, false) => Mapping::Point,
            (true, true) if prefers_points => Mapping::Point,
            (_, true) => Mapping::Corner,
            _ => return Ok(None),
        };
        Ok((count > 0).then(|| Layer { index: 0, name: String::new(), mapping, width: 3, values, indexes: None }))
    }

    fn uvs(
        &mut self,
        node: Node<'_>,
        polygons: &Polygons,
        points: usize,
        columns: &mut Vec<Column>,
    ) -> Result<Vec<String>> {
        let kind: Kind = if self.is_old { layers::OLD_UV } else { layers::UV };
        let mut all = self.layers(node, kind, polygons)?;
        // They repeat a set of their name, or bring one that only their textures use.
        let mut known: BTreeSet<String> = all.iter().map(|layer| layer.name.clone()).collect();
        for element in node.children().filter(|element| layers::is_uv_of_texture(&element.name_text())) {
            let name = element.child("Name").and_then(|n| n.text(0)).unwrap_or_default();
            if !known.contains(&*name)
                && let Some(layer) = self.layer(element, kind, polygons)?
            {
                known.insert(layer.name.clone());
                all.push(layer);
            }
        }
        let mut names = Vec::new();
        for (set, layer) in all.into_iter().enumerate() {
            columns.push(self.spread(node, &layer, Semantic::TexCoord(set as u32), (polygons, points))?);
            names.push(layer.name);
        }
        Ok(names)
    }

    /// The slot of each face, and faces that are not shown.
    fn assignment(&mut self, node: Node<'_>, polygons: &Polygons) -> Result<Assignment> {
        let faces = polygons.face_count();
        let slots = match self.first_element(node, "LayerElementMaterial") {
            Some(element) => self.face_values(element, "Materials", faces)?,
            None => self.old_slots(node, faces)?,
        };
        let mut assignment = Assignment::default();
        if self.slots > 1 {
            let (slots, count) = (slots.unwrap_or_default(), self.slots);
            let inside = |slot: &i32| u32::try_from(*slot).ok().filter(|s| (*s as usize) < count);
            let wrong = slots.iter().filter(|s| inside(s).is_none()).count();
            self.push(&codes::MATERIAL_INDEX, node, "the first one was taken", wrong as u64);
            assignment.slots = slots.iter().map(|s| inside(s).unwrap_or(0)).collect();
        }
        if !polygons.broken.is_empty() {
            assignment.hidden = vec![false; faces];
            let broken = polygons.broken.iter().filter_map(|f| usize::try_from(*f).ok());
            broken.for_each(|f| assignment.hidden[f] = true);
        }
        Ok(assignment)
    }

    fn old_slots(&mut self, node: Node<'_>, faces: usize) -> Result<Option<Vec<i32>>> {
        let Some(mode) = node.child("MaterialAssignation").and_then(|n| n.text(0)) else { return Ok(None) };
        let values = self.array::<i32>(node, "Materials")?;
        self.book(faces * size_of::<i32>(), node)?;
        let value = |face: usize| values.get(face).or(values.last()).copied().unwrap_or(0);
        Ok(match &*mode {
            "AllSame" => Some(vec![value(0); faces]),
            "ByPolygon" => Some((0..faces).map(value).collect()),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{SUBJECT_CHARACTERS, subject};

    #[test]
    fn messages_do_not_repeat_long_names() {
        assert_eq!(subject("skin"), "skin");
        assert_eq!(subject(&"ß".repeat(100_000)), "ß".repeat(SUBJECT_CHARACTERS));
    }
}
