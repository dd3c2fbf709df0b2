// Which rows of two runs are of the same point.
#ifndef BLOOMERY_EXPERIMENTS_COMPARE_POINTS_H_
#define BLOOMERY_EXPERIMENTS_COMPARE_POINTS_H_

#include <map>
#include <string>
#include <vector>

#include "experiments/rows.h"

namespace bloomery {

struct Point {
  std::string experiment;
  std::string series;
  std::map<std::string, std::string> parameters;
  friend auto operator<=>(const Point&, const Point&) = default;
};

struct MatchedPoint {
  Point point;
  std::vector<Row> a, b;  // all phases and repetitions
};

struct MatchedPoints {
  std::vector<MatchedPoint> points;  // those that both have, in the order of a
  std::vector<std::string> notes;
};

// A parameter that only one of the runs knows (a newer program's) is left out of account; points that are then no
// longer distinct are left out, too, with a note.
MatchedPoints match_points(const std::vector<Row>& a, const std::vector<Row>& b);

// The parameters that differ between the points of an experiment.
std::string distinguishing(const Point& point, const std::vector<MatchedPoint>& all);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_COMPARE_POINTS_H_
