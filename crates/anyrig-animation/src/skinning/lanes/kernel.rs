//! Which instructions the kernels run with.

use super::Lanes;
use super::plain::Plain;
use std::sync::OnceLock;

/// The instructions that the kernels of skinning and playing use. All give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kernel {
    /// Plain arithmetic, on every processor.
    Scalar,
    /// Four lanes at once: every x86-64 processor.
    Sse2,
    /// Eight lanes at once, no fused multiply-add: x86-64 processors since about 2013.
    Avx2,
}

impl Kernel {
    /// All kernels, the slowest first.
    pub const ALL: [Self; 3] = [Self::Scalar, Self::Sse2, Self::Avx2];

    /// The fastest kernel of this processor, found out once.
    ///
    /// The environment variable `ANYRIG_KERNEL` (`scalar`, `sse2` or `avx2`) names another one, to compare them; a name
    /// that is unknown, or that this processor does not have, has no effect.
    pub fn best() -> Self {
        static BEST: OnceLock<Kernel> = OnceLock::new();
        *BEST.get_or_init(|| {
            let named = std::env::var("ANYRIG_KERNEL").ok();
            Self::among(named.as_deref())
        })
    }

    /// Its name: `scalar`, `sse2` or `avx2`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Sse2 => "sse2",
            Self::Avx2 => "avx2",
        }
    }

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            Self::Sse2 => cfg!(target_arch = "x86_64"),
            Self::Avx2 => has_avx2(),
        }
    }

    fn among(named: Option<&str>) -> Self {
        let mut available = Self::ALL.into_iter().filter(|kernel| kernel.is_available());
        let chosen = available.clone().find(|kernel| Some(kernel.name()) == named);
        chosen.or_else(|| available.next_back()).unwrap_or(Self::Scalar)
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    super::x86::Avx2::detect().is_some()
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

/// Work that is written once for all lanes.
///
/// The implementation has to be `#[inline(always)]`, and so has what it calls, so that the compiler uses the
/// instructions throughout.
pub(crate) trait Task {
    type Output;
    fn run<L: Lanes>(self, token: L::Token) -> Self::Output;
}

/// Runs a task with a kernel; with the plain one where the processor does not have it.
#[cfg(target_arch = "x86_64")]
pub(crate) fn run<T: Task>(kernel: Kernel, task: T) -> T::Output {
    use super::x86::{Avx2, Sse, Sse2, run_avx2};
    match kernel {
        Kernel::Avx2 => match Avx2::detect() {
            Some(token) => run_avx2(task, token),
            None => task.run::<Plain>(()),
        },
        Kernel::Sse2 => task.run::<Sse>(Sse2),
        Kernel::Scalar => task.run::<Plain>(()),
    }
}

/// Runs a task with plain arithmetic.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn run<T: Task>(_: Kernel, task: T) -> T::Output {
    task.run::<Plain>(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_chooses_and_an_unknown_one_does_not() {
        assert_eq!(Kernel::among(Some("scalar")), Kernel::Scalar);
        assert_eq!(Kernel::among(Some("abacus")), Kernel::among(None));
        assert!(Kernel::among(None).is_available() && Kernel::best().is_available());
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_best_is_the_widest() {
        assert_eq!(Kernel::among(Some("sse2")), Kernel::Sse2);
        assert_eq!(Kernel::among(None) == Kernel::Avx2, Kernel::Avx2.is_available());
    }
}
