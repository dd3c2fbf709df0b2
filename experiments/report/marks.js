// What is drawn with: SVG elements, markers, dashes and hatches that tell curves apart in grey too.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const DASHES = { "-": "", "--": "6 4", "-.": "8 3 2 3", ":": "2 3", "none": "0 99999" };
const HATCHES = {
  "//": "M0 6L6 0", "\\\\": "M0 0L6 6", "xx": "M0 0L6 6M0 6L6 0", "--": "M0 3H6", "||": "M3 0V6", "++": "M0 3H6M3 0V6",
  "..": "M2 3H4",
};
// Within a circle of radius 1; "line" is stroked only.
const MARKERS = {
  "o": "M-1 0A1 1 0 1 0 1 0A1 1 0 1 0 -1 0Z",
  "s": "M-.85-.85H.85V.85H-.85Z",
  "D": "M0-1.2L1.2 0L0 1.2L-1.2 0Z",
  "^": "M0-1.1L1.1 .9H-1.1Z",
  "v": "M0 1.1L1.1-.9H-1.1Z",
  "<": "M-1.1 0L.9-1.1V1.1Z",
  ">": "M1.1 0L-.9-1.1V1.1Z",
  "P": "M-.4-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
  "X": "M-1.1-.7L-.7-1.1L0-.4L.7-1.1L1.1-.7L.4 0L1.1 .7L.7 1.1L0 .4L-.7 1.1L-1.1 .7L-.4 0Z",
  "x": "M-1-1L1 1M-1 1L1-1",
  "p": "M0-1.1L1.05-.34L.65 .9H-.65L-1.05-.34Z",
};
const HOLLOW = ["o", "D", "s", "^"]; // published numbers: a shape a source

function svg(name, attributes = {}, parent = null) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== "" && value !== null) element.setAttribute(key, value);
  }
  if (parent) parent.append(element);
  return element;
}

function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Black and the grey of theory follow the page into the dark.
function ink(color) {
  if (color === "#000000") return "var(--ink)";
  return color === "#666666" ? "var(--soft)" : color;
}

function marker(shape, x, y, color, parent, { size = 4, hollow = false } = {}) {
  const path = MARKERS[shape];
  if (!path) return;
  svg("path", {
    d: path, transform: `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${size})`, "stroke": ink(color),
    "stroke-width": hollow || shape === "x" ? 1.4 / size : 0,
    "fill": hollow ? "var(--card)" : shape === "x" ? "none" : ink(color),
  }, parent);
}

let hatches = 0; // ids of patterns are one name space on a page

// The fill of a bar: its colour, with lines across it.
function barFill(curve, defs) {
  const lines = HATCHES[curve.hatch];
  if (!lines) return ink(curve.color);
  const id = `hatch-${++hatches}`;
  const pattern = svg("pattern", { id, width: 6, height: 6, patternUnits: "userSpaceOnUse" }, defs);
  svg("rect", { width: 6, height: 6, fill: ink(curve.color) }, pattern);
  svg("path", { d: lines, stroke: "var(--card)", "stroke-width": 1, "stroke-opacity": 0.75 }, pattern);
  return `url(#${id})`;
}

// The picture of a curve in the legend.
function swatch(curve, bars) {
  const picture = svg("svg", { width: 30, height: 12, "aria-hidden": "true" });
  if (bars && !curve.theory) {
    svg("rect", { x: 4, y: 0, width: 22, height: 12, fill: barFill(curve, svg("defs", {}, picture)) }, picture);
    return picture;
  }
  svg("path", {
    d: "M1 6H29", stroke: ink(curve.color), "stroke-width": 2, "stroke-dasharray": DASHES[curve.dash] ?? "",
  }, picture);
  marker(curve.marker, 15, 6, curve.color, picture);
  return picture;
}

const measuring = document.createElement("canvas").getContext("2d");
function textWidth(text, size = 12) {
  measuring.font = `${size}px system-ui, sans-serif`;
  return measuring.measureText(text).width;
}

// Broken between words so that no line is wider than the room; null if a word alone is.
function wrapped(text, room, size = 12) {
  const lines = [];
  for (const word of text.split(/[ ]+/)) {
    if (textWidth(word, size) > room) return null;
    const joined = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length && textWidth(joined, size) <= room) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}
