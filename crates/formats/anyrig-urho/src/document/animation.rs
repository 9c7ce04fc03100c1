//! `.ani`: animations.

use super::layouts;
use super::variant::{VariantTrack, variant_track};
use anyrig_bytes::codec::{self, Codec, ReadCodec, Record, Span, TextForm, list};
use anyrig_bytes::text::RawText;
use anyrig_bytes::{Context, Error, Place, Result, Rope, SharedBytes};

/// Which of the three layouts an animation has. The first two share the magic `UANI`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AnimationLayout {
    /// Urho3D: a name, and per track a mask of channels.
    Classic,
    /// UrhoX: a version, and per track an interpolation. Known from a description only.
    #[default]
    UrhoX,
    /// rbfx, with the magic `UAN2`: a version; as the classic one, with weights of tracks and tracks of any values.
    Rbfx,
}

impl AnimationLayout {
    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classic => "UANI (Urho3D)",
            Self::UrhoX => "UANI (UrhoX)",
            Self::Rbfx => "UAN2",
        }
    }

    fn magic(self) -> [u8; 4] {
        match self {
            Self::Classic | Self::UrhoX => *b"UANI",
            Self::Rbfx => *b"UAN2",
        }
    }
}

/// Bits of [`Track::channel_mask`].
pub mod channel {
    /// Positions.
    pub const POSITION: u8 = 1;
    /// Rotations.
    pub const ROTATION: u8 = 2;
    /// Scales.
    pub const SCALE: u8 = 4;
}

/// An animation file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// Which layout it has.
    pub layout: AnimationLayout,
    /// UrhoX: the layout's version, 2. rbfx: 1 to 4.
    pub version: u32,
    /// Classic and rbfx: the animation's name.
    pub name: RawText,
    /// Length in seconds.
    pub length_secs: f32,
    /// One per animated bone.
    pub tracks: Vec<Track>,
    /// rbfx from version 2: tracks of properties that are not the transform of a bone.
    pub variant_tracks: Vec<VariantTrack>,
    /// UrhoX: number of triggers.
    pub trigger_count: u32,
    /// UrhoX: number of metadata entries; in the file only when there are no triggers, see [`Animation::tail`].
    pub metadata_count: u32,
    /// UrhoX: what follows a trigger or metadata count above 0. Its layout is not known.
    pub tail: SharedBytes,
}

/// The keys of one bone: absolute local transforms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// The bone's name.
    pub name: RawText,
    /// Classic and rbfx: which channels the keys hold; see [`channel`]. UrhoX keys hold all.
    pub channel_mask: u8,
    /// rbfx version 3: how much the track counts.
    pub weight: f32,
    /// rbfx version 4: how much positions, rotations and scales count.
    pub channel_weights: [f32; 3],
    /// UrhoX: 0 holds the earlier key, 1 goes in a line. The others always go in a line.
    pub interpolation: u8,
    /// Number of keys.
    pub key_count: u32,
    /// The keys; see [`Track::keys`].
    pub data: SharedBytes,
}

/// One key.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Key {
    /// Seconds.
    pub time_secs: f32,
    /// Position.
    pub position: [f32; 3],
    /// Rotation: w, x, y, z.
    pub rotation: [f32; 4],
    /// Scale.
    pub scale: [f32; 3],
}

/// The keys of a track in order.
#[derive(Clone, Debug)]
pub struct Keys<'a> {
    mask: u8,
    chunks: std::slice::ChunksExact<'a, u8>,
}

impl Track {
    /// The channels of the track's keys.
    pub fn channels(&self, layout: AnimationLayout) -> u8 {
        match layout {
            AnimationLayout::Classic | AnimationLayout::Rbfx => self.channel_mask,
            AnimationLayout::UrhoX => channel::POSITION | channel::ROTATION | channel::SCALE,
        }
    }

    /// Bytes of a key.
    pub fn key_size(&self, layout: AnimationLayout) -> usize {
        key_size(self.channels(layout))
    }

    /// The keys; channels that the track does not hold are zero.
    pub fn keys(&self, layout: AnimationLayout) -> Keys<'_> {
        let mask = self.channels(layout);
        Keys { mask, chunks: self.data.chunks_exact(key_size(mask)) }
    }
}

impl Iterator for Keys<'_> {
    type Item = Key;

    fn next(&mut self) -> Option<Key> {
        let mut words = self.chunks.next()?.as_chunks::<4>().0.iter().copied();
        let mut value = || words.next().map_or(0.0, f32::from_le_bytes);
        let mut key = Key { time_secs: value(), ..Key::default() };
        if self.mask & channel::POSITION != 0 {
            key.position = std::array::from_fn(|_| value());
        }
        if self.mask & channel::ROTATION != 0 {
            key.rotation = std::array::from_fn(|_| value());
        }
        if self.mask & channel::SCALE != 0 {
            key.scale = std::array::from_fn(|_| value());
        }
        Some(key)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.chunks.size_hint()
    }
}

fn key_size(mask: u8) -> usize {
    let bytes = |bit: u8, size: usize| if mask & bit != 0 { size } else { 0 };
    4 + bytes(channel::POSITION, 12) + bytes(channel::ROTATION, 16) + bytes(channel::SCALE, 12)
}

/// The only version of the UrhoX layout that a description exists of.
const URHOX_VERSION: u32 = 2;

/// From which version of the rbfx layout on there are tracks of any values, weights of tracks, weights of channels.
const VARIANT_TRACKS: u32 = 2;
const TRACK_WEIGHTS: u32 = 3;
const CHANNEL_WEIGHTS: u32 = 4;

/// The version that rbfx writes.
pub const RBFX_VERSION: u32 = CHANNEL_WEIGHTS;

impl Animation {
    /// Reads a file of any layout. The UrhoX layout has the version 2 where the classic one has a name: a file is UrhoX
    /// when that fits and the whole file fits, else classic.
    ///
    /// # Errors
    /// Truncated or malformed with the field's path.
    pub fn read(bytes: &SharedBytes, context: &Context) -> Result<Self> {
        if bytes.starts_with(b"UAN2") {
            return Self::read_as(bytes, AnimationLayout::Rbfx, context);
        }
        let says_urhox = bytes.get(4..8) == Some(&URHOX_VERSION.to_le_bytes());
        if !says_urhox {
            return Self::read_as(bytes, AnimationLayout::Classic, context);
        }
        let urhox = Self::read_as(bytes, AnimationLayout::UrhoX, context);
        match urhox {
            Ok(animation) if animation.tail.is_empty() => Ok(animation),
            // A classic animation whose name is the one character 2 begins the same.
            urhox => Self::read_as(bytes, AnimationLayout::Classic, context).or(urhox),
        }
    }

    /// Reads a file of a known layout.
    ///
    /// # Errors
    /// Truncated or malformed with the field's path.
    pub fn read_as(bytes: &SharedBytes, layout: AnimationLayout, context: &Context) -> Result<Self> {
        codec::from_bytes(bytes, context, |codec: &mut ReadCodec<'_>, animation: &mut Self| {
            animation.layout = layout;
            walk(codec, animation)
        })
    }

    /// Writes the file; byte-equal to what was read when nothing was changed.
    ///
    /// # Errors
    /// Malformed when counts and data contradict each other.
    pub fn write(&self) -> Result<Rope> {
        codec::to_rope(self, walk)
    }

    /// Where each field lies.
    ///
    /// # Errors
    /// As [`Animation::write`].
    pub fn trace(&self) -> Result<Vec<Span>> {
        codec::trace(self, walk)
    }
}

impl Record for Animation {
    fn walk<C: Codec>(&mut self, codec: &mut C) -> Result<()> {
        walk(codec, self)
    }
}

fn walk<C: Codec>(codec: &mut C, animation: &mut Animation) -> Result<()> {
    let wanted = animation.layout.magic();
    let mut magic = wanted;
    codec.magic("magic", &mut magic)?;
    if magic != wanted {
        let message = format!("the file does not begin with {}", wanted.escape_ascii());
        return Err(Error::malformed(Place::byte(0), message));
    }
    match animation.layout {
        AnimationLayout::Classic => classic(codec, animation),
        AnimationLayout::UrhoX => urhox(codec, animation),
        AnimationLayout::Rbfx => rbfx(codec, animation),
    }
}

fn classic<C: Codec>(codec: &mut C, animation: &mut Animation) -> Result<()> {
    named(codec, animation, 0)
}

/// What the classic layout and that of rbfx share; the classic one is as version 0.
fn named<C: Codec>(codec: &mut C, animation: &mut Animation, version: u32) -> Result<()> {
    codec.text("name", TextForm::NulTerminated, &mut animation.name)?;
    codec.field("length", &mut animation.length_secs)?;
    list(codec, "tracks", 6, &mut animation.tracks, |c, track| {
        c.text("name", TextForm::NulTerminated, &mut track.name)?;
        c.field("channel_mask", &mut track.channel_mask)?;
        match version {
            ..TRACK_WEIGHTS => {}
            TRACK_WEIGHTS => c.field("weight", &mut track.weight)?,
            CHANNEL_WEIGHTS.. => c.field("channel_weights", &mut track.channel_weights)?,
        }
        c.field("key_count", &mut track.key_count)?;
        let mask = track.channel_mask;
        c.items("keys", (track.key_count as usize, key_size(mask)), &mut track.data, || layouts::key(mask))
    })
}

fn rbfx<C: Codec>(codec: &mut C, animation: &mut Animation) -> Result<()> {
    codec.field("version", &mut animation.version)?;
    let version = animation.version;
    if !(1..=RBFX_VERSION).contains(&version) {
        let message = format!("version {version} of UAN2 is not known, only 1 to {RBFX_VERSION} are");
        return Err(Error::unsupported(codec.place(), message));
    }
    named(codec, animation, version)?;
    if version < VARIANT_TRACKS {
        return Ok(());
    }
    let weighted = version >= TRACK_WEIGHTS;
    list(codec, "variant_tracks", 11, &mut animation.variant_tracks, |c, track| variant_track(c, track, weighted))
}

fn urhox<C: Codec>(codec: &mut C, animation: &mut Animation) -> Result<()> {
    codec.field("version", &mut animation.version)?;
    if animation.version != URHOX_VERSION {
        let message = format!("version {} of the UrhoX animation is not known, only 2 is", animation.version);
        return Err(Error::unsupported(codec.place(), message));
    }
    codec.field("length", &mut animation.length_secs)?;
    list(codec, "tracks", 9, &mut animation.tracks, |c, track| {
        c.text("name", TextForm::LengthU32, &mut track.name)?;
        c.field("interpolation", &mut track.interpolation)?;
        c.field("key_count", &mut track.key_count)?;
        let mask = track.channels(AnimationLayout::UrhoX);
        c.items("keys", (track.key_count as usize, key_size(mask)), &mut track.data, || layouts::key(mask))
    })?;
    codec.field("trigger_count", &mut animation.trigger_count)?;
    if animation.trigger_count == 0 {
        codec.field("metadata_count", &mut animation.metadata_count)?;
    }
    if animation.trigger_count == 0 && animation.metadata_count == 0 {
        return Ok(());
    }
    codec.rest("tail", &mut animation.tail)
}
