// The advisor on the page: the form, and its answer with the measurements that it rests on.
"use strict";

function timeText(ns) {
  if (ns < 1e3) return `${shortNumber(ns, 3)} ns`;
  return ns < 1e6 ? `${shortNumber(ns / 1e3, 3)} µs` : `${shortNumber(ns / 1e6, 3)} ms`;
}

function memoryText(bytes) {
  if (bytes === null) return "not measured";
  return bytes < 1e6 ? `${shortNumber(bytes / 1e3, 3)} kB` : `${shortNumber(bytes / 1e6, 3)} MB`;
}

function rateText(rate) {
  return rate === null ? "not measured" : `< ${shortNumber(100 * rate, 2)} %`;
}

// The measured points that a time was taken from.
function basisText(found) {
  const name = found.many ? "N" : "n";
  const seen = found.used.map(point =>
    `${name} = ${shortNumber(point.along)}, ${shortNumber(100 * point.hit)} % hits: ${timeText(point.search)}`);
  const size = [found.bits > 0 ? `${shortNumber(found.bits, 3)} bits a key` : "", found.k ? `k = ${found.k}` : ""];
  const with_ = [found.many ? `n = ${shortNumber(found.keys)}` : "", ...size, `threads = ${found.threads}`, `batch = ${found.batch}`];
  return `${seen.join("; ")} (${with_.filter(text => text).join(", ")})`;
}

// Where the question leaves what was measured.
function caveats(found, ask) {
  const notes = [];
  const name = found.many ? "N" : "n";
  const ends = found.used.map(point => point.along);
  const asked = found.many ? ask.sets : ask.keys;
  if (asked > Math.max(...ends)) notes.push(`carried on past ${name} = ${shortNumber(Math.max(...ends))}`);
  if (asked < Math.min(...ends)) notes.push(`nothing measured below ${name} = ${shortNumber(Math.min(...ends))}`);
  if (found.many && found.keys !== ask.keys) notes.push(`measured with n = ${shortNumber(found.keys)}`);
  if (found.threads !== ask.threads) notes.push(`measured with ${found.threads} ${found.threads === 1 ? "thread" : "threads"}`);
  if (found.batch !== ask.batch) notes.push(`measured with ${shortNumber(found.batch)} keys at a time`);
  const hits = found.used.map(point => point.hit);
  if (ask.hit < Math.min(...hits) || ask.hit > Math.max(...hits)) notes.push(`measured at ${shortNumber(100 * hits[0])} % hits`);
  return notes;
}

function questionOf(form) {
  const number = name => (form.elements[name].value.trim() === "" ? null : Number(form.elements[name].value));
  const share = value => (value === null ? null : value / 100);
  const memory = number("memory");
  return {
    sets: number("sets"), keys: number("keys"), hit: share(number("hit")), rate: share(number("rate")),
    memory: memory === null ? null : memory * 1e6, changes: number("changes"), threads: number("threads"),
    batch: number("batch"), kind: form.elements.kind.value, together: form.elements.together.checked,
  };
}

function headline(answers) {
  if (!answers.length) {
    return [html("p", { class: "missing" }, "No structure that was measured near this workload meets the bounds. Below is why.")];
  }
  const [first, second] = answers;
  const answer = html("p", { class: "answer" }, html("b", {}, first.variant.name),
    `: ${timeText(first.total)} a query, ${memoryText(first.memory)}, false positive rate ${rateText(first.rate)}.`);
  if (second && second.steps <= NEAR) answer.append(` Next is ${second.variant.name}, at ${shortNumber(second.total / first.total, 2)} times that.`);
  if (first.steps <= NEAR) return [answer];
  return [html("p", { class: "missing" }, "Nothing that meets the bounds was measured near this workload: this is the nearest, and a guess."), answer];
}

function answerTable(answers, ask) {
  const head = ["structure", "a query", ...(ask.changes ? ["of which changes"] : []), "memory", "false positives", "from", "mind"];
  const table = html("table", {}, html("thead", {}, html("tr", {}, ...head.map(title => html("th", {}, title)))));
  const body = html("tbody");
  for (const found of answers) {
    const cells = [html("b", {}, found.variant.name), timeText(found.total), ...(ask.changes ? [timeText(found.price)] : []),
      memoryText(found.memory), rateText(found.rate), html("span", { class: "soft" }, basisText(found)),
      html("span", { class: "soft" }, caveats(found, ask).join("; "))];
    body.append(html("tr", found.steps <= NEAR ? {} : { class: "far" }, ...cells.map(cell => html("td", {}, cell))));
  }
  table.append(body);
  return html("div", { class: "scroll" }, table);
}

function refusedList(refused) {
  if (!refused.length) return [];
  const items = refused.map(entry => html("li", {}, html("b", {}, entry.variant.name), `: ${entry.reason}`));
  return [html("details", {}, html("summary", {}, `Not these (${refused.length})`), html("ul", {}, ...items))];
}

function answerQuestion(form, answer, data, points) {
  if (!form.checkValidity()) {
    answer.replaceChildren(html("p", { class: "missing" }, "Please give numbers within their ranges."));
    return;
  }
  const ask = questionOf(form);
  const { answers, refused } = advise(data, points, ask);
  answer.replaceChildren(...headline(answers), ...(answers.length ? [answerTable(answers, ask)] : []), ...refusedList(refused));
}

function startAdvisor() {
  const form = document.getElementById("advisor-form");
  if (!form) return;
  const data = JSON.parse(document.getElementById("advisor-data").textContent);
  const points = pointsOf(data);
  const update = () => answerQuestion(form, document.getElementById("advisor-answer"), data, points);
  form.addEventListener("input", update);
  form.addEventListener("submit", event => event.preventDefault());
  update();
}

startAdvisor();
