//! What programs of skinned figures get wrong, drawn on purpose.

use crate::names;
use anyrig_animation::{Evaluator, Pose, PosedPart, Shown, posed_part, posed_part_by, scene_from_mesh};
use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::{Influences, Scene, Skin};
use glam::{DAffine3, DVec3};

/// An error that everyone makes once who writes skinning, so that a learner recognises theirs.
///
/// `world` is where a joint stands now (`scene_from_joint`) and `bind` its inverse bind (`joint_from_mesh`); a palette's
/// entry is to be `world · bind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mistake {
    /// The factors of the palette's product the wrong way round: `bind · world`.
    SwappedProduct,
    /// Each entry with rows for columns, as when a matrix is uploaded in the other layout: turns run backwards, and the
    /// translation stands in the last row, where it moves no point.
    Transposed,
    /// The palette is `world` alone.
    MissingInverseBind,
    /// Skinned points are moved by the node that shows the mesh as well.
    DoubleTransform,
    /// Of each point only the strongest joint is kept, and its weight is not made 1 again.
    BadWeights,
    /// Key times are divided by the other one of FBX's two rates of ticks ([`TICK_RATES`]), so that a clip runs 327
    /// times too slowly.
    WrongTicks,
}

/// Ticks in a second: of Autodesk's files, and of those that newer versions of its library write on request.
pub const TICK_RATES: [f64; 2] = [46_186_158_000.0, 141_120_000.0];

impl Mistake {
    /// All mistakes, in the order of their documentation.
    pub const ALL: [Self; 6] = [
        Self::SwappedProduct,
        Self::Transposed,
        Self::MissingInverseBind,
        Self::DoubleTransform,
        Self::BadWeights,
        Self::WrongTicks,
    ];

    /// Kebab words, as in `bad-weights`.
    pub fn name(self) -> &'static str {
        match self {
            Self::SwappedProduct => "swapped-product",
            Self::Transposed => "transposed",
            Self::MissingInverseBind => "missing-inverse-bind",
            Self::DoubleTransform => "double-transform",
            Self::BadWeights => "bad-weights",
            Self::WrongTicks => "wrong-ticks",
        }
    }

    /// The mistake of a name.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`], naming all.
    pub fn named(name: &str) -> Result<Self> {
        names::find(&Self::ALL, Self::name, ("mistake", name))
    }

    /// Whether it shows in the motion of a clip alone.
    pub fn needs_clip(self) -> bool {
        self == Self::WrongTicks
    }

    /// The palette that the mistake makes of a skin, which `scene_from_node` shows. What is not finite is the identity.
    fn palette(self, skin: &Skin, worlds: &[DAffine3], scene_from_node: DAffine3) -> Vec<DAffine3> {
        let world = |i: usize| skin.joints.get(i).and_then(|id| worlds.get(id.index())).copied().unwrap_or_default();
        let bind = |i: usize| skin.inverse_binds.get(i).copied().unwrap_or_default();
        let wrong = |(i, right): (usize, DAffine3)| match self {
            Self::SwappedProduct => bind(i) * world(i),
            Self::Transposed => DAffine3 { matrix3: right.matrix3.transpose(), translation: DVec3::ZERO },
            Self::MissingInverseBind => world(i),
            Self::DoubleTransform => scene_from_node * right,
            Self::BadWeights | Self::WrongTicks => right,
        };
        let finite = |entry: DAffine3| if entry.is_finite() { entry } else { DAffine3::IDENTITY };
        scene_from_mesh(skin, worlds).enumerate().map(wrong).map(finite).collect()
    }

    /// What a player takes for a time of a clip that starts at `start_secs`.
    pub(crate) fn time_secs(self, start_secs: f64, time_secs: f64) -> f64 {
        match self {
            Self::WrongTicks => start_secs + (time_secs - start_secs) * (TICK_RATES[1] / TICK_RATES[0]),
            _ => time_secs,
        }
    }

    /// Changes what of the mistake lies in the scene itself.
    pub(crate) fn spoil(self, scene: &mut Scene, context: &Context) -> Result<()> {
        if self != Self::BadWeights {
            return Ok(());
        }
        for influences in scene.meshes.values_mut().flat_map(|m| &mut m.parts).filter_map(|p| p.influences.as_mut()) {
            let bytes = influences.point_count() * size_of::<(u32, f32)>();
            context.take_memory(bytes as u64, Place::whole)?;
            *influences = strongest(influences);
        }
        Ok(())
    }

    /// Calls back with every part that a scene shows in a pose, moved as the mistake has it.
    pub(crate) fn for_each_posed_part(self, scene: &Scene, pose: &Pose, mut act: impl FnMut(PosedPart)) {
        let evaluator = Evaluator::new(scene);
        let worlds = evaluator.worlds(pose);
        for shown in evaluator.shown_in(pose) {
            let palette = self.palette_of(scene, &worlds, shown);
            for part in 0..scene.meshes[shown.mesh].parts.len() {
                let posed = match &palette {
                    Some(palette) => posed_part_by(scene, pose, &worlds, shown, (part, palette)),
                    None => posed_part(scene, pose, &worlds, shown, part),
                };
                posed.into_iter().for_each(&mut act);
            }
        }
    }

    fn palette_of(self, scene: &Scene, worlds: &[DAffine3], shown: Shown) -> Option<Vec<DAffine3>> {
        let skin = scene.skins.get(shown.skin?)?;
        Some(self.palette(skin, worlds, worlds.get(shown.node.index()).copied().unwrap_or_default()))
    }
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// One influence for each point, its largest, with the weight that it had among the others.
fn strongest(influences: &Influences) -> Influences {
    let largest = |point: usize| {
        let (joints, weights) = influences.of(point);
        let pairs = joints.iter().copied().zip(weights.iter().copied());
        pairs.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
    };
    let (joints, weights): (Vec<u32>, Vec<f32>) = (0..influences.point_count()).map(largest).unzip();
    Influences::fixed(1, joints, weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::NodeId;
    use glam::DMat3;

    /// A joint at (0, 2, 0) that is turned by a quarter about Z, and was bound at (0, 1, 0).
    fn turned() -> (Skin, Vec<DAffine3>) {
        let quarter = DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z);
        let world = DAffine3 { matrix3: quarter, translation: DVec3::Y * 2.0 };
        let bind = DAffine3::from_translation(DVec3::NEG_Y);
        (Skin::new("skin", vec![NodeId::new(0)], vec![bind]), vec![world])
    }

    fn moved(mistake: Mistake, point: DVec3) -> DVec3 {
        let (skin, worlds) = turned();
        let node = DAffine3::from_translation(DVec3::Z * 5.0);
        mistake.palette(&skin, &worlds, node)[0].transform_point3(point)
    }

    #[test]
    fn each_formula_by_hand() {
        let point = DVec3::new(1.0, 1.0, 0.0);
        // Right: (1, 0, 0) from the joint, turned to (0, 1, 0), at (0, 3, 0).
        assert_eq!(moved(Mistake::BadWeights, point), DVec3::new(0.0, 3.0, 0.0));
        // Turned to (-1, 1, 0), to (-1, 3, 0), and only then down by the bind.
        assert_eq!(moved(Mistake::SwappedProduct, point), DVec3::new(-1.0, 2.0, 0.0));
        // Turned the other way about the origin.
        assert_eq!(moved(Mistake::Transposed, point), DVec3::new(1.0, -1.0, 0.0));
        assert_eq!(moved(Mistake::MissingInverseBind, point), DVec3::new(-1.0, 3.0, 0.0));
        assert_eq!(moved(Mistake::DoubleTransform, point), DVec3::new(0.0, 3.0, 5.0));
    }

    #[test]
    fn time_runs_327_times_too_slowly() {
        let shown = Mistake::WrongTicks.time_secs(1.0, 1.0 + TICK_RATES[0] / TICK_RATES[1]);
        assert!((shown - 2.0).abs() < 1e-12 && (TICK_RATES[0] / TICK_RATES[1] - 327.28).abs() < 0.01);
        assert_eq!(Mistake::Transposed.time_secs(1.0, 7.0), 7.0);
    }

    #[test]
    fn the_strongest_joint_keeps_its_weight() {
        let all = Influences::ragged(vec![0, 2, 2, 5], vec![4, 5, 1, 2, 3], vec![0.25, 0.75, 0.5, 0.2, 0.3]);
        let kept = strongest(&all);
        let of = |point: usize| (kept.of(point).0[0], kept.of(point).1[0]);
        assert_eq!([of(0), of(1), of(2)], [(5, 0.75), (0, 0.0), (1, 0.5)]);
    }

    #[test]
    fn every_mistake_has_a_name() {
        for mistake in Mistake::ALL {
            assert_eq!(Mistake::named(mistake.name()), Ok(mistake));
        }
        let error = Mistake::named("swapped").expect_err("no such mistake");
        assert!(error.message().ends_with("bad-weights, wrong-ticks"), "{error}");
    }
}
