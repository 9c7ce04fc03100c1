//! Memory that grows faster than the file: what one part of it multiplies with another, and data whose form in memory is
//! larger than its spelling. Files of programs have little of it for their size; more is there to fill memory.

use super::Import;
use super::objects::ObjectId;
use super::properties::NamedProperty;
use crate::codes;
use anyrig_bytes::{Diagnostic, Error, Place, Result, Value};
use anyrig_scene::{Extras, USER};
use std::cell::Cell;
use std::collections::BTreeSet;

/// What may be multiplied whatever the size of the file.
const FREE_BYTES: u64 = 24 << 20;
/// What may be multiplied for each byte of the file.
const PER_BYTE: u64 = 4;

/// What may be made of an object several times, because several others name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Work {
    Curve,
    CurveNode,
    Layer,
    Clusters,
    Weights,
    BlendWeights,
    Channel,
    Deltas,
    Member,
    Textures,
}

/// What was booked so far.
#[derive(Debug, Default)]
pub(super) struct Booking {
    bytes: Cell<u64>,
    /// What was done once.
    done: BTreeSet<(Work, ObjectId)>,
}

impl Import<'_> {
    /// Books what grows with the product of two counts of the file, such as the joints of all skins where many nodes show
    /// a mesh. It also stops work that goes with it, so it is asked before the work is done.
    pub(super) fn take_product(&self, bytes: usize, object: ObjectId) -> Result<()> {
        self.take_product_at(bytes, || self.objects.place(object))
    }

    /// How much more may be booked by [`Self::take_product`].
    pub(super) fn products_left(&self) -> u64 {
        self.most_products().saturating_sub(self.booking.bytes.get())
    }

    fn most_products(&self) -> u64 {
        FREE_BYTES.saturating_add(self.objects.document().source_len().saturating_mul(PER_BYTE))
    }

    /// As [`Self::take_product`], for what is not an object.
    pub(super) fn take_product_at(&self, bytes: usize, place: impl FnOnce() -> Place) -> Result<()> {
        let booked = self.booking.bytes.get().saturating_add(bytes as u64);
        self.booking.bytes.set(booked);
        let len = self.objects.document().source_len();
        if booked > self.most_products() {
            let message = format!("what it shares or repeats is more than a file of {len} bytes has room for");
            return Err(Error::limit(place(), message));
        }
        self.context.check_cancelled()
    }

    /// Books work on an object that is done more than once, for example on the weights of a skin that several meshes
    /// name. What is done first is in proportion to the object's own size.
    pub(super) fn take_again(&mut self, work: Work, object: ObjectId, bytes: usize) -> Result<()> {
        if self.booking.done.insert((work, object)) { Ok(()) } else { self.take_product(bytes, object) }
    }

    /// Gives an element what users attached to an object, booked.
    pub(super) fn attach_user_data(&self, id: ObjectId, extras: &mut Extras) -> Result<()> {
        let object = self.objects.get(id);
        self.take_product(object.properties.value_bytes(|property| property.is_attached()), id)?;
        if let Some(data) = object.properties.user_data() {
            extras.set(USER, data);
        }
        for property in object.properties.iter().filter(|property| property.is_attached() && property.is_raw()) {
            let line = Diagnostic::new(&codes::USER_DATA, object.name.clone(), property.name());
            self.context.push(line.at(property.node().place()));
        }
        Ok(())
    }

    /// Properties of an object as data, booked; `None` when it has none of those that are wanted.
    pub(super) fn data(&self, object: ObjectId, is_wanted: fn(&NamedProperty<'_>) -> bool) -> Result<Option<Value>> {
        let properties = &self.objects.get(object).properties;
        self.take_product(properties.value_bytes(is_wanted), object)?;
        Ok(properties.to_value(is_wanted))
    }
}
