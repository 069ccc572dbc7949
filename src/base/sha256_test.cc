#include "base/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace octavo {
namespace {

std::string hash(const std::string& text, size_t step) {
  Sha256 sha;
  const Bytes all = std::as_bytes(std::span(text.data(), text.size()));
  for (size_t i = 0; i < all.size(); i += step)
    sha.update(all.subspan(i, std::min(step, all.size() - i)));
  return sha.finish_hex();
}

// The examples of FIPS 180-4's companion document.
TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(hash("", 1),
            "e3b0c44298fc1c149afbf4c8996fb924"
            "27ae41e4649b934ca495991b7852b855");
  for (const size_t step : {1u, 2u, 100u})
    EXPECT_EQ(hash("abc", step),
              "ba7816bf8f01cfea414140de5dae2223"
              "b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace octavo
