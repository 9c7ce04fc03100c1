//! Layer elements: values on points, corners, polygons or all, direct or by index.

use super::polygons::Polygons;
use super::{Reader, Subject};
use crate::codes;
use crate::document::Node;
use anyrig_bytes::{Buffer, Diagnostic, Result};
use std::borrow::Cow;

/// What a layer has one entry for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mapping {
    Corner,
    Point,
    Face,
    Edge,
    Same,
}

/// The values of a layer element.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// The element's own number; elements of one kind are told apart by it.
    pub index: i64,
    /// Its name, for example of a UV set.
    pub name: String,
    pub mapping: Mapping,
    /// Floats per entry of `values`.
    pub width: usize,
    pub values: Buffer<f32>,
    /// Which entry counts; `None` when they are in order.
    pub indexes: Option<Buffer<i32>>,
}

impl Layer {
    /// The values of elements in order, and how many of them were out of range. What is out of range takes the last
    /// entry, as readers do that people compare with.
    pub fn gather(&self, elements: impl ExactSizeIterator<Item = usize>) -> (Vec<f32>, u64) {
        match self.width {
            1 => self.rows::<1>(elements),
            2 => self.rows::<2>(elements),
            3 => self.rows::<3>(elements),
            // No kind has more.
            _ => self.rows::<4>(elements),
        }
    }

    /// As [`Self::gather`], of entries whose width is known, so that each is moved at once.
    fn rows<const WIDTH: usize>(&self, elements: impl ExactSizeIterator<Item = usize>) -> (Vec<f32>, u64) {
        let entries = self.values.as_chunks::<WIDTH>().0;
        let last = entries.last().copied().unwrap_or([0.0; WIDTH]);
        let mut wrong = 0;
        let mut row = |entry: Option<&[f32; WIDTH]>| {
            wrong += u64::from(entry.is_none());
            entry.copied().unwrap_or(last)
        };
        let rows: Vec<[f32; WIDTH]> = match self.indexes.as_deref() {
            // A negative index is beyond any length.
            Some(indexes) => elements.map(|at| row(indexes.get(at).and_then(|i| entries.get(*i as usize)))).collect(),
            None => elements.map(|at| row(entries.get(at))).collect(),
        };
        (rows.into_flattened(), wrong)
    }
}

/// What to read of a kind of layer element.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub element: &'static str,
    pub values: &'static str,
    pub indexes: &'static str,
    pub width: usize,
}

pub(super) const NORMAL: Kind =
    Kind { element: "LayerElementNormal", values: "Normals", indexes: "NormalsIndex", width: 3 };
pub(super) const TANGENT: Kind =
    Kind { element: "LayerElementTangent", values: "Tangents", indexes: "TangentsIndex", width: 3 };
pub(super) const BINORMAL: Kind =
    Kind { element: "LayerElementBinormal", values: "Binormals", indexes: "BinormalsIndex", width: 3 };
pub(super) const UV: Kind = Kind { element: "LayerElementUV", values: "UV", indexes: "UVIndex", width: 2 };
pub(super) const COLOR: Kind = Kind { element: "LayerElementColor", values: "Colors", indexes: "ColorIndex", width: 4 };
pub(super) const VERTEX_CREASE: Kind =
    Kind { element: "LayerElementVertexCrease", values: "VertexCrease", indexes: "VertexCreaseIndex", width: 1 };
/// Before version 6000 there is one set of texture coordinates.
pub(super) const OLD_UV: Kind =
    Kind { element: "GeometryUVInfo", values: "TextureUV", indexes: "TextureUVVerticeIndex", width: 2 };

/// True for the layers that version 6 writes for the coordinates of one sort of texture, such as `LayerElementEmissiveUV`.
pub(super) fn is_uv_of_texture(element: &str) -> bool {
    element.len() > UV.element.len() && element.starts_with("LayerElement") && element.ends_with("UV")
}

/// The mapping mode of a layer element.
pub(super) fn mapping(node: Node<'_>) -> Option<Mapping> {
    match &*mapping_name(node) {
        "ByPolygonVertex" => Some(Mapping::Corner),
        "ByVertex" | "ByVertice" | "ByControlPoint" => Some(Mapping::Point),
        "ByPolygon" => Some(Mapping::Face),
        "ByEdge" => Some(Mapping::Edge),
        "AllSame" => Some(Mapping::Same),
        _ => None,
    }
}

fn mapping_name(node: Node<'_>) -> Cow<'_, str> {
    node.child("MappingInformationType").and_then(|n| n.text(0)).unwrap_or_default()
}

impl Reader<'_, '_> {
    /// All layer elements of a kind that have values, by their number.
    pub(super) fn layers(&mut self, node: Node<'_>, kind: Kind, polygons: &Polygons) -> Result<Vec<Layer>> {
        let mut layers = Vec::new();
        for element in node.children_named(kind.element) {
            layers.extend(self.layer(element, kind, polygons)?);
        }
        // Stable: equal numbers stay in file order.
        layers.sort_by_key(|layer: &Layer| layer.index);
        Ok(layers)
    }

    pub(super) fn layer(&mut self, element: Node<'_>, kind: Kind, polygons: &Polygons) -> Result<Option<Layer>> {
        let Some(values) = element.child(kind.values) else { return Ok(None) };
        let values = values.array::<f32>(self.decoder)?;
        if values.is_empty() {
            return Ok(None);
        }
        if values.len() < kind.width {
            self.lose_layer(element, &format!("{} numbers do not make an entry of {}", values.len(), kind.width));
            return Ok(None);
        }
        if !values.len().is_multiple_of(kind.width) {
            self.lose_layer(element, &format!("{} numbers do not make entries of {}", values.len(), kind.width));
        }
        let indexes = element.child(kind.indexes).map(|n| n.array::<i32>(self.decoder)).transpose()?;
        let Some(mut mapping) = mapping(element).filter(|m| *m != Mapping::Edge) else {
            self.lose_layer(element, &format!("the mapping `{}` is not known here", mapping_name(element)));
            return Ok(None);
        };
        // Old exporters say ByPolygon where they mean corners.
        let entries = indexes.as_ref().map_or(values.len() / kind.width, |i| i.len());
        if mapping == Mapping::Face && entries == polygons.corners.len() {
            mapping = Mapping::Corner;
        }
        let name = element.child("Name").and_then(|n| n.text(0)).unwrap_or_default().into_owned();
        let index = element.i64(0).unwrap_or(0);
        Ok(Some(Layer { index, name, mapping, width: kind.width, values, indexes }))
    }

    /// The flags or numbers of a layer element with one entry per face, or one for all.
    pub(super) fn face_values(&mut self, element: Node<'_>, name: &str, faces: usize) -> Result<Option<Vec<i32>>> {
        let Some(node) = element.child(name) else { return Ok(None) };
        let values = node.array::<i32>(self.decoder)?;
        match mapping(element) {
            _ if values.is_empty() => Ok(None),
            Some(Mapping::Same) => {
                let first = values.first().copied().unwrap_or(0);
                self.book(faces * size_of::<i32>(), element)?;
                Ok(Some(vec![first; faces]))
            }
            Some(Mapping::Face) => {
                self.book(faces * size_of::<i32>(), element)?;
                let last = values.last().copied().unwrap_or(0);
                if values.len() < faces {
                    let line =
                        Diagnostic::new(&codes::LAYER_RANGE, self.subject(element), "the last entry was repeated");
                    self.context.push(line.times((faces - values.len()) as u64).at(element.place()));
                }
                Ok(Some((0..faces).map(|f| values.get(f).copied().unwrap_or(last)).collect()))
            }
            _ => {
                // Some programs write this of lists that they do not use.
                let name = mapping_name(element);
                if name != "NoMappingInformation" {
                    self.lose_layer(element, &format!("the mapping `{name}` is not known here"));
                }
                Ok(None)
            }
        }
    }

    /// The numbers of a layer element with one entry per edge.
    pub(super) fn edge_values<T: crate::Element>(
        &mut self,
        element: Node<'_>,
        name: &str,
        polygons: &Polygons,
    ) -> Result<Option<Buffer<T>>> {
        let values = self.array::<T>(element, name)?;
        let edges = polygons.edges.len();
        if values.is_empty() {
            return Ok(None);
        }
        if mapping(element) != Some(Mapping::Edge) || edges == 0 {
            self.lose_layer(element, if edges == 0 { "the mesh lists no edges" } else { "it is not on edges" });
            return Ok(None);
        }
        if values.len() < edges {
            let line = Diagnostic::new(&codes::LAYER_RANGE, self.subject(element), "edges without an entry have 0");
            self.context.push(line.times((edges - values.len()) as u64).at(element.place()));
        }
        Ok(Some(values))
    }

    /// The first layer element of a kind that is read once for a mesh; further ones are told.
    pub(super) fn first_element<'n>(&self, node: Node<'n>, name: &str) -> Option<Node<'n>> {
        let mut elements = node.children_named(name);
        let first = elements.next();
        elements.for_each(|element| self.lose_layer(element, "the mesh has several; the first one counts"));
        first
    }

    pub(super) fn lose_layer(&self, element: Node<'_>, why: &str) {
        let line = Diagnostic::new(&codes::LAYER_LOST, self.subject(element), why);
        self.context.push(line.at(element.place()));
    }

    fn subject(&self, element: Node<'_>) -> Subject {
        format!("{}: {}", self.name, element.name_text())
    }
}
