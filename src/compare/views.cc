#include "compare/views.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "compare/decoder.h"

namespace octavo {
namespace {

constexpr size_t kWorstChannels = 10;
constexpr double kSumTolerance = 1e-3;             // of probabilities
constexpr int64_t kMostScores = int64_t{1} << 24;  // along the last axis

bool matches(double r, double c) {
  return r == c || (std::isnan(r) && std::isnan(c));
}

void add_outside(ViewStats& s, const double* r, const double* c, int64_t n) {
  const double atol = s.views.atol.value_or(0);
  const double rtol = s.views.rtol.value_or(0);
  for (int64_t i = 0; i < n; ++i) {
    // Written so that NaN is outside.
    const bool inside = std::abs(r[i] - c[i]) <= atol + rtol * std::abs(r[i]);
    s.outside += !matches(r[i], c[i]) && (!inside || !std::isfinite(r[i]));
  }
}

// The tensor as outer x channels x inner.
struct Layout {
  int64_t channels = 1, inner = 1;
};

std::optional<Layout> layout_of(const Shape& shape, int64_t axis) {
  const int64_t rank = std::ssize(shape);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  Layout l;
  l.channels = shape[static_cast<size_t>(axis)];
  for (auto i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i)
    l.inner *= shape[i];
  return l;
}

void add_channels(ViewStats& s, const Layout& layout, int64_t begin,
                  const double* r, const double* c, int64_t n) {
  const auto wanted =
      std::min(kMostChannels, static_cast<size_t>(layout.channels));
  if (s.channels.size() < wanted) s.channels.resize(wanted);
  for (int64_t i = 0; i < n; ++i) {
    if (!std::isfinite(r[i]) || !std::isfinite(c[i])) continue;
    const auto channel =
        static_cast<size_t>((begin + i) / layout.inner % layout.channels);
    ViewStats::Channel& sums = s.channels[std::min(channel, kMostChannels - 1)];
    const double d = std::abs(r[i] - c[i]);
    ++sums.pairs;
    sums.max = std::max(sums.max, d);
    sums.squares += d * d;
    sums.reference += r[i] * r[i];
  }
}

bool is_distribution(std::span<const double> row) {
  double sum = 0;
  for (const double v : row) {
    if (v < 0) return false;
    sum += v;
  }
  return std::abs(sum - 1) <= kSumTolerance;
}

size_t best_of(std::span<const double> row) {
  return static_cast<size_t>(std::max_element(row.begin(), row.end()) -
                             row.begin());
}

// Scores above it, or equal to it at a lower index.
int64_t rank_of(std::span<const double> row, size_t which) {
  int64_t rank = 0;
  for (size_t i = 0; i < row.size(); ++i)
    rank += row[i] > row[which] || (row[i] == row[which] && i < which);
  return rank;
}

// sum exp(v - most), each term in `terms` as well.
double exp_sum(std::span<const double> row, double most,
               std::vector<double>& terms) {
  double sum = 0;
  for (size_t i = 0; i < row.size(); ++i)
    sum += terms[i] = std::exp(row[i] - most);
  return sum;
}

// Most of a comparison's statistics is this: one exp for each score.
double kl_of_logits(std::span<const double> r, std::span<const double> c,
                    double most_r, double most_c, std::vector<double>& terms) {
  const double sum_c = exp_sum(c, most_c, terms);
  const double sum_r = exp_sum(r, most_r, terms);
  // log p - log q of a score less r - c: the same for all.
  const double shift = (most_c - most_r) + std::log(sum_c / sum_r);
  double kl = 0;
  for (size_t i = 0; i < r.size(); ++i) kl += terms[i] * (r[i] - c[i] + shift);
  return std::max(kl / sum_r, 0.0);
}

double kl_of_probabilities(std::span<const double> r,
                           std::span<const double> c) {
  double kl = 0;
  for (size_t i = 0; i < r.size(); ++i) {
    if (r[i] == 0) continue;
    if (c[i] == 0) return std::numeric_limits<double>::infinity();
    kl += r[i] * std::log(r[i] / c[i]);
  }
  return kl;
}

void add_row(ViewStats::Agreement& a, double kl, bool top1, bool top5) {
  if (std::isfinite(kl))
    a.kl += kl;
  else
    ++a.infinite;
  ++a.rows;
  a.top1 += top1;
  a.top5 += top5;
}

void add_scores(ViewStats& s, Decoder& reference, Decoder& candidate,
                int64_t rows, int64_t width, bool as_logits,
                bool as_probabilities) {
  std::vector<double> r(static_cast<size_t>(width)), c(r.size());
  std::vector<double> terms(r.size());
  s.six = s.six || width > 5;
  for (int64_t row = 0; row < rows; ++row) {
    if (!as_logits && !(as_probabilities && s.all_probabilities)) return;
    reference.read(row * width, width, r.data());
    candidate.read(row * width, width, c.data());
    const auto finite = [](double v) { return std::isfinite(v); };
    if (!std::all_of(r.begin(), r.end(), finite) ||
        !std::all_of(c.begin(), c.end(), finite))
      continue;
    const size_t best = best_of(r);
    const int64_t rank = rank_of(c, best);
    if (as_logits)
      add_row(s.logits, kl_of_logits(r, c, r[best], c[best_of(c)], terms),
              rank == 0, rank < 5);
    if (!as_probabilities || !s.all_probabilities) continue;
    if (s.views.scores == Scores::automatic &&
        (!is_distribution(r) || !is_distribution(c)))
      s.all_probabilities = false;
    else
      add_row(s.probabilities, kl_of_probabilities(r, c), rank == 0, rank < 5);
  }
}

bool named_logits(const std::string& name) {
  std::string low;
  for (const char c : name)
    low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return low.find("logit") != std::string::npos;
}

bool is_complex(DType type) {
  return type == DType::complex64 || type == DType::complex128;
}

void merge(ViewStats::Agreement& a, const ViewStats::Agreement& b) {
  a.kl += b.kl;
  a.infinite += b.infinite;
  a.rows += b.rows;
  a.top1 += b.top1;
  a.top5 += b.top5;
}

ScoreAgreement finish(const ViewStats::Agreement& a, bool logits, bool six) {
  const auto rows = static_cast<double>(a.rows);
  ScoreAgreement out;
  out.logits = logits;
  out.rows = a.rows;
  out.kl =
      a.infinite > 0 ? std::numeric_limits<double>::infinity() : a.kl / rows;
  out.top1 = static_cast<double>(a.top1) / rows;
  if (six) out.top5 = static_cast<double>(a.top5) / rows;
  return out;
}

template <typename Io, typename Stats>
void fields(Io io, Stats& s) {
  io(s.outside);
  for (auto* a : {&s.logits, &s.probabilities})
    io(a->kl), io(a->infinite), io(a->rows), io(a->top1), io(a->top5);
  io(s.all_probabilities), io(s.six);
}

}  // namespace

void update(ViewStats& s, const std::string& name, const TensorView& r,
            const TensorView& c) {
  const OutputViews& views = s.views;
  const int64_t parts = is_complex(r.type) ? 2 : 1;
  const int64_t all = element_count(r.shape) * parts;
  if (all == 0) return;
  Decoder reference(r.type, r.bytes), candidate(c.type, c.bytes);
  std::optional<Layout> layout;
  if (views.axis) layout = layout_of(r.shape, *views.axis);
  if (layout) layout->inner *= parts;
  if (views.atol || views.rtol || layout) {
    std::array<double, Decoder::kPiece> a, b;
    for (int64_t at = 0; at < all; at += Decoder::kPiece) {
      const int64_t n = std::min(Decoder::kPiece, all - at);
      reference.read(at, n, a.data());
      candidate.read(at, n, b.data());
      if (views.atol || views.rtol) add_outside(s, a.data(), b.data(), n);
      if (layout) add_channels(s, *layout, at, a.data(), b.data(), n);
    }
  }
  const int64_t width = r.shape.empty() ? 0 : r.shape.back();
  if (parts > 1 || r.shape.size() < 2 || width < 2 || width > kMostScores ||
      views.scores == Scores::none)
    return;
  const bool automatic = views.scores == Scores::automatic;
  const bool logits =
      views.scores == Scores::logits || (automatic && named_logits(name));
  add_scores(s, reference, candidate, all / width, width, logits, !logits);
}

void merge(ViewStats& s, const ViewStats& other) {
  s.outside += other.outside;
  if (s.channels.size() < other.channels.size())
    s.channels.resize(other.channels.size());
  for (size_t i = 0; i < other.channels.size(); ++i) {
    ViewStats::Channel& to = s.channels[i];
    const ViewStats::Channel& from = other.channels[i];
    to.pairs += from.pairs;
    to.max = std::max(to.max, from.max);
    to.squares += from.squares;
    to.reference += from.reference;
  }
  merge(s.logits, other.logits);
  merge(s.probabilities, other.probabilities);
  s.all_probabilities = s.all_probabilities && other.all_probabilities;
  s.six = s.six || other.six;
}

void finish(const ViewStats& s, OutputSummary& o) {
  if ((s.views.atol || s.views.rtol) && o.elements > 0)
    o.outside =
        static_cast<double>(s.outside) / static_cast<double>(o.elements);
  if (s.logits.rows > 0)
    o.scores = finish(s.logits, true, s.six);
  else if (s.all_probabilities && s.probabilities.rows > 0)
    o.scores = finish(s.probabilities, false, s.six);
  o.channel_count = std::ssize(s.channels);
  for (size_t i = 0; i < s.channels.size(); ++i) {
    const ViewStats::Channel& sums = s.channels[i];
    if (sums.max == 0) continue;
    ChannelDifference d;
    d.channel = static_cast<int64_t>(i);
    d.max_abs = sums.max;
    d.rmse = std::sqrt(sums.squares / static_cast<double>(sums.pairs));
    if (sums.reference > 0)
      d.relative_l2 = std::sqrt(sums.squares / sums.reference);
    o.channels.push_back(d);
  }
  std::stable_sort(
      o.channels.begin(), o.channels.end(),
      [](const auto& a, const auto& b) { return a.rmse > b.rmse; });
  if (o.channels.size() > kWorstChannels) o.channels.resize(kWorstChannels);
  if (s.channels.size() == kMostChannels)
    o.notes.push_back("channels from the 65,536th on are counted as one");
}

void put(Packer& out, const ViewStats& s) {
  for (const auto& v : {s.views.atol, s.views.rtol}) {
    out.put(static_cast<uint8_t>(v.has_value()));
    out.put(v.value_or(0));
  }
  out.put(static_cast<uint8_t>(s.views.axis.has_value()));
  out.put(s.views.axis.value_or(0));
  out.put(s.views.scores);
  fields([&](const auto& v) { out.put(v); }, s);
  out.put(static_cast<uint64_t>(s.channels.size()));
  for (const ViewStats::Channel& c : s.channels)
    out.put(c.pairs), out.put(c.max), out.put(c.squares), out.put(c.reference);
}

void get(Unpacker& in, ViewStats& s) {
  for (auto* v : {&s.views.atol, &s.views.rtol}) {
    const bool there = in.get<bool>();
    const auto value = in.get<double>();
    if (there) *v = value;
  }
  const bool axis = in.get<bool>();
  const auto value = in.get<int64_t>();
  if (axis) s.views.axis = value;
  in.get(s.views.scores);
  fields([&](auto& v) { in.get(v); }, s);
  s.channels.resize(in.count(32));
  for (ViewStats::Channel& c : s.channels)
    in.get(c.pairs), in.get(c.max), in.get(c.squares), in.get(c.reference);
}

}  // namespace octavo
