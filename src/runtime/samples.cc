// open_samples: which kind of source a spec asks for.
#include "octavo/samples.h"

#include <fmt/format.h>

#include <system_error>

#include "base/names.h"
#include "octavo/error.h"
#include "runtime/feed_check.h"
#include "runtime/sample_sources.h"

namespace octavo {

std::unique_ptr<SampleSource> open_samples(const SampleSpec& spec,
                                           const std::vector<Port>& inputs) {
  const bool given = !spec.inputs.empty();
  const bool many = !spec.samples.empty();
  const bool generated = spec.random != 0;
  if (given + many + generated != 1)
    throw Error(ErrorKind::usage,
                fmt::format("{}; give exactly one of --input FILE, --samples "
                            "FOLDER or FILE.npz, and --random N. The model's "
                            "inputs are {}.",
                            given + many + generated == 0
                                ? "nothing says what to feed the model"
                                : "several things say what to feed the model",
                            port_list(inputs)));
  if (spec.batch < 1)
    throw Error(ErrorKind::usage,
                fmt::format("a batch of {} samples makes no sense; give 1 or "
                            "more.",
                            spec.batch));
  if (!generated && !spec.dims.empty())
    throw Error(
        ErrorKind::usage,
        "--dim says how large generated inputs are; it needs --random.");
  if (!generated && !spec.ranges.empty())
    throw Error(ErrorKind::usage,
                "--range says what generated inputs hold; it needs --random.");
  if (given) return open_given(spec, inputs);
  if (generated) return open_random(spec, inputs);
  std::error_code ignored;
  return std::filesystem::is_directory(spec.samples, ignored)
             ? open_folder(spec, inputs)
             : open_stacked(spec, inputs);
}

int64_t samples_in(const std::vector<Shape>& shapes) {
  int64_t count = -1;
  for (const Shape& shape : shapes) {
    if (shape.empty()) continue;
    if (count >= 0 && shape[0] != count) return 1;
    count = shape[0];
  }
  return count < 0 ? 1 : count;
}

const Port& port_named(const std::string& name, const std::vector<Port>& inputs,
                       const std::string& where) {
  for (const Port& port : inputs)
    if (port.name == name) return port;
  const std::string hint = did_you_mean(name, port_names(inputs));
  throw Error(ErrorKind::usage,
              fmt::format("the model has no input '{}', which {} is given for; "
                          "{}{}its inputs are {}.",
                          name, where, hint, hint.empty() ? "" : " ",
                          port_list(inputs)));
}

void missing_input(const Port& port, const std::string& where,
                   const std::vector<std::string>& keys) {
  const std::string hint = did_you_mean(port.name, keys);
  throw Error(ErrorKind::usage,
              fmt::format("the input '{}' ({}) is missing in {}, which has {}{}"
                          "{}",
                          port.name, port_text(port), where, name_list(keys),
                          hint.empty() ? "." : "; ", hint));
}

std::string counted(int64_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace octavo
