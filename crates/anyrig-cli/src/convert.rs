//! `anyrig convert`.

use crate::args::{ConvertArgs, Global, ViaArg};
use crate::failure::{Exit, Failure, Result};
use crate::inputs::{self, Input};
use crate::leftovers;
use crate::motions::{Choice, Motions, found_in};
use crate::optimize;
use crate::outputs::{self, Destination, Job};
use crate::progress::Bar;
use crate::source::FileSource;
use crate::stage::{Existing, Stage, check_place, check_writable, write_one};
use crate::summary::{self, Row};
use crate::ui::{Ink, Ordered, Ui, Volume, clean, plural, size};
use anyrig::bytes::names::safe_file_name;
use anyrig::{
    Axes, Context, Conversion, ConvertRequest, Diagnostic, Exporter, FormatInfo, Importer, Optimization, Packaging,
    Plan, Registry, Report, Road, Severity, Value, Verify, codes, options, verify_file,
};
use rayon::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What the user asked for, whatever the target.
pub struct Call<'a> {
    pub registry: &'a Registry,
    pub args: &'a ConvertArgs,
    pub global: &'a Global,
    pub ui: Ui,
    /// Canonical paths that no output may overwrite, besides a group's own inputs.
    pub protected: BTreeSet<PathBuf>,
}

/// What came of the inputs of one target.
pub struct Group {
    exit: Exit,
    conversions: Vec<serde_json::Value>,
    /// A row of the table for each input.
    rows: Vec<Row>,
    /// Canonical paths of inputs and outputs, which no report may overwrite.
    pub protected: BTreeSet<PathBuf>,
}

/// Runs the command.
pub fn run(args: &ConvertArgs, global: &Global, ui: Ui) -> Result<Exit> {
    let registry = Registry::standard();
    let call = Call { registry: &registry, args, global, ui, protected: BTreeSet::new() };
    let exporter = outputs::target(&registry, args)?;
    check_options(&registry, exporter, args)?;
    let group = call.run_group(exporter, inputs::find(&args.inputs)?)?;
    call.finish(vec![group])
}

impl Call<'_> {
    /// Converts inputs to one target.
    pub fn run_group(&self, exporter: &dyn Exporter, inputs: Vec<Input>) -> Result<Group> {
        let (args, registry) = (self.args, self.registry);
        let jobs = outputs::plan(inputs, exporter, registry, args)?;
        let to_stdout = jobs.iter().any(|j| j.destination == Destination::Stdout);
        if to_stdout && !args.dry_run && io::stdout().is_terminal() && !args.care.force {
            return Err(Failure::usage("this would fill the terminal with bytes; redirect it, or take --force"));
        }
        let report_to_stdout = args.report.as_deref() == Some(Path::new("-"));
        if to_stdout && report_to_stdout && !args.dry_run {
            let message = "standard output takes the converted file or the report, not both; give -o or --report the \
                           name of a file, or leave --json out";
            return Err(Failure::usage(message));
        }
        let ui = if to_stdout { self.ui.with_data_on_stdout() } else { self.ui };
        if jobs.len() > 1 && !args.motion.motions.is_empty() {
            return Err(Failure::usage("--motion is for one input; these are several"));
        }
        let motions = match args.motion.choice() {
            Choice::Files(files) => Motions::read(files, self.global.limits.limits().input_bytes)?,
            Choice::Usual | Choice::None => Motions::default(),
        };
        let mut inputs = canonical_inputs(jobs.iter().map(|job| &job.input));
        inputs.extend(self.protected.iter().cloned());
        inputs.extend(motions.used());
        let existing = self.existing();
        if let Some(path) = args.report.as_deref().filter(|p| *p != Path::new("-")) {
            check_writable(path, existing, &inputs)?;
            let mains = jobs.iter().filter_map(|job| likely_main(job, exporter));
            if mains.into_iter().any(|main| main.ancestors().any(|place| same_place(place, path))) {
                let message =
                    format!("--report {} is an output of this conversion; choose another name", path.display());
                return Err(Failure::usage(message));
            }
        }
        let runner = Runner {
            registry,
            exporter,
            args,
            global: self.global,
            ui,
            existing,
            motions,
            inputs: Mutex::new(inputs),
            bar: Bar::new(jobs.len(), ui.volume),
        };
        let outcomes = runner.run_all(&jobs)?;
        Ok(runner.group(&jobs, &outcomes))
    }

    /// An input of a batch that fails before there is a target for it.
    pub fn failed(&self, input: &Input, message: String) -> Group {
        self.ui.err(&error_line(self.ui, input, &message));
        let outcome = Outcome { result: Err(Failure::failed(message)), report: Report::default() };
        Group {
            exit: outcome.exit(),
            conversions: vec![report_of(input, None, &outcome)],
            rows: vec![row_of(input, &outcome, self.args.dry_run)],
            protected: BTreeSet::new(),
        }
    }

    /// Prints the table of a batch, writes the report of all groups, and gives the worst exit code.
    pub fn finish(&self, groups: Vec<Group>) -> Result<Exit> {
        let rows: Vec<&Row> = groups.iter().flat_map(|g| &g.rows).collect();
        if rows.len() > 1 && self.ui.volume > Volume::Quiet {
            let done = if self.args.optimize.is_some() { "optimised" } else { "converted" };
            self.ui.out(&summary::text(&rows, done));
        }
        let exit = groups.iter().map(|g| g.exit).max().unwrap_or(Exit::Done);
        let Some(path) = &self.args.report else { return Ok(exit) };
        let protected = groups.iter().flat_map(|g| g.protected.iter().cloned()).collect();
        let conversions: Vec<_> = groups.into_iter().flat_map(|g| g.conversions).collect();
        let report = json!({ "anyrig": env!("CARGO_PKG_VERSION"), "conversions": conversions });
        let text = format!("{report:#}\n");
        if path == Path::new("-") {
            self.ui.out(&text);
        } else {
            write_one(path, &text.into_bytes().into(), self.existing(), &protected)?;
        }
        Ok(exit)
    }

    fn existing(&self) -> Existing {
        Existing::unless_forced(self.args.care.force)
    }
}

/// Finds wrong options before any work; without an input only those of the target are known.
fn check_options(registry: &Registry, exporter: &dyn Exporter, args: &ConvertArgs) -> Result<()> {
    let importers: Vec<_> = match &args.place.from {
        Some(id) => vec![registry.importer(id)?],
        None => registry.importers().collect(),
    };
    let routes = importers.iter().map(|i| route(registry, args, *i, exporter));
    let results: Vec<_> = routes.collect();
    if results.iter().any(std::result::Result::is_ok) {
        return Ok(());
    }
    results.into_iter().find_map(std::result::Result::err).map_or(Ok(()), Err)
}

/// Sorts the options to their owners. One that only other formats have is told with these.
fn route(
    registry: &Registry,
    args: &ConvertArgs,
    importer: &dyn Importer,
    exporter: &dyn Exporter,
) -> Result<Vec<(String, Value)>> {
    let pairs = args.option_pairs();
    refuse_twice(args, &pairs)?;
    let has = |info: &FormatInfo, key: &str| {
        info.options.is_some_and(|o| options::describe(&o).iter().any(|option| option.key == key))
    };
    for (key, _) in &pairs {
        if has(exporter.info(), key) || has(importer.info(), key) {
            continue;
        }
        let owners: Vec<&str> =
            registry.exporters().map(Exporter::info).filter(|i| has(i, key)).map(|i| i.id).collect();
        if !owners.is_empty() {
            let what = if args.is_shortcut(key) { format!("--{key}") } else { format!("-O {key}") };
            let (owners, target) = (owners.join(", "), exporter.info().id);
            return Err(Failure::usage(format!("{what} is for the target {owners}; `{target}` has no such option")));
        }
    }
    Ok(options::route(&pairs, Some(importer), Some(exporter))?)
}

/// The main file that a conversion probably writes; `None` for standard output.
fn likely_main(job: &Job, exporter: &dyn Exporter) -> Option<PathBuf> {
    let Destination::Folder { folder, main } = &job.destination else { return None };
    let extension = exporter.info().extensions.first().copied().unwrap_or_default();
    let usual = || format!("{}.{extension}", safe_file_name(&job.stem, "unnamed")).into();
    Some(folder.join(main.clone().unwrap_or_else(usual)))
}

/// Whether two paths, of files that need not exist, are one place as far as can be told.
fn same_place(a: &Path, b: &Path) -> bool {
    let plain = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = |path: &Path| path.parent().and_then(|folder| folder.canonicalize().ok());
    let (a, b) = (plain(a), plain(b));
    a == b || (a.file_name() == b.file_name() && folder(&a).is_some_and(|f| Some(f) == folder(&b)))
}

/// An option that is given twice says nothing for certain; `key` and its shortcut are one.
fn refuse_twice(args: &ConvertArgs, pairs: &[(String, String)]) -> Result<()> {
    for (index, (key, value)) in pairs.iter().enumerate() {
        let Some((_, before)) = pairs.iter().take(index).find(|(other, _)| other == key) else { continue };
        // Shortcuts come first.
        let first = if args.is_shortcut(key) { format!("--{key}") } else { format!("-O {key}={before}") };
        return Err(Failure::usage(format!("{first} and -O {key}={value} set one option twice; leave one out")));
    }
    Ok(())
}

/// The files among inputs, by the paths that no other name of them can hide.
pub fn canonical_inputs<'a>(inputs: impl Iterator<Item = &'a Input>) -> BTreeSet<PathBuf> {
    let path = |input: &Input| match input {
        Input::File(path) => path.canonicalize().ok(),
        Input::Stdin | Input::Missing(..) => None,
    };
    inputs.filter_map(path).collect()
}

/// What became of one input.
struct Outcome {
    result: Result<Done>,
    report: Report,
}

impl Outcome {
    fn exit(&self) -> Exit {
        self.result.as_ref().map_or_else(|f| f.exit, |done| done.exit)
    }
}

struct Done {
    exit: Exit,
    source_format: &'static str,
    road: Road,
    /// Final path and size, the main file first; empty after a dry run.
    files: Vec<(PathBuf, u64)>,
    optimization: Option<Optimization>,
    /// What goes to the screen.
    text: String,
}

struct Runner<'a> {
    registry: &'a Registry,
    exporter: &'a dyn Exporter,
    args: &'a ConvertArgs,
    global: &'a Global,
    ui: Ui,
    existing: Existing,
    motions: Motions,
    /// Canonical paths of all inputs and of all files that they refer to, as far as these were read.
    inputs: Mutex<BTreeSet<PathBuf>>,
    bar: Bar,
}

impl Runner<'_> {
    fn run_all(&self, jobs: &[Job]) -> Result<Vec<Outcome>> {
        let threads = self.args.care.jobs.map_or(0, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| Failure::failed(format!("cannot start threads: {e}; try --jobs 1")))?;
        let ordered = Ordered::new();
        let one = |(index, job): (usize, &Job)| {
            let outcome = self.outcome(job);
            let lines = (self.text_of(job, &outcome), self.errors_of(job, &outcome));
            self.bar.job_done();
            ordered.finish(index, lines, |(text, errors)| {
                self.bar.suspend(|| {
                    self.ui.out(&text);
                    self.ui.err(&errors);
                });
            });
            outcome
        };
        let outcomes = pool.install(|| jobs.par_iter().enumerate().map(one).collect());
        self.bar.finish();
        Ok(outcomes)
    }

    fn text_of(&self, _job: &Job, outcome: &Outcome) -> String {
        match &outcome.result {
            Ok(done) if self.ui.volume > Volume::Quiet || self.args.dry_run => done.text.clone(),
            _ => String::new(),
        }
    }

    fn errors_of(&self, job: &Job, outcome: &Outcome) -> String {
        let mut text = self.ui.report_lines(&outcome.report);
        let found = usize::try_from(found_in(&outcome.report)).unwrap_or(usize::MAX);
        if found > 0 && self.ui.volume > Volume::Quiet {
            let line = format!(
                "  {} found beside the model became clips (--no-motion leaves them out)\n",
                plural(found, "motion")
            );
            text += &self.ui.ink_err(Ink::Dim, &line);
        }
        text += &self.left_over_line(&outcome.report);
        if let Err(failure) = &outcome.result {
            text += &error_line(self.ui, &job.input, &failure.message);
        }
        text
    }

    /// Files of an earlier run are worth a line of their own: an engine would load them.
    fn left_over_line(&self, report: &Report) -> String {
        let of_it: Vec<_> = report.diagnostics().iter().filter(|d| d.code.id == codes::LEFT_OVER.id).collect();
        if of_it.is_empty() || self.ui.volume == Volume::Quiet {
            return String::new();
        }
        let count = usize::try_from(of_it.iter().map(|d| d.count).sum::<u64>()).unwrap_or(usize::MAX);
        let named: Vec<&str> =
            of_it.iter().map(|d| d.subject.as_str()).filter(|s| *s != Report::OTHERS).take(4).collect();
        let more = if count > named.len() { ", …" } else { "" };
        let words = if count == 1 { "1 file there is" } else { &format!("{count} files there are") };
        let line = format!("  {words} not of this conversion and left alone: {}{more}", named.join(", "));
        self.ui.ink_err(Ink::Yellow, &clean(&line)) + "\n"
    }

    fn outcome(&self, job: &Job) -> Outcome {
        let mut report = Report::default();
        let result = self.convert(job, &mut report);
        Outcome { result, report }
    }

    fn convert(&self, job: &Job, report: &mut Report) -> Result<Done> {
        let limits = self.global.limits.limits();
        let source = match &job.input {
            Input::Stdin => FileSource::stdin(limits.input_bytes)?,
            Input::File(path) => FileSource::open(path, limits.input_bytes)?,
            Input::Missing(_, message) => return Err(Failure::failed(message)),
        };
        self.check_early(job)?;
        let (context, found) = self.context(job, &source)?;
        let request = self.request(job);
        let result = if self.args.dry_run && self.args.optimize.is_none() {
            self.registry.plan(&source, &request, &context).map_err(Failure::from).map(|plan| self.planned(job, &plan))
        } else {
            let converted = self.registry.convert(&source, &request, &context).map_err(Failure::from);
            // What lies beside the inputs is known only now.
            self.protect([source.used(), self.motions.used(), found.used()].concat());
            // The input is not needed to write and verify the output.
            drop(source);
            converted.and_then(|conversion| self.write(job, conversion, &context))
        };
        *report = context.take_report();
        result
    }

    /// The context of a job, and the motions in it that were found.
    fn context(&self, job: &Job, source: &FileSource) -> Result<(Context, Motions)> {
        let importer = match &self.args.place.from {
            Some(id) => self.registry.importer(id)?,
            None => self.registry.detect(source)?,
        };
        let routed = route(self.registry, self.args, importer, self.exporter)?;
        let context = self.global.context();
        let context = routed.into_iter().fold(context, |c, (owner, values)| c.with_options(owner, values));
        let found = self.found_motions(job, importer);
        let context = found.attach(self.motions.attach(context));
        Ok((context.with_progress(self.bar.stages()), found))
    }

    /// A document that is written back as it is takes no motions.
    fn found_motions(&self, job: &Job, importer: &dyn Importer) -> Motions {
        let written_back = match self.args.via {
            ViaArg::Auto => importer.info().id == self.exporter.info().id,
            ViaArg::Document => true,
            ViaArg::Scene => false,
        };
        let (Choice::Usual, Input::File(path), false) = (self.args.motion.choice(), &job.input, written_back) else {
            return Motions::default();
        };
        let found = Motions::beside(path, importer, self.global.limits.limits().input_bytes);
        self.protect(found.used());
        found
    }

    fn request(&self, job: &Job) -> ConvertRequest {
        let mut request = ConvertRequest::new(self.exporter.info().id);
        request.from.clone_from(&self.args.place.from);
        request.stem = Some(job.stem.clone());
        request.via = self.args.via.into();
        request.losses = self.args.losses();
        request.axes = if self.args.keep_space { Axes::Keep } else { Axes::Convert };
        request.optimize.clone_from(&self.args.optimize);
        // The structure is verified on the files as they lie on the disk; see `write`.
        request.verify = match (self.args.care.verify.into(), &job.destination) {
            (Verify::Structure, Destination::Folder { .. }) => Verify::ByCaller,
            (verify, _) => verify,
        };
        request
    }

    /// The likely main file, before a long conversion is done for nothing. The files are checked again when they are
    /// moved.
    fn check_early(&self, job: &Job) -> Result<()> {
        let Some(place) = likely_main(job, self.exporter) else { return Ok(()) };
        check_place(&place, self.existing, &self.inputs.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn protect(&self, used: Vec<PathBuf>) {
        self.inputs.lock().unwrap_or_else(PoisonError::into_inner).extend(used);
    }

    fn write(&self, job: &Job, conversion: Conversion, context: &Context) -> Result<Done> {
        let (source_format, road) = (conversion.source_format, conversion.road);
        let optimization = conversion.optimization.clone();
        let files = match &job.destination {
            _ if self.args.dry_run => Vec::new(),
            Destination::Stdout => write_to_stdout(&conversion)?,
            Destination::Folder { folder, main } => self.write_folder(folder, main.as_ref(), conversion, context)?,
        };
        let bytes = files.iter().map(|(_, size)| size).sum();
        let main = files.first().map(|(path, _)| path.display().to_string()).unwrap_or_default();
        let more = match files.len() {
            0 | 1 => String::new(),
            n => format!(" and {}", plural(n - 1, "more file")),
        };
        let via = if road == Road::Document { ", as it was" } else { "" };
        let what = optimization.as_ref().map_or_else(|| format!("{}{via}", size(bytes)), optimize::headline);
        let arrow = self.ui.ink(Ink::Green, "→");
        let main = if self.args.dry_run { "nothing, as --dry-run wants it" } else { main.as_str() };
        let (input, main) = (clean(&job.input.display()), clean(main));
        let mut text = format!("{input} {arrow} {main}{more} ({what})\n");
        text += &optimization.as_ref().map(optimize::lines).unwrap_or_default();
        Ok(Done { exit: Exit::Done, source_format, road, files, optimization, text })
    }

    /// The files are dropped from memory before they are read back.
    fn write_folder(
        &self,
        folder: &Path,
        main: Option<&OsString>,
        conversion: Conversion,
        context: &Context,
    ) -> Result<Vec<(PathBuf, u64)>> {
        let mut stage = Stage::new(folder)?;
        let mut sizes = Vec::new();
        let mut names = Vec::new();
        for (index, file) in conversion.files.iter().enumerate() {
            context.check_cancelled()?;
            let main = main.filter(|_| index == 0);
            if let Some(main) = main {
                same_extension(main, &file.name)?;
            }
            stage.write(&file.name, main.cloned().unwrap_or_else(|| file.name.clone().into()), &file.content)?;
            sizes.push(file.content.len());
            names.push(file.name.clone());
        }
        let is_input = conversion.optimization.as_ref().is_some_and(Optimization::kept_input);
        drop(conversion);
        if Verify::from(self.args.care.verify) != Verify::None && !is_input {
            self.verify_staged(&stage, &names, context)?;
        }
        context.check_cancelled()?;
        let inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let replaces = self.existing == Existing::Replace && stage.main_exists();
        let paths = stage.commit(self.existing, &inputs)?;
        if replaces && matches!(self.exporter.packaging(), Packaging::Folder { .. }) {
            for path in leftovers::find(folder, &paths, &inputs) {
                let message = "it is not of this conversion, perhaps of an earlier one; delete it if nothing needs it";
                let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                context.push(Diagnostic::new(&codes::LEFT_OVER, name, message));
            }
        }
        Ok(paths.into_iter().zip(sizes).collect())
    }

    fn verify_staged(&self, stage: &Stage, names: &[String], context: &Context) -> Result<()> {
        for name in names {
            context.check_cancelled()?;
            let path = stage.folder().join(name);
            let source = FileSource::open_in(stage.folder(), &path, u64::MAX)?;
            verify_file(self.exporter, name, &source, context)?;
        }
        Ok(())
    }

    fn planned(&self, job: &Job, plan: &Plan) -> Done {
        let ui = &self.ui;
        let to = match &job.destination {
            Destination::Stdout => "standard output".to_owned(),
            Destination::Folder { folder, main } => {
                let stem =
                    format!("{}.{}", plan.stem, self.exporter.info().extensions.first().copied().unwrap_or_default());
                folder.join(main.clone().unwrap_or_else(|| stem.into())).display().to_string()
            }
        };
        let to = clean(&to);
        let way = match plan.road {
            Road::Document => "written back as it is",
            Road::Scene => "through the scene",
        };
        let mut text = format!(
            "{} ({}) {} {to} ({}), {way}\n",
            clean(&job.input.display()),
            plan.source_format,
            ui.ink(Ink::Green, "→"),
            plan.target
        );
        for diagnostic in plan.predicted.diagnostics() {
            text += &format!("  expected {}\n", clean(&diagnostic.to_string()));
        }
        if plan.predicted.is_empty() {
            text += "  expected: no losses\n";
        }
        let lost = |report: &Report| report.worst() == Some(Severity::Lost);
        let refused = self.args.care.strict && (lost(&plan.predicted) || lost(&plan.reading));
        let exit = if refused { Exit::Losses } else { Exit::Done };
        Done { exit, source_format: plan.source_format, road: plan.road, files: Vec::new(), optimization: None, text }
    }

    fn group(&self, jobs: &[Job], outcomes: &[Outcome]) -> Group {
        let both = || jobs.iter().map(|job| &job.input).zip(outcomes);
        let target = self.exporter.info().id;
        let conversions = both().map(|(input, outcome)| report_of(input, Some(target), outcome)).collect();
        let rows = both().map(|(input, outcome)| row_of(input, outcome, self.args.dry_run)).collect();
        let mut protected = self.inputs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let written = outcomes.iter().filter_map(|o| o.result.as_ref().ok()).flat_map(|done| &done.files);
        protected.extend(written.filter_map(|(path, _)| path.canonicalize().ok()));
        let exit = outcomes.iter().map(Outcome::exit).max().unwrap_or(Exit::Done);
        Group { exit, conversions, rows, protected }
    }
}

/// What went wrong with an input, with its name.
fn error_line(ui: Ui, input: &Input, message: &str) -> String {
    let input = input.display();
    // Most messages begin with the file already.
    let name = Path::new(&input).file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let named = message.starts_with(&input) || (!name.is_empty() && message.starts_with(&name));
    let message = match (named, message.strip_prefix(&name)) {
        (true, Some(rest)) if !message.starts_with(&input) => format!("{input}{rest}"),
        (true, _) => message.to_owned(),
        (false, _) => format!("{input}: {message}"),
    };
    format!("{} {}\n", ui.ink_err(Ink::Red, "error:"), clean(&message))
}

/// The row of an input in the table of a batch.
fn row_of(input: &Input, outcome: &Outcome, dry_run: bool) -> Row {
    let output = match &outcome.result {
        Ok(done) => done.files.first().map(|(path, _)| path.display().to_string()).unwrap_or_default(),
        Err(failure) => failure.message.clone(),
    };
    Row::new(input.display(), outcome.exit(), &outcome.report, output).of_plan(dry_run)
}

fn report_of(input: &Input, target: Option<&str>, outcome: &Outcome) -> serde_json::Value {
    let done = outcome.result.as_ref().ok();
    let files = done.map(|d| d.files.as_slice()).unwrap_or_default();
    let files: Vec<_> =
        files.iter().map(|(path, bytes)| json!({ "path": path.to_string_lossy(), "bytes": bytes })).collect();
    json!({
        "input": input.display(),
        "target": target,
        "source_format": done.map(|d| d.source_format),
        "road": done.map(|d| d.road),
        "exit_code": outcome.exit().code(),
        "error": outcome.result.as_ref().err().map(|f| &f.message),
        "files": files,
        "optimization": done.and_then(|d| d.optimization.as_ref()),
        "report": outcome.report,
    })
}

fn same_extension(main: &OsString, name: &str) -> Result<()> {
    let extension = |p: &Path| p.extension().map(|e| e.to_string_lossy().to_lowercase());
    let (wanted, written) = (extension(Path::new(main)), extension(Path::new(name)));
    if wanted == written {
        return Ok(());
    }
    let (wanted, written) = (wanted.unwrap_or_default(), written.unwrap_or_default());
    Err(Failure::usage(format!("this becomes a .{written} file, not a .{wanted} file; change -o")))
}

fn write_to_stdout(conversion: &Conversion) -> Result<Vec<(PathBuf, u64)>> {
    let [file] = conversion.files.as_slice() else {
        let message =
            format!("this becomes {} files, and standard output takes one; give -o a folder", conversion.files.len());
        return Err(Failure::usage(message));
    };
    let mut out = io::stdout().lock();
    let result = file.content.write_to(&mut out).and_then(|()| out.flush());
    match result {
        // Whoever reads has had enough.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {}
        result => result.map_err(|e| Failure::io(Path::new("-"), "write", &e))?,
    }
    Ok(vec![(PathBuf::from("-"), file.content.len())])
}
