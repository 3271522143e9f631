// Charts of rows and cells: bars from 0, stacked bars, heat maps, parallel
// coordinates.
(function () {
  "use strict";
  const { RAMP, SMALL, measure, cut, clip, broken, number, label, valued, scale, axisOption, frame, free, words, stroke, box } = window.Shapes;
  const THICK = 15, GAP = 13, NAME = 17; // px

  function ramp(x) {
    const at = Math.min(Math.max(x, 0), 1) * (RAMP.length - 1), k = Math.min(Math.floor(at), RAMP.length - 2);
    return RAMP[k].map((v, i) => Math.round(v + (RAMP[k + 1][i] - v) * (at - k)));
  }
  const css = (c) => "rgb(" + c.join(",") + ")";
  const dark = (c) => 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2] < 140;

  // between is a ramp of two colours for lines, which must stand out from the paper
  // at both ends, or with the paper in the middle for values on both sides of 0.
  function between(t, middle = t.colours[7]) {
    const parse = (h) => [1, 3, 5].map((i) => parseInt(h.slice(i, i + 2), 16));
    const stops = [t.colours[0], middle, t.colours[1]].map(parse);
    return (x) => {
      const k = x < 0.5 ? 0 : 1, at = Math.min(Math.max(2 * x - k, 0), 1);
      return stops[k].map((v, i) => Math.round(v + (stops[k + 1][i] - v) * at));
    };
  }

  // lay places rows from the top: {y of each row and bar, whole height}.
  function lay(rows, narrow, barsOf) {
    let y = 4;
    const out = rows.map((r) => {
      const at = { name: y, bars: [] };
      if (narrow) y += NAME;
      for (const _ of barsOf(r)) {
        at.bars.push(y);
        y += THICK + 2;
      }
      at.middle = narrow ? at.name + NAME / 2 : (at.name + y - 2) / 2;
      y += GAP - 2;
      return at;
    });
    return [out, y];
  }

  // short names rows: by their values alone where all are lists of the same settings
  // and have no room, with what these are.
  function short(rows, e, t) {
    const names = rows.map((r) => r.name), room = e.width < SMALL ? e.width - 4 : 0.34 * e.width;
    if (names.every((n) => measure(n, 13, t) <= room)) return [names, ""];
    const parts = names.map((n) => n.split(", ").map((p) => p.split(" = ")));
    const keys = parts[0].map((p) => p[0]).join(", ");
    if (names.length < 2 || parts.some((list) => list.some((p) => p.length !== 2) || list.map((p) => p[0]).join(", ") !== keys)) return [names, ""];
    return [parts.map((list) => list.map((p) => p[1]).join(", ")), broken(keys, e.width, t)];
  }

  // head is what the line above the rows takes.
  const head = (keys) => (keys ? 9 + 15 * keys.split("\n").length : 2);

  // below is what a chart of rows takes beside them: the axis and its title, and what
  // the names hold.
  const below = (c, e, said) => 31 + 15 * broken(label(c.x), e.width, e.theme).split("\n").length + head(said[1]);

  // beside is what the names of rows take beside their bars.
  const beside = (names, e) => Math.min(0.34 * e.width, Math.max(...names.map((n) => measure(n, 13, e.theme))) + 2);

  // horizontal is the frame of a chart of rows: an axis of values below, and
  // pixels downwards.
  function horizontal(c, e, X, places, o) {
    const t = e.theme, [labels, keys] = o.said;
    const axis = broken(label(c.x), e.width, t).split("\n"); // under the axis, kept inside the picture
    const reach = Math.max(...axis.map((line) => measure(line, 12.5, t))) / 2 + 2;
    const middle = Math.min(Math.max((o.left + e.width - o.right) / 2, reach), e.width - reach);
    const option = Object.assign(frame(t, { title: keys, width: e.width, tip: e.tip }), {
      grid: { left: o.left, right: o.right, top: head(keys), height: o.height, outerBoundsMode: "none" },
      xAxis: axisOption(X, t, { line: false }),
      yAxis: { type: "value", min: 0, max: o.height, inverse: true, show: false },
      series: o.series,
    });
    option.series.push(free((area, coord) => {
      const out = [words(middle, area.y + area.height + 24, axis.join("\n"), { fill: t.ink, fontSize: 12.5, lineHeight: 15, fontFamily: t.font, align: "center", verticalAlign: "top" })];
      c.rows.forEach((r, i) => {
        const y = area.y + places[i].middle;
        out.push(o.narrow ? words(0, y, clip(labels[i], e.width - 4, 13, t), { fill: t.ink, backgroundColor: t.paper, padding: [1, 3, 1, 0], fontSize: 13, fontFamily: t.font, verticalAlign: "middle" })
          : words(o.names, y, clip(labels[i], o.names, 13, t), { fill: t.ink, fontSize: 13, fontFamily: t.font, align: "right", verticalAlign: "middle" }));
      });
      return out;
    }, 6));
    option.series[option.series.length - 1].clip = false;
    return option;
  }

  function bars(c, e) {
    const t = e.theme, narrow = e.width < SMALL;
    const [places, height] = lay(c.rows, narrow, (r) => r.bars);
    const values = [0];
    let texts = 0, left = false;
    for (const r of c.rows) {
      for (const b of r.bars) {
        for (const v of b.slice(0, 3)) if (v !== null && v !== undefined) values.push(v);
        texts = Math.max(texts, measure(b[4] || "", 12, t));
        left = left || (b[0] !== null && b[0] < 0);
      }
    }
    if (c.floor && c.floor.at) values.push(c.floor.at);
    const X = scale(c.x, values, { pad: 0.02, count: narrow ? 3 : 6 });
    const said = short(c.rows, e, t);
    const names = narrow ? 0 : beside(said[0], e);
    const side = Math.min(texts + 10, 0.34 * e.width);
    const lookup = [[]], data = [];
    c.rows.forEach((r, i) => r.bars.forEach((b, k) => {
      data.push([0, 0, i, k]);
      lookup[0].push(() => ({ title: r.name, ref: b[5] || r.ref, lines: [], rows: [[c.kinds && c.kinds[b[3] || 0] ? c.kinds[b[3] || 0] : label(c.x), b[4] || number(b[0])]].concat(b[1] !== null && b[1] !== undefined ? [[c.interval || "95 % interval", number(b[1]) + " to " + number(b[2])]] : []) }));
    }));
    const series = [{
      type: "custom", data, z: 4, clip: false, cursor: "default",
      renderItem: (params, api) => {
        const i = api.value(2), k = api.value(3), b = c.rows[i].bars[k], area = params.coordSys;
        const y = area.y + places[i].bars[k], colour = t.colours[[0, 1, 2, 3][b[3] || 0] || 0];
        const px = (v) => api.coord([Math.min(Math.max(v, X.min), X.max), 0])[0];
        const zero = px(0), known = b[0] !== null && b[0] !== undefined;
        const end = known ? px(b[0]) : zero;
        const children = [box(0, y - 1, area.x + area.width + side, THICK + 2, { fill: "transparent" })];
        let tip = end;
        if (known) children.push(box(Math.min(zero, end), y, Math.max(Math.abs(end - zero), 1), THICK, { fill: colour, opacity: 0.9 }));
        if (b[1] !== null && b[1] !== undefined) {
          const lo = px(b[1]), hi = px(b[2]), m = y + THICK / 2;
          children.push(stroke(lo, m, hi, m, t.ink, 1.3), stroke(lo, m - 4, lo, m + 4, t.ink, 1.3), stroke(hi, m - 4, hi, m + 4, t.ink, 1.3));
          tip = b[0] < 0 ? Math.min(end, lo) : Math.max(end, hi);
        }
        const back = known && b[0] < 0;
        children.push(words(back ? tip - 6 : tip + 6, y + THICK / 2, cut(b[4] || "", side, 12, t), { fill: known ? t.ink : t.muted, fontSize: 12, fontFamily: t.font, align: back ? "right" : "left", verticalAlign: "middle" }));
        return { type: "group", children };
      },
    }, free((area, coord) => {
      const zero = coord(0, 0)[0], out = [stroke(zero, area.y, zero, area.y + area.height, t.ink, 1)];
      if (c.floor && c.floor.at) {
        const x = coord(c.floor.at, 0)[0];
        out.push(stroke(x, area.y, x, area.y + area.height, t.warn, 1.3, [5, 4]), words(x + 4, area.y + area.height - 2, c.floor.label, { fill: t.warn, fontSize: 12, fontFamily: t.font, verticalAlign: "bottom" }));
      }
      return out;
    }, 5)];
    lookup.push([]);
    const option = horizontal(c, e, X, places, { series, left: names + (narrow ? 4 : 14) + (left ? side : 0), right: side + 6, names, narrow, height, said });
    const legend = (c.kinds || []).map((name, i) => ({ name, colour: t.colours[i], square: true })).filter((l) => l.name);
    return { option, lookup: lookup.concat([[]]), legend: legend.length > 1 ? legend : [], height: height + below(c, e, said) };
  }

  function stack(c, e) {
    const t = e.theme, narrow = e.width < SMALL;
    const [places, height] = lay(c.rows, narrow, () => [0]);
    let most = 0;
    for (const r of c.rows) most = Math.max(most, r.bars.reduce((sum, b) => sum + (b[0] || 0), 0));
    const X = scale(c.x, [0, most], { zero: true, count: narrow ? 3 : 6 });
    const said = short(c.rows, e, t);
    const names = narrow ? 0 : beside(said[0], e);
    const lookup = [[]], data = [];
    c.rows.forEach((r, i) => {
      let sum = 0;
      r.bars.forEach((b, k) => {
        data.push([0, 0, i, k, sum]);
        sum += b[0] || 0;
        lookup[0].push(() => ({ title: r.name, ref: b[5] || r.ref, lines: b[4] ? [b[4]] : [], rows: [[c.kinds[b[3] || 0], valued(c.x, b[0])]] }));
      });
    });
    const series = [{
      type: "custom", data, z: 4, clip: false, cursor: "default",
      renderItem: (params, api) => {
        const i = api.value(2), k = api.value(3), b = c.rows[i].bars[k], area = params.coordSys, y = area.y + places[i].bars[0];
        const from = api.coord([api.value(4), 0])[0], to = api.coord([api.value(4) + (b[0] || 0), 0])[0];
        const kind = b[3] || 0, children = [box(from, y, Math.max(to - from - 1, 0.5), THICK, { fill: t.colours[kind % 8], opacity: kind >= 8 ? 0.55 : 1 })];
        const said = b[4] && b[4].length < 14 ? b[4] : "";
        if (said && measure(said, 11, t) < to - from - 8) children.push(words((from + to) / 2, y + THICK / 2, said, { fill: t.paper, fontSize: 11, fontFamily: t.font, align: "center", verticalAlign: "middle" }));
        return { type: "group", children };
      },
    }];
    const option = horizontal(c, e, X, places, { series, left: names + (narrow ? 4 : 14), right: 22, names, narrow, height, said });
    return { option, lookup: lookup.concat([[]]), legend: c.kinds.map((name, i) => ({ name, colour: t.colours[i % 8], square: true, faint: i >= 8 })).filter((l) => l.name), height: height + below(c, e, said) };
  }

  // shade is where a value lies between the ends of its axis, or else between the
  // smallest and the largest.
  function shade(axis, values) {
    const log = Boolean(axis && axis.log), to = (v) => (log ? Math.log(Math.max(v, 1e-300)) : v);
    let lo = Infinity, hi = -Infinity;
    if (axis && axis.min !== undefined) [lo, hi] = [axis.min, axis.max];
    for (const v of values) if (v !== null && v !== undefined && !(log && v <= 0)) [lo, hi] = [Math.min(lo, v), Math.max(hi, v)];
    if (axis && axis.max > axis.min) [lo, hi] = [axis.min, axis.max];
    return { lo, hi, at: (v) => (hi > lo ? (to(v) - to(lo)) / (to(hi) - to(lo)) : 0.5) };
  }

  function heat(c, e) {
    const t = e.theme, across = c.x.words, down = c.y.words;
    const around = c.colour.min < 0 && c.colour.max > 0, reach = Math.max(-c.colour.min, c.colour.max); // 0 is the colour of the paper
    const hue = around ? between(t, t.paper) : ramp;
    const s = shade(around ? { min: -reach, max: reach } : c.colour, c.cells.filter((f) => !f[4]).map((f) => f[2]));
    const left = Math.min((e.width < SMALL ? 0.42 : 0.3) * e.width, Math.max(...down.map((w) => measure(w, 12, t))) + 8);
    const height = Math.max(26, Math.min(46, 420 / down.length)) * down.length;
    const X = scale(c.x, [], {}), Y = scale(c.y, [], {});
    const size = (e.width - left - 6) / across.length;
    const longest = Math.max(...across.map((w) => measure(w, 12, t))), upright = longest > size - 4 && size >= 13; // names of columns
    const foot = upright ? Math.min(longest, 170) : 14;
    const font = Math.min(12, height / down.length - 6);
    // said is the text of a cell: all cells have it, shorter where it has no room, or none.
    const full = (f) => f[3] || (f[2] === null || f[2] === undefined || f[4] ? "" : number(f[2]));
    const brief = (f) => (f[4] || f[2] === null || f[2] === undefined ? (f[3] || "").slice(0, 3) + "." : number(Number(f[2].toPrecision(2))));
    const fits = (of, list) => list.every((f) => measure(of(f), font, t) < size - 3);
    const choose = (list) => [full, brief].find((of) => fits(of, list)) || (() => "");
    const values = (f) => !f[4] && f[2] !== null && f[2] !== undefined;
    const known = choose(c.cells.filter(values)), others = choose(c.cells.filter((f) => !values(f)));
    const said = (f) => (values(f) ? known(f) : others(f));
    const lookup = [c.cells.map((f) => () => ({ title: "", ref: f[5], lines: [], rows: [[label(c.x), across[f[0]]], [label(c.y), down[f[1]]], [label(c.colour), f[3] || number(f[2])]] }))];
    const series = [{
      type: "custom", z: 3, clip: false, cursor: "default", data: c.cells.map((f, i) => [f[0], f[1], i]),
      renderItem: (params, api) => {
        const f = c.cells[api.value(2)], [x, y] = api.coord([f[0], f[1]]), h = height / down.length;
        const known = values(f), colour = known ? hue(s.at(f[2])) : null;
        const children = [box(x - size / 2 + 0.5, y - h / 2 + 0.5, size - 1, h - 1, { fill: known ? css(colour) : t.soft, stroke: known ? undefined : t.rule, lineDash: [3, 3] })];
        if (said(f)) children.push(words(x, y, said(f), { fill: known ? (dark(colour) ? "#fff" : "#111") : t.muted, fontSize: font, fontFamily: t.font, align: "center", verticalAlign: "middle" }));
        return { type: "group", children };
      },
    }];
    const option = Object.assign(frame(t, { title: label(c.y), width: e.width, tip: e.tip }), {
      grid: { left, right: 6, top: 22, height, outerBoundsMode: "none" },
      xAxis: axisOption(X, t, { name: broken(label(c.x), e.width - left, t), gap: foot + 12, grid: false, width: upright ? undefined : Math.max(24, size - 4), turn: upright ? 90 : 0, cut: upright ? (w) => clip(w, foot, 12, t) : undefined }),
      yAxis: axisOption(Y, t, { inverse: true, grid: false, cut: (w) => clip(w, left - 6, 12, t) }), series,
    });
    const legend = s.hi >= s.lo ? [{ what: label(c.colour) + (c.colour.log ? ", logarithmic:" : ":") }, { ramp: [0, 0.2, 0.4, 0.6, 0.8, 1].map((x) => css(hue(x))), from: number(s.lo), to: number(s.hi) + (c.colour.better ? ", " + c.colour.better + " is better" : "") }] : [];
    return { option, lookup, legend, height: height + 56 + foot, canvas: c.cells.length > 800 };
  }

  function parallel(c, e) {
    const t = e.theme, narrow = e.width < SMALL, hue = between(t);
    const scales = c.axes.map((a, i) => scale(a, c.lines.map((l) => l[0][i]), { own: "any", pad: 0.02, count: 5 }));
    const s = shade(c.colour, c.lines.map((l) => l[1]));
    const rest = c.lines.map((l) => ({
      value: l[0].map((v, i) => (v === null || v === undefined ? "-" : scales[i].to(v))),
      lineStyle: { color: l[1] === undefined || l[1] === null ? t.muted : css(hue(s.at(l[1]))), opacity: c.lines.length > 200 ? 0.35 : 0.7, width: c.lines.length > 200 ? 1 : 1.6 },
    }));
    const lookup = [c.lines.map((l) => () => ({ title: "", ref: l[2], lines: [], rows: c.axes.map((a, i) => [label(a), valued(a, l[0][i])]) }))];
    const heads = c.axes.map((a) => broken(label(a), narrow ? e.width : (e.width - 90) / c.axes.length, t));
    const half = (k) => Math.max(...heads[k].split("\n").map((line) => measure(line, 12, t))) / 2 + 4; // of a name in the middle over its axis
    const option = Object.assign(frame(t, { title: "", width: e.width, tip: e.tip }), {
      parallel: { left: narrow ? 16 : Math.max(40, half(0)), right: narrow ? 30 : Math.max(60, half(heads.length - 1)), top: narrow ? 40 : 70, bottom: narrow ? 20 : 14, layout: narrow ? "vertical" : "horizontal", parallelAxisDefault: { nameTextStyle: { color: t.ink, fontSize: 12, lineHeight: 15, fontFamily: t.font }, areaSelectStyle: { borderColor: t.ink, color: t.muted, opacity: 0.25 } } },
      parallelAxis: c.axes.map((a, i) => ({
        dim: i, type: "value", min: scales[i].min, max: scales[i].max, name: heads[i], nameGap: narrow ? 8 : 12, nameLocation: narrow ? "start" : "end",
        nameTextStyle: narrow ? { align: "left", verticalAlign: "bottom", padding: [0, 0, 4, 0], lineHeight: 15, color: t.ink, fontSize: 12, fontFamily: t.font, textBorderColor: t.paper, textBorderWidth: 3 } : { lineHeight: 15, color: t.ink, fontSize: 12, fontFamily: t.font, textBorderColor: t.paper, textBorderWidth: 3 },
        axisLine: { lineStyle: { color: t.muted } }, axisTick: { customValues: scales[i].ticks, lineStyle: { color: t.muted } },
        axisLabel: { customValues: scales[i].ticks, formatter: scales[i].text, color: t.ink, fontSize: 11, hideOverlap: true, fontFamily: t.font, textBorderColor: t.paper, textBorderWidth: 3 },
      })),
      series: [{ type: "parallel", data: rest, smooth: false, progressive: 0, inactiveOpacity: 0.03, activeOpacity: 0.9, emphasis: { lineStyle: { width: 3, opacity: 1 } } }],
    });
    const legend = s.hi >= s.lo ? [{ what: label(c.colour) + (c.colour.log ? ", logarithmic:" : ":") }, { ramp: [0, 0.2, 0.4, 0.6, 0.8, 1].map((x) => css(hue(x))), from: number(s.lo), to: number(s.hi) + (c.colour.better ? ", " + c.colour.better + " is better" : "") }] : [];
    return { option, lookup, legend, height: narrow ? 60 + 74 * c.axes.length : 440, canvas: c.lines.length > 300 };
  }

  const kinds = { xy: window.Shapes.xy, bars, stack, heat, parallel };
  const NS = "http://www.w3.org/2000/svg";

  // icon is the picture of an entry of a legend.
  function icon(l) {
    const svg = document.createElementNS(NS, "svg");
    const add = (tag, attributes) => {
      const n = document.createElementNS(NS, tag);
      for (const [k, v] of Object.entries(attributes)) n.setAttribute(k, v);
      svg.append(n);
    };
    const width = l.ramp ? 90 : l.line ? 26 : 14;
    svg.setAttribute("width", width);
    svg.setAttribute("height", 14);
    svg.setAttribute("viewBox", "0 0 " + width + " 14");
    svg.setAttribute("aria-hidden", "true");
    if (l.ramp) l.ramp.forEach((colour, i) => add("rect", { x: i * 15, y: 2, width: 15.5, height: 10, fill: colour }));
    if (l.line) add("path", { d: "M0 7H26", stroke: l.colour, "stroke-width": 2, "stroke-dasharray": l.dashed ? "5 3" : "none" });
    if (l.square) add("rect", { x: 1, y: 1, width: 12, height: 12, fill: l.colour, opacity: l.faint ? 0.55 : 1 });
    if (l.mark) add("path", { d: window.Shapes.SHAPES[l.shape % window.Shapes.SHAPES.length], transform: "translate(" + (l.line ? 8 : 2) + " 2) scale(0.62)", fill: l.hollow ? "none" : l.colour, stroke: l.colour, "stroke-width": l.hollow ? 2.5 : 0 });
    return svg;
  }

  // Drawer draws one chart.
  window.Drawer = class {
    constructor(plot, chart, page) {
      Object.assign(this, { plot, chart, page, hidden: new Set(), width: 0, forced: 0, at: -1, view: null, echart: null, canvas: null });
      this.legend = plot.parentElement.querySelector(".legend");
    }

    fit() {
      const width = this.forced || this.plot.clientWidth;
      if (width && width !== this.width) {
        this.width = width;
        this.draw();
      }
    }

    theme() {
      if (this.width) this.draw();
    }

    print(width) {
      this.forced = width;
      this.width = width || this.plot.clientWidth || this.width;
      if (this.width) this.draw();
    }

    end() {
      if (this.echart) this.echart.dispose();
      this.echart = null;
    }

    draw() {
      this.view = kinds[this.chart.kind](this.chart, { width: this.width, theme: window.Shapes.theme(), hidden: this.hidden, tip: (p) => this.tip(p.seriesIndex, p.dataIndex) });
      const { option, height } = this.view, canvas = Boolean(this.view.canvas);
      if (this.echart && this.canvas !== canvas) this.end();
      this.canvas = canvas;
      this.plot.style.height = height + "px";
      if (!this.echart) {
        this.plot.replaceChildren();
        this.echart = window.echarts.init(this.plot, null, { renderer: canvas ? "canvas" : "svg", width: this.width, height });
        this.echart.on("click", (p) => {
          const mark = this.mark(p.seriesIndex, p.dataIndex);
          if (mark && this.page.opens(mark.ref)) this.page.open(mark.ref);
        });
        this.echart.on("mouseover", (p) => {
          const mark = this.mark(p.seriesIndex, p.dataIndex);
          if (mark && this.page.opens(mark.ref)) this.echart.getZr().setCursorStyle("pointer");
        });
      } else {
        this.echart.resize({ width: this.width, height });
      }
      this.echart.setOption(option, { notMerge: true });
      this.stops = [];
      this.view.lookup.forEach((list, s) => list.forEach((_, i) => this.stops.push([s, i])));
      this.plot.dataset.drawn = String(this.stops.length);
      this.names();
    }

    mark(s, i) {
      const list = this.view.lookup[s];
      return list && list[i] ? list[i]() : null;
    }

    tip(s, i) {
      const mark = this.mark(s, i);
      return mark ? this.page.tip(mark) : "";
    }

    walk(step) {
      if (!this.stops || !this.stops.length) return null;
      this.at = (this.at + step + this.stops.length) % this.stops.length;
      const [seriesIndex, dataIndex] = this.stops[this.at];
      this.echart.dispatchAction({ type: "showTip", seriesIndex, dataIndex });
      return this.current();
    }

    current() {
      return this.at < 0 ? null : this.mark(...this.stops[this.at]);
    }

    hush() {
      this.echart.dispatchAction({ type: "hideTip" });
    }

    leave() {
      this.at = -1;
      this.echart.dispatchAction({ type: "hideTip" });
    }

    names() {
      if (!this.legend) return;
      const focus = this.legend.contains(document.activeElement) ? document.activeElement.dataset.toggle : undefined;
      this.legend.replaceChildren(...this.view.legend.map((l) => {
        const li = document.createElement("li");
        if (l.what) {
          li.className = "what";
          li.textContent = l.what;
          return li;
        }
        const e = document.createElement(l.toggle === undefined ? "span" : "button");
        if (l.ramp) e.append(l.from, icon(l), l.to);
        else e.append(icon(l), l.name);
        if (l.toggle !== undefined) {
          e.type = "button";
          e.dataset.toggle = l.toggle;
          e.setAttribute("aria-pressed", String(!this.hidden.has(l.toggle)));
          e.addEventListener("click", () => {
            if (!this.hidden.delete(l.toggle)) this.hidden.add(l.toggle);
            this.at = -1;
            this.draw();
          });
        }
        li.append(e);
        return li;
      }));
      const again = focus !== undefined && this.legend.querySelector('[data-toggle="' + focus + '"]');
      if (again) again.focus();
    }
  };
})();
