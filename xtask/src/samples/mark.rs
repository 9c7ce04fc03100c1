//! The raised arrow on the left upper arm: it points to the hand, so every flip shows.

use super::charts;
use super::grid::Frame;
use super::mesh::PartBuilder;
use super::rig::Rig;
use anyrig_scene::glam::{DVec2, DVec3};

/// Outline in metres, counter-clockwise, the tip first. X points to the hand.
const OUTLINE: [[f64; 2]; 7] =
    [[0.065, 0.0], [0.012, 0.040], [0.012, 0.016], [-0.055, 0.016], [-0.055, -0.016], [0.012, -0.016], [0.012, -0.040]];

/// Triangles of the outline, without a corner on another one's edge.
const TRIANGLES: [[usize; 3]; 5] = [[0, 1, 2], [0, 2, 5], [0, 5, 6], [2, 3, 4], [2, 4, 5]];

/// Where the arrow lies, and how far below and above that it reaches.
const CENTRE: DVec3 = DVec3::new(0.30, 1.412, -0.02);
const FROM_AXIS: [f64; 2] = [0.030, 0.062];

/// Adds the arrow, moved by the left upper arm alone.
pub fn add_to(part: &mut PartBuilder, rig: &Rig) {
    let influence = Some(([rig.index("LeftUpperArm") as u32, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]));
    // Up and forward, so that it is seen from the front and from above.
    let out = DVec3::new(0.0, 0.6, 0.8);
    let (right, up) = (DVec3::X, out.cross(DVec3::X));
    let place = |[x, y]: [f64; 2], height: f64| CENTRE + right * x + up * y + out * height;
    let tex_coord = |[x, y]: [f64; 2]| charts::MARK.at((x + 0.065) / 0.13, (y + 0.065) / 0.13);

    for (height, side) in [(FROM_AXIS[1], 1.0), (FROM_AXIS[0], -1.0)] {
        let frame = Frame { normal: out * side, tangent: right, sign: side };
        let points = OUTLINE.map(|at| part.add_point(place(at, height), frame, tex_coord(at), influence));
        for [a, b, c] in TRIANGLES {
            let corners = if side > 0.0 { [a, b, c] } else { [a, c, b] };
            part.add_triangle(corners.map(|i| points[i]));
        }
    }
    for (index, from) in OUTLINE.iter().enumerate() {
        let to = &OUTLINE[(index + 1) % OUTLINE.len()];
        let along = right * (to[0] - from[0]) + up * (to[1] - from[1]);
        let along = along.try_normalize().unwrap_or(right);
        let frame = Frame { normal: along.cross(out), tangent: along, sign: 1.0 };
        // Walls wear the border colour: a strip at the lower edge of the chart.
        let wall = |u: f64, v: f64| -> DVec2 { charts::MARK.at(u, 0.1 * v) };
        let [low, high] = FROM_AXIS;
        let corners = [
            part.add_point(place(*from, low), frame, wall(0.0, 0.0), influence),
            part.add_point(place(*to, low), frame, wall(1.0, 0.0), influence),
            part.add_point(place(*to, high), frame, wall(1.0, 1.0), influence),
            part.add_point(place(*from, high), frame, wall(0.0, 1.0), influence),
        ];
        part.add_triangle([corners[0], corners[1], corners[2]]);
        part.add_triangle([corners[0], corners[2], corners[3]]);
    }
}
