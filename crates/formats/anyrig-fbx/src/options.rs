//! Options of reading.

use anyrig_bytes::{Context, Error, Report, Result, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Under this name [`Context::options`] finds the options.
pub const OPTIONS: &str = "fbx";

/// What becomes of a file that is wrong somewhere, but can be read all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Defects {
    /// It is put right, and the report says so.
    #[default]
    Repair,
    /// The file is refused; the error names the first defect.
    Refuse,
}

/// Options of reading FBX.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct FbxOptions {
    /// What becomes of a file that is wrong somewhere, but can be read all the same.
    pub defects: Defects,
}

impl FbxOptions {
    /// The options of a job.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] naming the unknown key or the wrong value.
    pub fn of(context: &Context) -> Result<Self> {
        context.options(OPTIONS)
    }

    /// Refuses what was repaired since `before`, where the options say so.
    pub(crate) fn check(&self, before: &Report, context: &Context) -> Result<()> {
        if self.defects == Defects::Repair {
            return Ok(());
        }
        let report = context.report();
        let mut repaired = report.diagnostics().iter().filter(|d| d.severity == Severity::Repaired);
        let Some(first) = repaired.find(|d| !before.diagnostics().contains(d)) else { return Ok(()) };
        let what = if first.message.is_empty() { first.code.meaning } else { first.message.as_str() };
        let message = format!("{}: {what}; with `defects=repair` it is put right", first.subject);
        Err(Error::malformed(first.place.clone(), message))
    }
}

/// The JSON schema of [`FbxOptions`].
pub(crate) fn schema() -> String {
    schemars::schema_for!(FbxOptions).to_value().to_string()
}
