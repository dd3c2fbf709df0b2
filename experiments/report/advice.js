// Which structure for a workload, from measured points alone. No page here: questions in, candidates out.
//
// Points that differ only in the number of sets (in a filter of one set: of keys) are on a line, along which times are
// interpolated. Everything else is taken from the nearest line and counted in steps, of which a doubling of N is one.
"use strict";

const NEAR = 2; // steps within which an answer is one
const FAR = 5; // steps beyond which a measurement says nothing

const doublings = (a, b) => Math.abs(Math.log2(a / b));

// What the rate is below with 95 % confidence (Wilson), also where no false positive was seen.
function rateBound(wrong, trials) {
  return trials > 0 ? Math.min(1, (wrong + 1.92 + 1.96 * Math.sqrt(wrong + 0.96)) / trials) : null;
}

function pointsOf({ variants, columns, points }) {
  return points.map(cells => {
    const point = Object.fromEntries(columns.map((name, i) => [name, cells[i]]));
    point.many = variants[point.variant].many;
    point.along = point.many ? point.sets : point.keys;
    return point;
  });
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  }
  return [...groups.values()];
}

// A value at a place on a line of points: between two of them, or carried on from the last two.
function valueAlong(points, at, valueOf) {
  const known = points.filter(point => valueOf(point) > 0).sort((a, b) => a.along - b.along);
  if (!known.length) return null;
  const exact = known.find(point => point.along === at);
  if (exact) return { value: valueOf(exact), used: [exact], steps: 0 };
  const right = known.findIndex(point => point.along > at);
  if (right > 0) {
    const [a, b] = [known[right - 1], known[right]];
    const share = Math.log(at / a.along) / Math.log(b.along / a.along);
    return { value: valueOf(a) ** (1 - share) * valueOf(b) ** share, used: [a, b], steps: 0 };
  }
  if (right === 0) return { value: valueOf(known[0]), used: [known[0]], steps: doublings(at, known[0].along) };
  const last = known[known.length - 1], before = known[known.length - 2];
  const steps = doublings(at, last.along);
  if (!before) return { value: valueOf(last), used: [last], steps: 2 * steps };
  const slope = Math.log(valueOf(last) / valueOf(before)) / Math.log(last.along / before.along);
  return { value: valueOf(last) * (at / last.along) ** Math.max(0, slope), used: [before, last], steps };
}

// The mean time of a query is linear in the share of hits.
function timeOf(lines, ask, at) {
  const known = lines.map(points => ({ hit: points[0].hit, ...valueAlong(points, at, point => point.search) }));
  known.sort((a, b) => a.hit - b.hit);
  const below = known.filter(line => line.hit <= ask.hit).pop() ?? known[0];
  const above = known.find(line => line.hit >= ask.hit) ?? known[known.length - 1];
  const share = above.hit > below.hit ? (ask.hit - below.hit) / (above.hit - below.hit) : 0;
  const outside = Math.max(0, below.hit - ask.hit, ask.hit - above.hit);
  return {
    value: below.value * (1 - share) + above.value * share,
    used: [...new Set([...below.used, ...(share > 0 ? above.used : [])])],
    steps: Math.max(below.steps, above.steps) + 3 * outside,
  };
}

// The worst of the ends that the time was taken from, over queries of any hit rate.
function rateOf(points, used) {
  const bounds = [...new Set(used.map(point => point.along))].map(along => {
    const there = points.filter(point => point.along === along);
    const sum = name => there.reduce((total, point) => total + point[name], 0);
    return rateBound(sum("wrong"), sum("trials"));
  });
  return bounds.includes(null) ? null : Math.max(...bounds);
}

// One size of one variant, with one number of threads and keys a batch.
function evaluate(points, ask) {
  const { many, keys, threads, batch, bits, k, backend } = points[0];
  const at = many ? ask.sets : ask.keys;
  const time = timeOf(groupBy(points, point => point.hit), ask, at);
  const perKey = valueAlong(points, at, point => point.memory / (point.sets * point.keys));
  const away = (many ? doublings(keys, ask.keys) / 2 : 0) + doublings(threads, ask.threads) + doublings(batch, ask.batch) / 2;
  return {
    time: time.value, memory: perKey ? perKey.value * ask.sets * ask.keys : null, rate: rateOf(points, time.used),
    used: time.used, steps: time.steps + away, outside: time.steps > 0, many, keys, threads, batch, bits, k, backend,
  };
}

// What a change costs: measured with whatever queries beside it, so only N, n and the size matter.
function changeCost(points, ask, phase) {
  const costs = groupBy(points, point => [point.bits.toPrecision(2), point.k, point.many ? point.keys : ""].join()).map(group => {
    const found = valueAlong(group, group[0].many ? ask.sets : ask.keys, point => point[phase]);
    if (found && group[0].many) found.steps += doublings(group[0].keys, ask.keys) / 2;
    return found;
  }).filter(found => found);
  return costs.reduce((best, cost) => (!best || cost.steps < best.steps ? cost : best), null);
}

function changesOf(ask) {
  if (ask.sets === 1) return ["fill"];
  return ask.kind === "sets" ? ["insert", "erase"] : ["update"];
}

const CHANGE_NAMES = { fill: "inserting a key", insert: "a new set", erase: "a set that goes", update: "adding keys to a set" };

// Nanoseconds of changes that fall on a query; or why not.
function priceOfChanges(variant, points, ask) {
  if (!ask.changes) return { price: 0, steps: 0 };
  const sets = ask.sets > 1 && ask.kind === "sets";
  if (ask.together && !(sets ? variant.maintenance : variant.inserts)) {
    return { reason: sets ? "sets may not come and go beside queries" : "keys may not be inserted beside queries" };
  }
  let price = 0, steps = 0;
  for (const phase of changesOf(ask)) {
    const cost = changeCost(points, ask, phase);
    if (!cost) return { reason: `${CHANGE_NAMES[phase]}: ${variant.unsupported.includes(phase) ? "cannot" : "not measured"}` };
    price += cost.value * ask.changes / 1000;
    steps = Math.max(steps, cost.steps);
  }
  return { price, steps };
}

function refusal(found, ask) {
  if (ask.rate !== null && found.rate === null) return "its false positive rate was not measured";
  if (ask.rate !== null && found.rate > ask.rate) return `its rate is only known to be below ${shortNumber(100 * found.rate, 2)} %`;
  if (ask.memory !== null && !(found.memory <= ask.memory)) return `takes ${shortNumber(found.memory / 1e6, 3)} MB`;
  return found.steps > FAR ? "measured nowhere near" : "";
}

// Near before far, fast before slow.
function better(a, b) {
  if (!b || (a.steps <= NEAR) !== (b.steps <= NEAR)) return !b || a.steps <= NEAR;
  return a.steps <= NEAR ? a.total < b.total : a.steps < b.steps;
}

// A variant at its best size for the question, or why it is none.
function adviseVariant(variant, points, ask) {
  const changes = priceOfChanges(variant, points, ask);
  if (changes.reason) return { variant, reason: changes.reason };
  const groups = groupBy(points, point =>
    [point.bits.toPrecision(2), point.k, point.threads, point.backend, point.batch, point.many ? point.keys : ""].join());
  let best = null, refused = null;
  for (const group of groups) {
    const found = { variant, ...evaluate(group, ask) };
    found.total = found.time + changes.price;
    found.price = changes.price;
    found.steps = Math.max(found.steps, changes.steps);
    found.reason = refusal(found, ask);
    if (!found.reason && better(found, best)) best = found;
    if (found.reason && (!refused || found.steps < refused.steps)) refused = found;
  }
  return best ?? refused;
}

// {answers, refused}: one entry a structure, its best variant.
function advise(data, points, ask) {
  const kind = points.filter(point => point.many || ask.sets === 1);
  const found = groupBy(kind, point => point.variant).map(own => adviseVariant(data.variants[own[0].variant], own, ask));
  const structures = groupBy(found, entry => entry.variant.name.split(" (")[0]);
  const answers = [], refused = [];
  for (const entries of structures) {
    const fit = entries.filter(entry => !entry.reason);
    if (fit.length) answers.push(fit.reduce((best, entry) => (better(entry, best) ? entry : best)));
    else refused.push(entries[0]);
  }
  return { answers: answers.sort((a, b) => (better(a, b) ? -1 : 1)), refused };
}
