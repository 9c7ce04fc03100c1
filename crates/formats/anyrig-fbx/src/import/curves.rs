//! Keys and tangents of a curve.
//!
//! FBX stores what the user chose (automatic, TCB, user tangents …); what counts for motion is a slope and a weight on
//! either side of each key. Slopes are solved here, as open readers found out that Autodesk's programs do it, so that the
//! scene's curves need no neighbours.

use super::Import;
use super::booking::Work;
use super::objects::ObjectId;
use crate::codes;
use crate::document::Node;
use anyrig_bytes::{Buffer, Context, Diagnostic, Result};
use anyrig_scene::{Curve, Extrapolation, ExtrapolationMode, Handle, Segment, Ticks};

/// Weight of a tangent that has none of its own.
const THIRD: f32 = 1.0 / 3.0;
/// Neighbours that differ less than this make a clamped tangent flat.
const CLAMP_DISTANCE: f64 = 0.001;

/// Bits of `KeyAttrFlags`.
mod flag {
    pub const CONSTANT: u32 = 0x2;
    pub const CUBIC: u32 = 0x8;
    pub const CONSTANT_NEXT: u32 = 0x100;
    pub const TCB: u32 = 0x200;
    pub const USER: u32 = 0x400;
    pub const CLAMP: u32 = 0x1000;
    pub const TIME_INDEPENDENT: u32 = 0x2000;
    pub const CLAMP_PROGRESSIVE: u32 = 0x4000;
    pub const WEIGHTED_RIGHT: u32 = 0x100_0000;
    pub const WEIGHTED_NEXT_LEFT: u32 = 0x200_0000;
}

/// What a file says about a key besides time and value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct KeyShape {
    /// What follows the key.
    pub kind: Kind,
    /// The tangent that leaves the key.
    pub right: Side,
    /// The tangent that arrives at the next key.
    pub next_left: Side,
}

impl KeyShape {
    /// Nothing but the kind.
    pub fn plain(kind: Kind) -> Self {
        Self { kind, right: Side::FLAT, next_left: Side::FLAT }
    }
}

/// What follows a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Step,
    StepNext,
    Linear,
    /// Slopes as they stand.
    User,
    /// Tension, continuity, bias.
    Tcb([f64; 3]),
    /// Slopes from the neighbours; the stored slopes are its bias.
    Auto(Auto),
}

/// How an automatic tangent is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Auto {
    /// The mean slope alone, without the weighting by time.
    pub timing: Timing,
    /// How overshooting is prevented.
    pub clamp: Clamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timing {
    Weighted,
    Independent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clamp {
    None,
    Flat,
    Progressive,
    FlatAndProgressive,
}

impl Clamp {
    fn flat(self) -> bool {
        matches!(self, Self::Flat | Self::FlatAndProgressive)
    }

    fn progressive(self) -> bool {
        matches!(self, Self::Progressive | Self::FlatAndProgressive)
    }
}

/// A tangent on one side of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Side {
    /// Value per second.
    pub slope: f32,
    /// Length as a share of the way to the neighbour.
    pub weight: f32,
}

impl Side {
    const FLAT: Self = Self { slope: 0.0, weight: THIRD };
}

/// Keys as a file has them, and what the curve does outside of them.
pub(super) struct Keys {
    pub times: Buffer<i64>,
    pub values: Buffer<f32>,
    /// The shapes of all keys: each with the key before which it ends.
    pub shapes: Vec<(usize, KeyShape)>,
    pub ticks_per_second: f64,
    /// What the curve does before and after its keys.
    pub outside: (Extrapolation, Extrapolation),
}

impl Keys {
    /// The curve with all slopes solved. Keys out of order are sorted by time first, which is told with the node.
    ///
    /// # Errors
    /// More keys out of order than the file has room for.
    pub fn solve(mut self, import: &Import<'_>, node: Node<'_>) -> Result<Curve> {
        if !self.times.is_sorted() {
            import.take_product_at(self.times.len() * SORTED_BYTES, || node.place())?;
            self.sort();
            tell_broken(import.context, node, "keys are not in the order of time; they were sorted");
        }
        Ok(self.curve())
    }

    /// By time; of equal times in the order of the file.
    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.times.len()).collect();
        order.sort_by_key(|key| self.times[*key]);
        let mut shapes: Vec<(usize, KeyShape)> = Vec::new();
        for (at, key) in order.iter().enumerate() {
            let run = self.shapes.partition_point(|(end, _)| end <= key);
            let Some((_, shape)) = self.shapes.get(run) else { continue };
            match shapes.last_mut() {
                Some((end, last)) if last == shape => *end = at + 1,
                _ => shapes.push((at + 1, *shape)),
            }
        }
        self.times = order.iter().map(|key| self.times[*key]).collect::<Vec<_>>().into();
        self.values = order.iter().map(|key| self.values[*key]).collect::<Vec<_>>().into();
        self.shapes = shapes;
    }

    fn curve(self) -> Curve {
        let per_second = self.ticks_per_second;
        let seconds: Vec<f64> = self.times.iter().map(|ticks| *ticks as f64 / per_second).collect();
        let segments = self.segments(&seconds);
        let repeats = self.times.windows(2).any(|pair| pair[0] == pair[1]);
        let mut curve = if repeats {
            self.jumping(&segments)
        } else {
            let mut curve = Curve::per_key(seconds, self.values, segments);
            curve.ticks = Some(Ticks { per_second, times: self.times });
            curve
        };
        (curve.before, curve.after) = self.outside;
        curve
    }

    /// Of keys at one time the first ends what comes before and the last holds from it on, so that the value jumps
    /// there. The scene's keys lie at different times: the first one stands a tick earlier, and holds.
    fn jumping(&self, segments: &[Segment]) -> Curve {
        let (mut times, mut values, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        let mut first = 0;
        for run in self.times.chunk_by(|a, b| a == b) {
            let (time, last) = (run[0], first + run.len() - 1);
            let earlier = time.checked_sub(1).filter(|tick| times.last().is_none_or(|before| before < tick));
            if let Some(earlier) = earlier.filter(|_| self.values[first] != self.values[last]) {
                times.push(earlier);
                values.push(self.values[first]);
                kept.push(Segment::Step);
            }
            times.push(time);
            values.push(self.values[last]);
            kept.push(segments[last]);
            first = last + 1;
        }
        let per_second = self.ticks_per_second;
        let seconds: Vec<f64> = times.iter().map(|ticks| *ticks as f64 / per_second).collect();
        let mut curve = Curve::per_key(seconds, values, kept);
        curve.ticks = Some(Ticks { per_second, times: times.into() });
        curve
    }

    /// What follows each key. A segment is known once the tangent that arrives at the next key is.
    fn segments(&self, seconds: &[f64]) -> Vec<Segment> {
        let mut segments = Vec::with_capacity(seconds.len());
        let mut arriving = Side::FLAT;
        let mut open: Option<(Kind, Side, Side)> = None;
        let mut start = 0;
        for (end, shape) in &self.shapes {
            for key in start..*end {
                let (left, right, next_left) = sides(&Around::of(seconds, &self.values, key), shape, arriving);
                segments.extend(open.map(|(kind, right, _)| segment(kind, right, left)));
                open = Some((shape.kind, right, left));
                arriving = next_left;
            }
            start = *end;
        }
        segments.extend(open.map(|(kind, right, left)| self.beyond(segment(kind, right, right), left)));
        segments
    }

    /// The segment of the last key, which says how a slope goes on: as the tangent that arrives at the key.
    fn beyond(&self, last: Segment, left: Side) -> Segment {
        match self.outside.1.mode {
            ExtrapolationMode::Slope => Segment::Hermite { out_slope: left.slope, in_slope: left.slope },
            _ => last,
        }
    }
}

/// What a key needs while keys are sorted: its place, its time, its value and a shape of its own, in lists that grow by
/// doubling.
const SORTED_BYTES: usize =
    size_of::<usize>() + size_of::<i64>() + size_of::<f32>() + 2 * size_of::<(usize, KeyShape)>();

/// The first time of a curve, without the tick that stands before a jump.
pub(super) fn start_secs(curve: &Curve) -> Option<f64> {
    let jumps = curve.ticks.as_ref().is_some_and(|ticks| matches!(*ticks.times, [a, b, ..] if b.wrapping_sub(a) == 1));
    let first = usize::from(jumps && curve.segments.first() == Some(&Segment::Step));
    curve.times_secs.get(first).copied()
}

/// The tangents on both sides of a key, and what the key says of the tangent that arrives at the next one.
fn sides(around: &Around, shape: &KeyShape, mut left: Side) -> (Side, Side, Side) {
    let (mut right, mut next_left) = (shape.right, shape.next_left);
    match shape.kind {
        Kind::User => {}
        Kind::Step | Kind::StepNext => (right, next_left) = (Side::FLAT, Side::FLAT),
        Kind::Linear => {
            let side = Side { slope: around.after().unwrap_or(0.0) as f32, weight: THIRD };
            (right, next_left) = (side, side);
        }
        Kind::Tcb(tcb) => {
            let (arriving, leaving) = around.tcb(tcb);
            (left.slope, right.slope) = (arriving as f32, leaving as f32);
            next_left = Side::FLAT;
        }
        Kind::Auto(auto) => {
            let (arriving, leaving) = around.auto(auto, left, right);
            (left.slope, right.slope) = (arriving as f32, leaving as f32);
        }
    }
    (left, right, next_left)
}

fn segment(kind: Kind, right: Side, left: Side) -> Segment {
    match kind {
        Kind::Step => Segment::Step,
        Kind::StepNext => Segment::StepNext,
        Kind::Linear => Segment::Linear,
        _ if is_third(right.weight) && is_third(left.weight) => {
            Segment::Hermite { out_slope: right.slope, in_slope: left.slope }
        }
        _ => {
            let handle = |side: Side| Handle { slope: side.slope, weight: side.weight.clamp(0.0, 1.0) };
            Segment::Bezier { out: handle(right), into: handle(left) }
        }
    }
}

fn is_third(weight: f32) -> bool {
    (weight - THIRD).abs() < 1e-6
}

/// A key with the neighbours that lie at other times.
struct Around {
    value: f64,
    /// Seconds and difference in value from the key before.
    before: Option<(f64, f64)>,
    /// Seconds and difference in value to the key after.
    after: Option<(f64, f64)>,
}

impl Around {
    fn of(seconds: &[f64], values: &[f32], i: usize) -> Self {
        let value = f64::from(values[i]);
        let way = |from: usize, to: usize| {
            let time = seconds.get(to)? - seconds.get(from)?;
            (time > 0.0).then(|| (time, f64::from(values[to]) - f64::from(values[from])))
        };
        Self { value, before: i.checked_sub(1).and_then(|b| way(b, i)), after: way(i, i + 1) }
    }

    fn slope_before(&self) -> Option<f64> {
        self.before.map(|(time, rise)| rise / time)
    }

    fn after(&self) -> Option<f64> {
        self.after.map(|(time, rise)| rise / time)
    }

    /// Kochanek and Bartels, "Interpolating splines with local tension, continuity, and bias control" (1984), with
    /// slopes per second; at the ends of a curve the one side counts fully.
    fn tcb(&self, [tension, continuity, bias]: [f64; 3]) -> (f64, f64) {
        let (before, after) = (self.slope_before(), self.after());
        let factor = if before.is_some() && after.is_some() { 0.5 } else { 1.0 } * (1.0 - tension);
        let (before, after) = (before.unwrap_or(0.0), after.unwrap_or(0.0));
        let mix = |c: f64| factor * ((1.0 + bias) * (1.0 - c) * before + (1.0 - bias) * (1.0 + c) * after);
        (mix(continuity), mix(-continuity))
    }

    /// Slopes on both sides. The stored slopes are biases, equal on both sides unless the tangent is broken.
    fn auto(&self, auto: Auto, left: Side, right: Side) -> (f64, f64) {
        match (self.before, self.after) {
            (Some(before), Some(after)) => {
                let solve = |bias: f32| self.between(auto, (before, after), (left.weight, right.weight), bias.into());
                if (left.slope + right.slope).abs() <= 1e-4 {
                    let slope = solve(right.slope);
                    (slope, slope)
                } else {
                    (solve(-left.slope), solve(right.slope))
                }
            }
            (Some(way), None) => both(end_slope(auto, way, (-left.slope).into())),
            (None, Some(way)) => both(end_slope(auto, way, right.slope.into())),
            (None, None) => (0.0, 0.0),
        }
    }

    fn between(&self, auto: Auto, ways: ((f64, f64), (f64, f64)), weights: (f32, f32), bias: f64) -> f64 {
        let ((time_before, rise_before), (time_after, rise_after)) = ways;
        if auto.clamp.flat() && rise_before.abs().min(rise_after.abs()) <= CLAMP_DISTANCE {
            return 0.0;
        }
        let (before, after) = (rise_before / time_before, rise_after / time_after);
        let mut slope = (rise_before + rise_after) / (time_before + time_after);
        if auto.timing == Timing::Weighted {
            let share = time_before / (time_before + time_after);
            slope = 0.5 * slope + 0.5 * (before * (1.0 - share) + after * share);
            slope = biased(slope, before, after, bias);
        }
        if auto.clamp.progressive() {
            let sign = if slope >= 0.0 { 1.0 } else { -1.0 };
            // How steep the tangent may be without leaving the range between the neighbours.
            let most = |rise: f64, range: f64| if range > 0.0 { (sign * rise / range).max(0.0) } else { 0.0 };
            let (weight_before, weight_after) = (f64::from(weights.0), f64::from(weights.1));
            let limit = most(rise_before, weight_before * time_before).min(most(rise_after, weight_after * time_after));
            slope = sign * (sign * slope).min(limit);
        }
        if (slope + self.value).is_finite() { slope } else { 0.0 }
    }
}

/// The bias (in percent) pulls towards the slope on one side; from 500 on a term grows with its square.
fn biased(slope: f64, before: f64, after: f64, bias: f64) -> f64 {
    let weight = bias.abs() / 100.0;
    if weight <= 1e-4 {
        return slope;
    }
    let target = if bias > 0.0 { after } else { before };
    let difference = target - slope;
    let towards = slope * (1.0 - weight) + target * weight;
    let direction = if difference.abs() > 1e-5 { difference } else { bias };
    towards + steep(weight, direction)
}

fn steep(weight: f64, direction: f64) -> f64 {
    let beyond = (weight - 5.0).max(0.0);
    let sign = if direction > 0.0 { 1.0 } else { -1.0 };
    beyond * beyond * sign * 40.0
}

/// The slope at the first or last key of a curve.
fn end_slope(auto: Auto, (time, rise): (f64, f64), bias: f64) -> f64 {
    if auto.clamp.progressive() || (auto.clamp.flat() && rise.abs() <= CLAMP_DISTANCE) {
        return 0.0;
    }
    let slope = rise / time;
    if auto.timing == Timing::Weighted { slope + steep(bias.abs() / 100.0, bias) } else { slope }
}

fn both(slope: f64) -> (f64, f64) {
    (slope, slope)
}

/// Reads an `AnimationCurve` of version 7000 and later; `None` when it has no usable keys.
///
/// # Errors
/// Broken arrays, or beyond the limits.
pub(super) fn read(import: &mut Import<'_>, object: ObjectId) -> Result<Option<Curve>> {
    let node = import.objects.get(object).node;
    let (Some(times), Some(values)) = (node.child("KeyTime"), node.child("KeyValueFloat")) else { return Ok(None) };
    let mut times = times.array::<i64>(&mut import.decoder)?;
    let mut values = values.array::<f32>(&mut import.decoder)?;
    let mut ints = |name: &str| match node.child(name) {
        Some(node) => node.array::<i32>(&mut import.decoder),
        None => Ok(Buffer::default()),
    };
    let (flags, counts) = (ints("KeyAttrFlags")?, ints("KeyAttrRefCount")?);
    let data = match node.child("KeyAttrDataFloat") {
        Some(node) => node.float_bits(&mut import.decoder)?,
        None => Buffer::default(),
    };
    let (count, attributes) = (times.len().min(values.len()), flags.len().max(counts.len()).max(data.len()));
    import.context.take_elements(count as u64, || node.place())?;
    // Several properties may share the curve.
    let bytes = times.len().max(values.len()) * KEY_BYTES + attributes * size_of::<i32>();
    import.take_again(Work::Curve, object, bytes)?;
    let mut shapes = shapes(&flags, &data, &counts, count);
    let known = shapes.last().map_or(0, |(end, _)| *end);
    if times.len() != values.len() || known != count {
        let message = "times, values and attributes have different lengths; missing attributes became straight lines";
        import.context.push(Diagnostic::new(&codes::CURVE_SHAPE, node.path(), message).at(node.place()));
    }
    if count == 0 {
        return Ok(None);
    }
    if known < count {
        shapes.push((count, KeyShape::plain(Kind::Linear)));
    }
    shorten(&mut times, count);
    shorten(&mut values, count);
    let ticks_per_second = import.settings.ticks_per_second;
    let keys = Keys { times, values, shapes, ticks_per_second, outside: extrapolations(node) };
    keys.solve(import, node).map(Some)
}

/// What a key needs while a curve is read.
const KEY_BYTES: usize = 2 * size_of::<i64>() + size_of::<f32>() + size_of::<Segment>();

fn shorten<T: bytemuck::Pod>(values: &mut Buffer<T>, count: usize) {
    if values.len() > count {
        values.make_mut().truncate(count);
    }
}

/// Attributes are stored once for a run of keys: each with the key before which it ends.
fn shapes(flags: &[i32], data: &[u32], counts: &[i32], count: usize) -> Vec<(usize, KeyShape)> {
    let mut shapes = Vec::with_capacity(flags.len().min(counts.len()).min(data.len() / 4));
    let mut at = 0;
    for ((flags, data), run) in flags.iter().zip(data.as_chunks::<4>().0).zip(counts) {
        let run = usize::try_from(*run).unwrap_or(0).min(count - at);
        if run > 0 {
            at += run;
            shapes.push((at, shape(*flags as u32, *data)));
        }
    }
    shapes
}

fn shape(flags: u32, data: [u32; 4]) -> KeyShape {
    let number = |bits: u32| {
        let value = f32::from_bits(bits);
        if value.is_finite() { value } else { 0.0 }
    };
    // Two weights of four decimal digits share the bits of one number.
    let weight = |bits: u32, flag: u32| if flags & flag != 0 { (bits & 0xffff) as f32 * 1e-4 } else { THIRD };
    let right = Side { slope: number(data[0]), weight: weight(data[2], flag::WEIGHTED_RIGHT) };
    let next_left = Side { slope: number(data[1]), weight: weight(data[2] >> 16, flag::WEIGHTED_NEXT_LEFT) };
    let kind = if flags & flag::CONSTANT != 0 {
        if flags & flag::CONSTANT_NEXT != 0 { Kind::StepNext } else { Kind::Step }
    } else if flags & flag::CUBIC == 0 {
        Kind::Linear
    } else if flags & flag::TCB != 0 {
        Kind::Tcb([data[0], data[1], data[2]].map(|bits| number(bits).into()))
    } else if flags & flag::USER != 0 {
        Kind::User
    } else {
        let timing = if flags & flag::TIME_INDEPENDENT != 0 { Timing::Independent } else { Timing::Weighted };
        let clamp = match (flags & flag::CLAMP != 0, flags & flag::CLAMP_PROGRESSIVE != 0) {
            (false, false) => Clamp::None,
            (true, false) => Clamp::Flat,
            (false, true) => Clamp::Progressive,
            (true, true) => Clamp::FlatAndProgressive,
        };
        Kind::Auto(Auto { timing, clamp })
    };
    KeyShape { kind, right, next_left }
}

/// What a curve does before and after its keys.
pub(super) fn extrapolations(node: Node<'_>) -> (Extrapolation, Extrapolation) {
    (extrapolation(node, "Pre-Extrapolation"), extrapolation(node, "Post-Extrapolation"))
}

fn extrapolation(node: Node<'_>, name: &str) -> Extrapolation {
    let Some(node) = node.child(name) else { return Extrapolation::default() };
    let letter = node.child("Type").and_then(|n| n.i64(0)).unwrap_or(0);
    let mode = match u8::try_from(letter) {
        Ok(b'A') => ExtrapolationMode::RepeatRelative,
        Ok(b'K') => ExtrapolationMode::Slope,
        Ok(b'M') => ExtrapolationMode::Mirror,
        Ok(b'R') => ExtrapolationMode::Repeat,
        _ => ExtrapolationMode::Hold,
    };
    let repeats = node.child("Repetition").and_then(|n| n.i64(0)).and_then(|count| u32::try_from(count).ok());
    Extrapolation { mode, repeats }
}

/// A curve whose values are multiplied, for example percent to a share of 1.
pub(super) fn scaled(mut curve: Curve, factor: f32) -> Curve {
    for value in curve.values.make_mut() {
        *value *= factor;
    }
    for segment in &mut curve.segments {
        match segment {
            Segment::Hermite { out_slope, in_slope } => {
                (*out_slope, *in_slope) = (*out_slope * factor, *in_slope * factor);
            }
            Segment::Bezier { out, into } => (out.slope, into.slope) = (out.slope * factor, into.slope * factor),
            Segment::Step | Segment::StepNext | Segment::Linear | Segment::Eased { .. } => {}
        }
    }
    curve
}

/// A curve that holds one value.
pub(super) fn constant(value: f64) -> Curve {
    Curve::new(anyrig_scene::Interpolation::Step, 1, vec![0.0], vec![value as f32])
}

/// Says that a list of keys could not be read to its end.
pub(super) fn tell_broken(context: &Context, node: Node<'_>, message: &str) {
    context.push(Diagnostic::new(&codes::CURVE_SHAPE, node.path(), message).at(node.place()));
}

#[cfg(test)]
#[path = "curves_tests.rs"]
mod tests;
