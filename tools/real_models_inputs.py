"""Plausible inputs for the models of tools/real-models, as .npz files.

    python3 real_models_inputs.py MODEL OUTDIR [OCTAVO MODELS]

writes OUTDIR/0.npz, 1.npz, ...: one batch each, arrays named like the model's
inputs; and prints one phrase that says what they are. The wake-word models see
what their two front models make of the voice, so that these run first, with
OCTAVO, from the folder MODELS. Standard library only, and the same bytes on
every machine: a drawn page, a drawn face, a synthetic voice, no noise.
"""

import io
import math
import pathlib
import struct
import subprocess
import sys
import zipfile


class Array:
    """A dense array: NumPy's type code ("<f4", "<i8"), shape, flat values."""

    def __init__(self, values, shape, code="<f4"):
        self.values, self.shape, self.code = values, tuple(shape), code
        assert len(values) == math.prod(self.shape)


def write_npz(path, arrays):
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            header = repr({"descr": array.code, "fortran_order": False,
                           "shape": array.shape})
            header += " " * (-(len(header) + 11) % 64) + "\n"
            letter = {"<f4": "f", "<i8": "q"}[array.code]
            data = struct.pack(f"<{len(array.values)}{letter}", *array.values)
            archive.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00"
                             + struct.pack("<H", len(header))
                             + header.encode() + data)


def read_npz(path):
    """The one float32 array that the file holds."""
    with zipfile.ZipFile(path) as archive:
        (name,) = archive.namelist()
        data = io.BytesIO(archive.read(name))
    data.seek(8)
    (size,) = struct.unpack("<H", data.read(2))
    header = data.read(size).decode()
    shape = header.split("'shape':")[1].split("(")[1].split(")")[0]
    shape = [int(n) for n in shape.split(",") if n.strip()]
    assert "'<f4'" in header and "False" in header, header
    count = math.prod(shape)
    return Array(list(struct.unpack(f"<{count}f", data.read())), shape)


# Pictures: rows of brightness, 0 to 1.

GLYPHS = {  # 5 x 7 dots, a row per number, the left dot is the highest bit
    "A": (14, 17, 17, 31, 17, 17, 17), "C": (14, 17, 16, 16, 16, 17, 14),
    "O": (14, 17, 17, 17, 17, 17, 14), "T": (31, 4, 4, 4, 4, 4, 4),
    "8": (14, 17, 17, 14, 17, 17, 14),
    " ": (0, 0, 0, 0, 0, 0, 0)}


def page(height, width, lines, dot):
    """Lines of dark text on paper, `dot` pixels a dot."""
    picture = [[0.95] * width for _ in range(height)]
    gap = (height - 7 * dot * len(lines)) // (len(lines) + 1)
    for row, line in enumerate(lines):
        top = gap + row * (7 * dot + gap)
        left = (width - 6 * dot * len(line)) // 2
        for place, letter in enumerate(line):
            for y in range(7 * dot):
                for x in range(5 * dot):
                    if GLYPHS[letter][y // dot] >> (4 - x // dot) & 1:
                        picture[top + y][left + 6 * dot * place + x] = 0.1
    return picture


def face(size):
    """An oval face with eyes, brows and a mouth before a grey wall."""
    def shade(y, x):
        def inside(cy, cx, ry, rx):
            return ((y - cy) / ry) ** 2 + ((x - cx) / rx) ** 2 < 1
        side = abs(x - 0.5)
        if abs(math.hypot(y - 0.46, side - 0.11)) < 0.022:
            return 0.1
        if inside(0.46, 0.39, 0.03, 0.055) or inside(0.46, 0.61, 0.03, 0.055):
            return 0.9
        if abs(y - 0.39) < 0.012 and 0.05 < side < 0.17:
            return 0.2
        if abs(y - 0.6) < 0.01 and side < 0.04:
            return 0.45
        if inside(0.69, 0.5, 0.02, 0.09):
            return 0.3
        if inside(0.3, 0.5, 0.16, 0.27) and y < 0.3:
            return 0.12
        if inside(0.52, 0.5, 0.32, 0.24):
            return 0.75 - 0.5 * side
        return 0.45 + 0.1 * y
    return [[shade((y + 0.5) / size, (x + 0.5) / size) for x in range(size)]
            for y in range(size)]


def planes(picture, means, deviations):
    """[1, 3, height, width], each channel normalized."""
    values = [(v - m) / d for m, d in zip(means, deviations)
              for row in picture for v in row]
    return Array(values, (1, 3, len(picture), len(picture[0])))


def pixels(picture):
    """[1, height, width, 3] from -1 to 1, in a skin's colours."""
    values = [2 * min(1, v * tint) - 1 for row in picture for v in row
              for tint in (1.1, 0.9, 0.8)]
    return Array(values, (1, len(picture), len(picture[0]), 3))


# Sound.

VOWELS = ((730, 1090, 2440), (270, 2290, 3010), (570, 840, 2410),
          (530, 1840, 2480), (300, 870, 2240))  # formants in Hz


def voice(seconds, rate):
    """Vowels sung in turn: pulses of 95 to 135 Hz through three resonators;
    from -0.5 to 0.5."""
    sound, phase = [], 0.0
    states = [[0.0, 0.0] for _ in range(3)]
    for i in range(int(seconds * rate)):
        t = i / rate
        phase += (115 + 20 * math.sin(2 * math.pi * 1.7 * t)) / rate
        value = 0.0
        if phase >= 1:
            phase -= 1
            value = 1.0
        formants = VOWELS[int(t * 5) % len(VOWELS)]
        loudness = max(0.0, math.sin(math.pi * (t * 5 % 1))) ** 0.5
        for state, hertz in zip(states, formants):
            radius = math.exp(-math.pi * 90 / rate)
            turn = 2 * radius * math.cos(2 * math.pi * hertz / rate)
            value += turn * state[0] - radius * radius * state[1]
            state[1], state[0] = state[0], value
        sound.append(value * loudness)
    top = max(abs(v) for v in sound)
    return [0.5 * v / top for v in sound]


def vad_batches(window, states, shape):
    """Three windows of a voice at 16 kHz, one of half the size at 8 kHz (the
    models keep a second network for it), each from an empty state."""
    for rate, starts in ((16000, (1600, 4800, 8000)), (8000, (800,))):
        size = window * rate // 16000
        sound = voice(1, rate)
        for start in starts:
            batch = {"input": Array(sound[start:start + size], (1, size)),
                     "sr": Array([rate], (), "<i8")}
            for state in states:
                batch[state] = Array([0.0] * math.prod(shape), shape)
            yield batch


def wake_sound():
    """3.6 s of a voice at 16 kHz in the numbers of 16-bit samples."""
    sound = [32767 * v for v in voice(3.6, 16000)]
    return Array(sound, (1, len(sound)))


class FrontModels:
    """Runs the wake-word models' front: sound -> mel bands -> features."""

    def __init__(self, octavo, models, scratch):
        self.octavo, self.models, self.scratch = octavo, models, scratch

    def run(self, model, arrays):
        given, got = self.scratch / "given.npz", self.scratch / "got.npz"
        write_npz(given, arrays)
        got.unlink(missing_ok=True)
        subprocess.run(
            [self.octavo, "run", self.models / f"{model}.onnx",
             "--samples", self.scratch / "given.npz", "--batch", "1000000",
             "--save", got],
            check=True, stdout=subprocess.DEVNULL)
        result = read_npz(got)
        given.unlink()
        got.unlink()
        return result

    def mel_windows(self):
        """Windows of 76 frames, 8 apart, scaled as the features want them."""
        mel = self.run("melspectrogram", {"input": wake_sound()})
        bands = [v / 10 + 2 for v in mel.values]
        frames = len(bands) // 32
        starts = range(0, frames - 75, 8)
        values = [v for s in starts for v in bands[s * 32:(s + 76) * 32]]
        return Array(values, (len(starts), 76, 32, 1))

    def features(self, count):
        """The last `count` of the features, [1, count, 96]."""
        result = self.run("embedding_model", {"input_1": self.mel_windows()})
        return Array(result.values[-96 * count:], (1, count, 96))


IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
HALVES = ((0.5,) * 3, (0.5,) * 3)


def batches_for(model, front):
    """(phrase, batches) for a model's file name without .onnx."""
    if model == "ch_PP-OCRv4_det_infer":
        return "a page of text", [{"x": planes(
            page(160, 320, ("A COAT", "8 TACO"), 6), *IMAGENET)}]
    if model == "ch_PP-OCRv4_rec_infer":
        return "a line of text", [{"x": planes(
            page(48, 320, ("A COAT 8",), 5), *HALVES)}]
    if model == "ch_ppocr_mobile_v2.0_cls_infer":
        return "a line of text", [{"x": planes(
            page(48, 192, ("A COAT",), 5), *HALVES)}]
    if model.startswith("face_detection_"):
        size = 256 if "256" in model else 128
        return "a drawn face", [{"input:0": pixels(face(size))}]
    if model in ("silero_vad_v5", "silero_vad_v6"):
        return "a voice", list(vad_batches(512, ["state"], (2, 1, 128)))
    if model in ("silero_vad", "silero_vad_legacy"):
        return "a voice", list(vad_batches(1536, ["h", "c"], (2, 1, 64)))
    if model == "melspectrogram":
        return "a voice", [{"input": wake_sound()}]
    if model == "embedding_model":
        return "a voice's mel bands", [{"input_1": front.mel_windows()}]
    counts = {"timer_v0.1": 34, "weather_v0.1": 22}
    name = "x.1" if model == "hey_jarvis_v0.1" else "onnx::Flatten_0"
    if model in ("alexa_v0.1", "hey_jarvis_v0.1", "hey_mycroft_v0.1",
                 "hey_rhasspy_v0.1", *counts):
        return "a voice's features", [
            {name: front.features(counts.get(model, 16))}]
    raise SystemExit(f"There is no plausible input for the model {model}; "
                     "add one to tools/real_models_inputs.py.")


def main():
    model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    front = FrontModels(*map(pathlib.Path, sys.argv[3:]), folder)
    phrase, batches = batches_for(model, front)
    for number, batch in enumerate(batches):
        write_npz(folder / f"{number}.npz", batch)
    print(phrase)


if __name__ == "__main__":
    main()
