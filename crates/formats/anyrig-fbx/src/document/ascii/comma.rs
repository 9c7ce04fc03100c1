//! Finds files whose numbers have decimal commas.
//!
//! A program that wrote under a locale with decimal commas made `0,5` of 0.5, which reads as two numbers. What was meant
//! cannot be told in general, so such a file is refused with a message that says why.

use super::tag;
use crate::document::arena::{NodeId, Step};
use crate::document::node::Node;
use crate::document::{FbxDocument, Kind, number};
use anyrig_bytes::{Error, Result};

const MESSAGE: &str = "the numbers of this file have decimal commas (`0,5`), which cannot be told from lists of numbers; \
                       export it again with the system set to decimal points";

/// Refuses such a file. Only for files in which no number has a decimal point.
pub(crate) fn check(document: &FbxDocument) -> Result<()> {
    document.arena.walk(NodeId::ROOT, |step, id, _| {
        let Some(node) = document.node(id).filter(|_| step == Step::Enter) else { return Ok(()) };
        let suspect = has_too_many_values(&node) || has_odd_vertices(&node);
        if suspect { Err(Error::malformed(node.place(), MESSAGE)) } else { Ok(()) }
    })
}

/// A property line with more numbers than its type has.
fn has_too_many_values(node: &Node<'_>) -> bool {
    let head = match node.name() {
        b"P" => 4,
        b"Property" => 3,
        _ => return false,
    };
    let Some(kind) = node.property(1).and_then(|p| p.bytes()) else { return false };
    let numbers = node.properties().skip(head);
    if node.property_count() <= head || numbers.clone().any(|p| p.kind() != Kind::Number) {
        return false;
    }
    match &*kind {
        // One, or one with its bounds: never two.
        b"double" | b"Number" | b"float" | b"Float" | b"Real" => numbers.len() == 2,
        b"Vector" | b"Vector3D" | b"Color" | b"ColorRGB" | b"Lcl Translation" | b"Lcl Rotation" | b"Lcl Scaling" => {
            numbers.len() > 3
        }
        _ => false,
    }
}

/// Coordinates that do not come in threes, some of which look like what follows a comma.
fn has_odd_vertices(node: &Node<'_>) -> bool {
    let is_list = matches!(node.name(), b"Vertices" | b"Normals");
    if !is_list || node.property_count() < 4 || node.property_count().is_multiple_of(3) {
        return false;
    }
    let arena = &node.document().arena;
    node.raw_properties().iter().any(|p| {
        let token = number::token(arena.bytes_at(p.address()));
        p.tag() == tag::NUMBER && (token.len() >= 6 || token.len() > 1 && token.starts_with(b"0"))
    })
}
