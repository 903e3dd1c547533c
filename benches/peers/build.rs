//! Compiles simdjson, and records the versions of all packages.
//!
//! Without a C++ compiler or the sources of simdjson, that engine is left out,
//! and the build continues.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// The packages that a report lists, each with the feature that enables it.
const PEERS: &[(&str, Option<&str>)] = &[
    ("linetape", None),
    ("serde_json", None),
    // linetape depends on it, too.
    ("simd-json", None),
    ("sonic-rs", Some("SONIC_RS")),
    ("jiter", Some("PEERS")),
    ("flexon", Some("PEERS")),
    ("claude-transcript", Some("PEERS")),
];

fn has(feature: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{feature}")).is_some()
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=cpp/jobs.cpp");
    println!("cargo::rerun-if-changed=Cargo.lock");
    let packages = packages();
    println!("cargo::rustc-env=PEERS_VERSIONS={}", versions(&packages));
    if !has("PEERS") {
        return;
    }
    let mut build = cc::Build::new();
    build.cpp(true);
    let why = match simdjson_sources(&packages) {
        None => "its sources cannot be found",
        Some(_) if !has_compiler(&build) => "there is no C++ compiler",
        Some(sources) => {
            compile(&mut build, &sources);
            println!("cargo::rustc-cfg=simdjson");
            return;
        }
    };
    println!("cargo::warning=simdjson is left out: {why}");
}

/// Returns the output of `cargo metadata` about the packages of the lock file.
/// It also fetches the missing ones; a build does not fetch a package that it
/// does not use.
fn packages() -> Vec<Value> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version", "1", "--locked"]);
    let output = match command.output() {
        Ok(output) if output.status.success() => output.stdout,
        _ => return vec![],
    };
    let mut metadata: Value =
        serde_json::from_slice(&output).unwrap_or_default();
    match metadata["packages"].take() {
        Value::Array(packages) => packages,
        _ => vec![],
    }
}

fn versions(packages: &[Value]) -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let rustc = Command::new(rustc).arg("--version").output();
    let rustc = rustc.map(|output| output.stdout).unwrap_or_default();
    let mut versions = vec![String::from_utf8_lossy(&rustc).trim().to_owned()];
    for package in packages {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        let peer = PEERS.iter().find(|(name, _)| *name == text("name"));
        if peer.is_some_and(|(_, feature)| feature.is_none_or(has)) {
            versions.push(format!("{} {}", text("name"), text("version")));
        }
    }
    versions.join(", ")
}

fn simdjson_sources(packages: &[Value]) -> Option<PathBuf> {
    let package = packages.iter().find(|p| p["name"] == "simdjson-sys")?;
    let manifest = Path::new(package["manifest_path"].as_str()?);
    let sources = manifest.parent()?.join("vendor").join("simdjson");
    sources.join("simdjson.cpp").is_file().then_some(sources)
}

fn has_compiler(build: &cc::Build) -> bool {
    let compiler = build.try_get_compiler();
    compiler.is_ok_and(|c| c.to_command().arg("--version").output().is_ok())
}

/// No flags for this machine's CPU: simdjson chooses its kernel at run time,
/// as linetape does.
fn compile(build: &mut cc::Build, sources: &Path) {
    build.std("c++17").opt_level(3).debug(false).warnings(false);
    build.define("NDEBUG", None);
    build.include(sources).file(sources.join("simdjson.cpp"));
    build.file("cpp/jobs.cpp").compile("peers");
}
