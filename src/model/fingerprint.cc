// A model told apart by its skeleton. Blob handles are numbers in the order of
// the file, so the same file always has the same.
#include "base/sha256.h"
#include "model/data.h"
#include "octavo/error.h"

namespace octavo {

std::string fingerprint(const Model& model) {
  std::string skeleton;
  if (!model.data().proto.SerializeToString(&skeleton))
    throw Error(ErrorKind::limit,
                "the model's structure alone, without its weights, is larger "
                "than protobuf's 2 GiB.");
  Sha256 sha;
  sha.update(std::as_bytes(std::span(skeleton)));
  return sha.finish_hex();
}

}  // namespace octavo
