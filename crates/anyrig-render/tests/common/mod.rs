//! Small scenes, and pixels.
#![allow(dead_code, reason = "each test uses some of it")]

use anyrig_bytes::Context;
use anyrig_image::{Rgba8Image, encode_png};
use anyrig_render::{PictureOptions, PictureSize, Renderer, View};
use anyrig_scene::glam::DVec3;
use anyrig_scene::{
    Image, Material, MaterialId, Mesh, MeshInstance, Node, NodeId, Part, Scene, Semantic, Stream, Texture, TextureUse,
};

pub const RED: [u8; 4] = [255, 0, 0, 255];
pub const BACKDROP: [u8; 4] = [0xf2, 0xf3, 0xf5, 255];

/// A square of side 2 about the origin that faces +Z, with texture coordinates from the top left.
pub fn square() -> Part {
    let mut part = Part::default();
    part.point_count = 4;
    part.corners = Some(vec![0, 1, 2, 0, 2, 3].into());
    let positions = vec![-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, 1.0, 0.0];
    part.set_stream(Stream::new(Semantic::Position, 3, positions));
    part.set_stream(Stream::new(Semantic::Normal, 3, [0.0, 0.0, 1.0].repeat(4)));
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, vec![0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]));
    part
}

/// Turns the triangles of a part round.
pub fn inside_out(mut part: Part) -> Part {
    let corners = part.corners.as_ref().expect("indexed").as_slice();
    let turned: Vec<u32> = corners.chunks(3).flat_map(|c| [c[0], c[2], c[1]]).collect();
    part.corners = Some(turned.into());
    part
}

pub fn unlit(color: [f32; 4]) -> Material {
    let mut material = Material::new("m");
    material.base_color = color;
    material.unlit = true;
    material
}

/// A node that shows a part in a material.
pub fn show(scene: &mut Scene, part: Part, material: Material) -> NodeId {
    let material = scene.materials.push(material);
    let mut mesh = Mesh::default();
    mesh.parts = vec![part];
    let mut instance = MeshInstance::new(scene.meshes.push(mesh));
    instance.materials = vec![Some(material)];
    let mut node = Node::new("node");
    node.mesh = Some(instance);
    scene.add_node(node, None)
}

pub fn place(scene: &mut Scene, node: NodeId, at: DVec3, scale: DVec3) {
    let trs = anyrig_scene::Trs { translation: at, scale, ..anyrig_scene::Trs::IDENTITY };
    scene.nodes[node].local = trs.into();
}

/// A texture of pixels, as a PNG.
pub fn texture(scene: &mut Scene, width: u32, pixels: &[[u8; 4]]) -> TextureUse {
    let height = pixels.len() as u32 / width;
    let image = Rgba8Image::new(width, height, pixels.as_flattened().to_vec()).expect("right size");
    let mut encoded = Image::default();
    encoded.bytes = Some(encode_png(&image).expect("encodable").into());
    let mut texture = Texture::default();
    texture.image = Some(scene.images.push(encoded));
    TextureUse::new(scene.textures.push(texture))
}

pub fn material_of(scene: &mut Scene, id: usize) -> &mut Material {
    let id = MaterialId::new(id);
    &mut scene.materials[id]
}

/// All defaults but the size.
pub fn usual(side: u32) -> PictureOptions {
    let mut options = PictureOptions::default();
    options.size = PictureSize::square(side);
    options
}

/// From straight before it, without a floor.
pub fn plain(side: u32) -> PictureOptions {
    let mut options = usual(side);
    options.view = View::From { azimuth_degrees: 0.0, elevation_degrees: 0.0 };
    options.ground = false;
    options
}

pub fn picture(scene: Scene, options: &PictureOptions) -> Rgba8Image {
    let context = Context::new();
    let renderer = Renderer::new(scene, &context).expect("a sound scene");
    renderer.picture(options, &context).expect("a picture")
}

pub fn at(image: &Rgba8Image, x: u32, y: u32) -> [u8; 4] {
    image.pixels()[(y * image.width() + x) as usize]
}

/// Columns and rows of all pixels that are not the backdrop.
pub fn drawn(image: &Rgba8Image) -> Vec<(u32, u32)> {
    let all = (0..image.height()).flat_map(|y| (0..image.width()).map(move |x| (x, y)));
    all.filter(|(x, y)| at(image, *x, *y) != BACKDROP).collect()
}
