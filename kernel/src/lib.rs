//! The page layer of templcrawl behind a flat interface: a page in, one blob of buffers out.
//!
//! `templcrawl/page/`, and of `templcrawl/algorithms/` what every page pays for, is the specification: each
//! file here is named like the module that it mirrors, and answers exactly what that answers.  This file is
//! the face that `templcrawl/page/kernel.py` calls by ctypes, and the only one with `unsafe` in it.  Every
//! call gives a result code; a panic is one of them.  A kernel belongs to one thread at a time; there is no
//! state but that of a kernel.

#![deny(unsafe_op_in_unsafe_fn)]

mod addresses;
mod blob;
mod chars;
mod columns;
mod elements;
mod entities;
mod facts;
mod fingerprint;
mod hints;
mod kernel;
mod known;
mod lines;
mod links;
mod names;
mod near_duplicates;
mod normal;
mod page;
mod panels;
mod partition;
mod render;
mod rows;
mod run_scores;
mod scan;
mod scopes;
mod seams;
mod sections;
mod shares;
mod shingles;
mod structure;
mod tables;
mod tags;
mod terms;
mod text_runs;
mod tokens;
mod type_furniture;
mod verdict;
mod visibility;
mod vote;
mod wholes;
mod xxh3;

use kernel::{Kernel, Outcome, Written};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// # Safety
/// `start` points to `size` bytes that stay as they are for the call.
unsafe fn bytes<'a>(start: *const u8, size: usize) -> &'a [u8] {
    if start.is_null() || size == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(start, size) }
}

/// Let a kernel do something; a panic is an outcome, and empties what it had half done.
///
/// # Safety
/// `kernel` is one that `templcrawl_new` has made, not freed, and in no other call.
unsafe fn with(kernel: *mut Kernel, act: impl FnOnce(&mut Kernel) -> Outcome) -> i32 {
    // SAFETY: the caller's promise.
    let Some(kernel) = (unsafe { kernel.as_mut() }) else {
        return Outcome::Refused as i32;
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| act(kernel)));
    let outcome = outcome.unwrap_or_else(|_| {
        kernel.forget();
        Outcome::Panicked
    });
    kernel.note_output();
    outcome as i32
}

/// Make a kernel from its tables; null if they are not what is expected.
///
/// # Safety
/// `tables` points to `size` bytes.
#[no_mangle]
pub unsafe extern "C" fn templcrawl_new(tables: *const u8, size: usize) -> *mut Kernel {
    // SAFETY: the caller's promise.
    let tables = unsafe { bytes(tables, size) };
    let made = catch_unwind(|| Kernel::new(tables)).ok().flatten();
    made.map_or(std::ptr::null_mut(), |kernel| Box::into_raw(Box::new(kernel)))
}

/// # Safety
/// `kernel` is one that `templcrawl_new` has made, and is used no more.
#[no_mangle]
pub unsafe extern "C" fn templcrawl_free(kernel: *mut Kernel) {
    if !kernel.is_null() {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::from_raw(kernel) });
    }
}

/// Where a kernel says what its last call has written: where that starts, and its bytes.
///
/// # Safety
/// `kernel` as in `with`.  The place stays; what is written stays until the next call with the kernel.
#[no_mangle]
pub unsafe extern "C" fn templcrawl_output(kernel: *const Kernel) -> *const Written {
    // SAFETY: the caller's promise.
    unsafe { kernel.as_ref() }.map_or(std::ptr::null(), |kernel| &kernel.written)
}

/// Read a page, or work something out of one that was read; behind a text that is cut its rest may stand.
///
/// # Safety
/// `kernel` as in `with`; all others point to as many bytes as their sizes say.
#[no_mangle]
pub unsafe extern "C" fn templcrawl_run_task(
    kernel: *mut Kernel,
    task: u8,
    text: *const u8,
    size: usize,
    blob: *const u8,
    blob_size: usize,
    first: *const u8,
    first_size: usize,
    second: *const u8,
    second_size: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        with(kernel, |kernel| {
            let (text, blob) = (bytes(text, size), bytes(blob, blob_size));
            kernel.run_task(task, text, blob, bytes(first, first_size), bytes(second, second_size))
        })
    }
}

/// What this library and its caller exchange.
#[no_mangle]
pub extern "C" fn templcrawl_abi() -> u32 {
    columns::ABI
}
