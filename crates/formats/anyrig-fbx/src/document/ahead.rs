//! Inflating ahead of who decodes, on the other threads of the pool.
//!
//! The arrays that a scene is made of stand in a list, about in the order in which they are asked for. Helpers inflate
//! them one after another; who decodes takes what is there, inflates itself what nobody has begun, and helps while it
//! waits for what is in work. So one thread is never slower, and what comes out does not depend on how many there are:
//! limits, errors and conversions stay with who decodes.

use super::arrays::announced;
use super::property::Property;
use super::{FbxDocument, Form, Node};
use anyrig_bytes::compress::Inflater;
use anyrig_bytes::{Context, Place};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Shorter arrays are not worth handing over.
const SHORTEST: usize = 1 << 10;
/// Below so many bytes in all no helper is asked.
const FEWEST: usize = 1 << 18;
/// Bytes that lie ready at most, or as many as the file has; never more than the job may use.
const WINDOW: usize = 16 << 20;
/// More threads than these would wait for who decodes.
const MOST_HELPERS: usize = 4;

/// Names of arrays that are read for every object that has them.
const NAMES: [&str; 24] = [
    "Binormals",
    "BinormalsIndex",
    "ColorIndex",
    "Colors",
    "Edges",
    "Indexes",
    "KeyAttrDataFloat",
    "KeyAttrFlags",
    "KeyAttrRefCount",
    "KeyTime",
    "KeyValueFloat",
    "Materials",
    "Normals",
    "NormalsIndex",
    "PolygonVertexIndex",
    "Smoothing",
    "Tangents",
    "TangentsIndex",
    "UV",
    "UVIndex",
    "VertexCrease",
    "VertexCreaseIndex",
    "Vertices",
    "Weights",
];

/// The arrays of a document that may be inflated ahead.
pub(crate) struct Ahead<'d> {
    /// Each with the number of its bytes.
    arrays: Vec<(Property<'d>, usize)>,
    /// Addresses of the arrays, ascending, with their index.
    places: Vec<(u64, usize)>,
    window: usize,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    slots: Vec<Slot>,
    /// The first one that helpers have not looked at.
    next: usize,
    /// All before this one are taken or were given up.
    low: usize,
    /// Bytes that lie ready or are being inflated.
    ready: usize,
    is_over: bool,
}

enum Slot {
    Open,
    Busy,
    Ready(Vec<u8>),
    Gone,
}

/// What may be inflated next.
enum Claim {
    Array(usize),
    /// There is no room for it now.
    Later,
    /// All arrays were begun.
    Never,
}

impl<'d> Ahead<'d> {
    /// Lists the arrays of a document.
    pub fn new(document: &'d FbxDocument, context: &Context) -> Self {
        let window = window(document.source_len(), context.limits().memory_bytes);
        let mut ranked: Vec<(usize, Property<'d>, usize)> = Vec::new();
        if matches!(document.form, Form::Binary(_)) {
            for object in document.root().children_named("Objects").flat_map(|section| section.children()) {
                let Some(rank) = rank(object) else { continue };
                let layers = object.children().filter(|child| child.name().starts_with(b"LayerElement"));
                let lists = std::iter::once(object).chain(layers).flat_map(|node| node.children());
                let arrays = lists.filter(|node| NAMES.iter().any(|name| node.is(name)));
                let known = arrays.filter_map(|node| {
                    let property = node.property(0)?;
                    Some((rank, property, announced(&property)?))
                });
                ranked.extend(known.filter(|(_, _, len)| (SHORTEST..=window).contains(len)));
            }
        }
        // Stable, so that file order stays.
        ranked.sort_by_key(|(rank, _, _)| *rank);
        let arrays: Vec<(Property<'d>, usize)> = ranked.into_iter().map(|(_, array, len)| (array, len)).collect();
        let mut places: Vec<(u64, usize)> =
            arrays.iter().enumerate().map(|(index, (array, _))| (array.data.address(), index)).collect();
        places.sort_unstable();
        let slots = arrays.iter().map(|_| Slot::Open).collect();
        let state = Mutex::new(State { slots, next: 0, low: 0, ready: 0, is_over: false });
        Self { arrays, places, window, state, changed: Condvar::new() }
    }

    /// Does work while helpers inflate. They end with it.
    ///
    /// The work may not wait for the pool itself: a thread that waits there takes up other jobs, a helper among them, and
    /// that one stays until the work is over, which waits for it.
    pub fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        let bytes = self.arrays.iter().fold(0usize, |all, (_, len)| all.saturating_add(*len));
        // Asked for its threads, the pool starts, so that small files don't ask.
        if bytes < FEWEST {
            return work();
        }
        let helpers = rayon::current_num_threads().saturating_sub(1).min(MOST_HELPERS);
        if helpers == 0 {
            return work();
        }
        rayon::in_place_scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|_| self.help());
            }
            let _end = End(self);
            work()
        })
    }

    /// The inflated bytes of an array, when a helper has them or is about to; each array once.
    pub fn take(&self, property: &Property<'_>, inflater: &mut Inflater) -> Option<Vec<u8>> {
        let place = self.places.binary_search_by_key(&property.data.address(), |(address, _)| *address).ok()?;
        let index = self.places.get(place)?.1;
        let len = self.arrays.get(index)?.1;
        let mut state = self.lock();
        while matches!(state.slots[index], Slot::Busy) {
            state = match self.claim(&mut state) {
                Claim::Array(other) => {
                    drop(state);
                    self.fill(other, inflater);
                    self.lock()
                }
                Claim::Later | Claim::Never => self.wait(state),
            };
        }
        match std::mem::replace(&mut state.slots[index], Slot::Gone) {
            Slot::Ready(bytes) => {
                state.ready -= len;
                self.changed.notify_all();
                Some(bytes)
            }
            _ => {
                // Helpers go on behind it, and have room for that.
                state.next = state.next.max(index + 1);
                self.give_up(&mut state, index);
                None
            }
        }
    }

    /// Lets go of what was passed over, once nothing else has room.
    fn give_up(&self, state: &mut State, before: usize) {
        if state.ready * 2 < self.window {
            return;
        }
        while state.low < before && !matches!(state.slots[state.low], Slot::Busy) {
            let low = state.low;
            if let Slot::Ready(_) = std::mem::replace(&mut state.slots[low], Slot::Gone) {
                state.ready -= self.arrays[low].1;
            }
            state.low += 1;
        }
        self.changed.notify_all();
    }

    fn help(&self) {
        let mut inflater = Inflater::default();
        let mut state = self.lock();
        while !state.is_over {
            state = match self.claim(&mut state) {
                Claim::Array(index) => {
                    drop(state);
                    self.fill(index, &mut inflater);
                    self.lock()
                }
                Claim::Later => self.wait(state),
                Claim::Never => return,
            };
        }
    }

    /// Inflates an array that was claimed.
    fn fill(&self, index: usize, inflater: &mut Inflater) {
        let (property, len) = &self.arrays[index];
        let mut claimed = Claimed { ahead: self, index, bytes: None };
        claimed.bytes = inflate(property, *len, inflater);
    }

    /// What came of an array that was claimed. Without bytes, who decodes finds out what is wrong with it.
    fn settle(&self, index: usize, bytes: Option<Vec<u8>>) {
        let mut state = self.lock();
        if bytes.is_none() {
            state.ready -= self.arrays[index].1;
        }
        state.slots[index] = bytes.map_or(Slot::Gone, Slot::Ready);
        self.changed.notify_all();
    }

    /// The next array that nobody has begun, if there is room for it.
    fn claim(&self, state: &mut State) -> Claim {
        while state.slots.get(state.next).is_some_and(|slot| !matches!(slot, Slot::Open)) {
            state.next += 1;
        }
        let index = state.next;
        match self.arrays.get(index) {
            Some((_, len)) if state.ready + len <= self.window => {
                state.ready += len;
                state.next += 1;
                state.slots[index] = Slot::Busy;
                Claim::Array(index)
            }
            Some(_) => Claim::Later,
            None => Claim::Never,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves slots that are still right.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Ahead<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ahead").field("arrays", &self.arrays.len()).finish_non_exhaustive()
    }
}

/// Sends the helpers home, also when the work panics.
struct End<'e, 'd>(&'e Ahead<'d>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.changed.notify_all();
    }
}

/// An array in work. A panic settles it too, since others wait for it.
struct Claimed<'e, 'd> {
    ahead: &'e Ahead<'d>,
    index: usize,
    bytes: Option<Vec<u8>>,
}

impl Drop for Claimed<'_, '_> {
    fn drop(&mut self) {
        self.ahead.settle(self.index, self.bytes.take());
    }
}

/// How many bytes may lie ready for a file of a length.
fn window(source_len: u64, memory_bytes: u64) -> usize {
    usize::try_from(source_len.max(WINDOW as u64).min(memory_bytes)).unwrap_or(WINDOW)
}

/// When the arrays of an object are asked for.
fn rank(object: Node<'_>) -> Option<usize> {
    match object.name() {
        b"Geometry" if object.text(2).is_some_and(|sort| sort == "Shape") => Some(2),
        b"Geometry" => Some(0),
        b"Deformer" => Some(1),
        b"AnimationCurve" => Some(3),
        _ => None,
    }
}

fn inflate(property: &Property<'_>, len: usize, inflater: &mut Inflater) -> Option<Vec<u8>> {
    let record = property.record().ok()?;
    let mut bytes = bytemuck::allocation::zeroed_vec(len);
    inflater.inflate_into(&record.data, &mut bytes, Place::whole).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_lies_ready_than_the_job_may_use() {
        assert_eq!(window(0, u64::MAX), WINDOW);
        assert_eq!(window(WINDOW as u64 + 1, u64::MAX), WINDOW + 1);
        assert_eq!(window(WINDOW as u64 + 1, 5), 5);
    }
}
