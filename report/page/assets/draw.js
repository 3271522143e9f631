// Drawer draws one chart with ECharts: from the description of what is drawn to
// options of the library, again when the width or the colours change. Axes are
// linear for the library in any case: places and labels of logarithms and words
// are worked out here.
(function () {
  "use strict";
  const SHAPES = [
    "M8 1a7 7 0 1 0 .01 0z", "M2 2h12v12h-12z", "M8 1L15 14H1z", "M8 0L16 8L8 16L0 8z", "M1 2H15L8 15z",
    "M5.5 1h5v4.5h4.5v5h-4.5v4.5h-5v-4.5h-4.5v-5h4.5z", "M8 0l2.2 5.5h5.8l-4.6 3.7 1.8 6.3-5.2-3.7-5.2 3.7 1.8-6.3-4.6-3.7h5.8z",
  ];
  const RAMP = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];
  const SMALL = 600; // px: below it names of rows stand above their bars

  function theme() {
    const s = getComputedStyle(document.documentElement);
    const get = (name) => s.getPropertyValue("--" + name).trim();
    const colours = [];
    for (let i = 0; i < 8; i++) colours.push(get("c" + i));
    return { paper: get("paper"), ink: get("ink"), muted: get("muted"), rule: get("rule"), soft: get("soft"), tip: get("tip"), warn: get("warn"), colours, font: getComputedStyle(document.body).fontFamily };
  }

  const ruler = document.createElement("canvas").getContext("2d");
  function measure(text, size, t) {
    ruler.font = size + "px " + t.font;
    return ruler.measureText(text).width;
  }
  function cut(text, width, size, t) {
    if (measure(text, size, t) <= width) return text;
    while (text.length > 1 && measure(text + "…", size, t) > width) text = text.slice(0, -1);
    return text + "…";
  }

  // clip cuts the middle out of a text, whose ends tell it from others.
  function clip(text, width, size, t) {
    if (measure(text, size, t) <= width) return text;
    for (let n = text.length - 1; n > 2; n--) {
      const tail = n >> 1, short = text.slice(0, n - tail) + "…" + text.slice(text.length - tail);
      if (measure(short, size, t) <= width) return short;
    }
    return "…";
  }
  // broken breaks a name into lines at its underscores and blanks.
  function broken(text, width, t) {
    const out = [];
    let line = "";
    for (const part of text.split(/(?<=[_ ])/)) {
      if (line && measure((line + part).trimEnd(), 12.5, t) > width - 8) {
        out.push(line.trimEnd());
        line = "";
      }
      line += part;
    }
    out.push(line);
    return out.join("\n");
  }

  // number prints four significant digits, more of whole numbers, with commas.
  function number(x) {
    if (x === null || x === undefined) return "-";
    const a = Math.abs(x);
    if (a !== 0 && (a < 1e-4 || a >= 1e9)) return x.toExponential(2);
    const text = a >= 1000 ? String(Math.round(x)) : String(Number(x.toPrecision(4)));
    return a >= 10000 ? text.replace(/\B(?=(\d{3})+$)/g, ",") : text;
  }
  const label = (axis) => (axis ? axis.label + (axis.unit ? " (" + axis.unit + ")" : "") : "");
  const valued = (axis, x) => (axis && axis.words ? axis.words[x] : number(x) + (axis && axis.unit && x !== null ? " " + axis.unit : ""));

  function steps(lo, hi, count) {
    const raw = (hi - lo) / Math.max(1, count);
    const power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999);
    const out = [];
    for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + step * 1e-9; k++) out.push(Number((k * step).toPrecision(12)));
    return [out, step];
  }

  // scale places the values of an axis: {min, max, ticks, to, text}. own are the
  // values to label themselves where they are few.
  function scale(axis, values, o) {
    if (axis && axis.words) {
      return { min: -0.5, max: axis.words.length - 0.5, ticks: axis.words.map((_, i) => i), to: (x) => x, text: (x) => axis.words[Math.round(x)] || "" };
    }
    const log = Boolean(axis && axis.log);
    const to = log ? (x) => (x === null || x <= 0 ? null : Math.log10(x)) : (x) => x;
    values = values.map(to).filter((x) => x !== null && x !== undefined);
    let lo = Math.min(...extremes(values)), hi = Math.max(...extremes(values));
    if (!values.length) [lo, hi] = [0, 1];
    const fixed = axis && axis.min !== undefined;
    if (fixed) [lo, hi] = [to(axis.min), to(axis.max)];
    if (!log && !fixed && o.zero && lo > 0 && lo < 0.6 * hi) lo = 0;
    if (lo === hi) [lo, hi] = log ? [lo - 0.15, hi + 0.15] : [lo - Math.abs(lo || 1) * 0.1, hi + Math.abs(hi || 1) * 0.1];
    const pad = fixed ? 0 : (hi - lo) * (o.pad || 0);
    let min = lo - pad, max = hi + pad;
    if (!log && lo >= 0 && min < 0) min = lo === 0 ? 0 : Math.max(0, min);
    const value = (x) => Number((log ? Math.pow(10, x) : x).toPrecision(10));
    let ticks = o.own ? owned(values, max - min, value, o.own) : null;
    if (!ticks) ticks = log ? decades(min, max) : steps(lo, hi, o.count || 5)[0];
    ticks = ticks.filter((x) => x >= min - 1e-9 && x <= max + 1e-9);
    let text = (x) => number(value(x));
    for (let digits = 5; digits <= 10 && ticks.some((x, i) => i > 0 && text(x) === text(ticks[i - 1])); digits++) {
      text = (x) => String(Number(value(x).toPrecision(digits))); // they differ in later digits
    }
    return { min, max, ticks, to, text, log };
  }

  // owned are the values themselves as ticks, where they are few, apart and, unless
  // any will do, as short as their labels; else null.
  function owned(values, wide, value, which) {
    const own = [...new Set(values)].sort((a, b) => a - b);
    if (own.length < 2 || own.length > 9) return null;
    const short = (v) => Math.abs(v - (Math.abs(v) >= 1000 ? Math.round(v) : Number(v.toPrecision(4)))) <= 1e-6 * Math.abs(v);
    const near = own.some((x, i) => i > 0 && x - own[i - 1] < 0.025 * wide);
    return (which === "any" ? !near : own.every((x) => short(value(x)))) ? own : null;
  }

  // decades are the ticks of a logarithmic axis: of the coarser multiples of powers
  // of ten those that give it labels enough.
  function decades(min, max) {
    const wide = max - min;
    const lists = [[1], [1, 3], [1, 2, 5], [1, 2, 3, 5], [1, 1.5, 2, 3, 4, 5, 7]];
    const inside = (ticks) => ticks.filter((x) => x >= min - 1e-9 && x <= max + 1e-9);
    let ticks = [];
    for (let k = wide > 3.2 ? 0 : wide > 1.6 ? 1 : 2; k < lists.length && ticks.length < 4; k++) {
      ticks = [];
      for (let d = Math.floor(min) - 1; d <= max; d++) for (const m of lists[k]) ticks.push(d + Math.log10(m));
      ticks = inside(ticks);
    }
    if (wide < 0.5) ticks = inside(steps(Math.pow(10, min), Math.pow(10, max), 5)[0].filter((v) => v > 0).map(Math.log10));
    const every = Math.ceil(ticks.length / 9);
    return ticks.filter((_, i) => i % every === 0);
  }

  function extremes(values) {
    let lo = Infinity, hi = -Infinity;
    for (const v of values) {
      if (v < lo) lo = v;
      if (v > hi) hi = v;
    }
    return [lo, hi];
  }

  function axisOption(s, t, o) {
    return {
      type: "value", min: s.min, max: s.max, inverse: Boolean(o.inverse), show: o.show !== false,
      axisLine: { show: Boolean(o.line), onZero: false, lineStyle: { color: t.muted } },
      axisTick: { show: Boolean(o.line), customValues: s.ticks, lineStyle: { color: t.muted } },
      axisLabel: { customValues: s.ticks, formatter: o.cut ? (x) => o.cut(s.text(x)) : s.text, rotate: o.turn || 0, color: t.muted, fontSize: 12, hideOverlap: true, fontFamily: t.font, width: o.width, overflow: o.width ? "truncate" : undefined },
      splitLine: { show: o.grid !== false, customValues: s.ticks, lineStyle: { color: t.rule, width: 1 } },
      name: o.name, nameLocation: "middle", nameGap: o.gap || 26, nameTextStyle: { lineHeight: 15, color: t.ink, fontSize: 12.5, fontFamily: t.font },
    };
  }

  function frame(t, o) {
    return {
      animation: false, backgroundColor: "transparent", textStyle: { fontFamily: t.font, color: t.ink },
      tooltip: { trigger: "item", confine: true, backgroundColor: t.tip, borderColor: t.rule, borderWidth: 1, padding: [8, 10], extraCssText: "box-shadow: 0 2px 8px rgb(0 0 0 / 25%); z-index: 4", transitionDuration: 0, formatter: o.tip },
      title: { text: o.title, left: 0, top: 3, textStyle: { color: t.ink, fontSize: 12.5, fontWeight: 400, lineHeight: 15, fontFamily: t.font, width: o.width - 4, overflow: "truncate" }, padding: 0 },
    };
  }

  // free is a series of shapes that nobody points at: draw makes them from the
  // place of the axes.
  function free(draw, z) {
    return { type: "custom", silent: true, data: [[0, 0]], z, clip: true, tooltip: { show: false }, renderItem: (params, api) => ({ type: "group", children: draw(params.coordSys, (x, y) => api.coord([x, y])) }) };
  }
  const words = (x, y, text, style) => ({ type: "text", x, y, silent: true, style: Object.assign({ text }, style) });
  const upright = (x, y, text, style) => Object.assign(words(x, y, text, Object.assign({ verticalAlign: "top" }, style)), { rotation: Math.PI / 2, originX: 0, originY: 0 });
  const stroke = (x1, y1, x2, y2, colour, width, dash) => ({ type: "line", silent: true, shape: { x1, y1, x2, y2 }, style: { stroke: colour, lineWidth: width, lineDash: dash } });
  const box = (x, y, width, height, style, extra) => Object.assign({ type: "rect", shape: { x, y, width, height }, style }, extra);

  const colourOf = (s, k, t) => ({ rest: t.muted, front: t.colours[1], cross: t.ink })[s.role] || t.colours[k % 8];

  // xy draws points by x and y.
  function xy(c, e) {
    const t = e.theme, all = c.series, series = all.filter((_, i) => !e.hidden.has(i));
    const xs = [], ys = [];
    for (const s of series) {
      for (const p of s.points) {
        if (p[0] === null || p[1] === null || p[1] === undefined) continue;
        if (s.role !== "cross" || series.every((o) => o.role === "cross")) xs.push(p[0]); // a crossing is no value of the axis
        if (p[4]) continue;
        ys.push(p[1]);
        if (p[2] !== null && p[2] !== undefined) ys.push(p[3]);
        if (p[2] !== null && p[2] !== undefined && !(c.y.log && p[2] <= 0)) ys.push(p[2]);
      }
    }
    if (!ys.length) for (const s of series) for (const p of s.points) if (p[1] !== null && p[1] !== undefined) ys.push(p[1]);
    for (const l of c.levels || []) if (l.axis === "y" && l.at !== null && !(c.y.log && l.at <= 0)) ys.push(l.at);
    for (const b of c.bands || []) if (b.lower && b.label !== "") for (const p of b.lower.concat(b.upper)) if (p[0] >= Math.min(...extremes(xs)) && p[0] <= Math.max(...extremes(xs)) && !(c.y.log && p[1] <= 0)) ys.push(p[1]);
    const X = scale(c.x, xs, { own: "short", pad: 0.04, count: e.width < SMALL ? 4 : 7 });
    const Y = scale(c.y, ys, { zero: true, pad: 0.05, count: 6 });
    const place = (p) => {
      const x = X.to(p[0]), y = p[1] === undefined || p[1] === null ? null : Y.to(p[1]);
      if (x === null || x === undefined || y === null) return null;
      return [x, Math.min(Math.max(y, Y.min), Y.max)];
    };
    const lookup = [], list = [];
    const push = (s, marks) => {
      list.push(s);
      lookup.push(marks || []);
    };
    bands(c, X, Y, t, push);
    const many = series.reduce((n, s) => n + s.points.length, 0) > 600;
    for (const s of series) {
      const k = all.indexOf(s);
      const colour = colourOf(s, k, t);
      if (s.joined) push(joined(s, place, colour), []);
      push(whiskers(s, place, X, Y, colour), []);
      const marks = [], points = [];
      for (const p of s.points) {
        const at = place(p);
        if (!at) continue;
        const edge = p[1] !== null && (Y.to(p[1]) > Y.max || Y.to(p[1]) < Y.min);
        const shape = edge ? 2 : s.role === "cross" ? 5 : c.marks ? (p[5] || 1) - 1 : s.role ? 0 : k;
        const size = plain(s) && !p[4] ? 3 : s.role === "front" ? (s.points.length > 60 ? 7 : 10) : many ? 6 : 9;
        points.push({ value: at, symbol: shape % SHAPES.length ? "path://" + SHAPES[shape % SHAPES.length] : "circle", symbolSize: size, itemStyle: { color: p[4] ? t.paper : colour, borderColor: colour, borderWidth: p[4] ? 1.5 : 0, opacity: s.role === "rest" ? 0.55 : many ? 0.75 : 1 } });
        marks.push(p);
      }
      push({ type: "scatter", data: points, z: s.role === "front" ? 6 : 4, cursor: "default", emphasis: { scale: 1.5 } }, marks.map((p) => () => ({
        title: s.name, ref: p[6], lines: p[7] ? [p[7]] : [],
        rows: s.role === "cross" ? [] : [[label(c.x), c.x?.lost && p[4] ? "saturated" : valued(c.x, p[0])], [label(c.y), c.y?.lost && p[4] ? "saturated" : number(p[1]) + (p[3] !== undefined && p[3] !== null ? " (" + number(p[2]) + " to " + number(p[3]) + ")" : "")]].concat(c.marks && p[5] ? [[c.marks, c.markNames[p[5] - 1]]] : []),
      })));
    }
    const legend = [];
    if (all.length > 1 && c.names) legend.push({ what: c.names + ":" });
    if (all.length > 1) all.forEach((s, i) => legend.push({ name: s.name, toggle: i, line: s.joined, dashed: s.dashed, colour: colourOf(s, i, t), shape: s.role === "cross" ? 5 : c.marks || s.role ? 0 : i, mark: s.role === "cross" || (!plain(s) && !c.marks), square: Boolean(c.marks) && !s.joined && s.role !== "cross" }));
    if (c.marks) {
      legend.push({ what: c.marks + ":" });
      c.markNames.forEach((name, i) => legend.push({ name, colour: t.ink, shape: i, mark: true }));
    }
    const beyond = (p) => p[4] && p[1] !== null && p[1] !== undefined && (Y.to(p[1]) > Y.max || Y.to(p[1]) < Y.min);
    if (all.some((s) => s.points.some((p) => p[4] && !beyond(p)))) legend.push({ name: "saturated", colour: t.ink, shape: 0, mark: true, hollow: true });
    if (all.some((s) => s.points.some(beyond))) legend.push({ name: "saturated, beyond the axis", colour: t.ink, shape: 2, mark: true, hollow: true });
    const option = Object.assign(frame(t, { title: label(c.y), width: e.width, tip: e.tip }), {
      grid: { left: 2, right: 18, top: 28, bottom: 6, outerBoundsMode: "same", outerBoundsContain: "all" },
      xAxis: axisOption(X, t, { name: broken(label(c.x), e.width - 60, t), line: true, grid: false, width: c.x.words ? Math.max(40, (e.width - 60) / c.x.words.length - 6) : undefined }),
      yAxis: axisOption(Y, t, {}), series: list,
    });
    return { option, lookup, legend, height: e.width < SMALL ? 320 : 400, canvas: many };
  }

  // plain says whether a line stands without marks: it has too many points.
  const plain = (s) => s.step || (s.joined && !s.role && s.points.length > 60);

  function joined(s, place, colour) {
    const data = [];
    for (const p of s.points) {
      const at = p[4] ? null : place(p);
      data.push(at || ["-", "-"]);
    }
    return { type: "line", data, silent: true, symbol: "none", showSymbol: false, step: s.step ? "end" : false, connectNulls: false, z: s.role === "front" ? 5 : 3, clip: true, lineStyle: { color: colour, width: s.role === "front" ? 2.5 : 2, type: s.dashed ? "dashed" : "solid" }, tooltip: { show: false } };
  }

  function whiskers(s, place, X, Y, colour) {
    return free((area, coord) => {
      const out = [];
      for (const p of s.points) {
        if (p[2] === null || p[2] === undefined || p[4] || !place(p)) continue;
        const x = X.to(p[0]);
        const lo = Y.to(p[2]) === null ? -Infinity : Y.to(p[2]), hi = Y.to(p[3]); // on a logarithmic axis it may have no end
        const [px, a] = coord(x, Math.max(lo, Y.min)), b = coord(x, Math.min(hi, Y.max))[1];
        if (a - b < 3) continue;
        out.push(stroke(px, a, px, b, colour, 1.2));
        if (lo >= Y.min - 1e-9) out.push(stroke(px - 4, a, px + 4, a, colour, 1.2));
        if (hi <= Y.max + 1e-9) out.push(stroke(px - 4, b, px + 4, b, colour, 1.2));
      }
      return out;
    }, 3);
  }

  // bands draws what is shaded and the reference lines.
  function bands(c, X, Y, t, push) {
    const small = { fontSize: 12, fontFamily: t.font };
    (c.bands || []).forEach((b) => push(free((area, coord) => {
      const fill = { fill: b.axis ? t.warn : t.muted, opacity: b.axis ? 0.1 : 0.16 };
      if (!b.axis) {
        const line = (l) => l.map((p) => coord(X.to(p[0]), Y.to(p[1])));
        return [{ type: "polygon", silent: true, shape: { points: line(b.lower).concat(line(b.upper).reverse()) }, style: fill }];
      }
      const s = b.axis === "x" ? X : Y;
      const from = b.from === null ? s.min : Math.max(s.to(b.from), s.min), to = b.to === null ? s.max : Math.min(s.to(b.to), s.max);
      if (!(to > from)) return [];
      const [x1, y1] = b.axis === "x" ? coord(from, Y.max) : coord(X.min, to);
      const [x2, y2] = b.axis === "x" ? coord(to, Y.min) : coord(X.max, from);
      return [box(x1, y1, x2 - x1, y2 - y1, fill, { silent: true })];
    }, 1)));
    (c.bands || []).forEach((b) => b.axis && push(free((area, coord) => {
      const s = b.axis === "x" ? X : Y;
      const from = b.from === null ? s.min : Math.max(s.to(b.from), s.min), to = b.to === null ? s.max : Math.min(s.to(b.to), s.max);
      if (!(to > from)) return [];
      const [x1, y1] = b.axis === "x" ? coord(from, Y.max) : coord(X.min, to);
      const [x2, y2] = b.axis === "x" ? coord(to, Y.min) : coord(X.max, from);
      const style = Object.assign({ fill: t.warn, backgroundColor: t.paper, padding: 2 }, small); // below marks at the edge, over others
      return [measure(b.label, 12, t) < x2 - x1 - 10
        ? words(x1 + 6, y1 + 10, b.label, style)
        : upright(x1 + 3, y2 - 8, cut(b.label, y2 - y1 - 24, 12, t), style)];
    }, 7)));
    (c.levels || []).forEach((l) => push(free((area, coord) => {
      if (l.line) {
        const points = l.line.map((p) => coord(X.to(p[0]), Y.to(p[1])));
        return [{ type: "polyline", silent: true, shape: { points }, style: { stroke: t.ink, lineWidth: 1.2, lineDash: [5, 4], fill: "none" } }];
      }
      const s = l.axis === "x" ? X : Y, at = s.to(l.at);
      if (at === null || at < s.min || at > s.max) return [];
      if (l.axis === "x") {
        const x = coord(at, Y.min)[0];
        return [stroke(x, area.y, x, area.y + area.height, t.warn, 1.4, [6, 4]), upright(x + 3, area.y + area.height - 8, cut(l.label, area.height - 16, 12, t), Object.assign({ fill: t.warn, backgroundColor: t.paper }, small))];
      }
      const y = coord(X.min, at)[1];
      return [stroke(area.x, y, area.x + area.width, y, t.warn, 1.4, [6, 4]), words(area.x + 6, y - 3, l.label, Object.assign({ fill: t.warn, backgroundColor: t.paper, padding: 1, verticalAlign: "bottom" }, small))];
    }, 2)));
  }

  window.Shapes = { SHAPES, RAMP, SMALL, theme, measure, cut, clip, broken, number, label, valued, scale, axisOption, frame, free, words, stroke, box, xy };
})();
