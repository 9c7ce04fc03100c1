//! The table of everything that a report may say.

use anyrig_bytes::Code;

/// Every diagnostic of every crate that is built in, in alphabetical order of the ids. `docs/diagnostics.md` is made of
/// it.
pub fn diagnostic_codes() -> Vec<&'static Code> {
    let tables = [
        crate::codes::CODES,
        anyrig_scene::codes::CODES,
        anyrig_animation::codes::CODES,
        anyrig_passes::codes::CODES,
        #[cfg(feature = "render")]
        anyrig_render::CODES,
        #[cfg(feature = "fbx")]
        anyrig_fbx::CODES,
        #[cfg(feature = "gltf")]
        anyrig_gltf::CODES,
        #[cfg(feature = "urho")]
        anyrig_urho::CODES,
    ];
    let mut codes: Vec<&'static Code> = tables.into_iter().flatten().copied().collect();
    codes.sort_by_key(|code| code.id);
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_kebab_words_after_the_crates_name() {
        let codes = diagnostic_codes();
        assert!(codes.is_sorted_by(|a, b| a.id < b.id), "an id stands twice");
        for code in codes {
            let (owner, words) = code.id.split_once('.').expect("crate and words");
            let kebab =
                |text: &str| text.split('-').all(|w| !w.is_empty() && w.chars().all(|c| c.is_ascii_lowercase()));
            assert!(kebab(owner) && kebab(words), "{}", code.id);
            assert!(code.meaning.trim().ends_with('.'), "{}", code.id);
        }
    }
}
