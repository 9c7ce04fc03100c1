//! "Did you mean".

/// The candidate that was probably meant; `None` when none is near.
///
/// Near is a Jaro-Winkler similarity of 0.75, ties go to the earlier candidate; case does not count.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        let similarity = strsim::jaro_winkler(&wanted, &candidate.to_lowercase());
        if similarity >= 0.75 && best.is_none_or(|(s, _)| similarity > s) {
            best = Some((similarity, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

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
        assert_eq!(nearest("pmx", formats), None);
        assert_eq!(hint("urohx", formats), "; did you mean `urhox`?");
        assert_eq!(hint("pmx", formats), "");
    }
}
