#include "base/sha256.h"

#include <openssl/evp.h>

#include "octavo/error.h"

namespace octavo {

struct Sha256::Context {
  EVP_MD_CTX* md = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(md); }
};

namespace {

void require(bool ok) {
  if (!ok)
    throw Error(ErrorKind::unsupported,
                "the system's libcrypto refuses to compute SHA-256.");
}

}  // namespace

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  require(context_->md != nullptr &&
          EVP_DigestInit_ex(context_->md, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::update(Bytes bytes) {
  require(EVP_DigestUpdate(context_->md, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::finish_hex() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  require(EVP_DigestFinal_ex(context_->md, digest, &size) == 1);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    hex += "0123456789abcdef"[digest[i] >> 4];
    hex += "0123456789abcdef"[digest[i] & 15];
  }
  return hex;
}

}  // namespace octavo
