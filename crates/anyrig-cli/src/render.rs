//! `anyrig render`.

use crate::args::{FileArgs, Global};
use crate::failure::{Exit, Failure, Result};
use crate::inspect::opened;
use crate::rewrite::{Output, output, write};
use crate::stage::{Existing, check_place};
use crate::ui::{Ui, Volume, size};
use anyrig::bytes::Rope;
use anyrig::image::{Rgba8Image, encode_gif, encode_moving_webp, encode_png, encode_webp};
use anyrig::render::{DebugView, PictureOptions, PictureSize, PoseChoice, Renderer, Rgba, View};
use anyrig::{Context, Registry, Scene, clip_named, nearest};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  anyrig render Fox.glb -o Fox.png                            512 × 512, from before and the left
  anyrig render Fox.glb -o Fox.webp --clip Walk --time 0.3    a moment of a motion
  anyrig render Fox.glb -o Fox.gif --turntable --size 256     all round; .webp moves too
  anyrig render Fox.glb -o sheet.png --contact-sheet          all clips at 0, 25, 50 and 75 %
  anyrig render Fox.glb -o neck.png --debug weights --bone b_Neck_04
  anyrig render Fox.glb -o facing.png --debug facing          red where winding and normals disagree
  anyrig render hero.fbx -o side.png --view side --size 640x480 --background transparent

A picture of a clip is framed by all of the clip, so that pictures of one clip fit together. The same file and options give \
the same bytes on any x86-64 processor.
Debug views: points, wire, bones, axes, weights (of all joints, or of --bone), influences, normals, tangents, facing, \
uv-checker, bind-ghost.";

/// Frames of a turntable, and how long each is shown.
const TURNTABLE_FRAMES: u32 = 24;
const TURNTABLE_FRAME_MS: u32 = 80;

/// Side of one picture of a contact sheet, unless --size says otherwise.
const SHEET_CELL: u32 = 192;

/// Draw a picture of a model, a moment of a motion, or what is inside
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "flags of a command line are what they are")]
#[command(after_help = EXAMPLES)]
pub struct RenderArgs {
    #[command(flatten)]
    pub file: FileArgs,
    /// Output file ending in .png, .webp or .gif; or - for a PNG on standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Pixels: one number for a square, or WIDTHxHEIGHT; of one picture in a contact sheet [default: 512, or 192 there]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub size: Option<PictureSize>,
    /// From where
    #[arg(long, value_enum, default_value_t)]
    pub view: ViewArg,
    /// The clip, by name or by number from 0
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// The moment of the clip in seconds; its start without it
    #[arg(long, value_name = "SECONDS", value_parser = parse_time)]
    pub time: Option<f64>,
    /// The pose: that of the file, the one in which skins were bound, or a clip's [default: rest, or clip with --clip or --time]
    #[arg(long, value_enum)]
    pub pose: Option<PoseArg>,
    /// Show what is inside; see below
    #[arg(long, value_name = "VIEW", value_parser = |name: &str| DebugView::named(name).map_err(|e| e.message().to_owned()))]
    pub debug: Option<DebugView>,
    /// The joint that --debug weights, bones or axes is about
    #[arg(long, value_name = "NAME", requires = "debug")]
    pub bone: Option<String>,
    /// Turn the figure: a moving .gif or .webp
    #[arg(long, conflicts_with = "contact_sheet")]
    pub turntable: bool,
    /// All clips, one row each, at 0, 25, 50 and 75 % of their length
    #[arg(long, conflicts_with_all = ["clip", "time", "pose", "debug"])]
    pub contact_sheet: bool,
    /// Backdrop: #rrggbb, #rrggbbaa, white, black or transparent
    #[arg(long, value_name = "COLOR", default_value = "#f2f3f5", value_parser = |text: &str| Rgba::parse(text).map_err(|e| e.message().to_owned()))]
    pub background: Rgba,
    /// Threads; the output does not depend on it
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Overwrite the output; an input is never overwritten
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ViewArg {
    Front,
    #[default]
    ThreeQuarter,
    Side,
    /// The head alone
    Face,
}

impl From<ViewArg> for View {
    fn from(view: ViewArg) -> Self {
        match view {
            ViewArg::Front => Self::Front,
            ViewArg::ThreeQuarter => Self::ThreeQuarter,
            ViewArg::Side => Self::Side,
            ViewArg::Face => Self::Face,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PoseArg {
    Bind,
    Rest,
    Clip,
}

/// What an output file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Png,
    WebP,
    Gif,
}

/// Runs the command.
pub fn run(args: &RenderArgs, global: &Global, ui: Ui) -> Result<Exit> {
    let kind = kind(args)?;
    let from = args.file.from.as_deref();
    let (source, context) = opened(&args.file, global)?;
    let place = output(&args.output, Existing::unless_forced(args.force));
    if let Output::File(path, existing) = place {
        // Before the work, which would be for nothing.
        check_place(path, existing, &source.used().into_iter().collect())?;
    }
    let threads = rayon::ThreadPoolBuilder::new().num_threads(args.jobs.map_or(0, usize::from)).build();
    let threads = threads.map_err(|e| Failure::failed(format!("cannot start threads: {e}")))?;
    // Reading takes threads too.
    let bytes = threads.install(|| {
        let scene = Registry::standard().load(&source, from, &context)?;
        let options = options(args, &scene)?;
        draw(args, kind, scene, &options, &context)
    })?;
    let length = bytes.len() as u64;
    write(place, &Rope::from(bytes), &source)?;
    if matches!(place, Output::File(..)) && ui.volume > Volume::Quiet {
        ui.out(&format!("{}: {}\n", args.output.display(), size(length)));
    }
    ui.err(&ui.report_lines(&context.report()));
    Ok(Exit::Done)
}

/// What the ending of the output asks for.
fn kind(args: &RenderArgs) -> Result<Kind> {
    if args.output == Path::new("-") {
        return if args.turntable {
            Err(Failure::usage("a turntable moves; say -o FILE.gif or -o FILE.webp"))
        } else {
            Ok(Kind::Png)
        };
    }
    let ending = args.output.extension().and_then(|e| e.to_str()).map(str::to_lowercase);
    let kind = match ending.as_deref() {
        Some("png") => Kind::Png,
        Some("webp") => Kind::WebP,
        Some("gif") => Kind::Gif,
        _ => {
            let name = args.output.display();
            return Err(Failure::usage(format!("{name}: pictures end in .png, .webp or .gif; change -o")));
        }
    };
    if args.turntable && kind == Kind::Png {
        let name = args.output.display();
        return Err(Failure::usage(format!(
            "{name}: a turntable moves, a PNG does not; say -o FILE.gif or -o FILE.webp"
        )));
    }
    Ok(kind)
}

fn options(args: &RenderArgs, scene: &Scene) -> Result<PictureOptions> {
    let mut options = PictureOptions::default();
    let side = if args.contact_sheet { SHEET_CELL } else { options.size.width };
    options.size = args.size.unwrap_or(PictureSize::square(side));
    options.view = args.view.into();
    options.pose = pose(args, scene)?;
    options.debug = args.debug;
    options.bone = args.bone.as_deref().map(|name| bone(scene, name)).transpose()?;
    options.background = args.background;
    if args.bone.is_some() && !matches!(args.debug, Some(DebugView::Weights | DebugView::Bones | DebugView::Axes)) {
        return Err(Failure::usage("--bone is for --debug weights, bones and axes"));
    }
    Ok(options)
}

fn pose(args: &RenderArgs, scene: &Scene) -> Result<PoseChoice> {
    let asks_for_clip = args.clip.is_some() || args.time.is_some();
    let pose = args.pose.unwrap_or(if asks_for_clip { PoseArg::Clip } else { PoseArg::Rest });
    match pose {
        PoseArg::Clip => {
            let clip = clip(scene, args.clip.as_deref())?;
            Ok(PoseChoice::Clip { clip, time_secs: args.time })
        }
        _ if asks_for_clip => Err(Failure::usage("--clip and --time are for --pose clip")),
        PoseArg::Bind => Ok(PoseChoice::Bind),
        PoseArg::Rest => Ok(PoseChoice::Rest),
    }
}

/// A clip by its name, or else by its number; the first without one.
fn clip(scene: &Scene, name: Option<&str>) -> Result<usize> {
    if scene.clips.is_empty() {
        return Err(Failure::usage(
            "the file has no clips; leave out --clip, --time and --pose clip, or say --motion FILE",
        ));
    }
    Ok(name.map_or(Ok(0), |name| clip_named(scene, name))?)
}

fn bone(scene: &Scene, name: &str) -> Result<usize> {
    let names = || scene.nodes.values().map(|n| n.name.as_str());
    names().position(|n| n == name).ok_or_else(|| {
        let hint = nearest(name, names()).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        Failure::usage(format!("no bone is called `{name}`{hint}"))
    })
}

fn draw(args: &RenderArgs, kind: Kind, scene: Scene, options: &PictureOptions, context: &Context) -> Result<Vec<u8>> {
    if args.contact_sheet && scene.clips.is_empty() {
        return Err(Failure::usage("the file has no clips for a contact sheet; say --motion FILE, or leave it out"));
    }
    let renderer = Renderer::new(scene, context)?;
    if args.turntable {
        let frames = renderer.turntable(options, TURNTABLE_FRAMES, context)?;
        return Ok(match kind {
            Kind::Gif => encode_gif(&frames, TURNTABLE_FRAME_MS)?,
            Kind::WebP | Kind::Png => encode_moving_webp(&frames, TURNTABLE_FRAME_MS)?,
        });
    }
    let picture: Rgba8Image = if args.contact_sheet {
        renderer.contact_sheet(options, context)?
    } else {
        renderer.picture(options, context)?
    };
    Ok(match kind {
        Kind::Png => encode_png(&picture)?,
        Kind::WebP => encode_webp(&picture)?,
        Kind::Gif => encode_gif(std::slice::from_ref(&picture), TURNTABLE_FRAME_MS)?,
    })
}

fn parse_size(text: &str) -> Result<PictureSize, String> {
    let wrong = || format!("write it like 512 or 640x480, with 1 to {} pixels each way", PictureSize::LONGEST);
    let number = |text: &str| {
        let number = text.parse::<u32>().ok().filter(|n| (1..=PictureSize::LONGEST).contains(n));
        number.ok_or_else(wrong)
    };
    match text.split_once(['x', 'X', '×']) {
        Some((width, height)) => Ok(PictureSize { width: number(width)?, height: number(height)? }),
        None => Ok(PictureSize::square(number(text)?)),
    }
}

fn parse_time(text: &str) -> Result<f64, String> {
    let time = text.parse::<f64>().ok().filter(|time| time.is_finite());
    time.ok_or_else(|| "write a number of seconds like 0.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_pictures() {
        assert_eq!(parse_size("512"), Ok(PictureSize::square(512)));
        assert_eq!(parse_size("640x480"), Ok(PictureSize { width: 640, height: 480 }));
        for bad in ["", "0", "640x", "x", "-5", "640x0", "99999", "1x2x3"] {
            assert!(parse_size(bad).is_err(), "{bad:?}");
        }
        assert!(parse_time("nan").is_err() && parse_time("1e400").is_err() && parse_time("-0.5") == Ok(-0.5));
    }
}
