//! `anyrig explain`.

use crate::args::{FileArgs, Global};
use crate::failure::{Exit, Result};
use crate::inspect::{json_of, named, numbers, opened};
use crate::ui::{Ink, Ui, table};
use anyrig::inspect::MeshChoice;
use anyrig::{ExplainRequest, Explanation, InfluenceShare, MorphShare, explain, load};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  anyrig explain Fox.glb --vertex 120                            at rest
  anyrig explain Fox.glb --vertex 120 --clip Run --time 0.25     in the middle of a step
  anyrig explain hero.fbx --mesh Body --part 1 --vertex 7 --json all digits

Every step is printed for each joint: the inverse bind, where the joint is now, their product (the palette's entry), and \
where that joint alone would put the vertex. The first number that surprises you is where the fault is. Matrices are rows \
that multiply a column from the left.";

/// Show the numbers behind one vertex, joint by joint, from bind to world
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExplainArgs {
    #[command(flatten)]
    pub file: FileArgs,
    /// Index of the vertex in its part
    #[arg(long, value_name = "INDEX")]
    pub vertex: usize,
    /// Mesh by name or index; the first one without it
    #[arg(long, value_name = "MESH")]
    pub mesh: Option<String>,
    /// Part of the mesh by index
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    pub part: usize,
    /// Clip by name or index; the rest pose without it
    #[arg(long, value_name = "CLIP")]
    pub clip: Option<String>,
    /// When in the clip; its start without it
    #[arg(long, value_name = "SECONDS", requires = "clip", allow_negative_numbers = true)]
    pub time: Option<f64>,
    /// Print JSON with stable keys
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: &ExplainArgs, global: &Global, ui: Ui) -> Result<Exit> {
    let (source, context) = opened(&args.file, global)?;
    let scene = load(&source, args.file.from.as_deref(), &context)?;
    let mut request = ExplainRequest::new(args.vertex);
    request.mesh = MeshChoice::new(args.mesh.clone(), args.part);
    request.clip.clone_from(&args.clip);
    request.time_secs = args.time;
    let found = explain(&scene, &request)?;
    ui.out(&if args.json { json_of(&found) } else { text(&found, ui) });
    Ok(Exit::Done)
}

fn text(found: &Explanation, ui: Ui) -> String {
    let title = format!("mesh {}, part {}, vertex {}", named(&found.mesh), found.part, found.vertex);
    let when = match &found.clip {
        Some(clip) => format!("clip {} at {} s", named(clip), found.time_secs),
        None => "at rest".to_owned(),
    };
    let mut text = format!("{}, {when}\n", ui.ink(Ink::Bold, &title));
    text += &match found.shown {
        1 => format!("shown by {}\n", named(&found.node)),
        times => format!("shown {times} times; this is the first, by {}\n", named(&found.node)),
    };
    let mut rows = vec![vec!["  in the mesh".to_owned(), numbers(found.in_mesh)]];
    rows.extend(found.morphs.iter().map(morph));
    if !found.morphs.is_empty() {
        rows.push(vec!["  morphed".to_owned(), numbers(found.morphed)]);
    }
    text += &table(&rows);
    for share in &found.influences {
        text += &influence(share, ui);
    }
    let last = [
        ("sum of weights", found.weight_sum.to_string()),
        ("sum of weight × moved", numbers(found.linear)),
        ("shown at", format!("{}, {}", numbers(found.shown_at), found.method)),
    ];
    text.push('\n');
    text + &table(&last.map(|(what, value)| vec![what.to_owned(), value]))
}

fn morph(share: &MorphShare) -> Vec<String> {
    vec![format!("  + morph {}", named(&share.name)), format!("{} × {}", share.weight, numbers(share.delta))]
}

fn influence(share: &InfluenceShare, ui: Ui) -> String {
    let mut chain: Vec<String> = share.chain.iter().map(|name| named(name)).collect();
    if share.chain_left_out > 0 {
        chain.insert(0, format!("({} more)", share.chain_left_out));
    }
    let title = ui.ink(Ink::Bold, &format!("joint {} {}", share.joint, named(&share.name)));
    let mut text = format!("\n{title}, weight {}: {}\n", share.weight, chain.join(" / "));
    let matrices = [
        ("joint_from_mesh", share.joint_from_mesh),
        ("scene_from_joint", share.scene_from_joint),
        ("scene_from_mesh", share.scene_from_mesh),
    ];
    let mut rows = Vec::new();
    for (name, matrix) in matrices {
        for (index, row) in matrix.iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            let cells = row.iter().map(|value| short(*value));
            rows.push([vec![format!("  {name}")], cells.collect()].concat());
        }
    }
    text += &table(&rows);
    text + &table(&[
        vec!["  as the joint sees it".to_owned(), numbers(share.in_joint)],
        vec!["  moved by it alone".to_owned(), numbers(share.moved)],
    ])
}

/// Six significant digits are enough to look at; --json has all.
fn short(value: f64) -> String {
    format!("{value:.5e}").parse::<f64>().unwrap_or(value).to_string()
}
