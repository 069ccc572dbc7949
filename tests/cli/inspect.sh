# octavo inspect: what is in a model, and what became of it.
source "$OCTAVO_SOURCE_DIR/tests/cli/lib.sh"
model=$models/langid_bert.onnx

run 0 inspect "$model"
says "ai.onnx 17"
says "input_ids: int64[batch,seq]"
says "12  864.0 KiB"
run 0 quantize "$model" -o "$dir/q.onnx" --no-check
run 0 inspect "$dir/q.onnx"
says "13 MatMulInteger"
says "octavo.recipe = safe per-channel"
run 0 inspect "$model" "$dir/q.onnx"
says "16 of 20 candidate nodes quantized"
run 2 inspect "$dir/none.onnx"
says "none.onnx"
run 2 inspect "$model" "$OCTAVO_SOURCE_DIR/README.md"

if command -v python3 >/dev/null; then
  run 0 inspect "$model" --json
  python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["schema"] == "octavo.inspect/1", d
assert d["by_operator"]["MatMul"] == {"tensors": 12, "bytes": 884736}, d
assert len(d["tensors"]) == sum(t["tensors"] for t in d["by_type"].values())
assert d["tensors"][0]["shape"] == [96, 96, 5], d["tensors"][0]' <<<"$out"
  run 0 inspect "$model" "$dir/q.onnx" --json
  python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["schema"] == "octavo.inspect-pair/1", d
assert sum(n["quantized"] for n in d["nodes"]) == 16, d["nodes"]' <<<"$out"
fi

# A structure is all that is read: a model whose weights are a hole of 3 GB.
if command -v python3 >/dev/null; then
  python3 -c '
import struct, sys
def field(n, kind, data):
    def varint(v):
        out = b""
        while v > 127:
            out += bytes([v & 127 | 128]); v >>= 7
        return out + bytes([v])
    if kind == 0: return varint(n << 3) + varint(data)
    return varint(n << 3 | 2) + varint(len(data)) + data
def entry(k, v): return field(13, 2, field(1, 2, k) + field(2, 2, v))
rows = 3_000_000_000 // 4096
tensor = (field(1, 0, rows) + field(1, 0, 1024) + field(2, 0, 1) +
          field(8, 2, b"W") + entry(b"location", b"w.data") +
          field(14, 0, 1))
node = field(1, 2, b"W") + field(1, 2, b"i") + field(2, 2, b"y") + \
       field(4, 2, b"Gather")
def port(name, kind): return field(1, 2, name) + field(2, 2, field(1, 2, field(1, 0, kind)))
graph = field(1, 2, node) + field(2, 2, b"g") + field(5, 2, tensor) + \
        field(11, 2, port(b"i", 7)) + field(12, 2, port(b"y", 1))
model = field(1, 0, 8) + field(7, 2, graph) + field(8, 2, field(2, 0, 17))
open(sys.argv[1] + "/big.onnx", "wb").write(model)
with open(sys.argv[1] + "/w.data", "wb") as f: f.truncate(rows * 4096)' "$dir"
  run 0 inspect "$dir/big.onnx"
  says "2.8 GiB"
  run 0 plan "$dir/big.onnx"
  says "1 of 1 candidate node quantized"
fi
