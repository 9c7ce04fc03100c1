//! Corners of triangle lists (appendix A, mode 1): edges and points that were seen lately cost one byte a triangle.

use super::{CUT_OFF, Fault, LEFT_OVER, fault, push_index, read_varint, unzigzag, write_varint, zigzag};
use std::collections::BTreeMap;

const MAGIC: u8 = 0xE1;
/// The table of frequent codes at the end of a stream.
const TABLE: usize = 16;
/// Entries of the table that may be used.
const TABLE_USED: usize = 14;
/// Marks an index that follows in full.
const EXPLICIT: u8 = 15;

type Edge = (u32, u32);

/// The last sixteen things pushed.
struct Recent<T> {
    ring: [T; 16],
    pushed: usize,
}

impl<T: Copy + Default> Recent<T> {
    fn new() -> Self {
        Self { ring: [T::default(); 16], pushed: 0 }
    }

    fn push(&mut self, item: T) {
        self.ring[self.pushed % 16] = item;
        self.pushed += 1;
    }

    /// The newest has the index 0; `None` for what was never pushed.
    fn get(&self, index: usize) -> Option<T> {
        (index < 16 && index < self.pushed).then(|| self.ring[(self.pushed - 1 - index) % 16])
    }

    /// The newest below a limit that fits.
    fn find(&self, limit: usize, fits: impl Fn(T) -> bool) -> Option<usize> {
        (0..limit).find(|i| self.get(*i).is_some_and(&fits))
    }
}

/// What both ways keep.
struct State {
    edges: Recent<Edge>,
    points: Recent<u32>,
    /// The next index that has not been seen, when indices ascend.
    next: u32,
    /// The last index that was given in full.
    last: u32,
}

impl State {
    fn new() -> Self {
        Self { edges: Recent::new(), points: Recent::new(), next: 0, last: 0 }
    }

    fn take_next(&mut self) -> u32 {
        self.next = self.next.wrapping_add(1);
        self.next.wrapping_sub(1)
    }

    /// The difference that gives an index in full.
    fn give(&mut self, index: u32) -> u32 {
        let difference = index.wrapping_sub(self.last);
        self.last = index;
        difference
    }

    /// The code of a second or third corner.
    fn point_code(&mut self, corner: u32) -> u8 {
        if corner == self.next {
            self.take_next();
            return 0;
        }
        self.points.find(14, |p| p == corner).map_or(EXPLICIT, |index| index as u8 + 1)
    }

    /// After a triangle that shares an edge.
    fn push_shared(&mut self, [a, b, c]: [u32; 3], is_new: bool) {
        self.edges.push((c, b));
        self.edges.push((a, c));
        if is_new {
            self.points.push(c);
        }
    }

    /// After a triangle that shares none; `codes` are those of the second and third corner.
    fn push_alone(&mut self, [a, b, c]: [u32; 3], codes: (u8, u8)) {
        self.edges.push((b, a));
        self.edges.push((c, b));
        self.edges.push((a, c));
        self.points.push(a);
        for (point, code) in [(b, codes.0), (c, codes.1)] {
            if matches!(code, 0 | EXPLICIT) {
                self.points.push(point);
            }
        }
    }
}

/// Three indices a triangle.
pub(super) fn decode(stream: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, Fault> {
    if stream.first() != Some(&MAGIC) {
        return fault(0, "triangles begin with the byte 0xe1");
    }
    let triangles = count / 3;
    let end = stream.len().saturating_sub(TABLE);
    if end == 0 || triangles > end - 1 {
        return fault(stream.len(), CUT_OFF);
    }
    let table = stream.get(end..).unwrap_or_default();
    if table[TABLE_USED..] != [0, 0] || table.iter().any(|c| c & 15 == 15 || c >> 4 == 15) {
        return fault(end, "the table at the end holds a code that it must not");
    }
    let mut input = Input { stream, at: 1 + triangles, end, state: State::new() };
    let mut out = Vec::with_capacity(count * stride);
    for number in 0..triangles {
        let code = stream[1 + number];
        let triangle = match code >> 4 {
            EXPLICIT => input.alone(code, table, 1 + number)?,
            edge => input.shared(edge, code & 15, 1 + number)?,
        };
        triangle.iter().for_each(|corner| push_index(&mut out, *corner, stride));
    }
    if input.at == end { Ok(out) } else { fault(input.at, LEFT_OVER) }
}

struct Input<'a> {
    stream: &'a [u8],
    at: usize,
    end: usize,
    state: State,
}

const NEVER_PUSHED: &str = "this refers to an edge or a point before the first one";

impl Input<'_> {
    fn explicit(&mut self) -> Result<u32, Fault> {
        let code = read_varint(self.stream, &mut self.at, self.end)?;
        self.state.last = self.state.last.wrapping_add(unzigzag(code));
        Ok(self.state.last)
    }

    fn recent(&self, index: u8, at: usize) -> Result<u32, Fault> {
        self.state.points.get(index.into()).ok_or(Fault { at, what: NEVER_PUSHED })
    }

    fn shared(&mut self, edge: u8, point: u8, at: usize) -> Result<[u32; 3], Fault> {
        let Some((a, b)) = self.state.edges.get(edge.into()) else { return fault(at, NEVER_PUSHED) };
        let c = match point {
            0 => self.state.take_next(),
            1..=12 => self.recent(point, at)?,
            13 | 14 => {
                let step = if point == 13 { u32::MAX } else { 1 };
                self.state.last = self.state.last.wrapping_add(step);
                self.state.last
            }
            _ => self.explicit()?,
        };
        self.state.push_shared([a, b, c], !(1..=12).contains(&point));
        Ok([a, b, c])
    }

    fn alone(&mut self, code: u8, table: &[u8], at: usize) -> Result<[u32; 3], Fault> {
        let low = code & 15;
        let both = if usize::from(low) < TABLE_USED {
            table[usize::from(low)]
        } else {
            let Some(both) = self.stream.get(self.at).filter(|_| self.at < self.end) else {
                return fault(self.at, CUT_OFF);
            };
            self.at += 1;
            if *both == 0 {
                self.state.next = 0;
            }
            *both
        };
        let codes = (both >> 4, both & 15);
        let a = if low == EXPLICIT { self.explicit()? } else { self.state.take_next() };
        let b = self.corner(codes.0, at)?;
        let c = self.corner(codes.1, at)?;
        self.state.push_alone([a, b, c], codes);
        Ok([a, b, c])
    }

    fn corner(&mut self, code: u8, at: usize) -> Result<u32, Fault> {
        match code {
            0 => Ok(self.state.take_next()),
            EXPLICIT => self.explicit(),
            index => self.recent(index - 1, at),
        }
    }
}

/// A triangle as it will be written.
struct Coded {
    code: Code,
    /// Indices in full, as differences.
    explicit: Vec<u32>,
}

enum Code {
    Shared(u8),
    /// Whether the first corner is the next one, and the codes of the others.
    Alone(bool, u8),
}

/// Encodes a list of triangles. A triangle may come out beginning with another of its corners (its sense is kept);
/// indices beyond the last whole triangle are left out.
pub fn encode(corners: &[u32]) -> Vec<u8> {
    let mut state = State::new();
    let coded: Vec<Coded> = corners.as_chunks::<3>().0.iter().map(|t| code_of(*t, &mut state)).collect();
    let table = frequent(&coded);
    let (mut out, mut data) = (vec![MAGIC], Vec::new());
    for triangle in &coded {
        out.push(match triangle.code {
            Code::Shared(code) => code,
            Code::Alone(is_next, both) => match table.iter().take(TABLE_USED).position(|t| *t == both) {
                Some(index) if is_next => 0xF0 | index as u8,
                _ => {
                    data.push(both);
                    if is_next { 0xFE } else { 0xFF }
                }
            },
        });
        triangle.explicit.iter().for_each(|difference| write_varint(&mut data, zigzag(*difference)));
    }
    out.append(&mut data);
    out.extend_from_slice(&table);
    out
}

/// The most frequent pairs of codes; 0 is always among them, because outside of the table it has another meaning.
fn frequent(coded: &[Coded]) -> [u8; TABLE] {
    let mut counts: BTreeMap<u8, usize> = BTreeMap::new();
    for triangle in coded {
        match triangle.code {
            Code::Alone(true, both) if both & 15 != 15 && both >> 4 != 15 => *counts.entry(both).or_default() += 1,
            _ => {}
        }
    }
    counts.remove(&0);
    let mut sorted: Vec<(usize, u8)> = counts.into_iter().map(|(both, count)| (count, both)).collect();
    sorted.sort_by_key(|(count, both)| (std::cmp::Reverse(*count), *both));
    let mut table = [0; TABLE];
    table[1..TABLE_USED].iter_mut().zip(sorted).for_each(|(entry, (_, both))| *entry = both);
    table
}

fn code_of(triangle: [u32; 3], state: &mut State) -> Coded {
    let turned = |[a, b, c]: [u32; 3]| [[a, b, c], [b, c, a], [c, a, b]];
    let shared = turned(triangle).into_iter().filter_map(|t| {
        let edge = state.edges.find(15, |e| e == (t[0], t[1]))?;
        Some((edge, t))
    });
    match shared.min_by_key(|(edge, _)| *edge) {
        Some((edge, triangle)) => shared_code(edge as u8, triangle, state),
        None => {
            let first = turned(triangle).into_iter().find(|t| t[0] == state.next).unwrap_or(triangle);
            alone_code(first, state)
        }
    }
}

fn shared_code(edge: u8, triangle: [u32; 3], state: &mut State) -> Coded {
    let c = triangle[2];
    let mut explicit = Vec::new();
    let point = if c == state.next {
        state.take_next();
        0
    } else if let Some(index) = state.points.find(13, |p| p == c).filter(|i| *i > 0) {
        index as u8
    } else {
        match state.give(c) {
            u32::MAX => 13,
            1 => 14,
            difference => {
                explicit.push(difference);
                EXPLICIT
            }
        }
    };
    state.push_shared(triangle, !(1..=12).contains(&point));
    Coded { code: Code::Shared(edge << 4 | point), explicit }
}

fn alone_code(triangle: [u32; 3], state: &mut State) -> Coded {
    let [a, b, c] = triangle;
    let is_next = a == state.next;
    let mut explicit = Vec::new();
    if is_next {
        state.take_next();
    } else {
        explicit.push(state.give(a));
    }
    // Codes look at the queue before the first corner is pushed.
    let second = state.point_code(b);
    if second == EXPLICIT {
        explicit.push(state.give(b));
    }
    // Two zeros outside of the table would start the count of new indices again.
    let third = match (is_next, second) {
        (false, 0) if c == state.next => EXPLICIT,
        _ => state.point_code(c),
    };
    if third == EXPLICIT {
        explicit.push(state.give(c));
    }
    state.push_alone(triangle, (second, third));
    Coded { code: Code::Alone(is_next, second << 4 | third), explicit }
}
