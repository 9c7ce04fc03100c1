#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| anyrig_fuzz::read("fbx", "a.fbx", data));
