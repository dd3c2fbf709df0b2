// One figure, drawn from its numbers: curves or bars that can be pointed at and switched off.
//
// data: {x: {label, log, values}, y: {label, log}, bars, curves: [{name, color, marker, dash, hatch, theory, points}],
//        published: [{curve, x, value, source}]}; a point is [place in x.values, median, low, high, repetitions].
"use strict";

const HEIGHT = 300;
const TOP = 12;
const RIGHT = 14;

class Chart {
  constructor(holder, data) {
    this.data = data;
    this.holder = holder;
    this.hidden = new Set(); // curves, and sources of published numbers
    this.focus = null; // the place on the x axis that is pointed at
    this.sources = [...new Set(data.published.map(point => point.source))];
    this.numeric = !data.bars && data.x.values.every(value => value.trim() !== "" && Number.isFinite(Number(value)));
    this.logX = data.x.log && this.numeric;
    this.canvas = svg("svg", { height: HEIGHT, role: "img", tabindex: 0, class: "canvas" });
    this.canvas.setAttribute("aria-label", `${holder.dataset.title}. Arrow keys read the values.`);
    this.tip = html("div", { class: "tip", role: "status", hidden: "" });
    this.plot = html("div", { class: "plot" }, this.canvas, this.tip);
    holder.append(this.plot, this.legend());
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.plot);
    this.draw();
  }

  // ------------------------------------------------------------------------------------------------------------------
  // What is shown.

  toggle(key) {
    if (!this.hidden.delete(key)) this.hidden.add(key);
    this.draw();
  }

  curves() {
    return this.data.curves.filter((_, index) => !this.hidden.has(index));
  }

  published() {
    return this.data.published.filter(point => !this.hidden.has(point.curve) && !this.hidden.has(point.source));
  }

  legend() {
    const list = html("div", { class: "legend", role: "group", "aria-label": "Curves to show" });
    const add = (key, name, picture) => {
      const button = html("button", { type: "button", "aria-pressed": "true" }, picture, name);
      button.addEventListener("click", () => {
        this.toggle(key);
        button.setAttribute("aria-pressed", String(!this.hidden.has(key)));
      });
      list.append(button);
    };
    this.data.curves.forEach((curve, index) => add(index, curve.name, swatch(curve, this.data.bars)));
    if (this.data.curves.length + this.sources.length < 2) list.hidden = true;
    this.sources.forEach((source, index) => {
      const picture = svg("svg", { width: 14, height: 12, "aria-hidden": "true" });
      marker(HOLLOW[index % HOLLOW.length], 7, 6, "#000000", picture, { hollow: true });
      add(source, source === "paper" ? "published" : source, picture);
    });
    return list;
  }

  // ------------------------------------------------------------------------------------------------------------------
  // Places.

  drawable(value) {
    return Number.isFinite(value) && (!this.data.y.log || value > 0);
  }

  xValue(place) {
    return this.numeric ? Number(this.data.x.values[place]) : place;
  }

  bounds() {
    const values = [];
    for (const curve of this.curves()) {
      for (const [, median, low, high] of curve.points) values.push(median, low, Math.min(high, this.data.y.log ? high : 3 * median));
    }
    for (const point of this.published()) values.push(point.value);
    const kept = values.filter(value => this.drawable(value));
    return heights(Math.min(...kept), Math.max(...kept), this.data.y.log, this.data.bars);
  }

  setScales(width) {
    this.y = makeScale(...this.bounds(), this.data.y.log, HEIGHT - 40, TOP);
    this.yTicks = ticksOf(this.y, 6);
    const widest = Math.max(...this.yTicks.map(tick => textWidth(tick.label)), 8);
    this.left = Math.ceil(widest) + 30;
    const end = width - RIGHT;
    if (this.numeric) {
      const xs = this.data.x.values.map(Number).filter(value => !this.logX || value > 0);
      this.x = makeScale(...around(Math.min(...xs), Math.max(...xs), this.logX), this.logX, this.left, end);
    } else {
      this.x = makeScale(-0.5, this.data.x.values.length - 0.5, false, this.left, end);
    }
  }

  // Bars of one place stand side by side.
  barSlot(curve) {
    const shown = this.curves().filter(other => !other.theory);
    const width = (this.x.at(1) - this.x.at(0)) * 0.84 / Math.max(1, shown.length);
    const index = shown.indexOf(curve);
    return { width: Math.min(width * 0.94, 64), offset: (index - (shown.length - 1) / 2) * Math.min(width, 68) };
  }

  at(curve, place) {
    const middle = this.x.at(this.xValue(place));
    return this.data.bars && !curve.theory ? middle + this.barSlot(curve).offset : middle;
  }

  // ------------------------------------------------------------------------------------------------------------------
  // Drawing.

  draw() {
    const width = Math.floor(this.plot.clientWidth);
    if (width < 50) return;
    this.canvas.setAttribute("width", width);
    this.canvas.replaceChildren();
    this.defs = svg("defs", {}, this.canvas);
    this.setScales(width);
    this.bottom = HEIGHT - 40;
    this.drawXAxis(width);
    this.y = makeScale(this.y.low, this.y.high, this.y.log, this.bottom, TOP);
    this.drawYAxis(width);
    for (const curve of this.curves()) {
      const layer = svg("g", { class: "curve", "data-name": curve.name }, this.canvas);
      if (this.data.bars && !curve.theory) this.drawBars(curve, layer);
      else this.drawLine(curve, layer);
    }
    for (const point of this.published()) this.drawPublished(point);
    this.cross = svg("path", { class: "cross", d: "" }, this.canvas);
    this.showFocus();
  }

  text(content, x, y, attributes = {}) {
    svg("text", { x, y, ...attributes }, this.canvas).textContent = content;
  }

  drawYAxis(width) {
    const room = Math.max(2, Math.floor(this.y.length / 40));
    this.yTicks = ticksOf(this.y, room);
    for (const { at, label } of this.yTicks) {
      const y = this.y.at(at);
      svg("path", { class: "grid", d: `M${this.left} ${y}H${width - RIGHT}` }, this.canvas);
      this.text(label, this.left - 6, y + 4, { "text-anchor": "end" });
    }
    const middle = (this.bottom + TOP) / 2;
    let label = this.data.y.label;
    while (textWidth(label) > this.bottom + 20 && label.includes(" ")) label = label.slice(0, label.lastIndexOf(" ")) + "…";
    this.text(label, 12, middle, { "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` });
  }

  // Few values that have room are marked themselves, as a paper does.
  valueTicks() {
    const ticks = this.data.x.values.map(value => ({ at: Number(value), label: readable(value) }));
    let end = -Infinity;
    for (const { at, label } of ticks) {
      const half = textWidth(label) / 2 + 4;
      if (this.x.at(at) - half < end) return null;
      end = this.x.at(at) + half;
    }
    return ticks;
  }

  drawXAxis(width) {
    const middle = (this.left + width - RIGHT) / 2;
    if (this.data.x.label) this.text(this.data.x.label, middle, HEIGHT - 6, { "text-anchor": "middle" });
    else this.bottom += 14;
    if (!this.numeric) this.drawCategories();
    else {
      for (const { at, label } of this.valueTicks() ?? ticksOf(this.x, Math.max(2, Math.floor(this.x.length / 70)))) {
        const x = this.x.at(at);
        svg("path", { class: "axis", d: `M${x} ${this.bottom}v5` }, this.canvas);
        this.text(label, x, this.bottom + 18, { "text-anchor": "middle" });
      }
    }
    svg("path", { class: "axis", d: `M${this.left} ${this.bottom}H${width - RIGHT}` }, this.canvas);
  }

  // Words below each group of bars; slanted where they are too long.
  drawCategories() {
    const room = (this.x.at(1) - this.x.at(0)) - 6;
    const labels = this.data.x.values.map(readable);
    const lines = labels.map(label => wrapped(label, room));
    const slanted = lines.some(label => label === null);
    const most = slanted ? 0 : Math.max(...lines.map(label => label.length));
    const longest = Math.max(...labels.map(label => textWidth(label)));
    this.bottom -= slanted ? Math.min(longest * 0.55, 90) - 8 : (most - 1) * 13;
    labels.forEach((label, place) => {
      const x = this.x.at(place);
      if (slanted) {
        const y = this.bottom + 12;
        this.text(label, x + 4, y, { "text-anchor": "end", transform: `rotate(-33 ${x + 4} ${y})` });
      } else {
        lines[place].forEach((line, i) => this.text(line, x, this.bottom + 16 + 13 * i, { "text-anchor": "middle" }));
      }
    });
  }

  drawLine(curve, layer) {
    const points = curve.points.filter(([place, median]) => this.drawable(median) && (!this.logX || this.xValue(place) > 0));
    const path = (column, from) => from.map(point =>
      `${this.at(curve, point[0]).toFixed(1)} ${this.y.at(this.clamped(point[column])).toFixed(1)}`).join("L");
    if (points.some(([, , low, high]) => low < high)) {
      const back = [...points].reverse();
      svg("path", { class: "band", d: `M${path(2, points)}L${path(3, back)}Z`, fill: ink(curve.color) }, layer);
    }
    svg("path", {
      d: `M${path(1, points)}`, fill: "none", stroke: ink(curve.color), "stroke-width": curve.theory ? 1.5 : 2,
      "stroke-dasharray": DASHES[curve.dash] ?? "", "stroke-linejoin": "round",
    }, layer);
    for (const [place, median] of points) marker(curve.marker, this.at(curve, place), this.y.at(median), curve.color, layer);
  }

  clamped(value) {
    return Math.min(Math.max(value, this.y.low), this.y.high);
  }

  drawBars(curve, layer) {
    const { width } = this.barSlot(curve);
    const fill = barFill(curve, this.defs);
    for (const [place, median, low, high] of curve.points) {
      if (!this.drawable(median)) continue;
      const x = this.at(curve, place), top = this.y.at(median);
      svg("rect", { x: x - width / 2, y: top, width, height: Math.max(0, this.bottom - top), fill }, layer);
      if (low < high) {
        const ends = [this.y.at(this.clamped(low)), this.y.at(this.clamped(high))];
        svg("path", { class: "whisker", d: `M${x} ${ends[0]}V${ends[1]}M${x - 3} ${ends[1]}h6M${x - 3} ${ends[0]}h6` }, layer);
      }
      const label = shortNumber(median, 3);
      if (textWidth(label, 11) <= width / 0.94 - 2) this.textOn(layer, label, x, this.topOf(curve, place, high) - 4);
    }
  }

  // Of a bar, its interval and the published numbers on it.
  topOf(curve, place, high) {
    const index = this.data.curves.indexOf(curve);
    const numbers = this.published().filter(point => point.curve === index && point.x === place && this.drawable(point.value));
    return Math.min(this.y.at(this.clamped(high)), ...numbers.map(point => this.y.at(point.value) - 5));
  }

  textOn(layer, content, x, y) {
    svg("text", { x, y, "text-anchor": "middle", class: "value" }, layer).textContent = content;
  }

  drawPublished(point) {
    const curve = this.data.curves[point.curve];
    if (!this.drawable(point.value) || (this.logX && !(this.xValue(point.x) > 0))) return;
    const shape = HOLLOW[this.sources.indexOf(point.source) % HOLLOW.length];
    const color = this.data.bars ? "#000000" : curve.color;
    marker(shape, this.at(curve, point.x), this.y.at(point.value), color, this.canvas, { size: 4.5, hollow: true });
  }

  // ------------------------------------------------------------------------------------------------------------------
  // Pointing.

  listen() {
    const point = event => this.pointAt(event.clientX - this.canvas.getBoundingClientRect().left);
    this.canvas.addEventListener("pointermove", point);
    this.canvas.addEventListener("pointerdown", point);
    this.canvas.addEventListener("pointerleave", () => this.setFocus(null));
    this.canvas.addEventListener("blur", () => this.setFocus(null));
    this.canvas.addEventListener("keydown", event => this.key(event));
  }

  // Places on the x axis at which something shown has a value, from left to right.
  places() {
    const shown = new Set(this.published().map(point => point.x));
    for (const curve of this.curves()) curve.points.forEach(([place]) => shown.add(place));
    return [...shown].filter(place => Number.isFinite(this.x.at(this.xValue(place)))).sort((a, b) => a - b);
  }

  pointAt(x) {
    const distance = place => Math.abs(this.x.at(this.xValue(place)) - x);
    const nearest = this.places().reduce((best, place) => (best === null || distance(place) < distance(best) ? place : best), null);
    this.setFocus(nearest);
  }

  key(event) {
    const places = this.places();
    const now = places.indexOf(this.focus);
    const next = { ArrowRight: now + 1, ArrowLeft: now < 0 ? places.length - 1 : now - 1, Home: 0, End: places.length - 1 }[event.key];
    if (event.key === "Escape") this.setFocus(null);
    if (next === undefined || !places.length) return;
    event.preventDefault();
    this.setFocus(places[Math.min(Math.max(next, 0), places.length - 1)]);
  }

  setFocus(place) {
    if (place === this.focus) return;
    this.focus = place;
    this.showFocus();
  }

  showFocus() {
    this.tip.hidden = this.focus === null || !this.places().includes(this.focus);
    this.cross.setAttribute("d", "");
    if (this.tip.hidden) return;
    const x = this.x.at(this.xValue(this.focus));
    if (!this.data.bars) this.cross.setAttribute("d", `M${x} ${TOP}V${this.bottom}`);
    this.tip.replaceChildren(html("b", {}, this.placeName()), ...this.readings());
    const room = this.plot.clientWidth - this.tip.offsetWidth;
    const beside = x > this.plot.clientWidth / 2 ? x - this.tip.offsetWidth - 12 : x + 12;
    this.tip.style.left = `${Math.min(Math.max(beside, 0), Math.max(room, 0))}px`;
  }

  placeName() {
    const value = readable(this.data.x.values[this.focus]);
    const label = this.data.x.label.split(",")[0];
    return label && this.numeric ? `${label} = ${value}` : value;
  }

  readings() {
    const lines = [];
    for (const curve of this.curves()) {
      const point = curve.points.find(([place]) => place === this.focus);
      if (point) lines.push(html("div", {}, swatch(curve, this.data.bars), `${curve.name}: `, html("b", {}, shortNumber(point[1])), interval(point)));
    }
    for (const point of this.published().filter(({ x }) => x === this.focus)) {
      const name = this.data.curves[point.curve].name;
      lines.push(html("div", { class: "soft" }, `${name}, ${point.source}: ${shortNumber(point.value)}`));
    }
    return lines;
  }
}

function interval([, , low, high, count]) {
  return low < high ? ` [${shortNumber(low, 3)}, ${shortNumber(high, 3)}], n = ${count}` : "";
}
