// The structures from Python. Keys cross over as NumPy arrays, uint64 without a copy; batches run without the
// interpreter's lock.
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "structures/keys.h"
#include "structures/registry.h"

namespace py = pybind11;

namespace bloomery {
namespace {

using KeyArray = py::array_t<Key, py::array::c_style>;

// The bytes of a str or bytes object, without a copy.
std::string_view bytes_of(py::handle item) {
  if (PyUnicode_Check(item.ptr())) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
    if (text == nullptr) throw py::error_already_set();
    return {text, static_cast<std::size_t>(size)};
  }
  if (PyBytes_Check(item.ptr())) {
    return {PyBytes_AS_STRING(item.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(item.ptr()))};
  }
  throw py::type_error(fmt::format("a key is of type {}; keys must be uint64, str or bytes",
                                   Py_TYPE(item.ptr())->tp_name));
}

KeyArray hashed(const py::sequence& items) {
  KeyArray keys(static_cast<py::ssize_t>(items.size()));
  Key* out = keys.mutable_data();
  for (const py::handle item : items) *out++ = key_of(bytes_of(item));
  return keys;
}

KeyArray from_integers(const py::array& array) {
  if (array.dtype().kind() == 'i' && array.size() > 0 && array.attr("min")().cast<std::int64_t>() < 0) {
    throw py::value_error(fmt::format("a key is {}; keys must be from 0 to 2^64 - 1",
                                      array.attr("min")().cast<std::int64_t>()));
  }
  return KeyArray::ensure(array.attr("astype")("uint64", py::arg("copy") = false));
}

// uint64 arrays as they are, other integers widened, strings hashed.
KeyArray keys_from(const py::object& given) {
  if (py::isinstance<py::str>(given) || py::isinstance<py::bytes>(given)) {
    throw py::type_error("one string was given where a list or an array of keys belongs; write [key]");
  }
  const py::array array = py::array::ensure(given);
  if (!array) throw py::type_error("keys must be an array or a list of uint64, str or bytes");
  if (array.ndim() != 1) throw py::value_error(fmt::format("keys have {} dimensions; they must have one", array.ndim()));
  if (array.size() == 0) return KeyArray(0);
  switch (array.dtype().kind()) {
    case 'u':
    case 'i': return from_integers(array);
    case 'U':
    case 'S':
    case 'O': return hashed(py::isinstance<py::array>(given) ? given.attr("tolist")() : given);
    default:
      throw py::type_error(fmt::format("keys are {}; they must be uint64, str or bytes",
                                       py::str(array.dtype()).cast<std::string>()));
  }
}

Keys view(const KeyArray& keys) { return {keys.data(), static_cast<std::size_t>(keys.size())}; }

// A structure that Python's threads can use as they like. What it does not let run at once, a lock keeps apart: the
// interpreter's own is not held while a batch runs.
class Structure {
 public:
  Structure(const std::string& name, const py::kwargs& parameters)
      : name_(name), many_sets_(find_structure(name).many_sets), it_(make_structure(name, params_of(parameters))) {}

  void build(const py::iterable& sets, int threads) {
    std::vector<KeyArray> arrays;
    for (const py::handle set : sets) arrays.push_back(keys_from(py::reinterpret_borrow<py::object>(set)));
    if (arrays.size() > 1 && !many_sets_) {
      throw py::value_error(fmt::format("{} sets were given, but {} holds one", arrays.size(), name_));
    }
    std::vector<Keys> views;
    for (const KeyArray& array : arrays) views.push_back(view(array));
    const Executor executor = threads == 1 ? Executor() : Executor(Backend::kTbb, threads);
    const py::gil_scoped_release release;
    const std::unique_lock lock(mutex_);
    if (built_ || touched_) throw std::runtime_error("it holds sets already; build is for an empty structure");
    it_->build(views, executor);
    built_ = true;
  }

  void insert(SetId set, const py::object& given) {
    expect_set(set);
    const KeyArray keys = keys_from(given);
    const py::gil_scoped_release release;
    // A plain filter's only set exists from the start; elsewhere an insert may make a new one.
    const bool shared = it_->concurrent_maintenance() || (!many_sets_ && it_->concurrent_insert());
    change(shared, "insert keys", [&] { return it_->insert(set, view(keys)); });
  }

  void replace(SetId set, const py::object& given) {
    expect_set(set);
    const KeyArray keys = keys_from(given);
    const py::gil_scoped_release release;
    change(it_->concurrent_maintenance(), "replace a set", [&] { return it_->replace(set, view(keys)); });
  }

  void erase(SetId set) {
    expect_set(set);
    const py::gil_scoped_release release;
    change(it_->concurrent_maintenance(), "erase a set", [&] { return it_->erase(set); });
  }

  // Two columns: the key's place in the batch, and a set that may hold it.
  py::array_t<std::uint32_t> query(const py::object& given) const {
    const KeyArray keys = keys_from(given);
    Matches& found = run_query(view(keys));
    py::array_t<std::uint32_t> pairs({static_cast<py::ssize_t>(found.size()), py::ssize_t{2}});
    static_assert(sizeof(Match) == 2 * sizeof(std::uint32_t));
    std::memcpy(pairs.mutable_data(), found.view().data(), found.size() * sizeof(Match));
    return pairs;
  }

  py::array_t<bool> contains(const py::object& given) const {
    const KeyArray keys = keys_from(given);
    Matches& found = run_query(view(keys));
    py::array_t<bool> answer(keys.size());
    bool* out = answer.mutable_data();
    std::fill_n(out, keys.size(), false);
    for (const Match& match : found.view()) out[match.index] = true;
    return answer;
  }

  py::dict footprint() const {
    Footprint footprint;
    {
      const py::gil_scoped_release release;
      const std::unique_lock lock(mutex_);
      footprint = it_->footprint();
    }
    using namespace py::literals;
    return py::dict("memory_bytes"_a = footprint.memory_bytes, "storage_bytes"_a = footprint.storage_bytes,
                    "nodes"_a = footprint.nodes, "height"_a = footprint.height);
  }

  std::string text() const { return fmt::format("<bloomery.Structure {}>", name_); }

 private:
  static Params params_of(const py::kwargs& parameters) {
    std::map<std::string, std::string> values;
    for (const auto& [name, value] : parameters) {
      values[name.cast<std::string>()] = py::isinstance<py::bool_>(value) ? (value.cast<bool>() ? "true" : "false")
                                                                          : py::str(value).cast<std::string>();
    }
    return Params(std::move(values));
  }

  void expect_set(SetId set) const {
    if (set > 0 && !many_sets_) throw py::value_error(fmt::format("set {} was named, but {} holds set 0 only", set, name_));
  }

  template <class Change>
  void change(bool shared, const char* what, const Change& body) {
    const auto run = [&] {
      touched_ = true;
      if (!body()) throw std::runtime_error(fmt::format("{} cannot {}", name_, what));
    };
    if (shared) {
      const std::shared_lock lock(mutex_);
      run();
    } else {
      const std::unique_lock lock(mutex_);
      run();
    }
  }

  Matches& run_query(Keys keys) const {
    thread_local Matches matches;
    matches.clear();
    const py::gil_scoped_release release;
    const std::shared_lock lock(mutex_);
    it_->query_timed(keys, matches);
    return matches;
  }

  const std::string name_;
  const bool many_sets_;
  const std::unique_ptr<AnyStructure> it_;
  mutable std::shared_mutex mutex_;
  bool built_ = false;
  std::atomic<bool> touched_ = false;
};

py::list described(const std::string& name) {
  using namespace py::literals;
  py::list parameters;
  for (const ParamSpec& spec : describe(find_structure(name))) {
    parameters.append(py::dict("name"_a = spec.name, "type"_a = spec.type, "range"_a = spec.range,
                               "default"_a = spec.default_value, "about"_a = spec.about));
  }
  return parameters;
}

PYBIND11_MODULE(_core, module) {
  py::register_exception<ParamError>(module, "ParamError", PyExc_ValueError);
  py::class_<Structure>(module, "Structure", "A structure by its name, with its parameters as keywords.")
      .def(py::init<const std::string&, const py::kwargs&>(), py::arg("name"))
      .def("build", &Structure::build, py::arg("sets"), py::arg("threads") = 1,
           "Fills an empty structure: sets[i] becomes set i.")
      .def("insert", &Structure::insert, py::arg("set"), py::arg("keys"), "Adds keys to a set, making it if needed.")
      .def("replace", &Structure::replace, py::arg("set"), py::arg("keys"), "The set now holds exactly these keys.")
      .def("erase", &Structure::erase, py::arg("set"))
      .def("query", &Structure::query, py::arg("keys"),
           "A (matches, 2) array of uint32: the place of a key in the batch, and a set that may hold it.")
      .def("contains", &Structure::contains, py::arg("keys"), "A bool a key: may any set hold it?")
      .def("footprint", &Structure::footprint)
      .def("__repr__", &Structure::text);
  module.def("structures", &structure_names, "The names of all structures.");
  module.def("describe", &described, py::arg("name"), "The parameters of a structure.");
  module.def("keys", &keys_from, py::arg("items"), "The 64-bit keys of strings or integers.");
}

}  // namespace
}  // namespace bloomery
