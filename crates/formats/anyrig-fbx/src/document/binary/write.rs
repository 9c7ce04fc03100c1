//! Writing: sizes first, then the records in order. Their layouts are in `records`.

use super::records::{self, Footer, NodeRecord, PropertyRecord};
use super::{Frame, HEADER_SIZE};
use crate::document::arena::{Arena, NodeData, NodeId, PropertyData, Step};
use anyrig_bytes::codec::{Codec, ReadCodec, SkimCodec, Span, TraceCodec, WriteCodec};
use anyrig_bytes::{Endian, Result, Rope, SharedBytes};

pub(crate) fn write(arena: &Arena, frame: &Frame) -> Result<Rope> {
    let mut codec = WriteCodec::new(frame.endian());
    walk(&mut codec, arena, frame)?;
    Ok(codec.finish())
}

pub(crate) fn trace(arena: &Arena, frame: &Frame) -> Result<Vec<Span>> {
    let mut codec = TraceCodec::new(frame.endian());
    walk(&mut codec, arena, frame)?;
    Ok(codec.finish())
}

/// Reads one property that the arena holds.
pub(crate) fn property_record(arena: &Arena, property: PropertyData, endian: Endian) -> Result<PropertyRecord> {
    let mut record = PropertyRecord::default();
    read_property(arena, property, endian, &mut record)?;
    Ok(record)
}

/// As [`read_property`], but gives the bytes of a text, a block or an array beside the record, which does not take them.
#[inline]
pub(crate) fn skim_property<'a>(
    arena: &'a Arena,
    property: PropertyData,
    endian: Endian,
    record: &mut PropertyRecord,
) -> Option<&'a [u8]> {
    let (start, piece) = arena.piece(property.address())?;
    let mut codec = SkimCodec::at(piece, endian, start).ok()?;
    records::property(&mut codec, record).ok()?;
    Some(codec.block())
}

/// As [`property_record`], into a record that is used again and again; gives the number of bytes that it takes.
pub(crate) fn read_property(
    arena: &Arena,
    property: PropertyData,
    endian: Endian,
    record: &mut PropertyRecord,
) -> Result<u64> {
    let Some((start, piece)) = arena.piece(property.address()) else { return Ok(0) };
    let mut codec = ReadCodec::at(piece, endian, start)?;
    records::property(&mut codec, record)?;
    Ok((codec.position() - start) as u64)
}

pub(super) fn walk<C: Codec>(codec: &mut C, arena: &Arena, frame: &Frame) -> Result<()> {
    let is_wide = frame.header.is_wide();
    let sizes = Sizes::measure(arena, is_wide, frame.endian())?;
    codec.enter("header", None);
    records::header(codec, &mut frame.header.clone())?;
    codec.leave();
    let mut at = HEADER_SIZE as u64;
    // The number of the next child in each open list.
    let mut numbers = vec![0usize];
    arena.walk(NodeId::ROOT, |step, id, node| {
        match step {
            Step::Enter => {
                codec.enter("nodes", numbers.last().copied());
                if let Some(number) = numbers.last_mut() {
                    *number += 1;
                }
                numbers.push(0);
                let own = sizes.of(id);
                let mut record = NodeRecord {
                    end: at + own.all,
                    property_count: node.property_count.into(),
                    property_bytes: own.properties,
                    name: arena.shared_at(node.name).slice(0..node.name_len as usize).unwrap_or_default(),
                };
                records::node(codec, is_wide, &mut record)?;
                properties(codec, arena, node, frame.endian())?;
                at += NodeRecord::fixed_size(is_wide) + u64::from(node.name_len) + own.properties;
            }
            Step::Leave => {
                if node.has_list {
                    end_of_list(codec, is_wide, &mut at)?;
                }
                numbers.pop();
                codec.leave();
            }
        }
        Ok(())
    })?;
    if arena.node(NodeId::ROOT).is_some_and(|root| root.has_list) {
        end_of_list(codec, is_wide, &mut at)?;
    }
    footer(codec, &frame.footer, at)
}

fn properties<C: Codec>(codec: &mut C, arena: &Arena, node: &NodeData, endian: Endian) -> Result<()> {
    let mut record = PropertyRecord::default();
    for (index, property) in arena.properties_of(node).iter().enumerate() {
        codec.enter("properties", Some(index));
        read_property(arena, *property, endian, &mut record)?;
        records::property(codec, &mut record)?;
        codec.leave();
    }
    Ok(())
}

fn end_of_list<C: Codec>(codec: &mut C, is_wide: bool, at: &mut u64) -> Result<()> {
    codec.enter("end_of_list", None);
    records::node(codec, is_wide, &mut NodeRecord::default())?;
    codec.leave();
    *at += NodeRecord::fixed_size(is_wide);
    Ok(())
}

fn footer<C: Codec>(codec: &mut C, footer: &Footer, at: u64) -> Result<()> {
    let mut footer = footer.clone();
    if let Some(zeros) = footer.order.zeros(at) {
        footer.zeros = SharedBytes::from(vec![0; zeros as usize]);
    }
    codec.enter("footer", None);
    records::footer(codec, &mut footer)?;
    codec.leave();
    Ok(())
}

/// The bytes that a node takes.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    /// The whole node.
    all: u64,
    /// Its properties.
    properties: u64,
}

/// The size of every node, by id.
struct Sizes(Vec<Size>);

impl Sizes {
    fn measure(arena: &Arena, is_wide: bool, endian: Endian) -> Result<Self> {
        let fixed = NodeRecord::fixed_size(is_wide);
        let mut sizes = vec![Size::default(); arena.nodes.len()];
        let mut record = PropertyRecord::default();
        arena.walk(NodeId::ROOT, |step, id, node| {
            if step == Step::Enter {
                return Ok(());
            }
            let mut properties = 0;
            for property in arena.properties_of(node) {
                properties += read_property(arena, *property, endian, &mut record)?;
            }
            let list = if node.has_list { fixed } else { 0 };
            let own = fixed + u64::from(node.name_len) + properties + list;
            let all = match sizes.get_mut(id.index()) {
                Some(size) => {
                    // The children have left their sizes here.
                    size.all += own;
                    size.properties = properties;
                    size.all
                }
                None => own,
            };
            if let Some(parent) = sizes.get_mut(node.parent.index()) {
                parent.all += all;
            }
            Ok(())
        })?;
        Ok(Self(sizes))
    }

    fn of(&self, id: NodeId) -> Size {
        self.0.get(id.index()).copied().unwrap_or_default()
    }
}
