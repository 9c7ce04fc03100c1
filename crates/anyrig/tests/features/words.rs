//! Which features a line of a report speaks of.

use anyrig::Diagnostic;
use anyrig::scene::Feature;
use anyrig::scene::Feature as F;

/// What a line says.
pub struct Word {
    /// The features; one of them differs. None for lines about the file as a whole, names and spellings.
    pub features: Vec<Feature>,
    /// Whether it speaks of what an engine shows instead of what the files hold, so that nothing in them differs.
    pub is_about_engine: bool,
}

/// `None` for a code that no one has told this test about.
pub fn of(line: &Diagnostic) -> Option<Word> {
    // Lines that come from a capability table have the feature as their subject.
    let of_table = [".not-held", ".approximated"].iter().any(|end| line.code.id.ends_with(end));
    let of_subject = |f: &Feature| f.to_string() == line.subject;
    if let Some(feature) = Feature::ALL.into_iter().find(of_subject).filter(|_| of_table) {
        return Some(Word { features: vec![feature], is_about_engine: false });
    }
    let about_engine = matches!(line.code.id, "urho.colors-not-shown" | "urho.gamma-color" | "urho.reflected");
    let features: &[Feature] = match line.code.id {
        "gltf.triangulated" => &[F::Polygons],
        "gltf.dual-quaternion" => &[F::DualQuaternionSkinning],
        "gltf.extras-dropped" => &[F::Extras],
        "gltf.attribute-renamed" | "gltf.attribute-dropped" => &[F::CustomAttributes],
        "gltf.animation-path" | "passes.other-curves-kept" => &[F::OtherAnimation],
        "urho.unused-left-out" => &[F::MaterialVariants],
        "gltf.alternate-dropped" => &[F::AlternateImages],
        "passes.instance-attributes-dropped" => &[F::Instances],
        "gltf.clip-length" => &[F::ClipLengths],
        "urho.not-held" if line.subject == "further-tex-coords" => &[F::SecondTexCoords],
        "urho.not-shown" => &[F::HiddenNodes, F::SeveralRootSets],
        "urho.nodes-folded" => &[F::PlainNodes],
        "urho.morph-rest-weight" => &[F::MorphRestWeights],
        "urho.influences-limited" => &[F::MoreThanFourInfluences],
        "urho.curves-sampled" => &[F::CubicCurves, F::StepCurves],
        "urho.shear-dropped" | "passes.shear-dropped" | "passes.shear-helper-node" => &[F::MatrixTransforms],
        "urho.colors-not-shown" => &[F::Colors],
        "urho.gamma-color" => &[F::Materials],
        "urho.technique" => {
            &[F::NormalMaps, F::OcclusionMaps, F::EmissiveMaps, F::UvTransforms, F::OtherUvSets, F::Materials]
        }
        "urho.sampler-dropped" => &[F::Samplers],
        "urho.common-root" | "urho.reflected" | "gltf.common-root" => &[],
        _ => return None,
    };
    Some(Word { features: features.to_vec(), is_about_engine: about_engine })
}

/// What else differs when a feature does: curves that stand in for others, points that are moved in another way.
pub fn implies(feature: Feature) -> &'static [Feature] {
    match feature {
        F::MoreThanFourInfluences => &[F::Skins],
        F::DualQuaternionSkinning | F::MorphAnimation | F::VisibilityAnimation | F::MorphRestWeights => &[F::Clips],
        F::StepCurves | F::CubicCurves => &[F::LinearCurves],
        F::ComponentCurves | F::PerKeyCurves | F::Extrapolation | F::LayeredClips => &[F::LinearCurves, F::StepCurves],
        F::Lights => &[F::SpotLights],
        F::AlphaMask => &[F::AlphaBlend],
        F::InheritModes | F::GeometricTransforms => &[F::PlainNodes],
        // Without the shear all points stand elsewhere.
        F::MatrixTransforms => &[F::PlainNodes, F::Meshes, F::TexCoords, F::Skins, F::Clips],
        _ => &[],
    }
}
