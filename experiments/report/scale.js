// Axes: from the bounds of the data to a scale, from a scale to its ticks, and numbers as a reader wants them.
"use strict";

const MARGIN = 0.05;
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

// 1000 as 1 000; the space is thin and does not break.
function grouped(text) {
  const [whole, fraction] = text.split(".");
  const spaced = whole.length > 3 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
  return fraction === undefined ? spaced : `${spaced}.${fraction}`;
}

function powerOfTen(exponent) {
  return "10" + String(exponent).replace("-", "⁻").replace(/\d/g, digit => SUPERSCRIPTS[digit]);
}

// `digits` significant ones, and no more decimals than a whole number has.
function shortNumber(value, digits = 4) {
  if (value === 0) return "0";
  if (value < 0) return "−" + shortNumber(-value, digits);
  if (value < 1e-3 || value >= 1e9) {
    const [mantissa, exponent] = value.toExponential(Math.min(digits, 3) - 1).split("e");
    return `${Number(mantissa)} × ${powerOfTen(Number(exponent))}`;
  }
  const rounded = Number(value.toPrecision(digits));
  return grouped(String(rounded));
}

// A value as a row has it: words and small numbers unchanged.
function readable(text) {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? shortNumber(Number(text), 6) : text;
}

function makeScale(low, high, log, start, end) {
  const to = value => (log ? Math.log10(value) : value);
  const from = to(low), span = to(high) - from;
  return { low, high, log, at: value => start + ((to(value) - from) / span) * (end - start), length: Math.abs(end - start) };
}

// Around the data, with a margin; a single value, or nearly one, needs an axis too.
function around(low, high, log) {
  if (!(low <= high)) return log ? [0.1, 1] : [0, 1];
  if (log) {
    if (high < low * 2) [low, high] = [low / 2, high * 2];
    const factor = Math.pow(high / low, MARGIN);
    return [low / factor, high * factor];
  }
  if (high === low) [low, high] = [low - 1, high + 1];
  const margin = (high - low) * MARGIN;
  return [low - margin, high + margin];
}

// For values that are compared by their height: from zero, or on a logarithmic axis of bars from a power of ten.
function heights(low, high, log, bars) {
  if (log && bars && low <= high) {
    return [Math.pow(10, Math.floor(Math.log10(low / 1.25))), high * Math.pow(high / low + 1, 0.12)];
  }
  if (log || !(low >= 0 && high > 0)) return around(low, high, log);
  return [0, high * (bars ? 1.12 : 1 + MARGIN)];
}

function linearTicks(scale, count) {
  const rough = (scale.high - scale.low) / Math.max(1, count);
  const unit = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = unit * [1, 2, 5, 10].find(factor => unit * factor >= rough * 0.999);
  const ticks = [];
  for (let i = Math.ceil(scale.low / step - 1e-9); i * step <= scale.high * (1 + 1e-12); ++i) {
    ticks.push({ at: i * step, label: shortNumber(Number((i * step).toPrecision(10)), 6) });
  }
  return ticks;
}

function logLabel(mantissa, exponent) {
  if (exponent >= -2 && exponent <= 4) return shortNumber(Number(`${mantissa}e${exponent}`), 6);
  return mantissa === 1 ? powerOfTen(exponent) : `${mantissa} × ${powerOfTen(exponent)}`;
}

// Powers of ten, thinned to what has room; between them if there are too few.
function logTicks(scale, count) {
  const within = mantissas => {
    const ticks = [];
    for (let e = Math.floor(Math.log10(scale.low)); e <= Math.ceil(Math.log10(scale.high)); ++e) {
      for (const mantissa of mantissas) {
        const at = Number(`${mantissa}e${e}`);
        if (at >= scale.low && at <= scale.high) ticks.push({ at, exponent: e, label: logLabel(mantissa, e) });
      }
    }
    return ticks;
  };
  const powers = within([1]);
  if (powers.length >= 3 || (powers.length === 2 && count < 4)) {
    const step = Math.ceil(powers.length / Math.max(2, count));
    return powers.filter(tick => (tick.exponent - powers[0].exponent) % step === 0);
  }
  const finer = within([1, 2, 5]);
  return finer.length > 1 ? finer : linearTicks(scale, count);
}

function ticksOf(scale, count) {
  return scale.log ? logTicks(scale, count) : linearTicks(scale, count);
}
