//! Inflating ahead of who decodes, on the other threads of the pool.
//!
//! The arrays that a scene is made of stand in a list: objects about in the order in which they are asked for, and of
//! each object the longest array first, since who decodes begins with another one. Helpers inflate and convert them one
//! after another; who decodes takes what is there, inflates itself what nobody has begun, and helps while it waits for what
//! is in work. So one thread is never slower, and what comes out does not depend on how many there are: limits and errors
//! stay with who decodes, and all convert in the same way.

use super::arrays::{announced, inflated};
use super::element::Element;
use super::property::Property;
use super::{FbxDocument, Form, Node};
use anyrig_bytes::Context;
use anyrig_bytes::compress::Inflater;
use std::any::Any;
use std::cmp::Reverse;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Shorter arrays are not worth handing over.
const SHORTEST: usize = 1 << 10;
/// Below so many bytes in all no helper is asked.
const FEWEST: usize = 1 << 18;
/// Bytes that lie ready at most, or as many as the file has; never more than the job may use.
const WINDOW: usize = 16 << 20;
/// More threads than these would wait for who decodes.
const MOST_HELPERS: usize = 4;

/// What an array is decoded into.
#[derive(Clone, Copy, Debug)]
enum Numbers {
    F32,
    I32,
    I64,
}

impl Numbers {
    fn size(self) -> usize {
        match self {
            Self::F32 | Self::I32 => 4,
            Self::I64 => 8,
        }
    }

    fn decode(self, property: &Property<'_>, inflater: &mut Inflater) -> Option<Decoded> {
        fn of<T: Element>(property: &Property<'_>, inflater: &mut Inflater) -> Option<Decoded> {
            Some(Box::new(inflated::<T>(property, inflater)?))
        }
        match self {
            Self::F32 => of::<f32>(property, inflater),
            Self::I32 => of::<i32>(property, inflater),
            Self::I64 => of::<i64>(property, inflater),
        }
    }
}

/// A vector of one of the [`Numbers`].
type Decoded = Box<dyn Any + Send>;

/// Names of arrays that are read for every object that has them, and what they are decoded into. Who wants one as
/// something else decodes it again.
const NAMES: [(&str, Numbers); 24] = [
    ("Binormals", Numbers::F32),
    ("BinormalsIndex", Numbers::I32),
    ("ColorIndex", Numbers::I32),
    ("Colors", Numbers::F32),
    ("Edges", Numbers::I32),
    ("Indexes", Numbers::I32),
    ("KeyAttrDataFloat", Numbers::F32),
    ("KeyAttrFlags", Numbers::I32),
    ("KeyAttrRefCount", Numbers::I32),
    ("KeyTime", Numbers::I64),
    ("KeyValueFloat", Numbers::F32),
    ("Materials", Numbers::I32),
    ("Normals", Numbers::F32),
    ("NormalsIndex", Numbers::I32),
    ("PolygonVertexIndex", Numbers::I32),
    ("Smoothing", Numbers::I32),
    ("Tangents", Numbers::F32),
    ("TangentsIndex", Numbers::I32),
    ("UV", Numbers::F32),
    ("UVIndex", Numbers::I32),
    ("VertexCrease", Numbers::F32),
    ("VertexCreaseIndex", Numbers::I32),
    ("Vertices", Numbers::F32),
    ("Weights", Numbers::F32),
];

/// An array that may be inflated ahead.
struct Array<'d> {
    property: Property<'d>,
    numbers: Numbers,
    /// Number of bytes once it is decoded.
    len: usize,
    /// Index of the first array of its object.
    first: usize,
}

impl<'d> Array<'d> {
    /// The array of a node, when it is deflated and of a known name.
    fn of(node: Node<'d>) -> Option<Self> {
        let (_, numbers) = NAMES.iter().find(|(name, _)| node.is(name))?;
        let property = node.property(0)?;
        let len = announced(&property)?.checked_mul(numbers.size())?;
        Some(Self { property, numbers: *numbers, len, first: 0 })
    }
}

/// The arrays of a document that may be inflated ahead.
pub(crate) struct Ahead<'d> {
    arrays: Vec<Array<'d>>,
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
    Ready(Decoded),
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
        let mut objects: Vec<(usize, Vec<Array<'d>>)> = Vec::new();
        // Outside of a pool the question would start one, also for a small file.
        let is_alone = rayon::current_thread_index().is_some() && rayon::current_num_threads() == 1;
        if matches!(document.form, Form::Binary(_)) && !is_alone {
            for object in document.root().children_named("Objects").flat_map(|section| section.children()) {
                let Some(rank) = rank(object) else { continue };
                let arrays = arrays_of(object, window);
                if !arrays.is_empty() {
                    objects.push((rank, arrays));
                }
            }
        }
        // Stable, so that file order stays.
        objects.sort_by_key(|(rank, _)| *rank);
        let mut arrays: Vec<Array<'d>> = Vec::new();
        for (_, list) in objects {
            let first = arrays.len();
            arrays.extend(list.into_iter().map(|array| Array { first, ..array }));
        }
        let mut places: Vec<(u64, usize)> =
            arrays.iter().enumerate().map(|(index, array)| (array.property.data.address(), index)).collect();
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
        let bytes = self.arrays.iter().fold(0usize, |all, array| all.saturating_add(array.len));
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

    /// The elements of an array, when a helper has them or is about to; each array once.
    pub fn take<T: Element>(&self, property: &Property<'_>, inflater: &mut Inflater) -> Option<Vec<T>> {
        let place = self.places.binary_search_by_key(&property.data.address(), |(address, _)| *address).ok()?;
        let index = self.places.get(place)?.1;
        let Array { len, first, .. } = self.arrays.get(index)?;
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
            Slot::Ready(decoded) => {
                state.ready -= len;
                self.changed.notify_all();
                decoded.downcast::<Vec<T>>().ok().map(|values| *values)
            }
            _ => {
                // Helpers go on with the rest of its object, and have room for that.
                state.next = state.next.max(*first);
                self.give_up(&mut state, *first);
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
                state.ready -= self.arrays[low].len;
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
        let array = &self.arrays[index];
        let mut claimed = Claimed { ahead: self, index, decoded: None };
        claimed.decoded = array.numbers.decode(&array.property, inflater);
    }

    /// What came of an array that was claimed. Without elements, who decodes finds out what is wrong with it.
    fn settle(&self, index: usize, decoded: Option<Decoded>) {
        let mut state = self.lock();
        if decoded.is_none() {
            state.ready -= self.arrays[index].len;
        }
        state.slots[index] = decoded.map_or(Slot::Gone, Slot::Ready);
        self.changed.notify_all();
    }

    /// The next array that nobody has begun, if there is room for it.
    fn claim(&self, state: &mut State) -> Claim {
        while state.slots.get(state.next).is_some_and(|slot| !matches!(slot, Slot::Open)) {
            state.next += 1;
        }
        let index = state.next;
        match self.arrays.get(index) {
            Some(Array { len, .. }) if state.ready + len <= self.window => {
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
    decoded: Option<Decoded>,
}

impl Drop for Claimed<'_, '_> {
    fn drop(&mut self) {
        self.ahead.settle(self.index, self.decoded.take());
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

/// The arrays of an object that are worth handing over and fit into a window, the longest first.
fn arrays_of(object: Node<'_>, window: usize) -> Vec<Array<'_>> {
    let layers = object.children().filter(|child| child.name().starts_with(b"LayerElement"));
    let lists = std::iter::once(object).chain(layers).flat_map(|node| node.children());
    let mut arrays: Vec<Array<'_>> =
        lists.filter_map(Array::of).filter(|array| (SHORTEST..=window).contains(&array.len)).collect();
    arrays.sort_by_key(|array| Reverse(array.len));
    arrays
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::SharedBytes;

    /// A record that begins at an offset; records of children follow its properties, and a null record ends them.
    fn node(at: usize, name: &str, (count, properties): (u32, &[u8]), children: &dyn Fn(usize) -> Vec<u8>) -> Vec<u8> {
        let head = 13 + name.len() + properties.len();
        let inside = children(at + head);
        let lens = [(at + head + inside.len()) as u32, count, properties.len() as u32];
        let numbers: Vec<u8> = lens.iter().flat_map(|len| len.to_le_bytes()).collect();
        [&numbers, &[name.len() as u8][..], name.as_bytes(), properties, &inside].concat()
    }

    fn array(code: u8, count: u32, bytes: &[u8]) -> Vec<u8> {
        let packed = anyrig_bytes::compress::deflate(bytes);
        let numbers = [count, 1, packed.len() as u32].map(u32::to_le_bytes);
        [&[code], numbers.as_flattened(), &packed].concat()
    }

    /// A mesh with four doubles for each whole number.
    fn mesh(count: u32) -> SharedBytes {
        let doubles: Vec<u8> = (0..count * 4).flat_map(|i| f64::from(i).to_le_bytes()).collect();
        let ints: Vec<u8> = (0..count).flat_map(u32::to_le_bytes).collect();
        let arrays = |at: usize| {
            let indexes = array(b'i', count, &ints);
            let mut list = node(at, "PolygonVertexIndex", (1, &indexes), &|_| Vec::new());
            let points = array(b'd', count * 4, &doubles);
            list.extend(node(at + list.len(), "Vertices", (1, &points), &|_| Vec::new()));
            list.extend([0; 13]);
            list
        };
        let objects = |at: usize| {
            let mut list = node(at, "Geometry", (0, &[]), &arrays);
            list.extend([0; 13]);
            list
        };
        let mut file = b"Kaydara FBX Binary  \0\x1a\0".to_vec();
        file.extend(7400u32.to_le_bytes());
        file.extend(node(file.len(), "Objects", (0, &[]), &objects));
        file.extend([0; 13]);
        file.into()
    }

    #[test]
    fn arrays_lie_ready_as_what_they_are_asked_for_and_once() {
        let context = Context::new();
        let document = FbxDocument::read(&mesh(5000), &context).expect("a document");
        let ahead = Ahead::new(&document, &context);
        assert_eq!(ahead.arrays.iter().map(|array| array.len).collect::<Vec<_>>(), [80_000, 20_000], "longest first");
        ahead.help();
        let geometry = document.child("Objects").and_then(|objects| objects.child("Geometry")).expect("a mesh");
        let property = |name: &str| geometry.child(name).and_then(|node| node.property(0)).expect("an array");
        let mut inflater = Inflater::default();
        let points = ahead.take::<f32>(&property("Vertices"), &mut inflater);
        assert!(points.is_some_and(|points| points.iter().copied().eq((0..20_000u16).map(f32::from))));
        let corners = ahead.take::<i32>(&property("PolygonVertexIndex"), &mut inflater);
        assert!(corners.is_some_and(|corners| corners.into_iter().eq(0..5000)));
        assert_eq!(ahead.take::<f32>(&property("Vertices"), &mut inflater), None);
        assert_eq!(ahead.lock().ready, 0);
    }

    #[test]
    fn what_lies_ready_as_something_else_is_left_to_who_decodes() {
        let context = Context::new();
        let document = FbxDocument::read(&mesh(5000), &context).expect("a document");
        let ahead = Ahead::new(&document, &context);
        ahead.help();
        let array = &ahead.arrays[0];
        assert_eq!(ahead.take::<f64>(&array.property, &mut Inflater::default()), None);
        assert_eq!(ahead.lock().ready, ahead.arrays[1].len);
    }

    #[test]
    fn no_more_lies_ready_than_the_job_may_use() {
        assert_eq!(window(0, u64::MAX), WINDOW);
        assert_eq!(window(WINDOW as u64 + 1, u64::MAX), WINDOW + 1);
        assert_eq!(window(WINDOW as u64 + 1, 5), 5);
    }
}
