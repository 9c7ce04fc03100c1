/// Makes a crate's table of diagnostics: one documented `static` [`Code`](crate::Code) for each row, and `CODES`, which
/// lists them all. A row is a name, the id, the severity, and what it means in one sentence.
///
/// ```
/// anyrig_bytes::codes! {
///     FIRST: "example.first", Note, "The first thing to say.";
///     SECOND: "example.second", Lost, "The second thing is not in the result.";
/// }
/// assert_eq!(CODES.len(), 2);
/// assert_eq!(CODES[1].id, SECOND.id);
/// assert_eq!(SECOND.severity, anyrig_bytes::Severity::Lost);
/// ```
#[macro_export]
macro_rules! codes {
    ($($name:ident: $id:literal, $severity:ident, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub static $name: $crate::Code =
            $crate::Code::new($id, $crate::Severity::$severity, $meaning);)*

        /// All diagnostics of this crate.
        pub static CODES: &[&$crate::Code] = &[$(&$name),*];
    };
}
