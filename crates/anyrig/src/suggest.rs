//! "Did you mean".

/// The candidate that was probably meant; `None` when none is near. Case does not count.
///
/// Near is a third of the letters wrong, missing, added or swapped (one at least), or else a Jaro-Winkler similarity of
/// 0.85, which favours equal beginnings. Ties go to the earlier candidate.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: String = wanted.to_lowercase().chars().take(LONGEST).collect();
    let allowed = (wanted.chars().count() / 3).max(1);
    let mut best: Option<(usize, f64, &str)> = None;
    for candidate in candidates {
        let name: String = candidate.to_lowercase().chars().take(LONGEST).collect();
        let slips = strsim::osa_distance(&wanted, &name);
        let similarity = strsim::jaro_winkler(&wanted, &name);
        let near = slips <= allowed.min(name.chars().count().saturating_sub(1)) || similarity >= 0.85;
        let better = |(s, j, _): (usize, f64, &str)| slips < s || (slips == s && similarity > j);
        if near && best.is_none_or(better) {
            best = Some((slips, similarity, candidate));
        }
    }
    best.map(|(_, _, candidate)| candidate)
}

/// Comparing takes the square of this.
const LONGEST: usize = 64;

/// ``; did you mean `x`?`` or nothing, to follow a complaint.
pub(crate) fn hint<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(wanted, candidates).map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_slip_of_the_pen_and_nothing_for_nonsense() {
        let formats = ["glb", "gltf", "urhox"];
        assert_eq!(nearest("urhx", formats), Some("urhox"));
        assert_eq!(nearest("GLTF2", formats), Some("gltf"));
        assert_eq!(nearest("gbl", formats), Some("glb"));
        assert_eq!(nearest("hand", ["handedness", "scale"]), Some("handedness"));
        assert_eq!(nearest("pmx", formats), None);
        assert_eq!(hint("urohx", formats), "; did you mean `urhox`?");
        assert_eq!(hint("pmx", formats), "");
    }
}
