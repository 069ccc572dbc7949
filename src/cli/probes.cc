#include "cli/probes.h"

namespace octavo::cli {

std::vector<Probe> probe(const std::shared_ptr<Runtime>& runtime,
                         const SessionOptions& session,
                         const ProbedModel& original, const ProbedModel& copy,
                         const SampleSource& samples,
                         const std::atomic<bool>& stop) {
  const auto subject = [&](const ProbedModel& model) {
    return ProbeSubject{&model.usual,
                        [&runtime, path = model.path](const SessionOptions& o) {
                          return open_session(runtime, path, o);
                        }};
  };
  ProbeOptions options;
  options.session = session;
  options.threads = runtime_info(*runtime).threads;
  options.stop = &stop;
  return run_probes(subject(original), subject(copy), samples, options);
}

std::vector<std::string> probe_measurements() {
  std::vector<std::string> names;
  for (const char* probe :
       {"batch_mates", "padding", "repetition", "threads", "optimization"})
    for (const char* side : {".original", ".copy"})
      names.push_back(std::string(probe) + side);
  return names;
}

}  // namespace octavo::cli
