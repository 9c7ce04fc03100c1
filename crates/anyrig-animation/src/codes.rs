//! Diagnostics of this crate.

anyrig_bytes::codes! {
    CYCLE: "animation.cycle", Repaired, "Constraints, IK chains or springs depend on each other in a ring; it was cut, so that one of them follows what another one did before.";
    OWN_SOURCE: "animation.own-source", Repaired, "A constraint or an IK chain follows what it moves itself; it has no effect.";
    STILL_JOINT: "animation.still-joint", Note, "A joint of a spring has no length, so that it cannot swing.";
    UNFIT_CHAIN: "animation.unfit-chain", Approximated, "A two-bone solution needs two links; the chain is solved by cyclic coordinate descent.";
}
