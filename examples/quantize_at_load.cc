// Quantizes a model while a program loads it: the original is read into
// memory, its INT8 copy is made in memory, and ONNX Runtime opens the copy.
// Nothing is written to the disk.
//
//   quantize_at_load MODEL SAMPLES      SAMPLES: as for octavo run --samples
#include <octavo/compare.h>
#include <octavo/error.h>
#include <octavo/quantize.h>
#include <octavo/runtime.h>
#include <octavo/samples.h>

#include <cstdio>
#include <fstream>
#include <iterator>

namespace {

std::vector<char> read_file(const char* path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw octavo::Error(octavo::ErrorKind::io,
                        std::string(path) + " cannot be read.");
  return {std::istreambuf_iterator<char>(in), {}};
}

int quantize_and_run(const char* model, const char* samples) {
  const std::vector<char> original = read_file(model);
  const octavo::QuantizedBytes copy =
      octavo::quantize_bytes(std::as_bytes(std::span(original)));
  std::printf("%zu bytes -> %zu bytes, %lld of %lld nodes quantized\n",
              original.size(), copy.model.size(),
              static_cast<long long>(copy.plan.quantized),
              static_cast<long long>(copy.plan.candidates));
  for (const octavo::Decision& d : copy.plan.decisions)
    if (!d.reason.empty())
      std::printf("%s '%s': %s\n", d.op.c_str(), d.node.c_str(),
                  d.reason.c_str());

  const auto runtime = octavo::load_runtime();
  const auto session = octavo::open_session(runtime, copy.model);
  octavo::SampleSpec spec;
  spec.samples = samples;
  const auto source = octavo::open_samples(spec, session->inputs());
  const octavo::Batch batch = source->batch(0);
  const std::vector<octavo::Value> outputs = session->run(batch.feed);
  for (size_t i = 0; i < outputs.size(); ++i)
    std::printf("%s of %s: %s\n", session->outputs()[i].name.c_str(),
                batch.name.c_str(), octavo::value_text(outputs[i]).c_str());

  // Once, while you develop: what does the copy cost on these samples?
  const auto reference =
      octavo::open_session(runtime, std::as_bytes(std::span(original)));
  const octavo::CompareResult cost =
      octavo::compare(*reference, *session, *source);
  for (const octavo::OutputSummary& o : cost.outputs)
    if (o.sqnr_db)
      std::printf("%s: SQNR %.1f dB over %lld elements\n", o.name.c_str(),
                  *o.sqnr_db, static_cast<long long>(o.elements));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: quantize_at_load MODEL SAMPLES\n");
    return 2;
  }
  try {
    return quantize_and_run(argv[1], argv[2]);
  } catch (const octavo::Error& error) {
    std::fprintf(stderr, "quantize_at_load: %s\n", error.what());
    return 2;
  }
}
