"""What most people use instead: one call of ONNX Runtime's quantizer.

Usage: peer.py MODEL OUT, or without arguments to ask whether it is there.
"""
import os
import sys

from onnxruntime.quantization import QuantType, quantize_dynamic

if len(sys.argv) == 3:
    quantize_dynamic(sys.argv[1], sys.argv[2], weight_type=QuantType.QInt8,
                     per_channel=True,
                     use_external_data_format=os.path.exists(
                         sys.argv[1] + ".data"))
