// Makes the report's tables handy: sorted by a click, filtered by words, drawn
// as charts. Every number is in the tables: without this script nothing is
// missing. It asks nothing of the network.
"use strict";

function numberOf(cell) {
  return cell && cell.dataset.v !== undefined ? Number(cell.dataset.v) : NaN;
}

// --- Sorting -----------------------------------------------------------------
function sortBy(table, column, button) {
  const header = button.parentElement;
  const descending = header.getAttribute("aria-sort") !== "descending";
  for (const th of table.tHead.rows[0].cells) th.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const body = table.tBodies[0];
  const key = (row) => row.cells[column];
  const rows = Array.from(body.rows);
  rows.sort((a, b) => {
    const x = numberOf(key(a)), y = numberOf(key(b));
    if (Number.isNaN(x) && Number.isNaN(y)) {
      const order = key(a).textContent.localeCompare(
          key(b).textContent, undefined, {numeric: true});
      return descending ? -order : order;
    }
    if (Number.isNaN(x)) return 1;
    if (Number.isNaN(y)) return -1;
    return descending ? y - x : x - y;
  });
  body.append(...rows);
}

function makeSortable(table) {
  Array.from(table.tHead.rows[0].cells).forEach((th, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = th.textContent;
    button.title = "Sort";
    button.addEventListener("click", () => sortBy(table, column, button));
    th.replaceChildren(button);
  });
}

// --- Filtering ---------------------------------------------------------------
function labelled(text, control) {
  const label = document.createElement("label");
  label.append(text + " ", control);
  return label;
}

function makeFilterable(table) {
  const words = document.createElement("input");
  words.type = "search";
  words.placeholder = "name, operator or reason";
  const fate = document.createElement("select");
  for (const [value, text] of [["", "all"], ["q", "quantized"], ["f", "float"]])
    fate.add(new Option(text, value));
  const count = document.createElement("output");
  const tools = document.createElement("div");
  tools.className = "tools";
  tools.append(labelled("Show", words), labelled("of", fate), count);
  const rows = Array.from(table.tBodies[0].rows);
  const texts = new Map(rows.map((r) => [r, r.textContent.toLowerCase()]));
  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      row.hidden = (fate.value && row.dataset.k !== fate.value) ||
          !wanted.every((w) => texts.get(row).includes(w));
      if (!row.hidden) ++shown;
    }
    count.textContent = shown + " of " + rows.length + " rows";
  };
  words.addEventListener("input", apply);
  fate.addEventListener("input", apply);
  apply();
  table.parentElement.before(tools);
}

// --- Charts ------------------------------------------------------------------
// Told apart also by lightness, for eyes and printers without colours.
const COLOURS = ["#2f6fb5", "#e08a1e", "#3c9a5f", "#b0447a", "#7a6fc9",
                 "#8d8d3a", "#3aa0a8", "#8a5a44"];

function bytesText(v) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (v >= 1024 && i < units.length - 1) v /= 1024, ++i;
  return (i ? v.toFixed(1) : v) + " " + units[i];
}

function secondsText(v) {
  if (v >= 1) return v.toFixed(2) + " s";
  return v >= 1e-3 ? (v * 1e3).toFixed(2) + " ms" : (v * 1e6).toFixed(1) + " us";
}

const UNITS = {
  bytes: bytesText,
  seconds: secondsText,
  "": (v) => String(+v.toPrecision(4)),
};

// What Chart.js needs, from the table: its first column names the rows.
function chartData(table, kind) {
  const titles = Array.from(table.tHead.rows[0].cells, (c) => c.textContent);
  const rows = Array.from(table.tBodies[0].rows);
  const names = rows.map((r) => r.cells[0].textContent);
  const columns = titles.map((_, i) => i).filter(
      (i) => i > 0 && rows.some((r) => !Number.isNaN(numberOf(r.cells[i]))));
  const value = (r, i) => {
    const v = numberOf(r.cells[i]);
    return Number.isNaN(v) ? null : v;
  };
  // Stacked: a bar for each column, a piece of it for each row.
  if (kind === "stacked")
    return {
      labels: columns.map((i) => titles[i]),
      sets: rows.map((r, k) => ({
        label: names[k], data: columns.map((i) => value(r, i)),
      })),
    };
  return {
    labels: names,
    sets: columns.map((i) => ({
      label: titles[i], data: rows.map((r) => value(r, i)),
    })),
  };
}

function chartConfig(table, kind, ink, line) {
  const {labels, sets} = chartData(table, kind);
  const text = UNITS[table.dataset.unit || ""];
  const lines = kind === "lines", flat = !lines && kind !== "columns";
  sets.forEach((s, i) => {
    s.backgroundColor = s.borderColor = COLOURS[i % COLOURS.length];
    if (lines) Object.assign(s, {borderWidth: 1.5, pointRadius: 2});
    if (flat) s.maxBarThickness = 26;
    if (kind === "columns") Object.assign(s, {barPercentage: 1, categoryPercentage: .95});
  });
  // Bytes by powers of two, so that the marks are round numbers.
  const most = Math.max(...sets.flatMap((x) => x.data), 1);
  const value = {
    stacked: kind === "stacked", beginAtZero: true,
    grid: {color: line}, ticks: {color: ink, callback: (v) => text(v)},
  };
  if (table.dataset.unit === "bytes")
    value.ticks.stepSize = 2 ** Math.max(Math.ceil(Math.log2(most / 6)), 0);
  const name = {
    stacked: kind === "stacked", grid: {display: false},
    ticks: {color: ink, autoSkip: !flat, maxRotation: 0},
  };
  return {
    type: lines ? "line" : "bar",
    data: {labels, datasets: sets},
    options: {
      animation: false, maintainAspectRatio: false,
      indexAxis: flat ? "y" : "x",
      scales: flat ? {x: value, y: name} : {x: name, y: value},
      plugins: {
        legend: {display: sets.length > 1, labels: {color: ink, boxWidth: 14}},
        tooltip: {callbacks: {label: (c) => c.dataset.label + ": " + text(c.raw)}},
      },
    },
  };
}

function makeChart(table) {
  const kind = table.dataset.chart;
  const box = document.createElement("div");
  box.className = "chart";
  const bars = kind === "stacked" ? 2 : table.tBodies[0].rows.length;
  const flat = kind === "stacked" || kind === "bars";
  box.style.height = (flat ? Math.min(110 + 34 * bars, 900) : 260) + "px";
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", table.caption.textContent +
                      "; the same numbers are in the table that follows");
  box.append(canvas);
  (table.closest("details") || table.parentElement).before(box);
  const colours = () => {
    const style = getComputedStyle(document.documentElement);
    return [style.getPropertyValue("--ink").trim(),
            style.getPropertyValue("--line").trim()];
  };
  let chart = new Chart(canvas, chartConfig(table, kind, ...colours()));
  return (ink, line) => {
    chart.destroy();
    chart = new Chart(canvas, chartConfig(
        table, kind, ...(ink ? [ink, line] : colours())));
  };
}

// -----------------------------------------------------------------------------
const redraws = [];
// First the charts, which read the titles, then the buttons in their place.
if (typeof Chart !== "undefined")
  for (const table of document.querySelectorAll("table[data-chart]"))
    redraws.push(makeChart(table));
for (const table of document.querySelectorAll("table[data-sort]"))
  makeSortable(table);
for (const table of document.querySelectorAll("table[data-filter]"))
  makeFilterable(table);

const redraw = (...colours) => redraws.forEach((r) => r(...colours));
matchMedia("(prefers-color-scheme: dark)")
    .addEventListener("change", () => redraw());
// On paper: dark on light, and what is folded away unfolded.
addEventListener("beforeprint", () => {
  for (const d of document.querySelectorAll("details")) d.open = true;
  redraw("#000", "#bbb");
});
addEventListener("afterprint", () => redraw());
