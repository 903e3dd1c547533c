// The jobs on simdjson, written as its documentation recommends. In 4.6.4,
// iterate_many has no option for newline-delimited JSON.
//
// Findings go to the functions that all engines share, so that these cost the
// same for each. A function returns the number of documents that failed.
// Parsers are reused between runs, as in a long-running program.

// One thread, like all engines.
#undef _REENTRANT
#include "simdjson.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#ifdef SIMDJSON_THREADS_ENABLED
#error "simdjson would use a second thread"
#endif

using namespace simdjson;

// The padding after the data, which src/data.rs adds.
static_assert(SIMDJSON_PADDING <= 64, "the data is padded by 64 bytes");

// The number of bytes to index at a time. It must be more than the longest line,
// or reading ends there; the caller sets it. 1.5, 2, 4 and 10 MB were not faster than 1 MB.
static size_t batch = 1 << 20;

// Implemented in Rust, in src/engines/simdjson.rs.
extern "C" {
void peers_line(void *tally);
void peers_kind(void *tally, const char *name, size_t name_length,
                const char *subtype, size_t subtype_length);
void peers_usage(void *tally, uint64_t input, uint64_t output);
void peers_text(void *tally, const char *text, size_t length);
void peers_select(void *tally, const char *line, size_t length);
}

extern "C" void simdjson_batch(size_t size) { batch = size; }

using Documents = ondemand::document_stream;

static error_code as_object(Documents::iterator &at, ondemand::object &out) {
  ondemand::document_reference document;
  auto error = (*at).get(document);
  return error ? error : document.get_object().get(out);
}

template <typename Job>
static uint64_t on_demand(const char *data, size_t length, Job job) {
  static ondemand::parser parser;
  Documents documents;
  padded_string_view input(data, length, length + SIMDJSON_PADDING);
  if (parser.iterate_many(input, batch).get(documents)) { return 1; }
  uint64_t failed = 0;
  for (auto at = documents.begin(); at != documents.end(); ++at) {
    failed += job(at) != SUCCESS;
  }
  return failed + (documents.truncated_bytes() > 0);
}

template <typename Job>
static uint64_t dom_parsed(const char *data, size_t length, Job job) {
  static dom::parser parser;
  dom::document_stream documents;
  if (parser.parse_many(data, length, batch).get(documents)) { return 1; }
  uint64_t failed = 0;
  for (auto document : documents) {
    dom::element element;
    if (document.get(element)) {
      failed++;
    } else {
      job(element);
    }
  }
  return failed + (documents.truncated_bytes() > 0);
}

static error_code route(Documents::iterator &at, void *tally) {
  ondemand::object object;
  auto error = as_object(at, object);
  if (error) { return error; }
  std::string_view name, subtype;
  int found = 0;
  for (auto member : object) {
    ondemand::field field;
    if ((error = std::move(member).get(field))) { return error; }
    auto key = field.key();
    if (key == std::string_view("type")) {
      if (field.value().get_string().get(name)) { name = {}; }
      found++;
    } else if (key == std::string_view("subtype")) {
      if (field.value().get_string().get(subtype)) { subtype = {}; }
      found++;
    }
    if (found == 2) { break; }
  }
  peers_kind(tally, name.data(), name.size(), subtype.data(), subtype.size());
  return SUCCESS;
}

// Like `route`, but stops at a type that has no subtype, as linetape's skim does.
static error_code stop_at_type(Documents::iterator &at, void *tally) {
  ondemand::object object;
  auto error = as_object(at, object);
  if (error) { return error; }
  std::string_view name, subtype;
  bool has_name = false, has_subtype = false;
  for (auto member : object) {
    ondemand::field field;
    if ((error = std::move(member).get(field))) { return error; }
    auto key = field.key();
    if (key == std::string_view("type")) {
      if (field.value().get_string().get(name)) { name = {}; }
      has_name = true;
      // In all logs that are measured, every other type has none.
      if (name != "system" && name != "result" && name != "assistant" &&
          name != "control_request" && name != "control_response") {
        break;
      }
    } else if (key == std::string_view("subtype")) {
      if (field.value().get_string().get(subtype)) { subtype = {}; }
      has_subtype = true;
    }
    if (has_name && has_subtype) { break; }
  }
  peers_kind(tally, name.data(), name.size(), subtype.data(), subtype.size());
  return SUCCESS;
}

static void read_usage(ondemand::value value, uint64_t &input,
                       uint64_t &output) {
  ondemand::object message, usage;
  if (value.get_object().get(message)) { return; }
  if (message.find_field("usage").get_object().get(usage)) { return; }
  if (usage["input_tokens"].get_uint64().get(input)) { input = 0; }
  if (usage["output_tokens"].get_uint64().get(output)) { output = 0; }
}

static error_code usage(Documents::iterator &at, void *tally) {
  ondemand::object object;
  auto error = as_object(at, object);
  if (error) { return error; }
  // `message` may come before `type`, and can be read only once.
  uint64_t input = 0, output = 0;
  bool assistant = false, has_message = false;
  for (auto member : object) {
    ondemand::field field;
    if ((error = std::move(member).get(field))) { return error; }
    auto key = field.key();
    if (key == std::string_view("type")) {
      std::string_view name;
      if (field.value().get_string().get(name)) { name = {}; }
      assistant = name == "assistant";
      if (!assistant || has_message) { break; }
    } else if (key == std::string_view("message")) {
      read_usage(field.value(), input, output);
      has_message = true;
      if (assistant) { break; }
    }
  }
  if (assistant) { peers_usage(tally, input, output); }
  return SUCCESS;
}

static error_code visit(ondemand::value value, void *tally) {
  ondemand::json_type type;
  auto error = value.type().get(type);
  if (error) { return error; }
  switch (type) {
  case ondemand::json_type::string: {
    std::string_view text;
    if ((error = value.get_string().get(text))) { return error; }
    peers_text(tally, text.data(), text.size());
    return SUCCESS;
  }
  case ondemand::json_type::array: {
    ondemand::array array;
    if ((error = value.get_array().get(array))) { return error; }
    for (auto item : array) {
      ondemand::value inner;
      if ((error = std::move(item).get(inner))) { return error; }
      if ((error = visit(inner, tally))) { return error; }
    }
    return SUCCESS;
  }
  case ondemand::json_type::object: {
    ondemand::object object;
    if ((error = value.get_object().get(object))) { return error; }
    for (auto member : object) {
      ondemand::field field;
      if ((error = std::move(member).get(field))) { return error; }
      if ((error = visit(field.value(), tally))) { return error; }
    }
    return SUCCESS;
  }
  default:
    return SUCCESS;
  }
}

static error_code text(Documents::iterator &at, void *tally) {
  ondemand::document_reference document;
  auto error = (*at).get(document);
  if (error) { return error; }
  ondemand::value value;
  error = document.get_value().get(value);
  return error ? error : visit(value, tally);
}

static error_code select(Documents::iterator &at, void *tally) {
  ondemand::object object;
  auto error = as_object(at, object);
  if (error) { return error; }
  for (auto member : object) {
    ondemand::field field;
    if ((error = std::move(member).get(field))) { return error; }
    if (field.key() == std::string_view("type")) {
      std::string_view name;
      if (field.value().get_string().get(name)) { name = {}; }
      if (name == "assistant") {
        // Faster than `source()` of the stream, for which the document would
        // have to be rewound. It extends to the next document.
        std::string_view line;
        if ((error = object.raw_json().get(line))) { return error; }
        while (line.back() != '}') { line.remove_suffix(1); }
        peers_select(tally, line.data(), line.size());
      }
      break;
    }
  }
  return SUCCESS;
}

extern "C" {

uint64_t simdjson_dom_check(const char *data, size_t length, void *tally) {
  return dom_parsed(data, length,
                    [=](dom::element) { peers_line(tally); });
}

uint64_t simdjson_route(const char *data, size_t length, void *tally) {
  return on_demand(data, length, [=](auto &at) { return route(at, tally); });
}

uint64_t simdjson_stop_at_type(const char *data, size_t length, void *tally) {
  return on_demand(data, length,
                   [=](auto &at) { return stop_at_type(at, tally); });
}

uint64_t simdjson_usage(const char *data, size_t length, void *tally) {
  return on_demand(data, length, [=](auto &at) { return usage(at, tally); });
}

uint64_t simdjson_text(const char *data, size_t length, void *tally) {
  return on_demand(data, length, [=](auto &at) { return text(at, tally); });
}

uint64_t simdjson_select(const char *data, size_t length, void *tally) {
  return on_demand(data, length, [=](auto &at) { return select(at, tally); });
}

// Like "simdjson 4.6.4 (icelake)".
size_t simdjson_name(char *name, size_t room) {
  std::string text = "simdjson " SIMDJSON_VERSION " (";
  text += get_active_implementation()->name() + ")";
  return text.copy(name, room);
}
}
