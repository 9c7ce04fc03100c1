//! The body: tubes for trunk and limbs, small pieces for the face, an arrow on the left arm.

use super::charts;
use super::grid::{Chart, Grid, Shape};
use super::rig::Rig;
use super::tube::Tube;
use anyrig_bytes::maths::f64::{cos, sin};
use anyrig_scene::glam::DVec3;

/// What a piece is for, as far as morphs want to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Trunk, limbs, nose, ears.
    Body,
    /// The head.
    Head,
    /// An eye.
    Eye,
    /// The mouth.
    Mouth,
}

/// Joints along an axis.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The axis.
    pub axis: DVec3,
    /// Joint, where on the axis it takes over, and half the length of the transition. The first one holds before all
    /// others.
    pub joints: Vec<(usize, f64, f64)>,
    /// Whether shoulders and thighs pull at it too.
    pub is_trunk: bool,
}

/// A tube and what moves it.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What it is for.
    pub place: Place,
    /// The surface.
    pub tube: Tube,
    /// What moves it.
    pub binding: Binding,
}

/// Stations of the left limbs: centre, half width towards the seam, half width across.
const ARM: [([f64; 3], f64, f64); 8] = [
    ([0.085, 1.408, -0.012], 0.050, 0.050),
    ([0.165, 1.412, -0.015], 0.059, 0.056),
    ([0.225, 1.413, -0.017], 0.054, 0.051),
    ([0.330, 1.412, -0.022], 0.045, 0.045),
    ([0.430, 1.410, -0.025], 0.039, 0.038),
    ([0.500, 1.410, -0.022], 0.040, 0.040),
    ([0.600, 1.410, -0.018], 0.033, 0.033),
    ([0.680, 1.410, -0.015], 0.025, 0.029),
];
const HAND: [([f64; 3], f64, f64); 4] = [
    ([0.665, 1.410, -0.014], 0.023, 0.029),
    ([0.725, 1.410, -0.010], 0.021, 0.043),
    ([0.790, 1.409, -0.010], 0.018, 0.043),
    ([0.850, 1.406, -0.010], 0.012, 0.032),
];
const THUMB: [([f64; 3], f64, f64); 3] = [
    ([0.695, 1.402, 0.010], 0.016, 0.016),
    ([0.728, 1.397, 0.038], 0.014, 0.014),
    ([0.758, 1.393, 0.060], 0.010, 0.010),
];
const LEG: [([f64; 3], f64, f64); 9] = [
    ([0.082, 0.930, 0.000], 0.088, 0.078),
    ([0.090, 0.840, 0.000], 0.094, 0.084),
    ([0.092, 0.720, 0.004], 0.081, 0.074),
    ([0.094, 0.590, 0.008], 0.064, 0.060),
    ([0.095, 0.490, 0.010], 0.055, 0.052),
    ([0.096, 0.390, -0.004], 0.060, 0.054),
    ([0.098, 0.280, -0.012], 0.050, 0.046),
    ([0.100, 0.160, -0.018], 0.036, 0.036),
    ([0.100, 0.080, -0.020], 0.037, 0.036),
];
const FOOT: [([f64; 3], f64, f64); 4] = [
    ([0.100, 0.046, -0.062], 0.046, 0.034),
    ([0.100, 0.046, 0.000], 0.046, 0.041),
    ([0.103, 0.033, 0.075], 0.033, 0.046),
    ([0.105, 0.025, 0.140], 0.025, 0.040),
];
const TORSO: [([f64; 3], f64, f64); 8] = [
    ([0.0, 0.880, 0.000], 0.080, 0.125),
    ([0.0, 0.940, -0.004], 0.106, 0.163),
    ([0.0, 1.020, -0.004], 0.098, 0.150),
    ([0.0, 1.110, -0.006], 0.091, 0.133),
    ([0.0, 1.230, -0.008], 0.103, 0.152),
    ([0.0, 1.340, -0.010], 0.106, 0.168),
    ([0.0, 1.415, -0.012], 0.082, 0.140),
    ([0.0, 1.455, -0.014], 0.060, 0.078),
];
const NECK: [([f64; 3], f64, f64); 3] =
    [([0.0, 1.435, -0.014], 0.054, 0.058), ([0.0, 1.490, -0.010], 0.048, 0.047), ([0.0, 1.560, 0.000], 0.048, 0.046)];
const HEAD: [([f64; 3], f64, f64); 5] = [
    ([0.0, 1.553, 0.018], 0.058, 0.046),
    ([0.0, 1.595, 0.012], 0.084, 0.068),
    ([0.0, 1.640, 0.006], 0.097, 0.078),
    ([0.0, 1.680, 0.002], 0.098, 0.080),
    ([0.0, 1.715, 0.000], 0.086, 0.070),
];

/// All tubes of the body.
pub fn pieces(rig: &Rig) -> Vec<Piece> {
    let mut pieces = trunk(rig);
    pieces.extend(face(rig));
    for side in ["Left", "Right"] {
        pieces.extend(limbs(rig, side));
    }
    pieces
}

fn trunk(rig: &Rig) -> Vec<Piece> {
    let binding = |is_trunk, joints: &[(&str, f64, f64)]| Binding {
        axis: DVec3::Y,
        joints: joints.iter().map(|(name, start, blend)| (rig.index(name), *start, *blend)).collect(),
        is_trunk,
    };
    let spine = [
        ("Hips", 0.0, 1.0),
        ("Spine", 1.04, 0.06),
        ("Chest", 1.16, 0.06),
        ("UpperChest", 1.29, 0.06),
        ("Neck", 1.455, 0.03),
    ];
    let neck = [("UpperChest", 0.0, 1.0), ("Neck", 1.46, 0.035), ("Head", 1.54, 0.03)];
    let up = |rows: &[_], bulge, chart, quads| Tube {
        stations: Tube::stations(rows),
        seam: DVec3::NEG_Z,
        bulge,
        chart,
        quads,
    };
    vec![
        Piece {
            place: Place::Body,
            tube: up(&TORSO, [0.05, 0.02], charts::TORSO, [16.0, 22.0]),
            binding: binding(true, &spine),
        },
        Piece {
            place: Place::Body,
            tube: up(&NECK, [0.02, 0.02], charts::NECK, [6.0, 12.0]),
            binding: binding(false, &neck),
        },
        Piece {
            place: Place::Head,
            tube: up(&HEAD, [0.03, 0.052], charts::HEAD, [16.0, 20.0]),
            binding: binding(false, &[("Neck", 0.0, 1.0), ("Head", 1.53, 0.02)]),
        },
    ]
}

fn face(rig: &Rig) -> Vec<Piece> {
    let small = |place, rows: &[_], seam, bulge, chart, quads| Piece {
        place,
        tube: Tube { stations: Tube::stations(rows), seam, bulge: [bulge; 2], chart, quads },
        binding: Binding { axis: DVec3::Y, joints: vec![(rig.index("Head"), 0.0, 1.0)], is_trunk: false },
    };
    let nose = [([0.0, 1.618, 0.103], 0.016, 0.012), ([0.0, 1.655, 0.096], 0.008, 0.007)];
    let mouth = [
        ([-0.028, 1.585, 0.082], 0.005, 0.005),
        ([0.0, 1.583, 0.092], 0.006, 0.006),
        ([0.028, 1.585, 0.082], 0.005, 0.005),
    ];
    let mut pieces = vec![
        small(Place::Body, &nose, DVec3::NEG_Z, 0.008, charts::NECK, [6.0, 8.0]),
        small(Place::Mouth, &mouth, DVec3::NEG_Z, 0.004, charts::MOUTH, [9.0, 6.0]),
    ];
    for sign in [1.0, -1.0] {
        let eye = [([0.033 * sign, 1.650, 0.093], 0.008, 0.015), ([0.033 * sign, 1.662, 0.0925], 0.008, 0.015)];
        let ear = [([0.078 * sign, 1.628, -0.002], 0.016, 0.010), ([0.080 * sign, 1.655, -0.006], 0.019, 0.010)];
        pieces.push(small(Place::Eye, &eye, DVec3::NEG_Z, 0.010, charts::EYE, [8.0, 10.0]));
        pieces.push(small(Place::Body, &ear, DVec3::NEG_Z, 0.012, charts::NECK, [6.0, 8.0]));
    }
    pieces
}

fn limbs(rig: &Rig, side: &str) -> Vec<Piece> {
    let is_left = side == "Left";
    let sign = if is_left { 1.0 } else { -1.0 };
    let index = |name: &str| rig.index(&format!("{side}{name}"));
    let limb = |rows: &[_], seam, bulge, charts: [Chart; 2], quads| {
        let tube = Tube { stations: Tube::stations(rows), seam, bulge, chart: charts[0], quads };
        if is_left { tube } else { tube.mirrored(charts[1]) }
    };
    let piece = |tube, axis: DVec3, joints| Piece {
        place: Place::Body,
        tube,
        binding: Binding { axis: axis * DVec3::new(sign, 1.0, 1.0), joints, is_trunk: false },
    };
    let arm = vec![
        (rig.index("UpperChest"), 0.0, 1.0),
        (index("Shoulder"), 0.10, 0.06),
        (index("UpperArm"), 0.175, 0.055),
        (index("LowerArm"), 0.43, 0.05),
        (index("Hand"), 0.675, 0.03),
    ];
    let hand = vec![(index("LowerArm"), 0.0, 1.0), (index("Hand"), 0.67, 0.03), (index("MiddleProximal"), 0.775, 0.03)];
    let thumb = vec![(index("Hand"), 0.0, 1.0), (index("ThumbProximal"), 0.712, 0.015)];
    let leg = vec![
        (rig.index("Hips"), 0.0, 1.0),
        (index("UpperLeg"), -0.89, 0.06),
        (index("LowerLeg"), -0.50, 0.06),
        (index("Foot"), -0.09, 0.035),
    ];
    let foot = vec![(index("Foot"), 0.0, 1.0), (index("Toes"), 0.085, 0.03)];
    vec![
        piece(limb(&ARM, DVec3::NEG_Y, [0.03, 0.015], charts::ARMS, [18.0, 14.0]), DVec3::X, arm),
        piece(limb(&HAND, DVec3::NEG_Y, [0.01, 0.018], charts::HANDS, [10.0, 12.0]), DVec3::X, hand),
        piece(limb(&THUMB, DVec3::NEG_Y, [0.01, 0.011], charts::HANDS, [7.0, 8.0]), DVec3::X, thumb),
        piece(limb(&LEG, DVec3::NEG_Z, [0.05, 0.02], charts::LEGS, [18.0, 16.0]), DVec3::NEG_Y, leg),
        piece(limb(&FOOT, DVec3::NEG_Y, [0.018, 0.026], charts::FEET, [10.0, 14.0]), DVec3::Z, foot),
    ]
}

/// A curved pane in front of the eyes, on the head joint.
pub fn visor(density: f64) -> Grid {
    let scaled = |base: f64| (base * density).round().max(2.0) as usize;
    let (rows, columns) = (scaled(4.0), scaled(16.0));
    let mut points = Vec::new();
    for row in 0..=rows {
        let up = row as f64 / rows as f64;
        for column in 0..=columns {
            let angle = 1.15 * (2.0 * column as f64 / columns as f64 - 1.0);
            // Narrower at the temples.
            let half_height = 0.030 - 0.012 * angle * angle;
            let height = 1.656 + half_height * (2.0 * up - 1.0);
            points.push(DVec3::new(0.094 * sin(angle), height, 0.006 + 0.118 * cos(angle)));
        }
    }
    Grid { shape: Shape::Sheet, columns, points, chart: Chart::new([0.0, 0.0], [1.0, 1.0]) }
}

/// The rod of the thing in the right hand: along +Y, held near its lower end.
pub fn baton() -> Tube {
    let rows = [
        ([0.0, -0.12, 0.0], 0.012, 0.012),
        ([0.0, 0.10, 0.0], 0.012, 0.012),
        ([0.0, 0.36, 0.0], 0.011, 0.011),
        ([0.0, 0.40, 0.0], 0.028, 0.028),
        ([0.0, 0.44, 0.0], 0.012, 0.012),
    ];
    let stations = Tube::stations(&rows);
    Tube { stations, seam: DVec3::NEG_Z, bulge: [0.01, 0.012], chart: charts::BATON, quads: [14.0, 10.0] }
}

/// A pennant on the rod that points to +X only, so that a mirrored copy shows.
pub fn pennant() -> Grid {
    let (rows, columns) = (3, 6);
    let mut points = Vec::new();
    for row in 0..=rows {
        for column in 0..=columns {
            let out = column as f64 / columns as f64;
            let half_height = 0.06 * (1.0 - out);
            let height = 0.29 + half_height * (2.0 * row as f64 / rows as f64 - 1.0);
            points.push(DVec3::new(0.011 + 0.16 * out, height, 0.015 * sin(6.0 * out)));
        }
    }
    // The tip is one point; the smallest height left keeps its triangles from having no area.
    for (row, point) in points.iter_mut().skip(columns).step_by(columns + 1).enumerate() {
        point.y = 0.29 + 0.002 * (2.0 * row as f64 / rows as f64 - 1.0);
    }
    Grid { shape: Shape::Sheet, columns, points, chart: Chart::new([0.0, 0.0], [1.0, 1.0]) }
}
