# Counts the lines of Rust files without blanks and comments. Prints for each
# file: lines of code, lines of tests, path. What is in a folder `tests`, or
# follows `#[cfg(test)]`, is a test. The code is formatted: an item ends with a
# bracket in the column in which it began.
function end_file() {
  if (path != "") print code, tests, path
}
FNR == 1 {
  end_file()
  path = FILENAME
  code = tests = in_comment = in_test = in_attributes = 0
  is_test = path ~ /(^|\/)tests(\/|\.rs$)/
}
{
  line = $0
  sub(/^[ \t]+/, "", line)
  if (in_comment) {
    if (line ~ /\*\//) in_comment = 0
    next
  }
  if (line == "" || line ~ /^\/\//) next
  if (line ~ /^\/\*/) {
    if (line !~ /\*\//) in_comment = 1
    next
  }
  if (is_test || in_test) tests++
  column = length($0) - length(line)
  if (in_test && in_attributes) {
    # The first line of the item: it may be the last one, too.
    if (line ~ /^#\[/) next
    in_attributes = 0
    if (line ~ /[;}]$/) in_test = 0
  } else if (in_test) {
    if (column == first && line ~ /^[])}]/) in_test = 0
  } else if (!is_test && line ~ /^#\[cfg\((all\()?test[,)]/) {
    tests++
    in_test = in_attributes = 1
    first = column
  } else if (!is_test) {
    code++
  }
}
END { end_file() }
