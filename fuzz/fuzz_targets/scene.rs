#![no_main]

libfuzzer_sys::fuzz_target!(|rough: anyrig_fuzz::RoughScene| anyrig_fuzz::round_trip(&rough));
