//! Strips, loops and fans into plain lists, in the order of glTF 2.0, specification 3.7.2.1.
//!
//! `corners` holds the point of each corner of the strip; `None` means corner `i` is point `i` of `point_count` points.
//! Too few corners give an empty list.

/// Lines `(c[i], c[i + 1])`.
pub fn line_strip(corners: Option<&[u32]>, point_count: u32) -> Vec<u32> {
    let corners = Corners::new(corners, point_count);
    (1..corners.len()).flat_map(|i| [corners.at(i - 1), corners.at(i)]).collect()
}

/// Like [`line_strip`], and a last line back to the first corner.
pub fn line_loop(corners: Option<&[u32]>, point_count: u32) -> Vec<u32> {
    let mut lines = line_strip(corners, point_count);
    let corners = Corners::new(corners, point_count);
    if corners.len() > 1 {
        lines.extend([corners.at(corners.len() - 1), corners.at(0)]);
    }
    lines
}

/// Triangles `(c[i], c[i + 1 + i % 2], c[i + 2 - i % 2])`: every second one is turned, so that all face the same way.
pub fn triangle_strip(corners: Option<&[u32]>, point_count: u32) -> Vec<u32> {
    let corners = Corners::new(corners, point_count);
    let triangles = corners.len().saturating_sub(2);
    (0..triangles).flat_map(|i| [corners.at(i), corners.at(i + 1 + i % 2), corners.at(i + 2 - i % 2)]).collect()
}

/// Triangles `(c[i + 1], c[i + 2], c[0])`.
pub fn triangle_fan(corners: Option<&[u32]>, point_count: u32) -> Vec<u32> {
    let corners = Corners::new(corners, point_count);
    let triangles = corners.len().saturating_sub(2);
    (0..triangles).flat_map(|i| [corners.at(i + 1), corners.at(i + 2), corners.at(0)]).collect()
}

struct Corners<'a> {
    points: Option<&'a [u32]>,
    count: usize,
}

impl<'a> Corners<'a> {
    fn new(points: Option<&'a [u32]>, point_count: u32) -> Self {
        Self { points, count: points.map_or(point_count as usize, <[u32]>::len) }
    }

    fn len(&self) -> usize {
        self.count
    }

    /// `corner` is below `len()`, which fits 32 bits where no points are given.
    fn at(&self, corner: usize) -> u32 {
        self.points.map_or(corner as u32, |p| p[corner])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn order_of_the_specification() {
        // glTF 2.0, 3.7.2.1: strips {v0,v1,v2}, {v1,v3,v2}, {v2,v3,v4}; fans {v1,v2,v0}, {v2,v3,v0}.
        let corners = [10, 11, 12, 13, 14];
        assert_eq!(triangle_strip(Some(&corners), 0), [10, 11, 12, 11, 13, 12, 12, 13, 14]);
        assert_eq!(triangle_fan(Some(&corners), 0), [11, 12, 10, 12, 13, 10, 13, 14, 10]);
        assert_eq!(line_strip(Some(&corners[..3]), 0), [10, 11, 11, 12]);
        assert_eq!(line_loop(Some(&corners[..3]), 0), [10, 11, 11, 12, 12, 10]);
        assert_eq!(triangle_strip(None, 4), [0, 1, 2, 1, 3, 2]);
    }

    #[test]
    fn too_few_corners_make_nothing() {
        for count in 0..2 {
            assert!(line_strip(None, count).is_empty() && line_loop(None, count).is_empty());
        }
        for count in 0..3 {
            assert!(triangle_strip(None, count).is_empty() && triangle_fan(None, count).is_empty());
        }
    }

    proptest! {
        #[test]
        fn all_triangles_of_a_planar_strip_face_one_way(count in 3u32..40) {
            // Points zigzag: (i, i % 2).
            let at = |p: u32| (f64::from(p), f64::from(p % 2));
            for t in triangle_strip(None, count).chunks_exact(3) {
                let (a, b, c) = (at(t[0]), at(t[1]), at(t[2]));
                let cross = (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
                prop_assert!(cross < 0.0);
            }
        }
    }
}
