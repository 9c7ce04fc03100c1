//! Pictures of scenes, drawn on the processor alone: the same scene and options give the same pixels on any
//! x86-64 processor and any number of threads.
//!
//! ```
//! use anyrig_render::{PictureOptions, PictureSize, Renderer};
//! # use anyrig_bytes::Context;
//! # let scene = anyrig_scene::Scene::default();
//! let context = Context::new();
//! let renderer = Renderer::new(scene, &context)?;
//! let mut options = PictureOptions::default();
//! options.size = PictureSize::square(64);
//! let picture = renderer.picture(&options, &context)?;
//! let png = anyrig_image::encode_png(&picture)?;
//! # assert_eq!(picture.width(), 64);
//! # Ok::<(), anyrig_bytes::Error>(())
//! ```
//!
//! A picture is framed by all that its clip shows ([`framing`](MARGIN)), looks at the figure's front, and has a key light
//! with soft shadows, a rim light, light from all sides, and a floor that takes a shadow ([`Lighting::studio`]).
//! [`DebugView`] shows what is inside instead, and [`Mistake`] what wrong skinning looks like.
//!
//! # Parts
//! - Description ([`Camera`], [`Lighting`], [`Surface`]): what is drawn, in plain numbers that another back end can draw
//!   too.
//! - Preparing ([`Renderer::new`]): axes, triangles, decoded textures, once for each scene.
//! - Framing, posing and shading: once for each picture.
//!
//! # Limits
//! Light is not mirrored between surfaces; transmission, clearcoat, sheen, iridescence and the other layers of a material
//! are not drawn. Lights and cameras of the scene are not used. Surfaces without normals are drawn flat, as glTF wants it.

pub mod codes;
mod color;
mod debug;
mod description;
mod draw;
mod drawable;
mod font;
mod framing;
mod head;
mod marks;
mod mistakes;
mod names;
mod posing;
mod prepare;
mod raster;
mod renderer;
mod shade;
mod shadow;
mod sheet;
mod texture;
mod tile;
mod vrm;

pub use codes::CODES;
pub use color::Rgba;
pub use debug::DebugView;
pub use description::{Camera, DirectionalLight, Lighting, Map, Shading, Surface};
pub use draw::PictureSize;
pub use framing::{MARGIN, View};
pub use mistakes::{Mistake, TICK_RATES};
pub use posing::PoseChoice;
pub use renderer::{PictureOptions, Renderer};
