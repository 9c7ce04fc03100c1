//! Contact sheets: all clips of a scene on one picture.

use crate::color::Rgba;
use crate::draw::PictureSize;
use crate::font;
use crate::posing::PoseChoice;
use crate::renderer::{PictureOptions, Renderer, Turning};
use anyrig_bytes::{Context, Error, Result};
use anyrig_image::Rgba8Image;
use anyrig_scene::Clip;

/// Shares of a clip's length that its row shows.
const SHARES: [f64; 4] = [0.0, 0.25, 0.5, 0.75];

/// Rows above each row of pictures, for its label.
const LABEL: u32 = 22;
const LEFT: u32 = 8;
/// Pixels of a dot of its letters.
const DOT: u32 = 2;
const INK: [u8; 3] = [44, 50, 62];

impl Renderer {
    /// A row for each clip with its name, length and keys in a second, and pictures at 0, 25, 50 and 75 % of it.
    /// `options.size` is that of one picture; its pose is not used.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] for a scene without clips or with more than fit, and those of [`Renderer::picture`].
    pub fn contact_sheet(&self, options: &PictureOptions, context: &Context) -> Result<Rgba8Image> {
        let clips = &self.scene().clips;
        if clips.is_empty() {
            return Err(Error::usage("a scene without clips has no contact sheet"));
        }
        let options = &self.shown_instead(options, context);
        let (cell, columns) = (options.size, SHARES.len() as u32);
        let rows = u32::try_from(clips.len()).unwrap_or(u32::MAX);
        let height = rows.saturating_mul(cell.height.saturating_add(LABEL));
        if height > PictureSize::LONGEST {
            return Err(Error::usage(too_high(rows, cell.height)));
        }
        let whole = PictureSize { width: cell.width.saturating_mul(columns), height };
        whole.book(context)?;
        let mut sheet = Sheet::new(whole, options.background)?;
        for (row, clip) in clips.iter().enumerate() {
            let top = row as u32 * (cell.height + LABEL);
            sheet.write(&label(clip), (LEFT, top + (LABEL - font::HEIGHT * DOT) / 2 + 2), DOT);
            let at = |share: f64| {
                let time_secs = Some(clip.start_secs + (clip.end_secs() - clip.start_secs) * share);
                PictureOptions { pose: PoseChoice::Clip { clip: row, time_secs }, ..options.clone() }
            };
            let extent = self.extent(&at(0.0), Turning::No, context)?;
            for (column, share) in SHARES.into_iter().enumerate() {
                let picture = self.take(&at(share), &extent, context)?;
                sheet.lay(&picture, column as u32 * cell.width, top + LABEL);
            }
        }
        Ok(sheet.finish())
    }
}

fn too_high(clips: u32, size: u32) -> String {
    let longest = PictureSize::LONGEST;
    let fit = longest / size.saturating_add(LABEL);
    let most = (longest / clips.max(1)).saturating_sub(LABEL);
    let remedy =
        if most > 0 { format!("say --size {most} or less") } else { "draw them one by one with --clip".to_owned() };
    format!("{clips} clips are more than a contact sheet holds, {fit} at a height of {size} pixels each; {remedy}")
}

fn label(clip: &Clip) -> String {
    let length = clip.end_secs() - clip.start_secs;
    let name = if clip.name.is_empty() { "(unnamed)" } else { &clip.name };
    let keys = clip.channels.iter().map(|c| c.curve.times_secs.len()).max().unwrap_or(0);
    let rate =
        if length > 0.0 && keys > 1 { format!("  {:.0} fps", (keys - 1) as f64 / length) } else { String::new() };
    format!("{name}  {length:.2} s{rate}")
}

/// A picture of pictures and words.
pub(crate) struct Sheet {
    image: Rgba8Image,
}

impl Sheet {
    pub fn new(size: PictureSize, background: Rgba) -> Result<Self> {
        let pixels = background.0.repeat(size.width as usize * size.height as usize);
        Ok(Self { image: Rgba8Image::new(size.width, size.height, pixels)? })
    }

    pub fn finish(self) -> Rgba8Image {
        self.image
    }

    pub fn lay(&mut self, picture: &Rgba8Image, left: u32, top: u32) {
        let (width, count) = (self.image.width() as usize, picture.width() as usize);
        for (y, row) in picture.pixels().chunks(count).enumerate() {
            let start = (top as usize + y) * width + left as usize;
            self.image.pixels_mut()[start..start + count].copy_from_slice(row);
        }
    }

    /// Writes a line in letters whose dots are so many pixels wide, cut at the right edge.
    pub fn write(&mut self, text: &str, (left, top): (u32, u32), dot: u32) {
        let mut column = left;
        for glyph in text.chars().map(font::glyph) {
            for (x, y) in font::dots(glyph) {
                self.fill((column + dot * x, top + dot * y), dot, INK);
            }
            column += dot * (font::WIDTH + 1);
        }
    }

    /// Fills a square, as far as it is on the sheet.
    pub fn fill(&mut self, (left, top): (u32, u32), side: u32, [r, g, b]: [u8; 3]) {
        let (width, height) = (self.image.width(), self.image.height());
        for y in top..top.saturating_add(side).min(height) {
            for x in left..left.saturating_add(side).min(width) {
                self.image.pixels_mut()[(y * width + x) as usize] = [r, g, b, 255];
            }
        }
    }
}
