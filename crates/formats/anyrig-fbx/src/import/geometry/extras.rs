//! What a mesh has beside its surface: creases, subdivision, layers that the scene has no word for.

use super::layers::{self, Mapping, VERTEX_CREASE};
use super::normals::edge_ends;
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

/// Bytes that an entry of a list of data may need.
const ENTRY_BYTES: usize = 3 * size_of::<Value>();

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

    /// Both points and the crease of each edge that has one.
    fn edge_creases(&mut self, node: Node<'_>, polygons: &Polygons) -> Result<Option<Value>> {
        let Some(element) = self.first_element(node, "LayerElementEdgeCrease") else { return Ok(None) };
        let Some(values) = self.edge_values::<f32>(element, "EdgeCrease", polygons)? else { return Ok(None) };
        self.book(polygons.corners.len() * 4 + polygons.edges.len() * 12, node)?;
        let ends = edge_ends(polygons);
        let creased = ends.into_iter().zip(values.iter()).filter(|(_, c)| **c != 0.0 && c.is_finite());
        let creases: Vec<Value> = creased
            .filter_map(|(ends, crease)| {
                let (a, b) = ends?;
                Some(Value::Array(vec![f64::from(a).into(), f64::from(b).into(), f64::from(*crease).into()]))
            })
            .collect();
        Ok((!creases.is_empty()).then_some(Value::Array(creases)))
    }

    /// Both points of each edge that is not drawn, such as the diagonals of triangulated faces in 3ds Max.
    fn hidden_edges(&mut self, node: Node<'_>, polygons: &Polygons) -> Result<Option<Value>> {
        let Some(element) = self.first_element(node, "LayerElementVisibility") else { return Ok(None) };
        let Some(flags) = self.edge_values::<i32>(element, "Visibility", polygons)? else { return Ok(None) };
        self.book(polygons.corners.len() * 4 + polygons.edges.len() * ENTRY_BYTES, node)?;
        let hidden = edge_ends(polygons).into_iter().zip(flags.iter()).filter(|(_, flag)| **flag == 0);
        let hidden: Vec<Value> = hidden
            .filter_map(|(ends, _)| ends.map(|(a, b)| Value::Array(vec![f64::from(a).into(), f64::from(b).into()])))
            .collect();
        Ok((!hidden.is_empty()).then_some(Value::Array(hidden)))
    }

    /// The number of the group of each face.
    fn polygon_groups(&mut self, node: Node<'_>, polygons: &Polygons) -> Result<Option<Value>> {
        let Some(element) = self.first_element(node, "LayerElementPolygonGroup") else { return Ok(None) };
        let groups = self.face_values(element, "PolygonGroup", polygons.face_count())?.unwrap_or_default();
        self.book(groups.len() * ENTRY_BYTES, node)?;
        let groups: Vec<Value> = groups.into_iter().map(|group| f64::from(group).into()).collect();
        Ok((!groups.is_empty()).then_some(Value::Array(groups)))
    }

    /// The point and its crease, for points that have one.
    fn vertex_creases(&mut self, node: Node<'_>, polygons: &Polygons, points: usize) -> Result<Option<Value>> {
        let Some(layer) = self.layers(node, VERTEX_CREASE, polygons)?.into_iter().next() else { return Ok(None) };
        if layer.mapping != Mapping::Point {
            self.push(&codes::LAYER_LOST, node, "vertex creases are not on points", 1);
            return Ok(None);
        }
        let (column, _) = Column::spread(&layer, Semantic::Custom(String::new()), polygons, points);
        let creased = column.values.iter().enumerate().filter(|(_, c)| **c != 0.0 && c.is_finite());
        let creases: Vec<Value> =
            creased.map(|(point, c)| Value::Array(vec![(point as f64).into(), f64::from(*c).into()])).collect();
        Ok((!creases.is_empty()).then_some(Value::Array(creases)))
    }

    /// Numbers of the faces that are marked as holes of a subdivided surface. The control cage shows them.
    fn holes(&mut self, node: Node<'_>, polygons: &Polygons) -> Result<Option<Value>> {
        let Some(element) = self.first_element(node, "LayerElementHole") else { return Ok(None) };
        let Some(flags) = self.face_values(element, "Hole", polygons.face_count())? else { return Ok(None) };
        let holes: Vec<Value> =
            flags.iter().enumerate().filter(|(_, f)| **f != 0).map(|(face, _)| (face as f64).into()).collect();
        self.push(&codes::HOLES, element, "", holes.len() as u64);
        Ok((!holes.is_empty()).then_some(Value::Array(holes)))
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
