// SHA-256 (FIPS 180-4) in pieces, by libcrypto.
#pragma once

#include <memory>
#include <string>

#include "octavo/tensor.h"

namespace octavo {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(Bytes bytes);
  // 64 lower-case hexadecimal digits; ends the use of this object.
  std::string finish_hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace octavo
