//! Without this, macOS would want Python's symbols when the extension is linked.

fn main() {
    #[cfg(feature = "python")]
    pyo3_build_config::add_extension_module_link_args();
}
