// The style and scripts of the page, from experiments/report/*.css and *.js (cmake/embed.cmake).
#ifndef BLOOMERY_EXPERIMENTS_REPORT_ASSETS_H_
#define BLOOMERY_EXPERIMENTS_REPORT_ASSETS_H_

#include <string_view>

namespace bloomery {

extern const std::string_view kReportStyle;
extern const std::string_view kReportScript;

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_REPORT_ASSETS_H_
