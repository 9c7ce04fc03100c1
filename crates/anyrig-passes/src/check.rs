//! Whether a part is as `validate` leaves it. Passes call this first and may index freely then.

use anyrig_bytes::{Error, Place, Result};
use anyrig_scene::{DeltaStream, Domain, Influences, Layout, Part, Semantic, Stream, Topology};

/// # Errors
/// [`anyrig_bytes::ErrorKind::Malformed`] naming the first thing that is out of range.
pub(crate) fn check_part(part: &Part) -> Result<()> {
    if let Some(corners) = &part.corners {
        // A fold without early exit is vectorised.
        let inside = corners.iter().fold(true, |ok, c| ok & (*c < part.point_count));
        wrong_unless(inside, || format!("a corner uses a point that is not among its {}", part.point_count))?;
    }
    if let Topology::Polygons { offsets } = &part.topology {
        let end = offsets.last().map_or(0, |o| *o as usize);
        let sound = offsets.is_sorted() && end <= part.corner_count();
        wrong_unless(sound, || "polygon offsets descend or pass the corners".to_owned())?;
    }
    part.streams.iter().try_for_each(|s| check_stream(part, s))?;
    if let Some(influences) = &part.influences {
        let rows = has_rows(influences, part.point_count as usize);
        wrong_unless(rows, || "there is not one row of influences per point".to_owned())?;
    }
    part.morphs.iter().flat_map(|m| &m.deltas).try_for_each(|d| check_delta(part, d))
}

fn check_stream(part: &Part, stream: &Stream) -> Result<()> {
    let elements = match stream.domain {
        Domain::Point => part.point_count as usize,
        Domain::Corner => part.corner_count(),
        Domain::Face => part.face_count(),
    };
    let whole = stream.width > 0 && elements.checked_mul(stream.width.into()) == Some(stream.values.len());
    let width = match stream.semantic {
        Semantic::Position | Semantic::Normal => Some(3),
        Semantic::Tangent => Some(4),
        Semantic::TexCoord(_) => Some(2),
        Semantic::Color(_) | Semantic::Custom(_) => None,
    };
    let whole = whole && width.is_none_or(|w| w == stream.width);
    wrong_unless(whole, || format!("{} has {} values for {elements} elements", stream.semantic, stream.values.len()))
}

fn has_rows(influences: &Influences, points: usize) -> bool {
    let total = influences.weights.len();
    if influences.joints.len() != total {
        return false;
    }
    match &influences.layout {
        Layout::Fixed(n) => points.checked_mul(*n as usize) == Some(total),
        Layout::Offsets(offsets) => {
            offsets.len() == points + 1 && offsets.is_sorted() && offsets.last().is_some_and(|o| *o as usize <= total)
        }
    }
}

fn check_delta(part: &Part, delta: &DeltaStream) -> Result<()> {
    let points = part.point_count;
    let elements = delta.points.as_ref().map_or(points as usize, |p| p.len());
    let whole = delta.width > 0 && elements.checked_mul(delta.width.into()) == Some(delta.values.len());
    let three =
        !matches!(delta.semantic, Semantic::Position | Semantic::Normal | Semantic::Tangent) || delta.width == 3;
    let inside = delta.points.as_ref().is_none_or(|p| p.iter().all(|i| *i < points));
    wrong_unless(whole && three && inside, || format!("morph deltas of {} do not fit the points", delta.semantic))
}

fn wrong_unless(sound: bool, message: impl FnOnce() -> String) -> Result<()> {
    if sound {
        Ok(())
    } else {
        Err(Error::malformed(Place::whole(), format!("{}; validate the scene first", message())))
    }
}

/// The values of a point stream; `None` when there is none on points.
pub(crate) fn point_values<'a, const N: usize>(part: &'a Part, semantic: &Semantic) -> Option<&'a [[f32; N]]> {
    part.stream(semantic).filter(|s| s.domain == Domain::Point).and_then(Stream::arrays::<N>)
}

/// Malformed parts for tests of all passes: each breaks one rule.
#[cfg(test)]
pub(crate) fn malformed_parts() -> Vec<Part> {
    use anyrig_scene::PartMorph;
    let mut sound = Part::default();
    sound.point_count = 3;
    for (semantic, width) in [(Semantic::Position, 3), (Semantic::Normal, 3), (Semantic::TexCoord(0), 2)] {
        sound.set_stream(Stream::new(semantic, width, vec![0.0; 3 * usize::from(width)]));
    }
    let with = |change: &dyn Fn(&mut Part)| {
        let mut part = sound.clone();
        change(&mut part);
        part
    };
    let delta = |points: Option<Vec<u32>>, width| {
        let mut delta = DeltaStream::new(Semantic::Position, width, vec![0.0; 3]);
        delta.points = points.map(Into::into);
        delta
    };
    vec![
        with(&|p| p.corners = Some(vec![0, 1, 3].into())),
        with(&|p| p.topology = Topology::Polygons { offsets: vec![0, 3, 2].into() }),
        with(&|p| p.topology = Topology::Polygons { offsets: vec![0, 9].into() }),
        with(&|p| p.set_stream(Stream::new(Semantic::Normal, 3, vec![0.0; 6]))),
        with(&|p| p.set_stream(Stream::new(Semantic::Position, 1, vec![0.0; 3]))),
        with(&|p| p.set_stream(Stream::new(Semantic::Color(0), 0, vec![]))),
        with(&|p| {
            p.influences = Some(Influences::fixed(1, vec![0; 2], vec![1.0; 2]));
        }),
        with(&|p| {
            let layout = Layout::Offsets(vec![0, 9, 1, 1].into());
            p.influences = Some(Influences::new(layout, vec![0], vec![1.0]));
        }),
        with(&|p| p.morphs = vec![PartMorph::new(vec![delta(None, 3)])]),
        with(&|p| p.morphs = vec![PartMorph::new(vec![delta(Some(vec![9]), 3)])]),
        with(&|p| p.morphs = vec![PartMorph::new(vec![delta(Some(vec![0]), 0)])]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_broken_rule_is_an_error() {
        for (i, part) in malformed_parts().iter().enumerate() {
            assert!(check_part(part).is_err(), "{i}");
        }
        assert!(check_part(&Part::default()).is_ok());
    }
}
