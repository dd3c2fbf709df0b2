// The part of the matplotlib-cpp API that the figures need, under the same names, so that an upstream matplotlibcpp.h
// can take this header's place (MATPLOTLIB_CPP_INCLUDE_DIR). Keywords are strings, as upstream has them, so what
// matplotlib wants as a number (other than line widths and marker sizes, which it converts) goes through rcparams.
//
// Python stays in matplotlibcpp.cc. Every function throws std::runtime_error with Python's message when Python fails.
#ifndef BLOOMERY_EXPERIMENTS_MATPLOTLIB_MATPLOTLIBCPP_H_
#define BLOOMERY_EXPERIMENTS_MATPLOTLIB_MATPLOTLIBCPP_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace matplotlibcpp {

using Keywords = std::map<std::string, std::string>;

// Before the first other call; "Agg" unless set.
void backend(const std::string& name);
void rcparams(const Keywords& keywords = {});

void figure_size(std::size_t width, std::size_t height);  // a new figure, in hundredths of an inch
void close();                                             // the current figure

bool plot(const std::vector<double>& x, const std::vector<double>& y, const Keywords& keywords);
bool loglog(const std::vector<double>& x, const std::vector<double>& y, const std::string& format = "");
bool semilogx(const std::vector<double>& x, const std::vector<double>& y, const std::string& format = "");
bool semilogy(const std::vector<double>& x, const std::vector<double>& y, const std::string& format = "");
bool bar(const std::vector<double>& x, const std::vector<double>& y, std::string edge_color = "black",
         std::string line_style = "-", double line_width = 1.0, const Keywords& keywords = {});

void xticks(const std::vector<double>& ticks, const std::vector<std::string>& labels = {},
            const Keywords& keywords = {});
void yticks(const std::vector<double>& ticks, const std::vector<std::string>& labels = {},
            const Keywords& keywords = {});
void tick_params(const Keywords& keywords, const std::string& axis = "both");
void text(double x, double y, const std::string& text);
void xlim(double left, double right);
void ylim(double bottom, double top);
void xlabel(const std::string& text, const Keywords& keywords = {});
void ylabel(const std::string& text, const Keywords& keywords = {});
void title(const std::string& text, const Keywords& keywords = {});
void legend(const Keywords& keywords);
void grid(bool on);

void save(const std::string& file, int dpi = 0);  // the format is that of the file's extension

}  // namespace matplotlibcpp

#endif  // BLOOMERY_EXPERIMENTS_MATPLOTLIB_MATPLOTLIBCPP_H_
