//! Axes, handedness, units and conventions of a scene's numbers.

use glam::DVec3;

/// A coordinate axis with a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Axis {
    PosX,
    NegX,
    PosY,
    NegY,
    PosZ,
    NegZ,
}

impl Axis {
    /// The unit vector.
    pub fn to_vector(self) -> DVec3 {
        match self {
            Self::PosX => DVec3::X,
            Self::NegX => DVec3::NEG_X,
            Self::PosY => DVec3::Y,
            Self::NegY => DVec3::NEG_Y,
            Self::PosZ => DVec3::Z,
            Self::NegZ => DVec3::NEG_Z,
        }
    }
}

/// Which way the third axis points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handedness {
    /// X × Y = Z as the right hand shows it: glTF, FBX, BVH.
    Right,
    /// The mirror image: Urho3D, Unity, MMD.
    Left,
}

/// Which algebraic side of a triangle is its front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Winding {
    /// `cross(p1 - p0, p2 - p0)`, computed on the numbers, points out of the front. In a right-handed space this is
    /// what is called counter-clockwise.
    CrossOutward,
    /// It points into the back.
    CrossInward,
}

/// Where a texture coordinate of (0, 0) lies in the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UvOrigin {
    /// First pixel of the file; V grows downwards: glTF, Urho3D, MMD.
    TopLeft,
    /// V grows upwards: FBX, OpenGL.
    BottomLeft,
}

/// The space that all numbers of a [`crate::Scene`] are in.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Space {
    /// The axis that points up.
    pub up: Axis,
    /// The axis that an upright character faces along.
    pub front: Axis,
    /// Handedness of the axes.
    pub handedness: Handedness,
    /// Length of one unit in metres.
    pub metres_per_unit: f64,
    /// Which side of a triangle is its front.
    pub winding: Winding,
    /// Origin of texture coordinates.
    pub uv_origin: UvOrigin,
}

impl Space {
    /// glTF 2.0 (specification 3.4): right-handed, +Y up, +Z forward, metres, counter-clockwise fronts.
    pub const GLTF: Self = Self {
        up: Axis::PosY,
        front: Axis::PosZ,
        handedness: Handedness::Right,
        metres_per_unit: 1.0,
        winding: Winding::CrossOutward,
        uv_origin: UvOrigin::TopLeft,
    };

    /// Urho3D: left-handed, +Y up, +Z forward, metres. The stock models' fronts are outward by the numbers.
    pub const URHO: Self = Self { handedness: Handedness::Left, ..Self::GLTF };

    /// The same space with other axes for up and front; the handedness stays.
    #[must_use]
    pub const fn with_axes(mut self, up: Axis, front: Axis) -> Self {
        self.up = up;
        self.front = front;
        self
    }

    /// The same space with another handedness; the axes for up and front stay.
    #[must_use]
    pub const fn with_handedness(mut self, handedness: Handedness) -> Self {
        self.handedness = handedness;
        self
    }

    /// The same space with another unit.
    #[must_use]
    pub const fn with_metres_per_unit(mut self, metres_per_unit: f64) -> Self {
        self.metres_per_unit = metres_per_unit;
        self
    }

    /// The same space with other fronts of triangles.
    #[must_use]
    pub const fn with_winding(mut self, winding: Winding) -> Self {
        self.winding = winding;
        self
    }

    /// The same space with another origin of texture coordinates.
    #[must_use]
    pub const fn with_uv_origin(mut self, uv_origin: UvOrigin) -> Self {
        self.uv_origin = uv_origin;
        self
    }
}

impl Default for Space {
    fn default() -> Self {
        Self::GLTF
    }
}
