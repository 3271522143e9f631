// The page's own script: opens panels, handles the keyboard and hands charts to
// draw.js. It makes text of what the page holds and says nothing of its own but
// the names of buttons and folds.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const live = document.getElementById("live");
  const shown = new Map(); // element of a plot -> what draws it

  function element(tag, className, text) {
    const e = document.createElement(tag);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    if (/^(td|dd)$/.test(tag)) shorten(e);
    if (tag === "dt") breaks(e);
    return e;
  }

  // breaks lets the long names in an element break after a dot, and words that are
  // long without one after _, rather than anywhere.
  function breaks(e, from = 19) {
    const long = new RegExp("[^ ]{" + from + "}");
    for (const node of [...e.childNodes]) {
      if (node.nodeType !== Node.TEXT_NODE) continue;
      const parts = node.data.split(/(?<=[a-z0-9]\.)(?=[a-z])/).flatMap((part) => (long.test(part) ? part.split(/(?<=[a-z0-9]_)(?=[a-z])/) : [part]));
      if (parts.length > 1) node.replaceWith(...parts.flatMap((part, i) => (i ? [document.createElement("wbr"), part] : [part])));
    }
  }

  // shorten shows six significant digits of the numbers in a cell, and all where
  // one points at it.
  function shorten(e) {
    const text = e.textContent;
    const short = text.replace(/(?<![\w.])\d+\.\d+(e[-+]?\d+)?(?![\w.])/g, (x) => {
      if (x.replace(/e.*/, "").replace(".", "").replace(/^0+/, "").length <= 6) return x;
      return Math.abs(x) >= 1e6 && Math.abs(x) < 1e15 ? String(Math.round(x)) : String(Number(Number(x).toPrecision(6)));
    });
    if (short === text || e.childElementCount) return;
    e.textContent = short;
    e.title = text;
  }

  // first readies the cell that names a row, head the heading of a column: they
  // have several lines where they are long and there is no room.
  function first(e) {
    const length = e.textContent.length;
    if (length > 36) e.classList.add("long");
    else if (length > 17) e.classList.add("mid");
    breaks(e);
  }
  function head(e) {
    if (e.textContent.length <= 12) return;
    e.classList.add("long");
    breaks(e, 13);
  }

  // rowOf is what the page knows of a key: pairs of a heading and a cell.
  function rowOf(ref) {
    const row = data.points.rows[ref];
    return row ? data.points.head.map((h, i) => [h, row[i]]).filter((p) => p[1] !== undefined && p[1] !== "") : [];
  }

  function opens(ref) {
    return ref !== undefined && ref !== "" && (data.points.rows[ref] !== undefined || data.details[ref] !== undefined);
  }

  // tip is what pointing at a mark shows.
  function tip(mark) {
    const box = element("div", "tip");
    if (mark.title) box.append(element("b", "", mark.title));
    const bare = (name) => name.replace(/ \([^)]*\)$/, "");
    const rows = (opens(mark.ref) ? rowOf(mark.ref) : []).concat(mark.rows);
    const table = element("table");
    const seen = new Set();
    for (const [name, value] of rows) {
      if (seen.has(bare(name))) continue;
      seen.add(bare(name));
      const tr = element("tr");
      tr.append(element("td", "", name), element("td", "", value));
      breaks(tr.firstChild);
      table.append(tr);
    }
    box.append(table);
    for (const line of mark.lines || []) box.append(element("div", "", line));
    if (opens(mark.ref)) box.append(element("div", "hint", "click, or Enter, for more"));
    return box;
  }

  // show begins to draw a chart in an element, now if it has a size, else when
  // it gets one.
  function show(plot, chart) {
    const drawer = new window.Drawer(plot, chart, { tip, open, opens });
    shown.set(plot, drawer);
    new ResizeObserver(() => drawer.fit()).observe(plot);
    plot.addEventListener("keydown", (e) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
      if (step) {
        e.preventDefault();
        const mark = drawer.walk(step);
        if (mark) live.textContent = tip(mark).textContent;
      } else if (e.key === "Enter") {
        const mark = drawer.current();
        e.preventDefault(); // or the key presses the first button of the panel
        if (mark && opens(mark.ref)) {
          drawer.hush();
          open(mark.ref);
        }
      } else if (e.key === "Escape") {
        drawer.leave();
      }
    });
  }

  function tableOf(t) {
    const box = element("div", "box");
    box.tabIndex = 0;
    const table = element("table");
    const top = element("tr");
    for (const [i, h] of t.head.entries()) top.append(element("th", t.right[i] ? "n" : "", h));
    top.childNodes.forEach(head);
    table.append(top);
    for (const row of t.rows) {
      const tr = element("tr");
      for (const [i, cell] of row.entries()) tr.append(element("td", t.right[i] ? "n" : "", cell));
      if (tr.firstChild) first(tr.firstChild);
      table.append(tr);
    }
    box.append(table);
    return box;
  }

  let serial = 0;
  function figureOf(c) {
    const figure = element("figure");
    const caption = element("figcaption");
    caption.append(element("b", "", c.title), element("span", "", c.reading));
    const plot = element("div", "plot");
    plot.id = "panel-" + serial++;
    plot.tabIndex = 0;
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-label", c.title + ". " + c.reading);
    const legend = element("ul", "legend");
    figure.append(caption, plot, legend);
    for (const n of c.notes) figure.append(element("p", "note", n));
    if (c.numbers) {
      const fold = element("details", "data");
      fold.append(element("summary", "", "the numbers"), tableOf(c.numbers));
      for (const n of c.numbers.notes) fold.append(element("p", "note", n));
      figure.append(fold);
    }
    return [figure, plot];
  }

  // open shows the panel of a key.
  const dialog = document.getElementById("panel");
  let plots = [];
  function open(ref) {
    if (!opens(ref)) return;
    const detail = data.details[ref] || { lines: [], charts: [], tables: [], texts: [] };
    const body = element("div", "body");
    const bar = element("div", "bar");
    const title = element("h2", "", detail.title || data.points.title + " " + ref);
    title.id = "panel-title";
    title.tabIndex = -1;
    bar.append(title);
    if (detail.up !== undefined) {
      const back = element("button", "", "back");
      back.addEventListener("click", () => open(detail.up));
      bar.append(back);
    }
    const close = element("button", "", "close");
    close.addEventListener("click", () => dialog.close());
    bar.append(close);
    const list = element("dl");
    for (const [name, value] of rowOf(ref)) list.append(element("dt", "", name), element("dd", "", value));
    if (list.childNodes.length) body.append(list);
    if (data.points.command && data.points.rows[ref]) {
      const p = element("p");
      p.append("on a command line: ", element("code", "", data.points.command.replace("%s", ref)));
      body.append(p);
    }
    for (const line of detail.lines) body.append(element("p", "", line));
    for (const drawer of plots) drawer.end();
    plots = [];
    const waiting = [];
    for (const c of detail.charts) {
      const [figure, plot] = figureOf(c);
      body.append(figure);
      waiting.push([plot, c]);
    }
    for (const t of detail.tables) {
      if (t.title) body.append(element("h3", "", t.title));
      body.append(tableOf(t));
      for (const n of t.notes) body.append(element("p", "note", n));
    }
    for (const t of detail.texts) {
      if (t.title) body.append(element("h3", "", t.title));
      const pre = element("pre", "", t.body);
      pre.tabIndex = 0;
      body.append(pre);
    }
    dialog.replaceChildren(bar, body);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    title.focus();
    for (const [plot, c] of waiting) {
      show(plot, c);
      plots.push(shown.get(plot));
      shown.delete(plot);
    }
  }
  dialog.addEventListener("click", (e) => {
    if (e.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    for (const drawer of plots) drawer.end();
    plots = [];
  });

  document.querySelectorAll("td").forEach(shorten);
  document.querySelectorAll("td:first-child").forEach((e) => first(e));
  document.querySelectorAll("th").forEach(head);
  for (const chart of data.charts) {
    const plot = document.getElementById("plot-" + chart.id);
    if (plot) show(plot, chart);
  }
  for (const a of document.querySelectorAll("[data-ref]")) {
    a.addEventListener("click", () => open(a.dataset.ref));
  }

  // A link to a folded section opens it.
  function unfold() {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    const fold = target && target.querySelector("details.fold");
    if (fold) fold.open = true;
  }
  window.addEventListener("hashchange", unfold);
  unfold();

  function redraw() {
    for (const drawer of shown.values()) drawer.theme();
    for (const drawer of plots) drawer.theme();
  }
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  window.addEventListener("beforeprint", () => {
    document.documentElement.classList.add("on-paper");
    for (const drawer of shown.values()) drawer.print(680);
  });
  window.addEventListener("afterprint", () => {
    document.documentElement.classList.remove("on-paper");
    for (const drawer of shown.values()) drawer.print(0);
  });
})();
