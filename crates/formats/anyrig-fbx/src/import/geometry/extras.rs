//! What a mesh has beside its surface: creases, subdivision, layers that the scene has no word for.

use super::layers::{self, Mapping, VERTEX_CREASE};
use super::normals::{Edge, edge_ends};
use super::polygons::Polygons;
use super::{Column, Reader};
use crate::codes;
use crate::document::Node;
use anyrig_bytes::{Result, Value};
use anyrig_scene::{Extras, Semantic};

/// Kinds of layer elements that are read, here or with the textures.
const KNOWN: [&str; 12] = [
    "LayerElementNormal",
    "LayerElementTangent",
    "LayerElementBinormal",
    "LayerElementUV",
    "LayerElementColor",
    "LayerElementMaterial",
    "LayerElementSmoothing",
    "LayerElementEdgeCrease",
    "LayerElementVertexCrease",
    "LayerElementHole",
    "LayerElementPolygonGroup",
    "LayerElementVisibility",
];

/// Bytes of a list of data beside its values, as an allocator rounds them.
const LIST_BYTES: usize = 16;

/// One number, or a list of several.
fn entry<const N: usize>(numbers: [f64; N]) -> Value {
    match numbers.as_slice() {
        [only] => Value::from(*only),
        all => Value::Array(all.iter().copied().map(Value::from).collect()),
    }
}

/// What [`entry`] needs.
const fn entry_bytes<const N: usize>() -> usize {
    if N == 1 { size_of::<Value>() } else { (N + 1) * size_of::<Value>() + LIST_BYTES }
}

impl Reader<'_, '_> {
    pub(super) fn extras(&mut self, node: Node<'_>, polygons: &Polygons, points: usize) -> Result<Extras> {
        let mut extras = Extras::default();
        if let Some(creases) = self.edge_creases(node, polygons)? {
            extras.set("fbx.edge_creases", creases);
        }
        if let Some(creases) = self.vertex_creases(node, polygons, points)? {
            extras.set("fbx.vertex_creases", creases);
        }
        if let Some(holes) = self.holes(node, polygons)? {
            extras.set("fbx.holes", holes);
        }
        if let Some(hidden) = self.hidden_edges(node, polygons)? {
            extras.set_bookkeeping("fbx.hidden_edges", hidden);
        }
        if let Some(groups) = self.polygon_groups(node, polygons)? {
            extras.set("fbx.polygon_groups", groups);
        }
        self.subdivision(node, &mut extras);
        for element in node.children() {
            let name = element.name_text();
            let is_texture = name.starts_with("LayerElement") && name.contains("Texture");
            let is_known = is_texture || layers::is_uv_of_texture(&name) || KNOWN.contains(&&*name);
            if name.starts_with("LayerElement") && !is_known {
                self.lose_layer(element, "the scene has no place for it");
            }
        }
        Ok(extras)
    }

    /// A list of entries, `None` when there are none. An entry takes many times its spelling, so it is counted and booked
    /// before it is made.
    fn list<const N: usize>(
        &self,
        node: Node<'_>,
        entries: impl Iterator<Item = [f64; N]> + Clone,
    ) -> Result<Option<Value>> {
        let count = entries.clone().count();
        self.book_product(count.saturating_mul(entry_bytes::<N>()), node)?;
        let mut list = Vec::with_capacity(count);
        list.extend(entries.map(entry));
        Ok((!list.is_empty()).then_some(Value::Array(list)))
    }

    /// The points of all edges, booked.
    fn ends(&self, node: Node<'_>, polygons: &Polygons) -> Result<Vec<Option<Edge>>> {
        self.book(polygons.corners.len() * size_of::<u32>() + polygons.edges.len() * size_of::<Option<Edge>>(), node)?;
        Ok(edge_ends(polygons))
    }

    /// Both points and the crease of each edge that has one.
    fn edge_creases(&mut self, node: Node<'_>, polygons: &Polygons) -> Result<Option<Value>> {
        let Some(element) = self.first_element(node, "LayerElementEdgeCrease") else { return Ok(None) };
        let Some(values) = self.edge_values::<f32>(element, "EdgeCrease", polygons)? else { return Ok(None) };
        let ends = self.ends(node, polygons)?;
        let creased = ends.iter().zip(values.iter()).filter(|(_, crease)| is_crease(**crease));
        let creases = creased.filter_map(|(ends, crease)| {
            let (a, b) = (*ends)?;
            Some([a.into(), b.into(), (*crease).into()])
        });
        self.list(node, creases)
    }

    /// Both points of each edge that is not drawn, such as the diagonals of triangulated faces in 3ds Max.
    fn hidden_edges(&mut self, node: Node<'_>, polygons: &Polygons) -> Result<Option<Value>> {
        let Some(element) = self.first_element(node, "LayerElementVisibility") else { return Ok(None) };
        let Some(flags) = self.edge_values::<i32>(element, "Visibility", polygons)? else { return Ok(None) };
        let ends = self.ends(node, polygons)?;
        let hidden = ends.iter().zip(flags.iter()).filter(|(_, flag)| **flag == 0);
        self.list(node, hidden.filter_map(|(ends, _)| ends.map(|(a, b)| [a.into(), b.into()])))
    }

    /// The number of the group of each face.
    fn polygon_groups(&mut self, node: Node<'_>, polygons: &Polygons) -> Result<Option<Value>> {
        let Some(element) = self.first_element(node, "LayerElementPolygonGroup") else { return Ok(None) };
        let groups = self.face_values(element, "PolygonGroup", polygons.face_count())?.unwrap_or_default();
        self.list(node, groups.iter().map(|group| [f64::from(*group)]))
    }

    /// The point and its crease, for points that have one.
    fn vertex_creases(&mut self, node: Node<'_>, polygons: &Polygons, points: usize) -> Result<Option<Value>> {
        let Some(layer) = self.layers(node, VERTEX_CREASE, polygons)?.into_iter().next() else { return Ok(None) };
        if layer.mapping != Mapping::Point {
            self.push(&codes::LAYER_LOST, node, "vertex creases are not on points", 1);
            return Ok(None);
        }
        self.book_spread(node, &layer, points)?;
        let (column, _) = Column::spread(&layer, Semantic::Custom(String::new()), polygons, points);
        let creased = column.values.iter().enumerate().filter(|(_, crease)| is_crease(**crease));
        self.list(node, creased.map(|(point, crease)| [point as f64, (*crease).into()]))
    }

    /// Numbers of the faces that are marked as holes of a subdivided surface. The control cage shows them.
    fn holes(&mut self, node: Node<'_>, polygons: &Polygons) -> Result<Option<Value>> {
        let Some(element) = self.first_element(node, "LayerElementHole") else { return Ok(None) };
        let Some(flags) = self.face_values(element, "Hole", polygons.face_count())? else { return Ok(None) };
        let holes = flags.iter().enumerate().filter(|(_, flag)| **flag != 0);
        self.push(&codes::HOLES, element, "", holes.clone().count() as u64);
        self.list(node, holes.map(|(face, _)| [face as f64]))
    }

    fn subdivision(&mut self, node: Node<'_>, extras: &mut Extras) {
        let mut settings = Value::Null;
        for name in ["PreviewDivisionLevels", "RenderDivisionLevels", "Smoothness", "BoundaryRule"] {
            if let Some(value) = node.child(name).and_then(|n| n.i64(0)) {
                settings.set(name, value as f64);
            }
        }
        // 0 shows the hull, all others a smoothed surface (`FbxMesh::EMeshSmoothness`: hull, rough, medium, fine).
        let is_smoothed = settings.get("Smoothness").and_then(Value::as_f64).is_some_and(|s| s >= 1.0);
        if is_smoothed {
            self.push(&codes::SUBDIVISION, node, "its control cage is shown", 1);
        }
        if !settings.is_null() {
            extras.set("fbx.subdivision", settings);
        }
    }
}

/// Creases that are 0 have no effect; those that are no numbers have none that is known.
fn is_crease(crease: f32) -> bool {
    crease != 0.0 && crease.is_finite()
}
