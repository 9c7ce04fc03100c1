//! The nearest of many points.

/// Points in an order that finds the nearest one quickly: a balanced tree of planes, laid out in one list. The middle of
/// each range divides the rest of it along an axis that changes with the depth.
pub(super) struct Nearest<'p> {
    points: &'p [[f32; 3]],
    order: Vec<u32>,
}

impl<'p> Nearest<'p> {
    /// Sorts points; those that are not finite are never found.
    pub(super) fn new(points: &'p [[f32; 3]]) -> Self {
        let finite = |i: &u32| points.get(*i as usize).is_some_and(|p| p.iter().all(|v| v.is_finite()));
        let count = u32::try_from(points.len()).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = (0..count).filter(finite).collect();
        let mut ranges = vec![(0, order.len(), 0)];
        while let Some((start, end, axis)) = ranges.pop() {
            let Some(part) = order.get_mut(start..end).filter(|p| p.len() > 1) else { continue };
            let middle = part.len() / 2;
            let coordinate = |i: &u32| points.get(*i as usize).map_or(0.0, |p| p[axis]);
            part.select_nth_unstable_by(middle, |a, b| coordinate(a).total_cmp(&coordinate(b)).then(a.cmp(b)));
            ranges.push((start, start + middle, (axis + 1) % 3));
            ranges.push((start + middle + 1, end, (axis + 1) % 3));
        }
        Self { points, order }
    }

    /// The index of the nearest point, the lowest of several, and its distance; `None` when there is none.
    pub(super) fn nearest(&self, to: [f32; 3]) -> Option<(usize, f64)> {
        let to = to.map(f64::from);
        let mut best: Option<(f64, u32)> = None;
        let mut ranges = vec![(0, self.order.len(), 0, 0.0)];
        while let Some((start, end, axis, least)) = ranges.pop() {
            if start >= end || best.is_some_and(|(distance, _)| least > distance) {
                continue;
            }
            let middle = start + (end - start) / 2;
            let index = *self.order.get(middle)?;
            let point = self.points.get(index as usize)?.map(f64::from);
            let squared: f64 = (0..3).map(|i| (point[i] - to[i]) * (point[i] - to[i])).sum();
            if best.is_none_or(|b| (squared, index) < b) {
                best = Some((squared, index));
            }
            let aside = to[axis] - point[axis];
            let (low, high) = ((start, middle), (middle + 1, end));
            let (near, far) = if aside < 0.0 { (low, high) } else { (high, low) };
            let next = (axis + 1) % 3;
            ranges.push((far.0, far.1, next, aside * aside));
            ranges.push((near.0, near.1, next, least));
        }
        best.map(|(squared, index)| (index as usize, squared.sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_looking_at_all_finds(points: Vec<[i8; 3]>, to: [i8; 3]) {
            let points: Vec<[f32; 3]> = points.into_iter().map(|p| p.map(f32::from)).collect();
            let to = to.map(f32::from);
            let squared = |p: &[f32; 3]| (0..3).map(|i| f64::from(p[i] - to[i])).map(|d| d * d).sum::<f64>();
            let all = points.iter().enumerate().map(|(i, p)| (squared(p), i));
            let wanted = all.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let found = Nearest::new(&points).nearest(to);
            prop_assert_eq!(found.map(|(i, _)| i), wanted.map(|(_, i)| i));
        }
    }

    #[test]
    fn what_is_not_finite_is_never_found() {
        let points = [[f32::NAN, 0.0, 0.0], [5.0, 0.0, 0.0]];
        assert_eq!(Nearest::new(&points).nearest([0.0; 3]), Some((1, 5.0)));
        assert_eq!(Nearest::new(&points[..1]).nearest([0.0; 3]), None);
    }
}
