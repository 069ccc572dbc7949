#!/usr/bin/env python3
"""Times `octavo quantize` on a 438 MB transformer against the machine's limit.

The limit ("floor") is floor.cc: it maps the model, reads every byte twice and
writes a quarter. All contenders run in turns, in random order within a round,
so that what else the machine does falls on all of them alike.

Usage: quantize.py OCTAVO [FOLDER] [ROUNDS]
The model is built once, by build_models.py, which needs the Python packages
onnx and numpy. Prints medians of the wall time, the median absolute deviation,
and the largest peak of resident memory that the kernel counted.
"""
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


def run(command):
    """Seconds and peak MiB of one whole process."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))} failed with status {status}.")
    return seconds, usage.ru_maxrss / 1024


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    octavo = sys.argv[1]
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "build/bench")
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    folder.mkdir(parents=True, exist_ok=True)
    model, out = folder / "bert.onnx", folder / "out"
    if not model.exists():
        subprocess.run([sys.executable, HERE / "build_models.py", folder,
                        "bert"], check=True)
    floor = folder / "floor"
    subprocess.run(["g++", "-O3", "-march=native", "-pthread",
                    HERE / "floor.cc", "-o", floor], check=True)

    quantize = [octavo, "quantize", model, "-o", f"{out}.onnx", "--force"]
    contenders = {
        "floor, 2 threads": [floor, model, out, "2", "0"],
        "floor, 2 threads, fsync": [floor, model, out, "2", "1"],
        "octavo quantize": quantize,
        "octavo quantize --no-check": quantize + ["--no-check"],
        "octavo quantize --no-check --no-sync":
            quantize + ["--no-check", "--no-sync"],
        "... --no-check --no-source-hash":
            quantize + ["--no-check", "--no-source-hash"],
        "... --no-check --no-source-hash --no-sync":
            quantize + ["--no-check", "--no-source-hash", "--no-sync"],
    }
    times = {name: [] for name in contenders}
    peak = dict.fromkeys(contenders, 0.0)
    random.seed(1)
    for round_ in range(rounds + 1):
        order = list(contenders)
        random.shuffle(order)
        for name in order:
            seconds, mib = run(contenders[name])
            if round_ > 0:  # the first round fills the page cache
                times[name].append(seconds)
                peak[name] = max(peak[name], mib)
    print(f"{model.stat().st_size:,} bytes, {rounds} rounds, "
          f"{os.cpu_count()} cores")
    print(f"{'':42}{'median s':>9}{'MAD':>7}{'peak MiB':>10}")
    for name, values in times.items():
        median = statistics.median(values)
        mad = statistics.median(abs(v - median) for v in values)
        print(f"{name:42}{median:9.3f}{mad:7.3f}{peak[name]:10.0f}")


if __name__ == "__main__":
    main()
