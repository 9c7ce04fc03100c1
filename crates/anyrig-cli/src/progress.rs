//! Bars for long work; they hide themselves when nobody looks.

use crate::ui::Volume;
use anyrig::bytes::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// One bar for the whole command: over inputs in a batch, else over the stage of the one conversion.
pub struct Bar {
    bar: ProgressBar,
    batch: bool,
}

impl Bar {
    pub fn new(jobs: usize, volume: Volume) -> Self {
        let target = if volume == Volume::Quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let batch = jobs > 1;
        let bar = ProgressBar::with_draw_target(batch.then_some(jobs as u64), target);
        let template = if batch { "{bar:30} {pos}/{len} {msg}" } else { "{spinner} {msg}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Self { bar, batch }
    }

    /// A callback for a context.
    pub fn stages(&self) -> impl Fn(Progress) + Send + Sync + 'static {
        let bar = self.bar.clone();
        move |progress| {
            let share = match progress.total {
                0 => String::new(),
                total => format!(" {}/{total}", progress.done),
            };
            bar.set_message(format!("{}{share}", progress.stage));
        }
    }

    pub fn job_done(&self) {
        if self.batch {
            self.bar.inc(1);
        }
    }

    /// Prints without tearing the bar.
    pub fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
