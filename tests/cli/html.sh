#!/usr/bin/env bash
# The HTML report: what is in the file, what it never replaces, and how a real
# browser takes it, where chromium is installed. Skips (77) without a runtime.
source "$(dirname "$0")/lib.sh"
need_runtime
net=$models/digits_cnn.onnx
samples=(--samples "$models/digits_cnn.test.npz" --batch 50)
page=$dir/report.html

run 1 trial "$net" -o "$dir/net.int8.onnx" "${samples[@]}" --seconds 0.1 \
  --labels "$models/digits_cnn.test.npz:y" --max-abs 0 --layers --html "$page"
says "$page"
[[ $(head -c 15 "$page") == "<!doctype html>" ]]
(($(stat -c %s "$page") < 2000000))
for part in "OUTSIDE your tolerances" "id=checks" "id=size" "id=nodes" \
  "id=outputs" "id=layers" "id=speed" "id=repeat" "octavo trial $net" "--max-abs 0"; do
  grep -qF -- "$part" "$page" || fail "the page has no $part"
done
# It asks nothing of the network: links lead within the page only.
! grep -oE '(src|href)="?[^#"]' "$page" | grep . || fail "it links outside"

# Models and samples are never replaced, an earlier page is; a folder that is
# not there is said before anything runs.
cp "$net" "$dir/keep.onnx"
run 2 compare "$net" "$dir/net.int8.onnx" "${samples[@]}" \
  --html "$dir/keep.onnx"
says "is no HTML page"
cmp "$net" "$dir/keep.onnx"
run 2 compare "$net" "$dir/net.int8.onnx" "${samples[@]}" \
  --html "$dir/none/page.html"
mkdir "$dir/pages"
for _ in 1 2; do
  run 0 compare "$net" "$dir/net.int8.onnx" "${samples[@]}" \
    --html "$dir/pages/page.html"
done
holds pages page.html
grep -q "id=nodes" "$dir/pages/page.html"
run 2 compare "$net" "$dir/net.int8.onnx" --samples "$dir/none.npz" \
  --html "$dir/pages/other.html"
holds pages page.html

browser=$(command -v chromium || command -v chromium-browser) || exit 0
grep -qF "Chart.js v" "$page" || exit 0 # a build without charts
# dom FILE: the document as the browser made it; its console in $dir/console.
dom() {
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu \
    --user-data-dir="$dir/profile" --enable-logging=stderr \
    --virtual-time-budget=5000 --dump-dom "file://$1" 2>"$dir/log"
  grep "CONSOLE" "$dir/log" >"$dir/console" || true
}
# The browser tells of errors at all, and the page has none.
echo '<!doctype html><script>throw Error("seen")</script>' >"$dir/bad.html"
dom "$dir/bad.html" >/dev/null
grep -q seen "$dir/console" || fail "the browser's console is not heard"
drawn=$(dom "$page")
[[ ! -s $dir/console ]] || fail "console: $(<"$dir/console")"
[[ $(grep -o "<canvas" <<<"$drawn" | wc -l) == 5 ]] || fail "not five charts"
grep -q "samples that differ most" <<<"$drawn" || fail "no worst samples"
# A script that is not the page's own does not run in it.
sed 's|</main>|<script>document.title = "foreign"</script></main>|' "$page" \
  >"$dir/foreign.html"
out=$(dom "$dir/foreign.html" | grep "<title>")
[[ $out != *foreign* ]] || fail "a foreign script ran"

# Somebody filters and sorts. The page's policy is taken off for that somebody.
cat >"$dir/user.js" <<'JS'
const all = (s) => [...document.querySelectorAll(s)];
const rows = () => all("table[data-filter] tbody tr").filter((r) => !r.hidden);
const wrong = [];
const check = (ok, what) => ok || wrong.push(what);
const type = (control, value) => {
  control.value = value;
  control.dispatchEvent(new Event("input"));
};
const [words] = all("input[type=search]"), [fate] = all("select");
const whole = rows().length;
check(whole > 3, "rows");
type(words, "GEMM");
check(rows().length > 0 && rows().length < whole, "the filter hides some");
check(rows().every((r) => r.textContent.includes("Gemm")), "the right ones");
type(words, "no such words");
check(rows().length === 0, "nothing matches");
check(all(".tools output")[0].textContent.startsWith("0 of "), "the count");
type(words, "");
type(fate, "q");
check(rows().every((r) => r.dataset.k === "q"), "quantized only");
type(fate, "");
const button = all("table[data-sort] thead button")
    .find((b) => b.textContent === "weights");
const sizes = () => rows().map((r) => Number(r.cells[3].dataset.v));
const sorted = (order) => sizes().every((v, i, a) => !i || order(a[i - 1], v));
button.click();
check(sorted((a, b) => a >= b), "descending");
button.click();
check(sorted((a, b) => a <= b) && sizes()[0] < sizes().at(-1), "ascending");
check(button.parentElement.getAttribute("aria-sort") === "ascending", "aria");
document.title = "wrong: " + (wrong.join(", ") || "nothing");
JS
{
  grep -v "Content-Security-Policy" "$page" | sed '/<\/body>/,$d'
  echo "<script>"
  cat "$dir/user.js"
  echo "</script></body></html>"
} >"$dir/used.html"
out=$(dom "$dir/used.html" | grep -o "<title>[^<]*")
[[ $out == "<title>wrong: nothing" ]] || fail "in the browser"
