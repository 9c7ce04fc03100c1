//! What travels with a job: limits, report, options, attachments, progress, cancellation.

use crate::{Attachment, Budget, Code, Diagnostic, Error, Limits, Place, Report, Result, Role, Value};
use serde::Deserialize;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How far a long operation is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress {
    /// The stage, for example `tangents`.
    pub stage: &'static str,
    /// Units done.
    pub done: u64,
    /// Units in all; 0 when unknown.
    pub total: u64,
}

type ProgressCallback = dyn Fn(Progress) + Send + Sync;

/// The surroundings of one job. Shared by reference; all its methods may be called from any thread.
///
/// Diagnostics pushed by parallel code would come in any order: such code collects a [`Report`] per item and appends
/// them in item order.
#[derive(Default)]
pub struct Context {
    limits: Limits,
    budget: Budget,
    report: Mutex<Report>,
    options: Vec<(String, Value)>,
    attachments: Vec<Attachment>,
    cancel: Arc<AtomicBool>,
    progress: Option<Arc<ProgressCallback>>,
}

impl Context {
    /// A context with default limits and nothing else.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same context with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same context with the options of one format or pass, as an object.
    #[must_use]
    pub fn with_options(mut self, owner: impl Into<String>, options: Value) -> Self {
        self.options.push((owner.into(), options));
        self
    }

    /// The same context with one more input.
    #[must_use]
    pub fn with_attachment(mut self, attachment: Attachment) -> Self {
        self.attachments.push(attachment);
        self
    }

    /// The same context with a flag that stops the job once it is set.
    #[must_use]
    pub fn with_cancel(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel = cancel;
        self
    }

    /// The same context with a callback for progress.
    #[must_use]
    pub fn with_progress(mut self, progress: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(progress));
        self
    }

    /// A context for reading back what this job wrote: the same limits, options and flag to stop, but a report, budget and
    /// attachments of its own.
    #[must_use]
    pub fn apart(&self) -> Self {
        let (limits, options, cancel) = (self.limits.clone(), self.options.clone(), Arc::clone(&self.cancel));
        Self { limits, options, cancel, ..Self::default() }
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Books memory that a file asks for; see [`Budget::take_memory`].
    ///
    /// # Errors
    /// [`crate::ErrorKind::LimitExceeded`].
    pub fn take_memory(&self, bytes: u64, place: impl FnOnce() -> Place) -> Result<()> {
        self.budget.take_memory(&self.limits, bytes, place)
    }

    /// Books elements that a file asks for; see [`Budget::take_elements`].
    ///
    /// # Errors
    /// [`crate::ErrorKind::LimitExceeded`].
    pub fn take_elements(&self, count: u64, place: impl FnOnce() -> Place) -> Result<()> {
        self.budget.take_elements(&self.limits, count, place)
    }

    /// The typed options of a format or pass; the defaults when none were given.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Usage`] naming the unknown key or the wrong type.
    pub fn options<T: for<'de> Deserialize<'de> + Default>(&self, owner: &str) -> Result<T> {
        let Some((_, value)) = self.options.iter().rev().find(|(name, _)| name == owner) else {
            return Ok(T::default());
        };
        value.parse().map_err(|e| Error::usage(format!("options of {owner}: {e}")))
    }

    /// True when options of this owner were given, whatever they say.
    pub fn has_options(&self, owner: &str) -> bool {
        self.options.iter().any(|(name, value)| name == owner && !matches!(value, Value::Null))
    }

    /// The additional inputs of a role.
    pub fn attachments(&self, role: Role) -> impl Iterator<Item = &Attachment> {
        self.attachments.iter().filter(move |a| a.role == role)
    }

    /// Adds a diagnostic.
    pub fn push(&self, diagnostic: Diagnostic) {
        self.lock().push(diagnostic);
    }

    /// Adds a diagnostic about an element of the scene or the file.
    pub fn tell(&self, code: &'static Code, subject: impl Into<String>, message: impl Into<String>) {
        self.push(Diagnostic::new(code, subject, message));
    }

    /// Adds all of a report, in its order.
    pub fn append(&self, report: Report) {
        self.lock().append(report);
    }

    /// A copy of the report so far.
    pub fn report(&self) -> Report {
        self.lock().clone()
    }

    /// Takes the report out and leaves an empty one.
    pub fn take_report(&self) -> Report {
        std::mem::take(&mut *self.lock())
    }

    /// Says how far a stage is.
    pub fn progress(&self, stage: &'static str, done: u64, total: u64) {
        if let Some(callback) = &self.progress {
            callback(Progress { stage, done, total });
        }
    }

    /// Returns an error once the caller asked to stop. Call it between units of work.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Cancelled`].
    pub fn check_cancelled(&self) -> Result<()> {
        if self.cancel.load(Ordering::Relaxed) { Err(Error::cancelled()) } else { Ok(()) }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Report> {
        // A panic elsewhere leaves a report that is still a valid list.
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("limits", &self.limits).field("options", &self.options).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Severity;

    static CODE: Code = Code::new("test.thing", Severity::Note, "A thing.");

    #[test]
    fn options_default_and_refuse_unknown_keys() {
        #[derive(Deserialize, Default, Debug, PartialEq)]
        #[serde(default, deny_unknown_fields)]
        struct Options {
            flip_v: bool,
        }
        let mut given = Value::Null;
        given.set("flip_v", true);
        let context = Context::new().with_options("urho", given);
        assert_eq!(context.options("urho"), Ok(Options { flip_v: true }));
        assert_eq!(context.options("gltf"), Ok(Options::default()));
        let mut wrong = Value::Null;
        wrong.set("flipv", true);
        let error = Context::new().with_options("urho", wrong).options::<Options>("urho").expect_err("unknown key");
        assert!(error.message().contains("flipv"));
    }

    #[test]
    fn a_context_apart_knows_the_options_and_tells_nothing() {
        let flag = Arc::new(AtomicBool::new(true));
        let motion = Attachment::new(Role::Motion, "walk", vec![]);
        let mut given = Value::Null;
        given.set("scale", 2);
        let context = Context::new().with_options("urho", given).with_cancel(flag).with_attachment(motion);
        let apart = context.apart();
        apart.tell(&CODE, "a", "");
        assert!(apart.has_options("urho") && apart.check_cancelled().is_err());
        assert!(apart.attachments(Role::Motion).next().is_none() && context.report().is_empty());
    }

    #[test]
    fn cancels() {
        let flag = Arc::new(AtomicBool::new(false));
        let context = Context::new().with_cancel(Arc::clone(&flag));
        assert!(context.check_cancelled().is_ok());
        flag.store(true, Ordering::Relaxed);
        assert!(context.check_cancelled().is_err());
    }
}
