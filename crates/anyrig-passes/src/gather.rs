//! New lists made of elements of old ones, for passes that split or reorder.

use anyrig_bytes::Buffer;
use anyrig_scene::{DeltaStream, Influences, Layout, PartMorph, Stream};

/// `width` values of each of the chosen elements.
pub(crate) fn values(values: &[f32], width: usize, chosen: impl ExactSizeIterator<Item = usize>) -> Buffer<f32> {
    let mut gathered = Vec::with_capacity(chosen.len() * width);
    for element in chosen {
        gathered.extend_from_slice(&values[element * width..(element + 1) * width]);
    }
    gathered.into()
}

/// The stream with the chosen elements; the domain stays.
pub(crate) fn stream(stream: &Stream, chosen: impl ExactSizeIterator<Item = usize>) -> Stream {
    stream.clone().with_values(values(&stream.values, usize::from(stream.width), chosen))
}

/// Influences of the chosen points.
pub(crate) fn influences(influences: &Influences, points: &[u32]) -> Influences {
    if let Layout::Fixed(n) = influences.layout {
        let rows = |i: &u32| *i as usize * n as usize..(*i as usize + 1) * n as usize;
        return Influences::fixed(
            n,
            points.iter().flat_map(|i| influences.joints[rows(i)].iter().copied()).collect::<Vec<_>>(),
            points.iter().flat_map(|i| influences.weights[rows(i)].iter().copied()).collect::<Vec<_>>(),
        );
    }
    let (mut offsets, mut joints, mut weights) = (vec![0u32], Vec::new(), Vec::new());
    for point in points {
        let (row_joints, row_weights) = influences.of(*point as usize);
        joints.extend_from_slice(row_joints);
        weights.extend_from_slice(row_weights);
        offsets.push(joints.len() as u32);
    }
    Influences::ragged(offsets, joints, weights)
}

/// Deltas for new points: `old_of_new` has the old point of each new one.
pub(crate) fn morph(morph: &PartMorph, old_of_new: &[u32], old_count: usize) -> PartMorph {
    PartMorph::new(morph.deltas.iter().map(|d| delta(d, old_of_new, old_count)).collect())
}

fn delta(delta: &DeltaStream, old_of_new: &[u32], old_count: usize) -> DeltaStream {
    let width = usize::from(delta.width);
    let Some(points) = &delta.points else {
        let chosen = old_of_new.iter().map(|p| *p as usize);
        return DeltaStream::new(delta.semantic.clone(), delta.width, values(&delta.values, width, chosen));
    };
    const NONE: u32 = u32::MAX;
    let mut element_of_old = vec![NONE; old_count];
    for (element, point) in points.iter().enumerate() {
        element_of_old[*point as usize] = element as u32;
    }
    let moved = old_of_new.iter().enumerate().map(|(new, old)| (new as u32, element_of_old[*old as usize]));
    let (new_points, elements): (Vec<u32>, Vec<u32>) = moved.filter(|(_, element)| *element != NONE).unzip();
    let chosen = elements.iter().map(|e| *e as usize);
    DeltaStream::new(delta.semantic.clone(), delta.width, values(&delta.values, width, chosen)).at_points(new_points)
}
