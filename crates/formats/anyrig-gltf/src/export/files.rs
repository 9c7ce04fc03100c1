//! Which files an export makes, and how they refer to each other.

use super::packer::Packer;
use crate::document::{GltfDocument, ImageObject, Root};
use crate::names::UNKNOWN_MEDIA_TYPE;
use crate::options::Resources;
use crate::{Form, GltfOptions, uri};
use anyrig_bytes::names::{UniqueNames, safe_file_name};
use anyrig_bytes::{Result, Rope, SharedBytes};
use anyrig_scene::{Document, ExportedFile};

pub(super) struct Files {
    form: Form,
    resources: Resources,
    stem: String,
    names: UniqueNames,
    beside: Vec<ExportedFile>,
}

/// What is known about an image's bytes.
pub(super) struct ImageData<'a> {
    pub(super) bytes: &'a SharedBytes,
    pub(super) media_type: &'a str,
    pub(super) extension: &'a str,
    /// A name for the file, without extension.
    pub(super) wanted: &'a str,
}

impl Files {
    pub(super) fn new(form: Form, options: &GltfOptions, stem: &str) -> Self {
        let mut names = UniqueNames::default();
        // The main file and the .bin have the stem.
        names.claim(stem);
        Self { form, resources: options.resources, stem: stem.to_owned(), names, beside: Vec::new() }
    }

    /// Puts an image where the form wants it.
    pub(super) fn add_image(&mut self, object: &mut ImageObject, data: &ImageData<'_>, packer: &mut Packer) {
        match (self.form, self.resources) {
            (Form::Binary, Resources::Auto | Resources::Embedded) => {
                object.buffer_view = Some(packer.add_image(data.bytes));
                object.mime_type = Some(data.media_type.to_owned());
            }
            (Form::Text, Resources::Embedded) => object.uri = Some(uri::to_data_uri(data.media_type, data.bytes)),
            (_, Resources::Files) | (Form::Text, Resources::Auto) => {
                let stem = self.names.claim(&safe_file_name(data.wanted, "image"));
                let name = format!("{stem}.{}", data.extension);
                object.uri = Some(uri::encode(&name));
                object.mime_type = (data.media_type != UNKNOWN_MEDIA_TYPE).then(|| data.media_type.to_owned());
                self.beside.push(ExportedFile::new(name, data.bytes.clone()));
            }
        }
    }

    /// All files; the main one first.
    pub(super) fn finish(self, mut root: Root, packer: Packer) -> Result<Vec<ExportedFile>> {
        let bin = packer.finish(&mut root)?;
        if self.form == Form::Binary && self.resources != Resources::Files {
            let document = GltfDocument::binary(root, bin)?;
            return Ok(vec![ExportedFile::new(format!("{}.glb", self.stem), document.write()?)]);
        }
        let mut files = Vec::new();
        if let Some(buffer) = root.buffers.as_mut().and_then(|b| b.first_mut()) {
            buffer.uri = Some(if self.resources == Resources::Embedded {
                uri::to_data_uri(UNKNOWN_MEDIA_TYPE, &bin.to_shared())
            } else {
                let name = format!("{}.bin", self.stem);
                let uri = uri::encode(&name);
                files.push(ExportedFile::new(name, bin));
                uri
            });
        }
        let (document, extension) = match self.form {
            Form::Binary => (GltfDocument::binary(root, Rope::default())?, "glb"),
            Form::Text => (GltfDocument::text(root, Vec::new())?, "gltf"),
        };
        files.insert(0, ExportedFile::new(format!("{}.{extension}", self.stem), document.write()?));
        files.extend(self.beside);
        Ok(files)
    }
}
