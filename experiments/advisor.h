// Which structure for these sets and queries? Answered on the page, from measured points alone.
#ifndef BLOOMERY_EXPERIMENTS_ADVISOR_H_
#define BLOOMERY_EXPERIMENTS_ADVISOR_H_

#include <string>

#include "experiments/measured_points.h"

namespace bloomery {

// JSON, as experiments/report/advisor.js wants it.
std::string advisor_data(const MeasuredPoints& points);

std::string advisor_section(const MeasuredPoints& points);  // HTML; "" without points

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_ADVISOR_H_
