// numpy's .npy format, versions 1 to 3 (numpy/lib/format.py describes it):
// "\x93NUMPY", version, length of the header, a Python dict of descr,
// fortran_order and shape, then the elements. Doors: `read_npy_header`,
// `read_npy`, `read_npy_rows`, `npy_bytes`. No pickles, no structured types.
#pragma once

#include <vector>

#include "octavo/tensor.h"
#include "runtime/byte_source.h"

namespace octavo {

struct NpyHeader {
  enum class Text { no, utf32, bytes };  // <U and |S become string tensors
  DType type = DType::undefined;
  Shape shape;
  bool fortran_order = false;
  bool swapped = false;  // big-endian elements
  Text text = Text::no;
  int64_t item_bytes = 0;   // of one element in the file
  int64_t data_offset = 0;  // of the first element
};

// Reads and checks the header: afterwards the shape's bytes are known to lie
// within source.size(), so a wrong header cannot ask for absurd memory. Throws
// Error(format), Error(unsupported) for pickled objects and other dtypes that
// no ONNX type matches, both with the way out.
NpyHeader read_npy_header(const ByteSource& source);

// The whole array: row-major, little-endian, whatever the file has; bools are
// 0 or 1; text is UTF-8.
Tensor read_npy(const ByteSource& source, const NpyHeader& header);

// Rows [first, first + count) of the leading axis, read alone. The header must
// have a leading axis and no Fortran order.
Tensor read_npy_rows(const ByteSource& source, const NpyHeader& header,
                     int64_t first, int64_t count);

// The header of such a file, padded to `least` bytes, a multiple of 64, or to
// its own size where that is more. Throws Error(unsupported) for types that
// numpy lacks.
std::vector<std::byte> npy_header_bytes(DType type, const Shape& shape,
                                        size_t least);

// The .npy file of a tensor, version 1 (2 where the header is long), row-major.
// Types that numpy lacks are widened without loss (base/element.h). Strings
// become <U, or |S where they are not UTF-8; both lose trailing NULs, as in
// numpy.
std::vector<std::byte> npy_bytes(const Tensor& tensor);

}  // namespace octavo
