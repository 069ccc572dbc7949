// Names in messages: the nearest right ones to a wrong one, and lists that
// read as a sentence. Its doors are `nearest`, `did_you_mean`,
// `name_list` and `natural_less`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

// Up to three candidates that `name` may have meant, nearest first. Near is: an
// edit distance (letters' case ignored; inserting, deleting, replacing or
// swapping neighbours counts one) of at most a third of the longer name, at
// least 1 and never all of it, or one name contained in the other (3 letters
// or more). Ties keep the candidates' order.
std::vector<std::string> nearest(std::string_view name,
                                 std::span<const std::string> candidates);

// "did you mean 'a' or 'b'?", or "" where no candidate is near.
std::string did_you_mean(std::string_view name,
                         std::span<const std::string> candidates);

// "'a', 'b' and 'c'"; after `limit` names "'a', 'b' and 7 more"; "none" for an
// empty list.
std::string name_list(std::span<const std::string> names, size_t limit = 12);

// Order in which runs of digits count as numbers: "set_2" before "set_10".
// Names that differ in leading zeros only keep the order of their bytes.
bool natural_less(std::string_view a, std::string_view b) noexcept;

}  // namespace octavo
