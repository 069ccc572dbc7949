#include "tune/search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace octavo {
namespace {

// The worst bargain first: much error for little gain. Layers that gain
// nothing come before all that do.
std::vector<size_t> by_bargain(std::span<const SearchLayer> layers) {
  std::vector<size_t> order(layers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto worse = [&](size_t a, size_t b) {
    const SearchLayer &x = layers[a], &y = layers[b];
    if ((x.gain > 0) != (y.gain > 0)) return x.gain <= 0;
    if (x.gain <= 0) return x.cost > y.cost;
    if (std::isinf(x.cost) || std::isinf(y.cost)) return x.cost > y.cost;
    return x.cost * y.gain > y.cost * x.gain;
  };
  std::stable_sort(order.begin(), order.end(), worse);
  return order;
}

}  // namespace

double gain_of(std::span<const SearchLayer> layers, const Choice& choice) {
  double gain = 0;
  for (size_t i = 0; i < layers.size(); ++i)
    if (choice[i]) gain += layers[i].gain;
  return gain;
}

SearchResult search(std::span<const SearchLayer> layers, const Holds& holds) {
  SearchResult result;
  const std::vector<size_t> order = by_bargain(layers);
  std::map<Choice, bool> known = {{Choice(layers.size(), true), false},
                                  {Choice(layers.size(), false), true}};
  // Empty: out of time.
  const auto ask = [&](const Choice& choice) -> std::optional<bool> {
    if (const auto it = known.find(choice); it != known.end())
      return it->second;
    const std::optional<bool> answer = holds(choice);
    if (!answer) return answer;
    ++result.asked;
    known[choice] = *answer;
    if (*answer && (!result.best ||
                    gain_of(layers, choice) > gain_of(layers, *result.best)))
      result.best = choice;
    return answer;
  };
  const auto head_low = [&](size_t count) {
    Choice choice(layers.size(), true);
    for (size_t i = 0; i < count; ++i) choice[order[i]] = false;
    return choice;
  };

  size_t fails = 0, works = layers.size();  // heads
  while (works - fails > 1) {
    const size_t middle = fails + (works - fails) / 2;
    const auto answer = ask(head_low(middle));
    if (!answer) return result;
    (*answer ? works : fails) = middle;
  }
  // Of the layers that are low now, perhaps not all need be.
  Choice choice = head_low(works);
  std::vector<size_t> low(order.begin(),
                          order.begin() + static_cast<std::ptrdiff_t>(works));
  std::stable_sort(low.begin(), low.end(), [&](size_t a, size_t b) {
    return layers[a].gain > layers[b].gain;
  });
  for (const size_t i : low) {
    if (layers[i].gain <= 0) break;
    Choice next = choice;
    next[i] = true;
    const auto answer = ask(next);
    if (!answer) return result;
    if (*answer) choice = std::move(next);
  }
  result.complete = true;
  return result;
}

}  // namespace octavo
