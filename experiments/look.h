// How a curve looks: colours that the colour-blind tell apart, with markers, dashes and hatches that work in grey.
#ifndef BLOOMERY_EXPERIMENTS_LOOK_H_
#define BLOOMERY_EXPERIMENTS_LOOK_H_

#include <cstddef>
#include <string>

#include "experiments/config.h"
#include "experiments/curves.h"

namespace bloomery {

struct Look {
  std::string color;
  std::string marker;
  std::string dash;
  std::string hatch;  // of bars
};

// A series has the same colour in every figure, and outside figures of several metrics the same marker and dash too.
Look look_of(const Curve& curve, const FigureSpec& figure, const Experiment& experiment);

// Of published numbers, which are hollow: one shape a source.
std::string hollow_marker(std::size_t source);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_LOOK_H_
