//! What the elements of the bulk arrays are made of, for those who look into them.

use super::animation::channel;
use super::model::morph_mask;
use super::{ElementSemantic, ElementType, VertexElement};
use anyrig_bytes::codec::{ItemLayout, Scalar};

/// A vertex. Elements are called by their meaning; the second texture coordinate is `tex_coord1`.
pub(super) fn vertex(elements: impl Iterator<Item = VertexElement>) -> ItemLayout {
    elements.fold(ItemLayout::default(), |layout, element| {
        // The stride is asked for before the layout, so that every type is known here.
        let kind = element.kind().unwrap_or(ElementType::Int);
        let scalar = match kind {
            ElementType::Int => Scalar::I32,
            ElementType::UByte4 | ElementType::UByte4Norm => Scalar::U8,
            ElementType::Float | ElementType::Vector2 | ElementType::Vector3 | ElementType::Vector4 => Scalar::F32,
        };
        let name = unique(&layout, name(element));
        layout.with(name, scalar, kind.width())
    })
}

fn name(element: VertexElement) -> String {
    let semantic = match element.semantic() {
        Some(ElementSemantic::Position) => "position",
        Some(ElementSemantic::Normal) => "normal",
        Some(ElementSemantic::Binormal) => "binormal",
        Some(ElementSemantic::Tangent) => "tangent",
        Some(ElementSemantic::TexCoord) => "tex_coord",
        Some(ElementSemantic::Color) => "color",
        Some(ElementSemantic::BlendWeights) => "blend_weights",
        Some(ElementSemantic::BlendIndices) => "blend_indices",
        Some(ElementSemantic::ObjectIndex) => "object_index",
        None => return format!("element_{:x}", element.0),
    };
    match element.index() {
        0 => semantic.to_owned(),
        index => format!("{semantic}{index}"),
    }
}

/// A damaged file may list an element twice.
fn unique(layout: &ItemLayout, name: String) -> String {
    let taken = |name: &str| layout.fields.iter().any(|f| f.name == name);
    if !taken(&name) {
        return name;
    }
    let another = |n: &usize| format!("{name}_{n}");
    (2..=layout.fields.len() + 2).find(|n| !taken(&another(n))).map_or(name.clone(), |n| another(&n))
}

/// An index of 2 or 4 bytes.
pub(super) fn index(size: usize) -> ItemLayout {
    ItemLayout::of(if size == 2 { Scalar::U16 } else { Scalar::U32 }, 1)
}

/// A vertex of a morph.
pub(super) fn morph(mask: u32) -> ItemLayout {
    let deltas = [(morph_mask::POSITION, "position"), (morph_mask::NORMAL, "normal"), (morph_mask::TANGENT, "tangent")];
    let vertex = ItemLayout::default().with("vertex", Scalar::U32, 1);
    deltas.into_iter().filter(|(bit, _)| mask & bit != 0).fold(vertex, |l, (_, name)| l.with(name, Scalar::F32, 3))
}

/// A key of a track.
pub(super) fn key(mask: u8) -> ItemLayout {
    let channels =
        [(channel::POSITION, "position", 3), (channel::ROTATION, "rotation", 4), (channel::SCALE, "scale", 3)];
    let time = ItemLayout::default().with("time", Scalar::F32, 1);
    let held = channels.into_iter().filter(|(bit, ..)| mask & bit != 0);
    held.fold(time, |layout, (_, name, width)| layout.with(name, Scalar::F32, width))
}

/// A key of a track of any values.
pub(super) fn variant_key(scalar: Scalar, width: usize) -> ItemLayout {
    let time = ItemLayout::default().with("time", Scalar::F32, 1);
    if width == 0 { time } else { time.with("value", scalar, width) }
}

/// The tangents of a key.
pub(super) fn variant_tangents(scalar: Scalar, width: usize) -> ItemLayout {
    ItemLayout::default().with("in", scalar, width).with("out", scalar, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_is_spelled_by_its_elements() {
        use ElementSemantic as S;
        use ElementType as T;
        let uv = VertexElement::new(S::TexCoord, T::Vector2);
        let elements = [VertexElement::new(S::Position, T::Vector3), uv, uv.with_index(1), uv, VertexElement(0x3005)];
        let layout = vertex(elements.into_iter());
        let names: Vec<&str> = layout.fields.iter().map(|f| f.name.as_ref()).collect();
        assert_eq!(names, ["position", "tex_coord", "tex_coord1", "tex_coord_2", "element_3005"]);
        assert_eq!((layout.stride, layout.is_complete()), (12 + 8 * 3 + 4, true));
    }

    #[test]
    fn keys_and_morphs_hold_what_their_masks_say() {
        assert_eq!(key(channel::ROTATION).stride, 20);
        assert_eq!(key(7).fields.len(), 4);
        assert_eq!(morph(morph_mask::POSITION | morph_mask::TANGENT).stride, 28);
        assert_eq!(index(2).stride, 2);
    }
}
