//! Pictures that show what is inside a model.

mod bones;
mod hairs;
pub(crate) mod legend;
mod skin;

pub(crate) use bones::joints;

use crate::color::light;
use crate::drawable::{Drawable, Paint, PointColors};
use crate::marks::{Mark, Marks};
use crate::names;
use crate::raster::ScreenTriangle;
use crate::renderer::Scenery;
use anyrig_bytes::Result;
use anyrig_scene::Scene;
use glam::{Vec3, Vec4};

/// A view of what is inside. Below it stands what its colours mean, unless [`crate::PictureOptions::legend`] says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DebugView {
    /// Every point of the geometry, in the colour of its part.
    Points,
    /// The triangles' edges.
    Wire,
    /// The joints as octahedra that point to their children, over the pale figure.
    Bones,
    /// Three arrows at each joint: X red, Y green, Z blue; thin and pale where it is at rest.
    Axes,
    /// Weights: of one joint from blue (none) over green to red (all), or of all, a colour for each joint.
    Weights,
    /// How many joints move a point: 1 to 4 from light to dark blue, more orange; red where none does, magenta where the
    /// weights do not sum to 1. Grey is what has no skin.
    Influences,
    /// Normals as colours (X, Y, Z from -1 to 1 as red, green, blue) and as hairs.
    Normals,
    /// The same of tangents; hairs are cyan, or magenta where w is negative. Grey is what has none.
    Tangents,
    /// Blue where the front is seen, violet where the back is, red where winding and normals disagree.
    Facing,
    /// Squares of texture coordinates, eight to a unit, their hue by column and row.
    UvChecker,
    /// The bind pose as a ghost over the pose.
    BindGhost,
}

impl DebugView {
    /// All views, in the order of their documentation.
    pub const ALL: [Self; 11] = [
        Self::Points,
        Self::Wire,
        Self::Bones,
        Self::Axes,
        Self::Weights,
        Self::Influences,
        Self::Normals,
        Self::Tangents,
        Self::Facing,
        Self::UvChecker,
        Self::BindGhost,
    ];

    /// Kebab words, as in `uv-checker`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Wire => "wire",
            Self::Bones => "bones",
            Self::Axes => "axes",
            Self::Weights => "weights",
            Self::Influences => "influences",
            Self::Normals => "normals",
            Self::Tangents => "tangents",
            Self::Facing => "facing",
            Self::UvChecker => "uv-checker",
            Self::BindGhost => "bind-ghost",
        }
    }

    /// The view of a name.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`], naming all.
    pub fn named(name: &str) -> Result<Self> {
        names::find(&Self::ALL, Self::name, ("debug view", name))
    }
}

impl std::fmt::Display for DebugView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What a view may take for each point: a dot or a hair with its triangles, or a colour.
pub(crate) const BYTES_PER_POINT: u64 =
    (size_of::<Mark>() + 2 * size_of::<ScreenTriangle>() + size_of::<Vec4>()) as u64;

/// Turns a scenery into a view of what is inside. `bone` is the index of the node that is asked about.
pub(crate) fn apply(view: DebugView, scenery: &mut Scenery<'_>, bone: Option<usize>) {
    let paint = |scenery: &mut Scenery<'_>, paint: Paint| scenery.drawables.iter_mut().for_each(|d| d.paint = paint);
    match view {
        DebugView::Points => points(scenery),
        DebugView::Wire => paint(scenery, Paint::Wire),
        DebugView::Bones => {
            paint(scenery, Paint::Pale);
            bones::octahedra(scenery, bone);
        }
        DebugView::Axes => {
            paint(scenery, Paint::Pale);
            bones::axes(scenery, bone);
        }
        DebugView::Weights => paint_points(scenery, |scene, drawable| skin::weights(scene, drawable, bone)),
        DebugView::Influences => color_points(scenery, skin::influences),
        DebugView::Normals => hairs::normals(scenery),
        DebugView::Tangents => hairs::tangents(scenery),
        DebugView::Facing => paint(scenery, Paint::Facing),
        DebugView::UvChecker => paint(scenery, Paint::Checker),
        DebugView::BindGhost => ghost(scenery),
    }
}

/// Gives each point of each drawable a colour.
fn color_points(scenery: &mut Scenery<'_>, of: impl Fn(&Scene, &Drawable<'_>) -> Vec<Vec4>) {
    paint_points(scenery, |scene, drawable| PointColors::Own(of(scene, drawable)));
}

fn paint_points(scenery: &mut Scenery<'_>, of: impl Fn(&Scene, &Drawable<'_>) -> PointColors<'static>) {
    let scene = scenery.scene;
    for drawable in &mut scenery.drawables {
        drawable.colors = of(scene, drawable);
        drawable.paint = Paint::Clay;
    }
}

/// The colour of a part's points, by its number among all that are drawn.
fn color_of_part(number: usize) -> Vec3 {
    crate::color::of_number(number) * 0.7
}

fn points(scenery: &mut Scenery<'_>) {
    let mut marks = Marks::default();
    for (number, drawable) in scenery.drawables.iter().enumerate() {
        let color = color_of_part(number).extend(1.0);
        let dots = drawable.positions.iter().map(|p| Mark::Dot { at: Vec3::from_array(*p), size: 2.0, color });
        marks.among.extend(dots);
    }
    scenery.marks = marks;
    scenery.drawables.clear();
}

/// The colour of the bind pose.
const GHOST: [u8; 3] = [60, 130, 240];

fn ghost(scenery: &mut Scenery<'_>) {
    let color = light(GHOST).extend(1.0);
    let mut ghost = scenery.bound();
    for drawable in &mut ghost {
        drawable.colors = PointColors::Own(vec![color; drawable.positions.len()]);
        drawable.paint = Paint::Clay;
    }
    scenery.ghost = ghost;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_has_a_name() {
        for view in DebugView::ALL {
            assert_eq!(DebugView::named(view.name()), Ok(view));
        }
        let error = DebugView::named("bone").expect_err("no such view");
        assert!(error.message().ends_with("uv-checker, bind-ghost"), "{error}");
    }
}
