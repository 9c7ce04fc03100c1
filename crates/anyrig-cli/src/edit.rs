//! `anyrig edit`.

use crate::args::Global;
use crate::failure::{Exit, Failure, Result};
use crate::rewrite::{Output, check_ending, open_one, output, write};
use crate::stage::Existing;
use crate::ui::{Ui, Volume, plural};
use anyrig::Registry;
use anyrig::bytes::codec::{Assignment, Missing};
use clap::{ArgGroup, Args};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  anyrig edit Fox.mdl --set 'bones[3].parent=2' -o Fox2.mdl
  anyrig edit Fox.mdl --set 'bones[b_Hip_01].position=[0, 1, 0]' --in-place
  anyrig edit Fox.mdl --set 'vertex_buffers[0].data[7].position[1]=0.5' -o Fox2.mdl
  anyrig edit Fox.glb --set 'nodes[fox].name=Fox' --add 'materials[0].doubleSided=true' -o Fox2.glb
  anyrig edit Fox.glb --set 'nodes[\"name with ] in it\"].mesh=0' -o Fox2.glb

Paths are those that `anyrig dissect` shows; [3] is an element by number, [Hips] by its name. Of a GLB they are those of \
its JSON: its header and chunks follow from that, and the numbers in buffers cannot be set. In [\"quotes\"] brackets and = \
belong to the name, and \\ takes a quote after it as it is. Values are JSON; what is not JSON is a text. Only the bytes of \
the fields change, and the lengths and offsets that depend on them. All fields are set, \
or none. Counts follow from what is counted: `anyrig dump` and `anyrig load` add and remove elements.";

/// Set single fields of a file and leave all else
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("what").args(["set", "add"]).required(true).multiple(true))]
#[command(group = ArgGroup::new("where").args(["output", "in_place"]).required(true))]
pub struct EditArgs {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// How to read it, instead of by its content
    #[arg(short, long, value_name = "FORMAT")]
    pub from: Option<String>,
    /// A field and its new value
    #[arg(short, long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// As --set, but the last name may be a new member, in glTF; done after all --set
    #[arg(long, value_name = "PATH=VALUE")]
    pub add: Vec<String>,
    /// Output file, or - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the input
    #[arg(long)]
    pub in_place: bool,
    /// Overwrite the output, with --in-place also a write-protected one; an input is overwritten with --in-place only
    #[arg(long)]
    pub force: bool,
}

/// Runs the command.
pub fn run(args: &EditArgs, global: &Global, ui: Ui) -> Result<Exit> {
    let limits = global.limits.limits();
    let assignments = assignments(args)?;
    let source = open_one(&args.input, limits.input_bytes)?;
    let context = global.context();
    let registry = Registry::standard();
    let edited = registry.edit(&source, args.from.as_deref(), &assignments, &context)?;
    args.output.as_deref().map_or(Ok(()), |output| check_ending(output, (&registry, &edited)))?;
    let existing = Existing::unless_forced(args.force);
    let place = match &args.output {
        Some(path) => output(path, existing),
        None if args.input == Path::new("-") => {
            return Err(Failure::usage("standard input cannot be replaced; say -o FILE"));
        }
        None => Output::InPlace(&args.input, existing),
    };
    write(place, &edited.content, &source)?;
    let name = match place {
        Output::Stdout => return Ok(Exit::Done),
        Output::File(path, _) | Output::InPlace(path, _) => path.display(),
    };
    if ui.volume > Volume::Quiet {
        ui.out(&format!("{name}: {} set, {} bytes\n", plural(assignments.len(), "field"), edited.content.len()));
    }
    Ok(Exit::Done)
}

fn assignments(args: &EditArgs) -> Result<Vec<Assignment>> {
    let parse = |missing: Missing| {
        move |text: &String| {
            let mut assignment = Assignment::parse(text)?;
            assignment.missing = missing;
            Ok::<_, Failure>(assignment)
        }
    };
    let set = args.set.iter().map(parse(Missing::Refuse));
    set.chain(args.add.iter().map(parse(Missing::AddMember))).collect()
}
