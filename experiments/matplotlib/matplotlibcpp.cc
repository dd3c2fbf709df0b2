#include "matplotlibcpp.h"

#include <pybind11/embed.h>
#include <pybind11/stl.h>

#include <stdexcept>
#include <utility>

namespace matplotlibcpp {
namespace {

namespace py = pybind11;

std::string& backend_name() {
  static std::string name = "Agg";
  return name;
}

void check(const PyStatus& status) {
  if (PyStatus_Exception(status)) {
    throw std::runtime_error(std::string("Python does not start: ") +
                             (status.err_msg ? status.err_msg : "unknown reason"));
  }
}

// Python finds its modules from the program's name, so it must be told which Python it was linked with: the first
// python3 on PATH may be another version.
void initialize_interpreter() {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;  // Ctrl-C stays the program's
  config.parse_argv = 0;
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, BLOOMERY_PYTHON);
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  check(status);
}

// Started once and never finalised: matplotlib's extension modules do not survive a second start, and nothing is
// gained by tearing them down at exit. The GIL is let go so that any thread may draw.
void start() {
  static const bool started = [] {
    if (!Py_IsInitialized()) {
      initialize_interpreter();
      PyEval_SaveThread();
    }
    return true;
  }();
  static_cast<void>(started);
}

// Without the places in Python that led there, which say nothing to a user.
std::string first_part(const py::error_already_set& error) {
  const std::string message = error.what();
  return message.substr(0, message.find("\n\nAt:"));
}

// Runs `body` with the GIL and turns what Python throws into an exception that needs no GIL to be looked at.
template <typename Body>
void with_python(Body body) {
  start();
  const py::gil_scoped_acquire gil;
  try {
    body();
  } catch (const py::error_already_set& error) {
    throw std::runtime_error(first_part(error));
  }
}

py::module_ import_matplotlib() {
  try {
    return py::module_::import("matplotlib");
  } catch (const py::error_already_set& error) {
    throw std::runtime_error(BLOOMERY_PYTHON ": " + first_part(error));
  }
}

py::module_ pyplot() {
  static bool backend_chosen = false;
  if (!backend_chosen) {
    import_matplotlib().attr("use")(backend_name());
    backend_chosen = true;
  }
  return py::module_::import("matplotlib.pyplot");
}

py::dict to_dict(const Keywords& keywords) {
  py::dict dict;
  for (const auto& [key, value] : keywords) dict[py::str(key)] = value;
  return dict;
}

template <typename... Args>
bool call(const char* function, const py::dict& keywords, Args&&... args) {
  pyplot().attr(function)(std::forward<Args>(args)..., **keywords);
  return true;
}

void call_ticks(const char* function, const std::vector<double>& ticks, const std::vector<std::string>& labels,
                const Keywords& keywords) {
  with_python([&] {
    if (labels.empty()) {
      call(function, to_dict(keywords), ticks);
    } else {
      call(function, to_dict(keywords), ticks, labels);
    }
  });
}

}  // namespace

void backend(const std::string& name) { backend_name() = name; }

void rcparams(const Keywords& keywords) {
  with_python([&] { pyplot().attr("rcParams").attr("update")(to_dict(keywords)); });
}

void figure_size(std::size_t width, std::size_t height) {
  with_python([&] {
    py::dict keywords;
    keywords["figsize"] = py::make_tuple(static_cast<double>(width) / 100, static_cast<double>(height) / 100);
    keywords["dpi"] = 100;
    call("figure", keywords);
  });
}

void close() {
  with_python([&] { call("close", {}); });
}

bool plot(const std::vector<double>& x, const std::vector<double>& y, const Keywords& keywords) {
  with_python([&] { call("plot", to_dict(keywords), x, y); });
  return true;
}

bool loglog(const std::vector<double>& x, const std::vector<double>& y, const std::string& format) {
  with_python([&] { call("loglog", {}, x, y, format); });
  return true;
}

bool semilogx(const std::vector<double>& x, const std::vector<double>& y, const std::string& format) {
  with_python([&] { call("semilogx", {}, x, y, format); });
  return true;
}

bool semilogy(const std::vector<double>& x, const std::vector<double>& y, const std::string& format) {
  with_python([&] { call("semilogy", {}, x, y, format); });
  return true;
}

bool bar(const std::vector<double>& x, const std::vector<double>& y, std::string edge_color, std::string line_style,
         double line_width, const Keywords& keywords) {
  with_python([&] {
    py::dict all = to_dict(keywords);
    all["edgecolor"] = edge_color;
    all["linestyle"] = line_style;
    all["linewidth"] = line_width;
    call("bar", all, x, y);
  });
  return true;
}

void xticks(const std::vector<double>& ticks, const std::vector<std::string>& labels, const Keywords& keywords) {
  call_ticks("xticks", ticks, labels, keywords);
}

void yticks(const std::vector<double>& ticks, const std::vector<std::string>& labels, const Keywords& keywords) {
  call_ticks("yticks", ticks, labels, keywords);
}

void tick_params(const Keywords& keywords, const std::string& axis) {
  with_python([&] { call("tick_params", to_dict(keywords), axis); });
}

void text(double x, double y, const std::string& text) {
  with_python([&] { call("text", {}, x, y, text); });
}

void xlim(double left, double right) {
  with_python([&] { call("xlim", {}, left, right); });
}

void ylim(double bottom, double top) {
  with_python([&] { call("ylim", {}, bottom, top); });
}

void xlabel(const std::string& text, const Keywords& keywords) {
  with_python([&] { call("xlabel", to_dict(keywords), text); });
}

void ylabel(const std::string& text, const Keywords& keywords) {
  with_python([&] { call("ylabel", to_dict(keywords), text); });
}

void title(const std::string& text, const Keywords& keywords) {
  with_python([&] { call("title", to_dict(keywords), text); });
}

void legend(const Keywords& keywords) {
  with_python([&] { call("legend", to_dict(keywords)); });
}

void grid(bool on) {
  with_python([&] { call("grid", {}, on); });
}

void save(const std::string& file, int dpi) {
  with_python([&] {
    py::dict keywords;
    if (dpi > 0) keywords["dpi"] = dpi;
    call("savefig", keywords, file);
  });
}

}  // namespace matplotlibcpp
