// Numbers as people read them: no more digits than they mean, and never a
// rounding that says more than was measured (99.996 % is not "100.00 %").
#pragma once

#include <cstdint>
#include <string>

namespace octavo {

// "812 B", "1.4 KiB", "419.8 MiB": powers of 1024, one decimal.
std::string bytes_text(uint64_t bytes);

// "12,345".
std::string count_text(int64_t count);

// "1 sample", "397 samples", "3 matches" with plural "matches".
std::string count_noun(int64_t count, const std::string& singular,
                       const std::string& plural = "");

// `digits` significant digits: "0.00123", "45.6"; "1.23e-07"
// outside 1e-4..1e6; "0", "NaN", "infinity", "-infinity".
std::string significant(double value, int digits = 3);

// A value as it is, to at most `digits` significant digits and without zeros
// at the end: "1.25", "0.1", "1e-07", "NaN".
std::string plain_number(double value, int digits = 6);

// A share 0..1 as "25.37 %". Never "0.00 %" unless it is 0, never "100.00 %"
// unless it is 1: "< 0.01 %", "> 99.99 %".
std::string percent_text(double share, int decimals = 2);

// A quotient as "3.94 x"; two decimals under 10, one under 100, else none.
std::string ratio_text(double ratio);

// "812 ns", "1.23 us", "45.6 ms", "1.23 s", "2 min 05 s", "3 h 04 min".
std::string duration_text(double seconds);

// A cosine with as many decimals as its distance from 1 needs (4 to 12):
// "0.9931", "0.99999987", "1" only within 1e-12 of 1.
std::string cosine_text(double cosine);

// A difference of two shares in percentage points: "+0.25 points", "0 points".
std::string points_text(double difference);

}  // namespace octavo
