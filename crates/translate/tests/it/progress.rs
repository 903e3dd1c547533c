//! Progress in a text: positive and negative examples.

use linetape::Decoder;
use linetape_translate::Wrapper;
use proptest::prelude::*;
use serde_json::Value;

use crate::{
    reference::naive_progress,
    run::{frames, log, says},
    texts,
    words::any_text,
};

/// Returns the progress in a text: step, completed and total.
fn progress(text: &str) -> Vec<(String, u64, u64)> {
    let found = frames(&log(&[says(text)]));
    assert_eq!(found[0]["content"], text);
    let is_progress = |f: &&Value| f["type"] == "progress_update";
    let progress = found.iter().filter(is_progress).map(|frame| {
        let step = frame["currentStep"].as_str().unwrap().to_string();
        let count = |key: &str| frame[key].as_u64().unwrap();
        (step, count("completedSteps"), count("totalSteps"))
    });
    let progress: Vec<_> = progress.collect();
    assert_eq!(naive_progress(text), progress, "{text}");
    progress
}

#[test]
fn progress_is_found() {
    for (text, step, completed, total) in [
        ("Running test 5 of 20", "Running tests", 5, 20),
        ("I am running test 5 out of 20.", "Running tests", 5, 20),
        (
            "Processing source file 3/10: a.rs",
            "Processing source files",
            3,
            10,
        ),
        ("Running entry 1 / 2", "Running entries", 1, 2),
        ("Checking day 1 of 2", "Checking days", 1, 2),
        ("(fetching box 0 of 2)", "Fetching boxes", 0, 2),
        ("Running unit tests: 5/20", "Running unit tests", 5, 20),
        ("Building... 3/7.", "Building", 3, 7),
        // The reference implementation once treated the colon as a part of the
        // word.
        ("**Ran: 5 / 20 tests", "Tests", 5, 20),
        ("**Uploading files\u{2026} 45%**", "Uploading files", 45, 100),
        ("Downloading (45%)", "Downloading", 45, 100),
        ("Compiling crates [12/40] now", "Compiling crates", 12, 40),
        ("Migrating tables: 45% done", "Migrating tables", 45, 100),
        ("Progress: 45%", "Progress", 45, 100),
        ("progress (3 of 9)", "Progress", 3, 9),
        ("## Step 3 of 5: build", "Step 3", 3, 5),
        ("**Phase 2/4**", "Phase 2", 2, 4),
        ("While at task 7 of 7", "Task 7", 7, 7),
        ("Step 1 of 2 / 3 done", "Step 1", 1, 2),
        ("Only 3 of 14 done here", "Progress", 3, 14),
        ("3 of 14 files processed", "Files", 3, 14),
        ("All 5 of 5 are finished.", "Progress", 5, 5),
        ("It is 45% complete!", "Progress", 45, 100),
        ("[3/7] Linking the app...", "Linking the app", 3, 7),
        ("  [3/7]", "Progress", 3, 7),
        ("[ 3/10] Compiling", "Compiling", 3, 10),
        ("(3/10) installing it", "installing it", 3, 10),
        (" ( 3/10) Fetch it", "Fetch it", 3, 10),
        ("Tests completed: 5/20", "Tests", 5, 20),
        ("- **Files processed:** 3/10", "Files", 3, 10),
        ("All is well. Big unit tests done: 45%", "Big unit tests", 45, 100),
        ("Running tests 5 of 20", "Running tests", 5, 20),
        ("Now running unit tests 5 of 20...", "Running unit tests", 5, 20),
        ("Ran 5 of 20 tests", "Tests", 5, 20),
        ("Ran 5/20 unit tests.", "Unit tests", 5, 20),
        ("Running test **5** of **20**", "Running tests", 5, 20),
        ("**3** of **14** files processed", "Files", 3, 14),
        ("Running 5 of 20 tests", "Running tests", 5, 20),
        ("I'm running 5 out of 20 tests: a", "Running tests", 5, 20),
        ("Processing 3/10 files...", "Processing files", 3, 10),
        ("Processing 3 of 3: a.rs", "Processing", 3, 3),
        (
            "Ok. Testing 3 of 9 big new boxes (a)",
            "Testing big new boxes",
            3,
            9,
        ),
        ("\u{2192} *fixing 1/2 class files* - a", "Fixing class files", 1, 2),
        ("It is still linking 1/2 apps \u{2014} b", "Linking apps", 1, 2),
        ("Downloading 45%", "Downloading", 45, 100),
        ("(downloading 45%, 3 MB)", "Downloading", 45, 100),
        ("**Uploading files:** 3/4", "Uploading files", 3, 4),
        ("**Progress**: 3/4", "Progress", 3, 4),
        ("Completed 3 of 10 tasks", "Tasks", 3, 10),
        ("I have finished 3/10 files so far", "Files", 3, 10),
        ("Processed 120 of 300 big records in 4 s", "Big records", 120, 300),
        ("**Completed:** 3 of 10 tasks", "Tasks", 3, 10),
        ("**Done**: 3 of 10", "Progress", 3, 10),
        ("Completed 3 of 10 so all is well", "Progress", 3, 10),
        ("Completed 3 of 10 so far", "Progress", 3, 10),
        ("Done: 45%", "Progress", 45, 100),
        ("Processed: 3/10 big files", "Big files", 3, 10),
        ("Running 5 of 20", "Running", 5, 20),
        ("Test #5/20", "Test 5", 5, 20),
        ("Pass 2/3: inline", "Pass 2", 2, 3),
        ("Test 5/20: parses dates", "Test 5", 5, 20),
        ("TEST #5 of 20", "TEST 5", 5, 20),
        ("Running test #5/20", "Running tests", 5, 20),
        ("Step 2/5 - build", "Step 2", 2, 5),
        ("Task 3 of 7 complete", "Task 3", 3, 7),
        ("**Step 2 of 5:** build", "Step 2", 2, 5),
        ("On part 2 of 3 it stops", "Part 2", 2, 3),
        ("at module 2/3", "Module 2", 2, 3),
        ("epoch 2/3 loss 0.1", "Epoch 2", 2, 3),
        // A known false positive: quoted progress.
        ("it prints \"Step 3 of 5.\"", "Step 3", 3, 5),
        ("Pass 2 of 3 - inline", "Pass 2", 2, 3),
        ("This is round 2/3.", "Round 2", 2, 3),
        ("## Page 3 of 10", "Page 3", 3, 10),
        ("**Chapter 1/9:** start", "Chapter 1", 1, 9),
        ("Now commit #2 of 4 (fix)", "Commit 2", 2, 4),
        ("Case 2 of 4 done", "Case 2", 2, 4),
        ("1. Example 2/4: sums", "Example 2", 2, 4),
        (
            "step 999999999 of 999999999",
            "Step 999999999",
            999999999,
            999999999,
        ),
    ] {
        let expected = vec![(step.to_string(), completed, total)];
        assert_eq!(progress(text), expected, "{text}");
    }
    let text = "Step 1 of 3\nStep 2 of 3, 1/2 done. Running test 1 of 9";
    let steps = progress(text).into_iter().map(|(step, ..)| step);
    let expected = ["Step 1", "Step 2", "Progress", "Running tests"];
    assert!(steps.eq(expected));
}

#[test]
fn counts_that_are_not_progress_are_ignored() {
    for text in [
        "it is faster on 3 of 4 tasks",
        "(3/4) of them fail",
        "(3/4)",
        "a (3/4) Fetch",
        "[          3/4] Fetch",
        "[ 3/4)",
        "Test completed: 5/20",
        "Tests completed: 5/20 of it",
        "the tests completed: 5/20",
        "Attempts completed: 2/3",
        "Four big new unit tests completed: 5/20",
        "I suggest running tests 5 of 20",
        "Running tests 5 of 20 fails",
        "Running tests 5/20",
        "Showing tests 5 of 20",
        "Running tests #5 of 20",
        "I ran 5 of 20 tests",
        "Ran 5 of 20",
        "Ran 5 of 20 tests in CI",
        "Running test **5** of 20",
        "Running test **7** of **5**",
        "Running 5 of 20 tests in CI",
        "Running 5 of 20 tests fails",
        "Running 5 of 20 really slow tests",
        "Running 5 of 20 of the tests",
        "Running 5 of 20 very big new red tests",
        "Running the 5 of 20 tests",
        "Running only 5 of 20 tests",
        "I suggest running 5 of 20 tests",
        "It stops, running 5 of 20 tests",
        "not running 5 of 20 tests",
        "prerunning-running 5 of 20 tests",
        "Showing 5 of 20 tests",
        "Saving 45%",
        "Failing 5 of 20 tests",
        "Downloading 45% of it",
        "Downloading 45% files",
        "Running 3/4",
        "Running 3/4.",
        "Completed 3/4",
        "Finished 3/4 of it",
        "Complete 3 of 10 tasks",
        "Completed 45% sooner",
        "Done: 18 of 20 tests passed",
        "**Done:** 3 of 4 so far",
        "Completed 45% tasks",
        "hasn't completed 3 of 10 tasks",
        "I have not yet finished 3 of 10",
        "can be processed 3 of 10 at once",
        "auto-completed 3 of 10",
        "Completed 2 of 3 times",
        "Finished 2 of 3 new attempts",
        "2 of 3 attempts finished",
        "Attempt 2 of 3",
        "Starting attempt 2 of 3",
        "Running 2 of 3 retries",
        "Retrying (2/3)",
        "they pass 3 of 4",
        "Pass 3 of 4 tests",
        "in case 3 of 4 fail",
        "In case 3 of 4, stop",
        "see page 3 of 5",
        "Page 3%",
        "Test ##5 of 20",
        "Test#5 of 20",
        "18 of 20 tests passed",
        "12/12 correct",
        "1/4 of the original",
        "Something like 3 of 4",
        "Rating: 4/5",
        "Testing shows 3 of 4",
        "failing on 3 of 4",
        "Testing: 3/4 of them fail",
        "Testing (3/4 of them)",
        "Taking roughly 3 of 4",
        "1 of the 3",
        "step one of five",
        "Processing file 3/4/2025",
        "see src/1/2 done",
        "step 1.2/3",
        "step 1/2.3",
        "step 1,000 of 2,000",
        "step 05/20",
        "step 5 of 0",
        "step 7 of 5",
        "step 1 of 1000000000",
        "step 99999999999999999999 of 99999999999999999999",
        "step \u{ff15} of 20",
        "step 5 of 2\u{ff10}",
        "step \u{0663} of \u{0665}",
        "misstep 3 of 5",
        "my-step 3 of 5",
        "Step 3  of 5",
        "Step\n3 of 5",
        "Running test\n5 of 20",
        "not 100% done",
        "it isn't 80% complete",
        "if 3/4 done",
        "3 of 4 not done",
        "3 of 4 donetas",
        "100% sure",
        "~95% identical",
        "~95% done",
        "45.5% done",
        "101% done",
        "see [1/2](there)",
        "see [1/2] there",
        "-3 of 5 done",
        "#3/4 done",
    ] {
        assert_eq!(progress(text), [], "{text}");
    }
}

/// This takes minutes if each count is compared with the whole rest of the
/// line.
#[test]
fn a_long_line_takes_linear_time() {
    for piece in ["Completed 3 of 10 tasks, ", "Running 5 of 20 tests. "] {
        let times = 8_000_000 / piece.len();
        let line = says(&piece.repeat(times)).to_string();
        let mut decoder = Decoder::new();
        let record = decoder.decode(line.as_bytes()).unwrap();
        let frames = Wrapper::new().translate(record.message()).unwrap();
        assert_eq!(frames.len(), 1 + times, "{piece}");
    }
}

proptest! {
    #![proptest_config(texts::cases(256))]

    #[test]
    fn progress_agrees_with_the_reference(text in any_text()) {
        progress(&text);
    }
}
