//! Asks pkg-config where libotp is.

use std::process::{exit, Command};

fn main() {
    for name in ["PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    // A later minor version has more functions, a later major one has another name.
    let wanted = format!("libotp >= {}", env!("CARGO_PKG_VERSION"));
    for flag in flags(&wanted).split_whitespace() {
        if let Some(folder) = flag.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={folder}");
        } else if let Some(library) = flag.strip_prefix("-l") {
            println!("cargo:rustc-link-lib={library}");
        }
    }
}

fn flags(wanted: &str) -> String {
    let program = std::env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    let fault = match Command::new(&program).args(["--libs", wanted]).output() {
        Ok(output) if output.status.success() => return String::from_utf8_lossy(&output.stdout).into_owned(),
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => format!("{program}: {error}"),
    };
    eprintln!("libotp was not found; install it, or set PKG_CONFIG_PATH:\n{fault}");
    exit(1);
}
