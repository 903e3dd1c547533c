//! The cases of a log that is followed: ways in which it grows, changes or is
//! damaged, each with tests that fail if it is handled wrongly. Expected results
//! are written out, or those of a reference implementation, which splits the
//! bytes that were ever written.

/// The numbers of cases, what happens in them, and their tests.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        "1-3, 6-9",
        "bytes, many lines, or a line over several polls; a poll within CR LF, a character, a byte order mark; blank lines",
        &["follow::appended_bytes_are_lines_however_they_arrive"],
    ),
    (
        "4-5",
        "a line is longer than the buffer, or over the limit",
        &["follow::long_lines_are_lines_or_errors"],
    ),
    (
        "10-12",
        "a last line without a newline: the writer stops, the file is removed, the newline comes later",
        &["follow::an_unfinished_line_is_held_until_its_file_is_gone"],
    ),
    (
        "13",
        "the same, with idle",
        &[
            "folder::an_idle_line_is_returned_once",
            "folder::a_checkpoint_stays_before_an_idle_line",
        ],
    ),
    (
        "14-15",
        "the file is empty, or missing at first",
        &["follow::a_file_may_be_empty_or_missing_at_first"],
    ),
    (
        "16",
        "the folder is missing at first",
        &["folder::a_folder_may_be_missing_at_first"],
    ),
    (
        "17",
        "from the end, within a line",
        &[
            "follow::from_the_end_begins_with_the_next_line",
            "follow::from_the_end_of_a_half_line_there_is_no_checkpoint",
        ],
    ),
    (
        "18",
        "permission is granted later",
        &[
            "cases::case_18_permission_is_granted_later",
            "folder::a_file_that_may_not_be_read_is_tried_again",
        ],
    ),
    (
        "19",
        "a directory, pipe or socket by that name",
        &[
            "cases::case_19_only_a_file_is_read",
            "cases::case_19_only_files_of_a_folder_are_read",
            "follow::only_regular_files_are_followed",
        ],
    ),
    (
        "20",
        "truncated, then shorter",
        &["follow::a_truncated_file_is_read_again"],
    ),
    (
        "21-22",
        "truncated, then as long or longer, with the same first line or another",
        &[
            "follow::a_file_that_has_grown_back_is_read_again",
            "cases::case_22_a_file_that_has_outgrown_its_offset_is_read_again",
        ],
    ),
    (
        "23",
        "truncated while a part of a line is held",
        &["follow::a_part_of_a_line_is_dropped_with_its_file"],
    ),
    (
        "24",
        "truncated while its writer goes on at its offset",
        &["follow::records_after_a_hole_are_salvaged"],
    ),
    (
        "25",
        "truncated to the end of an earlier line",
        &["follow::a_file_that_was_rewound_is_read_again"],
    ),
    (
        "26, 33",
        "renamed and created again, or replaced by a rename",
        &["follow::a_rotated_file_is_read_to_its_end"],
    ),
    (
        "27",
        "rotated twice between two polls",
        &[
            "folder::a_file_that_is_rotated_twice_is_read_on",
            "cases::case_27_a_file_that_was_never_seen_is_lost_alone",
            "cases::case_27_files_that_were_rotated_twice_between_two_runs_are_found",
        ],
    ),
    (
        "28",
        "renamed, and its writer goes on",
        &[
            "follow::what_is_written_to_a_rotated_file_is_read_before_the_new_one",
            "folder::a_renamed_file_is_followed",
            "folder::what_is_written_to_a_file_that_has_left_the_folder_is_read",
        ],
    ),
    ("29", "compressed", &["folder::a_compressed_copy_is_not_read_again"]),
    (
        "30",
        "a link leads to another file, or a file has two names",
        &[
            "follow::a_link_to_another_file_is_followed",
            "folder::a_second_name_is_ignored",
        ],
    ),
    (
        "31-32",
        "created again with the same inode, shorter or longer",
        &[
            "follow::a_file_that_is_created_again_is_another_one",
            "folder::a_closed_file_that_is_created_again_is_another_one",
        ],
    ),
    (
        "34-35",
        "moved to another folder, also within a line",
        &[
            "folder::a_file_that_is_moved_to_an_archive_is_read_on",
            "folder::a_file_that_is_moved_between_two_runs_is_read_on",
        ],
    ),
    (
        "36-37",
        "resumed, also after it has grown",
        &["follow::a_checkpoint_goes_on_after_the_last_line"],
    ),
    (
        "38-40, 42",
        "resumed on a file that has shrunk or has another content, also after the same 4 KiB",
        &["follow::a_checkpoint_of_another_content_is_refused"],
    ),
    (
        "41",
        "two files have the same first lines",
        &["cases::case_41_files_with_the_same_first_lines_are_two"],
    ),
    (
        "43-44",
        "a checkpoint within a line; torn, missing, of another version or path",
        &[
            "follow::a_checkpoint_that_is_wrong_is_refused",
            "checkpoints::a_damaged_file_is_an_error",
            "cases::case_44_checkpoints_of_another_path_are_not_used",
        ],
    ),
    (
        "45",
        "killed before the rename",
        &["checkpoints::a_file_that_was_not_renamed_does_not_count"],
    ),
    (
        "46",
        "killed at every step",
        &[
            "follow::nothing_is_lost_when_the_process_is_killed",
            "checkpoints::a_killed_process_loses_nothing",
            "checkpoints::a_process_that_is_killed_at_any_step_loses_nothing",
        ],
    ),
    (
        "47",
        "the device has another number",
        &[
            "follow::a_copy_with_the_same_content_is_the_same_file",
            "follow::the_number_of_the_device_does_not_decide",
        ],
    ),
    ("48", "the clock was set back", &["follow::times_decide_nothing"]),
    (
        "49",
        "a thousand files, one of them busy",
        &["folder::a_busy_file_does_not_keep_others_waiting"],
    ),
    (
        "50",
        "the limit of open files",
        &[
            "folder::few_files_are_open_at_a_time",
            "folder::fewer_files_are_open_if_the_process_can_open_no_more",
        ],
    ),
    (
        "51-52",
        "the consumer is slow, or stops",
        &[
            "folder::no_more_than_one_piece_is_read_ahead",
            "folder::a_consumer_that_stops_is_replaced",
        ],
    ),
    (
        "53",
        "two processes at once",
        &[
            "checkpoints::two_with_the_same_file_exclude_each_other",
            "checkpoints::a_killed_process_loses_nothing",
        ],
    ),
    (
        "54",
        "a folder is removed",
        &["folder::a_folder_that_is_removed_is_no_error"],
    ),
    (
        "55-56, 60-61",
        "several members of gzip or frames of zstd, empty ones, ends within a line",
        &[
            "compressed::case_55_members_of_gzip_are_one_stream",
            "compressed::case_56_frames_of_zstd_are_one_stream",
            "compressed::case_60_empty_members_are_nothing",
            "compressed::case_61_a_member_may_end_anywhere_in_a_line",
        ],
    ),
    (
        "57-59",
        "truncated at every byte; rubbish or zeros after the data",
        &[
            "compressed::case_57_truncated_at_every_byte",
            "compressed::case_58_rubbish_after_the_data_is_an_error_after_all_lines",
            "compressed::case_59_zeros_after_gzip_are_ignored",
        ],
    ),
    (
        "62-63",
        "a log and its compressed copy; a name that does not fit the content",
        &[
            "files::a_log_is_read_once",
            "compressed::case_63_a_name_says_nothing",
        ],
    ),
    (
        "64-65",
        "a range of a compressed file; a bomb",
        &[
            "compressed::case_64_only_the_range_with_byte_0_of_a_compressed_file_has_lines",
            "compressed::case_65_a_bomb_meets_a_limit",
        ],
    ),
];

/// The files of tests that the table names.
const FILES: [(&str, &str); 6] = [
    ("cases", include_str!("cases.rs")),
    ("checkpoints", include_str!("checkpoints.rs")),
    ("compressed", include_str!("compressed.rs")),
    ("files", include_str!("files.rs")),
    ("folder", include_str!("folder.rs")),
    ("follow", include_str!("follow.rs")),
];

/// Returns whether a file has a test that is not ignored.
fn has_test(name: &str) -> bool {
    let (file, test) = name.split_once("::").unwrap();
    let source = FILES.iter().find(|(known, _)| *known == file);
    let source = source.unwrap_or_else(|| panic!("no file {file}")).1;
    let source = source.replace("\r\n", "\n");
    source.contains(&format!("#[test]\nfn {test}() {{\n"))
}

/// Returns the numbers of an entry like `1-3, 6`.
fn numbers(entry: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let [first, last] = [first, last].map(|n| n.parse::<u32>().unwrap());
        first..=last
    };
    entry.split(", ").flat_map(range).collect()
}

/// Four cases were tested in part, and nothing showed it.
#[test]
fn every_case_has_a_test() {
    let mut cases = vec![];
    for (entry, what, tests) in CASES {
        cases.extend(numbers(entry));
        for test in *tests {
            assert!(has_test(test), "case {entry}, {what}: no test {test}");
        }
    }
    cases.sort_unstable();
    assert_eq!(cases, (1..=65).collect::<Vec<u32>>());
}
