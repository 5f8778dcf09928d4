// The well-behaved plugin in Rust, standard library only: does the one ordinary thing that it is
// told to do. Written for Debian 12's rustc 1.63.

use std::collections::HashMap;
use std::ffi::CStr;
use std::os::raw::c_char;
use std::sync::{mpsc, Arc, Mutex};
use std::time::{Duration, Instant};
use std::{fs, panic, thread};

mod abi;

type Found = Result<String, String>;

fn require(claim: bool, what: &str) -> Result<(), String> {
    if claim { Ok(()) } else { Err(what.to_string()) }
}

fn count_in_threads(number: usize, builder: fn() -> thread::Builder) -> Found {
    let count = Arc::new(Mutex::new(0));
    let mut handles = Vec::new();
    for _ in 0..number {
        let count = Arc::clone(&count);
        let work = move || (0..100).for_each(|_| *count.lock().unwrap() += 1);
        handles.push(builder().spawn(work).map_err(|error| error.to_string())?);
    }
    for handle in handles {
        handle.join().map_err(|_| "join")?;
    }
    let sum = *count.lock().unwrap();
    require(sum == 100 * number, "sum")?;
    Ok(format!("{} threads counted to {}", number, sum))
}

/// Two of Rust's own stacks, 2 MiB each, fit into 6 MiB.
fn threads(_: &str) -> Found {
    count_in_threads(2, thread::Builder::new)
}

/// Four do not.
fn four_threads(_: &str) -> Found {
    count_in_threads(4, thread::Builder::new)
}

fn small_threads(_: &str) -> Found {
    count_in_threads(8, || thread::Builder::new().stack_size(256 << 10))
}

fn map(_: &str) -> Found {
    let levels: HashMap<String, usize> = (0..5000).map(|n| (format!("level-{}", n), n)).collect();
    require(levels["level-4321"] == 4321, "lookup")?;
    Ok(format!("{} entries", levels.len()))
}

fn caught_panic(_: &str) -> Found {
    let caught = panic::catch_unwind(|| panic!("meant to be caught"));
    require(caught.is_err(), "caught")?;
    Ok("a panic caught".to_string())
}

fn files(container: &str) -> Found {
    let told = |error: std::io::Error| error.to_string();
    let folder = format!("{}/Library/Levels", container);
    fs::create_dir_all(format!("{}/a/b", folder)).map_err(told)?;
    fs::write(format!("{}/a/one", folder), "level one\n").map_err(told)?;
    fs::copy(format!("{}/a/one", folder), format!("{}/a/two", folder)).map_err(told)?;
    fs::rename(format!("{}/a/two", folder), format!("{}/a/b/two", folder)).map_err(told)?;
    let text = fs::read_to_string(format!("{}/a/b/two", folder)).map_err(told)?;
    require(text == "level one\n", "text")?;
    require(fs::read_dir(format!("{}/a", folder)).map_err(told)?.count() == 2, "entries")?;
    fs::remove_dir_all(&folder).map_err(told)?;
    Ok("written, copied, renamed, removed".to_string())
}

fn channel(_: &str) -> Found {
    let (sender, receiver) = mpsc::channel();
    let workers: Vec<_> = (0..2u64)
        .map(|n| {
            let sender = sender.clone();
            thread::spawn(move || (0..100).for_each(|i| sender.send(n * 100 + i).unwrap()))
        })
        .collect();
    drop(sender);
    let sum: u64 = receiver.iter().sum();
    for worker in workers {
        worker.join().map_err(|_| "join")?;
    }
    require(sum == 199 * 200 / 2, "sum")?;
    Ok(format!("received {}", sum))
}

fn sleep(_: &str) -> Found {
    let start = Instant::now();
    thread::sleep(Duration::from_millis(20));
    require(start.elapsed() >= Duration::from_millis(20), "elapsed")?;
    Ok("slept".to_string())
}

fn command(_: &str) -> Found {
    match std::process::Command::new("/bin/true").status() {
        Ok(_) => Err("a program was started".to_string()),
        Err(error) => Ok(format!("refused: {}", error)),
    }
}

fn uncaught(_: &str) -> Found {
    panic!("the level list is torn")
}

fn activity(word: &str) -> Option<fn(&str) -> Found> {
    Some(match word {
        "threads" => threads,
        "four-threads" => four_threads,
        "small-threads" => small_threads,
        "map" => map,
        "catch-unwind" => caught_panic,
        "files" => files,
        "channel" => channel,
        "sleep" => sleep,
        "command" => command,
        "panic" => uncaught,
        _ => return None,
    })
}

unsafe fn text<'a>(pointer: *const c_char) -> &'a str {
    CStr::from_ptr(pointer).to_str().unwrap_or("")
}

fn say(host: *const abi::Host, level: i32, line: &str) {
    // SAFETY: the host's table lives as long as the worker, and copies the text.
    unsafe { ((*host).log)(host, level, line.as_ptr() as *const c_char, line.len() as u64) }
}

/// # Safety
///
/// The host gives both, and they live until the return.
#[no_mangle]
pub unsafe extern "C" fn bahost_install(
    host: *const abi::Host, request: *const abi::ContentRequest,
) -> i32 {
    let manifest = fs::read_to_string(text((*request).manifest_path)).unwrap_or_default();
    let container = text((*(*request).app).container_path);
    let word = manifest.split_whitespace().next().unwrap_or("");
    let found = match activity(word) {
        Some(run) => run(container),
        None => Err(format!("there is no activity `{}`", word)),
    };
    match found {
        Ok(what) => say(host, abi::LOG_INFO, &format!("ok: {}", what)),
        Err(why) => {
            say(host, abi::LOG_ERROR, &format!("failed: {}", why));
            return -1;
        }
    }
    0
}
