// Times `octavo quantize` and what opens models beside the machine's limit
// and, where Python has it, the peer. Usage: octavo_bench_quantize --help
#include <fmt/format.h>
#include <sys/utsname.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "bench/contest.h"
#include "bench/page.h"
#include "bench/stats.h"
#include "octavo/error.h"
#include "report/json.h"

namespace octavo::benchmarks {
namespace fs = std::filesystem;
namespace {

struct Settings {
  std::string octavo, programs, folder = "build/bench", python = "python3";
  std::string json, page;
  int rounds = 11;
  bool brief = false;
  bool peer = false;  // found out
  double most = 0;    // --most: the largest ratio that is no failure
};

// One table: contenders over one model, each beside the first one.
struct Table {
  std::string title;
  std::vector<Timing> rows;
};

class Bench {
 public:
  explicit Bench(const Settings& s) : s_(s) {
    cores_ = std::to_string(std::max(1u, std::thread::hardware_concurrency()));
    s_.peer = !s_.brief && succeeds({s_.python, peer_script()});
  }

  bool has_peer() const { return s_.peer; }

  void need(const std::string& name) {
    if (!succeeds({s_.programs + "/octavo_bench_models", s_.folder, name}))
      throw Error(ErrorKind::io,
                  fmt::format("the model '{}' could not be built in '{}'; is "
                              "there room?",
                              name, s_.folder));
  }

  std::string model(const std::string& name) const {
    return (fs::path(s_.folder) / (name + ".onnx")).string();
  }

  Contender floor(const std::string& name, const std::string& threads,
                  bool sync = false) const {
    std::string file = model(name);
    if (fs::exists(file + ".data")) file += ".data";
    return {fmt::format("limit, {} thread{}{}", threads,
                        threads == "1" ? "" : "s", sync ? ", on the disk" : ""),
            {s_.programs + "/octavo_bench_floor", file, s_.folder + "/out",
             threads, sync ? "1" : "0"}};
  }

  Contender quantize(const std::string& name, const std::string& title,
                     const std::vector<std::string>& flags) const {
    std::vector<std::string> command = {
        s_.octavo, "quantize", model(name), "-o", s_.folder + "/out.onnx",
        "--force"};
    command.insert(command.end(), flags.begin(), flags.end());
    return {title, command};
  }

  Contender look(const std::string& verb, const std::string& name) const {
    return {"octavo " + verb, {s_.octavo, verb, model(name)}};
  }

  void peer(std::vector<Contender>& to, const std::string& name,
            int rounds) const {
    if (s_.peer)
      to.push_back(
          {"quantize_dynamic, per channel",
           {s_.python, peer_script(), model(name), s_.folder + "/peer.onnx"},
           rounds});
  }

  void table(const std::string& title, const std::vector<Contender>& contenders,
             int rounds = 0) {
    fmt::print("{} ...\n", title);
    std::fflush(stdout);
    tables_.push_back(
        {title, contest(contenders, rounds > 0 ? rounds : s_.rounds, 1)});
    for (const char* left :
         {"out", "out.onnx", "out.onnx.data", "peer.onnx", "peer.onnx.data"})
      fs::remove(fs::path(s_.folder) / left);
    fmt::print("{}\n", text(tables_.back()));
    std::fflush(stdout);
  }

  // The median over rounds of a contender's time over the first one's.
  static double ratio(const Table& t, size_t row) {
    std::vector<double> ratios;
    const auto& a = t.rows[row].seconds;
    for (size_t i = 0; i < std::min(a.size(), t.rows[0].seconds.size()); ++i)
      ratios.push_back(a[i] / t.rows[0].seconds[i]);
    return median(ratios);
  }

  const std::vector<Table>& tables() const { return tables_; }
  const std::string& cores() const { return cores_; }

  static std::string text(const Table& t) {
    std::string out =
        fmt::format("| {:<31} | {:>8} | {:>6} | {:>6} | {:>5} | {:>5} |\n", "",
                    "median s", "MAD", "CPU s", "x", "MiB");
    out += fmt::format(
        "|{0:-<33}|{0:->9}:|{0:->7}:|{0:->7}:|{0:->6}:|{0:->6}:|\n", "");
    for (size_t i = 0; i < t.rows.size(); ++i) {
      const Timing& r = t.rows[i];
      const std::string spread =
          r.seconds.size() > 1 ? fmt::format("{:.4f}", mad(r.seconds)) : "once";
      out += fmt::format(
          "| {:<31} | {:>8.4f} | {:>6} | {:>6.3f} | {:>5.{}f} | {:>5.0f} |\n",
          r.name, median(r.seconds), spread, median(r.cpu_seconds), ratio(t, i),
          ratio(t, i) < 100 ? 2 : 0, r.peak_mib);
    }
    return out;
  }

 private:
  std::string peer_script() const { return OCTAVO_SOURCE_DIR "/bench/peer.py"; }

  Settings s_;
  std::string cores_;
  std::vector<Table> tables_;
};

void measure(Bench& b, bool brief) {
  const std::vector<std::string> bare = {"--no-check", "--no-source-hash",
                                         "--no-sync"};
  const auto with = [](std::vector<std::string> flags,
                       std::initializer_list<const char*> more) {
    flags.insert(flags.end(), more.begin(), more.end());
    return flags;
  };
  b.need("bert");
  if (brief) {
    b.table(
        "BERT base, 438 MB, one file",
        {b.floor("bert", b.cores()), b.quantize("bert", "octavo, bare", bare)});
    return;
  }
  b.table(
      "BERT base, 438 MB: one thread",
      {b.floor("bert", "1"), b.quantize("bert", "octavo, bare, 1 thread",
                                        with(bare, {"--write-threads", "1"}))});
  std::vector<Contender> all = {
      b.floor("bert", b.cores()),
      b.quantize("bert", "octavo, bare", bare),
      b.quantize("bert", "... with the source's SHA-256",
                 {"--no-check", "--no-sync"}),
      {"sha256sum, alone", {"sha256sum", b.model("bert")}},
  };
  b.peer(all, "bert", 3);
  b.table("BERT base, 438 MB: all cores", all);
  b.table("BERT base, 438 MB: on the disk before it ends",
          {b.floor("bert", b.cores(), true),
           b.quantize("bert", "octavo, bare, on the disk",
                      {"--no-check", "--no-source-hash"}),
           b.quantize("bert", "... with the source's SHA-256", {"--no-check"}),
           b.quantize("bert", "... and self-check: the default", {})});
  for (const char* name : {"gpt2m", "gpt2l"}) {
    b.need(name);
    std::vector<Contender> large = {b.floor(name, b.cores()),
                                    b.quantize(name, "octavo, bare", bare)};
    b.peer(large, name, 1);
    b.table(std::string(name) == "gpt2m" ? "GPT-2 medium, 1.6 GB, one file"
                                         : "GPT-2 large, 3.4 GB, external data",
            large, 5);
  }
  for (const char* name : {"sparse6", "sparse12"}) {
    b.need(name);
    b.table(std::string(name) == "sparse6" ? "6.4 GB, external data"
                                           : "12.9 GB, external data",
            {b.floor(name, b.cores()), b.quantize(name, "octavo, bare", bare)},
            3);
  }
  b.need("chain1600");
  b.need("chain12800");
  std::vector<Contender> chains = {
      b.quantize("chain1600", "octavo, 1,600 nodes", bare),
      b.quantize("chain12800", "octavo, 12,800 nodes", bare)};
  b.peer(chains, "chain1600", 2);
  b.table("Products of 32 x 32: time by nodes", chains);
  b.table("Looking, without a byte of the weights",
          {{"octavo --version", {b.look("", "").command[0], "--version"}},
           b.look("inspect", "gpt2l"),
           b.look("plan", "gpt2l")});
}

Json to_json(const Bench& b, const std::string& octavo) {
  utsname os{};
  ::uname(&os);
  const std::string release = os.release;
  Json out = {{"octavo", octavo},
              {"circumstances", circumstances()},
              {"kernel", release.substr(0, release.find('-'))}};
  for (const Table& t : b.tables()) {
    Json rows = Json::array();
    for (size_t i = 0; i < t.rows.size(); ++i) {
      const Timing& r = t.rows[i];
      rows.push_back({{"name", r.name},
                      {"median_seconds", median(r.seconds)},
                      {"mad_seconds", mad(r.seconds)},
                      {"ratio", Bench::ratio(t, i)},
                      {"peak_mib", r.peak_mib},
                      {"seconds", r.seconds},
                      {"cpu_seconds", r.cpu_seconds}});
    }
    out["tables"].push_back({{"title", t.title}, {"contenders", rows}});
  }
  return out;
}

std::string figures(const Bench& b) {
  std::string out = circumstances() + "\n";
  for (const Table& t : b.tables())
    out += fmt::format("\n**{}**\n\n{}", t.title, Bench::text(t));
  return out;
}

int run(int argc, char** argv) {
  CLI::App app("Times octavo quantize beside the machine's limit.");
  Settings s;
  s.programs = fs::path(argv[0]).parent_path().string();
  app.add_option("octavo", s.octavo, "The program to time")->required();
  app.add_option("--folder", s.folder, "Where models and copies go");
  app.add_option("--rounds", s.rounds)->check(CLI::Range(1, 1000));
  app.add_option("--python", s.python, "A Python that may have the peer");
  app.add_option("--json", s.json, "Write all samples to this file");
  app.add_option("--page", s.page, "Put the tables into this page");
  app.add_flag("--brief", s.brief, "One model, and no peer");
  app.add_option("--most", s.most,
                 "End with 1 where bare octavo takes more than so many times "
                 "the limit's time in the first table, twice");
  CLI11_PARSE(app, argc, argv);
  if (s.programs.empty()) s.programs = ".";
  Bench bench(s);
  if (!s.brief && !bench.has_peer())
    fmt::print("{} has no onnxruntime.quantization: the peer is left out.\n",
               s.python);
  measure(bench, s.brief);
  if (!s.json.empty()) {
    fs::create_directories(fs::path(s.json).parent_path());
    std::ofstream(s.json) << json_text(to_json(bench, OCTAVO_VERSION));
  }
  if (!s.page.empty()) write_page(s.page, "figures", figures(bench));
  double ratio = Bench::ratio(bench.tables().front(), 1);
  if (s.most > 0 && ratio > s.most) {
    fmt::print(
        "{:.2f} times the limit's time: once more, for the machine may "
        "have been busy.\n",
        ratio);
    measure(bench, true);
    ratio = std::min(ratio, Bench::ratio(bench.tables().back(), 1));
  }
  if (s.most > 0 && ratio > s.most) {
    fmt::print(
        "octavo took {:.2f} times the limit's time; at most {} was "
        "expected.\n",
        ratio, s.most);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace octavo::benchmarks

int main(int argc, char** argv) {
  try {
    return octavo::benchmarks::run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "octavo_bench_quantize: {}\n", e.what());
    return 2;
  }
}
