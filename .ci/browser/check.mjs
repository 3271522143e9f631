// Usage: node check.mjs PAGE.html...
// Opens each page from its file in headless Chromium, at the width of a desk and
// of a phone, light and dark, and checks: every chart draws, nothing is said on
// the console, the content policy is kept, no request leaves, the page does not
// scroll sideways; a click on a mark and Enter on one open its panel, whose charts
// draw too, and Escape closes it.
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const views = [["desk", 1280], ["phone", 390]];
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: ["--no-sandbox", "--disable-gpu"] });
let charts = 0, panels = 0;
try {
  for (const file of process.argv.slice(2)) {
    for (const [name, width] of views) {
      const page = await browser.newPage();
      const said = [];
      page.on("console", (m) => said.push(`${m.type()}: ${m.text()}`));
      page.on("pageerror", (e) => said.push(`error: ${e.message}`));
      page.on("request", (r) => { if (!r.url().startsWith("file:")) said.push(`request: ${r.url().slice(0, 200)}`); });
      await page.evaluateOnNewDocument(() => document.addEventListener("securitypolicyviolation", (e) => console.log("policy: " + e.violatedDirective + " " + e.sourceFile)));
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
      await page.goto(pathToFileURL(resolve(file)).href, { waitUntil: "load" });
      const paper = [];
      for (const scheme of ["dark", "light"]) { // a page takes the colours of the screen at any time
        const what = `${file} (${name}, ${scheme})`;
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        charts += await drawn(page, what);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${what}: the page scrolls sideways`);
        paper.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      }
      assert.notEqual(paper[0], paper[1], `${file}: light is dark`);
      panels += await through(page, `${file} (${name})`);
      assert.deepEqual(said, [], `${file} (${name})`);
      await page.close();
    }
  }
} finally {
  await browser.close();
}
console.log(`${process.argv.length - 2} pages at ${views.length} widths, light and dark: ${charts} charts drawn, ${panels} panels opened`);

// drawn opens what is folded and returns how many charts there are: all draw, as
// many as the page describes.
async function drawn(page, what) {
  await page.evaluate(() => document.querySelectorAll("details.fold").forEach((d) => (d.open = true)));
  await page.waitForFunction(() => [...document.querySelectorAll(".plot")].every((p) => p.dataset.drawn !== undefined), { timeout: 20000 }).catch(() => assert.fail(`${what}: a chart does not draw`));
  const plots = await page.evaluate(inked, "main .plot");
  const described = await page.evaluate(() => JSON.parse(document.getElementById("page-data").textContent).charts.length);
  assert.equal(plots.length, described, `${what}: charts against descriptions`);
  for (const p of plots) assert.ok(p.shapes > 1, `${what}: ${p.id} is empty`);
  return plots.length;
}

// inked counts what each plot shows: shapes of SVG, or 100 for a canvas that has
// colours.
function inked(selector) {
  return [...document.querySelectorAll(selector)].map((p) => {
    const canvas = p.querySelector("canvas");
    if (!canvas) return { id: p.id, shapes: p.querySelectorAll("svg path, svg text, svg rect, svg polyline, svg line").length };
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
    let ink = 0;
    for (let i = 3; i < data.length; i += 4) if (data[i] > 0) ink++;
    return { id: p.id, shapes: ink > 200 ? 100 : 0 };
  });
}

// through opens panels by a click and by the keyboard; pages without points have
// none.
async function through(page, what) {
  const open = () => page.evaluate(() => document.getElementById("panel").open);
  const mark = await page.evaluate(() => {
    for (const plot of document.querySelectorAll("main .plot")) {
      const chart = window.echarts.getInstanceByDom(plot);
      const all = JSON.parse(document.getElementById("page-data").textContent);
      const description = all.charts.find((c) => "plot-" + c.id === plot.id);
      if (description.kind !== "xy" || !description.series.some((s) => s.points.some((p) => p[6] !== undefined && all.points.rows[p[6]]))) continue;
      const k = chart.getOption().series.findIndex((s) => s.type === "scatter" && s.data.length);
      if (k < 0) continue;
      plot.scrollIntoView({ block: "center", behavior: "instant" });
      const [x, y] = chart.convertToPixel({ seriesIndex: k }, chart.getOption().series[k].data[0].value);
      const box = plot.getBoundingClientRect();
      return { x: box.x + x, y: box.y + y, id: plot.id };
    }
    return null;
  });
  let opened = 0;
  if (mark) {
    await page.mouse.move(mark.x, mark.y);
    await page.mouse.click(mark.x, mark.y);
    await pause(150);
    assert.ok(await open(), `${what}: a click on ${mark.id} opens nothing`);
    opened++;
    assert.ok((await page.evaluate(() => document.getElementById("panel").innerText.length)) > 20, `${what}: an empty panel`);
    for (const p of await page.evaluate(inked, "#panel .plot")) assert.ok(p.shapes > 2, `${what}: ${p.id} in the panel is empty`);
    opened += await deeper(page, what);
    await page.keyboard.press("Escape");
    await pause(50);
    assert.ok(!(await open()), `${what}: Escape leaves the panel open`);
    await page.evaluate((id) => document.getElementById(id).focus(), mark.id);
    await page.keyboard.press("ArrowRight");
    assert.ok((await page.evaluate(() => document.getElementById("live").textContent.length)) > 3, `${what}: arrows say nothing`);
    await page.keyboard.press("Enter");
    await pause(100);
    assert.ok(await open(), `${what}: Enter on ${mark.id} opens nothing`);
    await page.keyboard.press("Escape");
    opened++;
  }
  return opened;
}

// deeper follows the charts of a panel from one detail to the next, as Enter does.
async function deeper(page, what) {
  const title = () => page.evaluate(() => document.getElementById("panel-title").textContent);
  for (let depth = 0; depth < 4; depth++) {
    const before = await title();
    const plots = await page.$$("#panel .plot");
    for (const plot of plots) {
      await plot.focus();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await pause(100);
      if ((await title()) !== before) break;
    }
    if ((await title()) === before) return depth;
    for (const p of await page.evaluate(inked, "#panel .plot")) assert.ok(p.shapes > 2, `${what}: ${p.id} in the panel is empty`);
  }
  return 4;
}

// inward goes from a run to a request and to a step of it, the first way by the
// keyboard and then by clicks on bars, and back; pages without runs have none.
async function inward(page, what) {
  const said = () => page.evaluate(() => (document.getElementById("panel").open ? document.getElementById("panel-title").textContent : "closed"));
  if (!(await page.$("#plot-time-c1"))) return 0;
  await page.evaluate(() => document.getElementById("plot-time-c1").scrollIntoView({ block: "center", behavior: "instant" }));
  await page.focus("#plot-time-c1");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await pause(100);
  const point = await said();
  assert.notEqual(point, "closed", `${what}: Enter on a run opens nothing`);
  assert.ok(await page.evaluate(() => [...document.querySelectorAll("#panel pre")].some((p) => p.textContent.includes("reproduced: "))), `${what}: ${point}: not the words of sweep show`);
  const titles = [point];
  for (const [depth, want] of [[1, /^request \d+ of point/], [2, /step.*, request \d+ of point/]]) {
    const at = await page.evaluate(widest);
    await page.mouse.move(at.x, at.y);
    await page.mouse.click(at.x, at.y);
    await pause(100);
    titles.push(await said());
    assert.match(titles[depth], want, `${what}: a click on a bar of ${titles[depth - 1]}`);
    for (const p of await page.evaluate(inked, "#panel .plot")) assert.ok(p.shapes > 2, `${what}: ${p.id} in the panel is empty`);
    assert.ok(await page.evaluate(() => document.querySelectorAll("#panel table tr").length > 2), `${what}: ${titles[depth]} has no numbers`);
  }
  for (const depth of [1, 0]) {
    await page.evaluate(() => [...document.querySelectorAll("#panel .bar button")].find((b) => b.textContent === "back").focus());
    await page.keyboard.press("Enter");
    await pause(100);
    assert.equal(await said(), titles[depth], `${what}: the way back`);
  }
  await page.keyboard.press("Escape");
  await pause(50);
  assert.equal(await said(), "closed", what);
  assert.equal(await page.evaluate(() => document.activeElement.id), "plot-time-c1", `${what}: the keyboard is not where it was`);
  return 5;
}

// widest is the middle of the widest bar in the first chart of the panel.
function widest() {
  const plot = document.querySelector("#panel .plot");
  plot.scrollIntoView({ block: "center", behavior: "instant" });
  const bars = [...plot.querySelectorAll("svg path")].map((p) => p.getBoundingClientRect()).filter((b) => b.height > 10 && b.height < 18 && b.width > 4);
  bars.sort((a, b) => b.width - a.width);
  return { x: bars[0].x + bars[0].width / 2, y: bars[0].y + bars[0].height / 2 };
}
