//! Channels that a target has a word for.

use anyrig_scene::{Scene, Target};

/// Leaves out the channels on other targets, before time is spent on baking what cannot be written. Clips stay, and stay
/// as long as they were: where the longest channel goes, the length is stated. A clip of which nothing is kept has its first
/// channel still, so that who writes sees that it was not empty.
pub fn keep_channels(scene: &mut Scene, is_kept: impl Fn(&Target) -> bool) {
    for clip in &mut scene.clips {
        let end = clip.end_secs();
        let kept = clip.channels.iter().position(|channel| is_kept(&channel.target)).unwrap_or_default();
        let mut index = 0..clip.channels.len();
        clip.channels.retain(|channel| index.next() == Some(kept) || is_kept(&channel.target));
        if clip.end_secs() != end {
            clip.length_secs = Some(end - clip.start_secs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::{Channel, Clip, Curve, Interpolation, NodeId, Property};

    fn channel(target: Target, end_secs: f64) -> Channel {
        Channel::on(target, Curve::new(Interpolation::Linear, 1, vec![1.0, end_secs], vec![0.0, 1.0]))
    }

    #[test]
    fn a_clip_stays_as_long_as_it_was() {
        let moved = Target::Node { node: NodeId::new(0), property: Property::Translation };
        let mut clip = Clip::new("walk");
        clip.start_secs = 1.0;
        clip.channels = vec![channel(moved.clone(), 2.0), channel(Target::Other("door".to_owned()), 4.0)];
        let mut scene = Scene::default();
        scene.clips.push(clip);
        keep_channels(&mut scene, |_| true);
        assert_eq!((scene.clips[0].channels.len(), scene.clips[0].length_secs), (2, None));
        keep_channels(&mut scene, |target| *target == moved);
        let clip = &scene.clips[0];
        assert_eq!((clip.channels.len(), clip.length_secs, clip.end_secs()), (1, Some(3.0), 4.0));
        keep_channels(&mut scene, |_| false);
        assert_eq!(scene.clips[0].channels.len(), 1, "it was not empty");
    }
}
