// Opens a page of beryl-report in chromium and holds it against its results:
//
//     node check_page.mjs PAGE.html RESULT.json [FOLDER]
//
// console errors, requests, size and time, marks against data, zoom by mouse and keyboard, contrast
// in light and dark, width on a phone, twenty numbers chosen at random (SEED). With FOLDER it
// leaves screenshots there. Prints what is wrong, and exits with 1 then.

import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { iterationNumber, marksOfResult, marksOfRun, modeNumber, runsOf } from './page_data.mjs';

const MAX_BYTES = 5e6, MAX_SECONDS = 2, N_NUMBERS = 20;
const [path, resultPath, folder] = process.argv.slice(2);
const result = JSON.parse(readFileSync(resultPath, 'utf8'));
const address = pathToFileURL(resolve(path)).href;
const runs = runsOf(result);
const wrong = [];
const expect = (holds, text) => { if (!holds) wrong.push(text); };

/** Random numbers in [0, 1) that repeat (mulberry32 by T. Ettinger). */
let seed = Number(process.env.SEED ?? 1);
function random() {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

async function open(browser, settings) {
  const page = await browser.newPage(settings);
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) wrong.push(`console: ${message.text()}`);
  });
  page.on('pageerror', error => wrong.push(`script: ${error.message}`));
  page.on('request', request => expect(request.url() === address, `request: ${request.url()}`));
  const start = Date.now();
  await page.goto(address);
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done))));
  return { page, seconds: (Date.now() - start) / 1000 };
}

/** Marks of a chart: what carries a tooltip. */
const countMarks = figures => figures.map(figure => ({
  chart: figure.dataset.chart,
  marks: figure.querySelectorAll(':scope svg :is(rect, circle, path) > title').length,
}));

async function checkMarks(page) {
  const expected = runs.map((run, i) => [`#run${i + 1}`, marksOfRun(run)]);
  for (const [scope, marks] of expected) {
    const found = await page.$$eval(`${scope} figure[data-chart]`, countMarks);
    for (const [chart, n] of Object.entries(marks)) {
      const shown = found.find(figure => figure.chart === chart)?.marks;
      expect(shown === n || (n === 0 && shown === undefined),
        `${scope}: chart ${chart} has ${shown} marks, its data ${n}`);
    }
  }
  for (const [chart, n] of Object.entries(marksOfResult(result))) {
    const found = await page.$$eval(`figure[data-chart="${chart}"]`, countMarks);
    expect(found.length === 1 && found[0].marks === n,
      `chart ${chart}: ${found.map(figure => figure.marks)} marks, its data ${n}`);
  }
  const empty = (await page.$$eval('figure[data-chart]', countMarks))
    .filter(figure => figure.marks === 0);
  expect(empty.length === 0, `empty charts: ${empty.map(figure => figure.chart)}`);
}

async function checkZoom(page) {
  const lanes = page.locator('.lanes').first();
  if (await lanes.count() === 0) return;
  const view = () => lanes.locator('svg.plot').evaluate(plot =>
    plot.getAttribute('viewBox').split(' ').map(Number));
  const ticks = () => lanes.locator('.ticks').textContent();
  const whole = await view(), allTicks = await ticks();
  await lanes.focus();
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  const nearer = await view();
  expect(Math.abs(nearer[2] - whole[2] / 4) < 1, `two + show ${nearer[2]} of ${whole[2]}`);
  expect(await ticks() !== allTicks, 'the axis does not follow the zoom');
  await page.keyboard.press('ArrowRight');
  expect((await view())[0] > nearer[0], 'the right arrow does not move');
  await page.keyboard.press('-');
  expect((await view())[2] > nearer[2], '- does not zoom out');
  await page.keyboard.press('0');
  expect((await view()).join() === whole.join(), '0 does not show all');
  const box = await lanes.locator('svg.plot').boundingBox();
  await lanes.scrollIntoViewIfNeeded();
  const place = await lanes.locator('svg.chart').boundingBox();
  await page.mouse.move(place.x + place.width / 2, place.y + place.height / 3);
  await page.mouse.wheel(0, -200);
  await page.waitForTimeout(50);
  const wheeled = await view();
  expect(box !== null && wheeled[2] < whole[2], 'the wheel does not zoom');
  await page.mouse.down();
  await page.mouse.move(place.x + place.width / 2 - 60, place.y + place.height / 3);
  await page.mouse.up();
  expect((await view())[0] > wheeled[0], 'dragging does not move');
  await lanes.getByRole('button', { name: 'Show all' }).click();
  expect((await view()).join() === whole.join(), 'the button does not show all');
}

/** Texts and marks whose contrast is too low, by the formulas of WCAG 2.1. */
function findLowContrast() {
  const parse = text => text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
  const luminance = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const background = element => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const low = new Map();
  const check = (element, colour, least, what) => {
    const ratio = contrast(parse(colour), background(element));
    if (ratio < least) low.set(`${what}: ${colour}`, ratio.toFixed(2));
  };
  for (const element of document.querySelectorAll('body *')) {
    const style = getComputedStyle(element), tag = element.tagName.toLowerCase();
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (tag === 'text') check(element, style.fill, 4.5, 'text of a chart');
    else if (own && !element.closest('svg') && tag !== 'script' && style.display !== 'none')
      check(element, style.color, 4.5, tag);
    else if (['rect', 'circle'].includes(tag) && element.querySelector('title'))
      check(element, style.fill, 3, 'mark');
    else if (tag === 'path' && element.matches('.line, .steal'))
      check(element, style.stroke, 3, 'line');
  }
  return [...low].map(([what, ratio]) => `${what} has a contrast of ${ratio}`);
}

async function checkNumbers(page) {
  const cells = await page.evaluate(() => [...document.querySelectorAll('table.figures')]
    .flatMap(table => {
      const scope = table.closest('[id^=run]')?.id;
      const kind = table.classList.contains('modes') ? 'modes' : scope ? 'iterations' : 'runs';
      const headings = [...table.querySelectorAll('thead th')]
        .map(th => th.childNodes[0]?.textContent.trim());
      return [...table.querySelectorAll('tbody tr')].flatMap(row => [...row.cells].slice(1)
        .map((cell, i) => ({ kind, scope, heading: headings[i + 1],
          row: row.cells[0].innerText.trim(), text: cell.innerText.trim() })));
    }));
  const known = cells.filter(cell => cell.kind !== 'runs' && /\d/.test(cell.text));
  expect(known.length >= N_NUMBERS || known.length > 0, 'the page has no table of numbers');
  for (let k = 0; k < N_NUMBERS && known.length > 0; k++) {
    const [cell] = known.splice(Math.floor(random() * known.length), 1);
    const shown = Number(cell.text.replaceAll(',', '').replace('\u2212', '-'));
    const decimals = cell.text.split('.')[1]?.length ?? 0;
    const number = cell.kind === 'modes' ? modeNumber(runs, cell.row, cell.heading)
      : iterationNumber(runs[Number(cell.scope.slice(3)) - 1], cell.heading, Number(cell.row));
    expect(Math.abs(shown - number) <= 0.5001 * 10 ** -decimals,
      `${cell.scope ?? 'comparison'}, ${cell.row}, ${cell.heading}: ${cell.text}, not ${number}`);
  }
}

async function openDetails(page) {
  await page.$$eval('details', all => all.forEach(details => { details.open = true; }));
}

async function checkLook(browser, name, settings, media) {
  const { page } = await open(browser, settings);
  if (media) await page.emulateMedia(media);
  if (folder) await page.screenshot({ path: `${folder}/${basename(path, '.html')}-${name}.png`,
    fullPage: true });
  const [wide, inside] = await page.evaluate(() =>
    [document.documentElement.scrollWidth, window.innerWidth]);
  expect(media || wide <= inside, `${name}: ${wide} pixels wide in ${inside}`);
  await openDetails(page);
  for (const text of await page.evaluate(findLowContrast)) expect(false, `${name}: ${text}`);
  await page.close();
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'] });
await (await browser.newPage()).goto('about:blank'); // the browser itself has started
const { page, seconds } = await open(browser, { viewport: { width: 1280, height: 900 } });
expect(seconds < MAX_SECONDS, `shown after ${seconds} s`);
expect(statSync(path).size < MAX_BYTES, `${statSync(path).size} bytes`);
expect(/\d/.test(await page.locator('.answer').first().innerText()), 'the answer has no number');
await openDetails(page);
await checkMarks(page);
await checkNumbers(page);
await checkZoom(page);
const screen = { width: 1280, height: 900 };
await checkLook(browser, 'light', { viewport: screen, colorScheme: 'light' });
await checkLook(browser, 'dark', { viewport: screen, colorScheme: 'dark' });
await checkLook(browser, 'phone', { viewport: { width: 390, height: 844 }, isMobile: true });
await checkLook(browser, 'print', { viewport: screen }, { media: 'print' });
await browser.close();
console.log(`${basename(path)}: ${statSync(path).size} bytes, shown after ${seconds} s`);
for (const text of wrong) console.log(`${basename(path)}: ${text}`);
process.exit(wrong.length > 0 ? 1 : 0);
