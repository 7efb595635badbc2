// Reports in a real browser, run by scripts/test-report: what runs, what is asked of the network, what a reader can reach.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { renderIncidentPage } from '../../../../src/incidents/report/html/incident-page.ts';
import type { ReportInput } from '../../../../src/incidents/report/report-input.ts';
import { T0 } from '../../sample.ts';
import { hostile, powerChain, tenThousand } from './cases.ts';
import { unreadable } from './contrast.ts';

const OPENED_MS = 2000;
const MOST_BYTES = 5_000_000;
const DESK = { viewport: { width: 1100, height: 1300 } } as const;
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true } as const;
const shots = process.env.FAULTLINE_SCREENSHOTS ?? tmpdir();
const folder = mkdtempSync(join(tmpdir(), 'faultline-report-'));
let browser: Browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.FAULTLINE_BROWSER ?? '/usr/bin/chromium',
    // As root in a container there is no sandbox to be had; the pages are our own.
    args: ['--no-sandbox'],
  });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The report as a file, opened; `asked` are all addresses that the browser wanted, `said` what it complained of. */
async function opened(name: string, of: ReportInput, options: BrowserContextOptions) {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, renderIncidentPage(of));
  const page = await (await browser.newContext(options)).newPage();
  const asked: string[] = [];
  const said: string[] = [];
  page.on('request', (request) => void asked.push(request.url()));
  page.on('console', (message) => void said.push(message.text()));
  page.on('dialog', () => void said.push('dialog'));
  const start = performance.now();
  await page.goto(pathToFileURL(path).href, { waitUntil: 'load' });
  const openedMs = performance.now() - start;
  return { page, path, asked, said, openedMs };
}

async function isNoWiderThanItsWindow(page: Page): Promise<boolean> {
  return await page.evaluate<boolean>('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
}

for (const [name, options] of [
  ['light', { ...DESK, colorScheme: 'light' }],
  ['dark', { ...DESK, colorScheme: 'dark' }],
  ['phone-light', { ...PHONE, colorScheme: 'light' }],
  ['phone-dark', { ...PHONE, colorScheme: 'dark' }],
] as const) {
  test(`the power chain, ${name}`, async () => {
    const { page, asked, said } = await opened(name, powerChain(), options);
    await page.screenshot({ path: join(shots, `${name}.png`) });
    await page.screenshot({ path: join(shots, `${name}-whole.png`), fullPage: true });
    assert.deepEqual([asked.length, said], [1, []]);
    assert.ok(await isNoWiderThanItsWindow(page));
    const [back, front] = await page.evaluate<string[]>(
      '(({ backgroundColor, color }) => [backgroundColor, color])(getComputedStyle(document.body))',
    );
    assert.ok(name.endsWith('dark') ? brightness(back) < 0.1 : brightness(back) > 0.9, back);
    assert.ok(Math.abs(brightness(front ?? '') - brightness(back ?? '')) > 0.7);
    assert.deepEqual(await unreadable(page), []);
  });
}

function brightness(colour = ''): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

test('by keyboard: past the links to the report, into what scrolls and opens', async () => {
  const { page } = await opened('keyboard', powerChain(), DESK);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate<string>('document.activeElement.textContent'), 'Skip to the report');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate<string>('document.activeElement.id'), 'main');
  const reached = new Set<string>();
  for (let i = 0; i < 60; i += 1) {
    await page.keyboard.press('Tab');
    reached.add(
      await page.evaluate<string>(
        'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent',
      ),
    );
    if (reached.has('All 27 events with their bounds')) break;
  }
  assert.ok(reached.has('Drawing of the chain') && reached.has('The chain in words'));
  await page.keyboard.press('Enter');
  assert.equal(await page.getByRole('table', { name: /^2026-11-27, UTC/ }).isVisible(), true);
});

test('evidence that is alike is folded: a click or a key opens it, and on paper all of it is there', async () => {
  const line = (i: number) => ({
    source: 'kernel-log',
    time: '',
    timeMs: T0 + i,
    text: `NVRM: Xid ${i}, try ${i} of many`,
  });
  const evidence = Array.from({ length: 12 }, (_, i) => line(i));
  const { page } = await opened('folds', { ...powerChain(), incident: { ...powerChain().incident, evidence } }, DESK);
  const last = page.getByText('try 11 of many');
  assert.equal(await page.locator('#evidence ~ ol > li').count(), 1);
  assert.deepEqual([await page.getByText('try 0 of many').isVisible(), await isShown(page)], [true, false]);
  await page.emulateMedia({ media: 'print' });
  assert.equal(await isShown(page), true);
  await page.emulateMedia({ media: 'screen' });
  assert.equal(await isShown(page), false);
  await page.getByText('11 more alike').focus();
  await page.keyboard.press('Enter');
  assert.deepEqual([await last.isVisible(), await isShown(page)], [true, true]);
});

/** The last of twelve pieces takes room on the page. */
async function isShown(page: Page): Promise<boolean> {
  return await page.evaluate<boolean>(
    '[...document.querySelectorAll("pre")].at(-1).checkVisibility({ contentVisibilityAuto: true })',
  );
}

test('to a screen reader: landmarks, headings, pictures by name, tables with heads', async () => {
  const { page } = await opened('roles', powerChain(), DESK);
  for (const role of ['banner', 'navigation', 'main', 'contentinfo'] as const)
    assert.equal(await page.getByRole(role).count(), 1, role);
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1);
  assert.equal(await page.getByRole('heading', { level: 2 }).count(), 8);
  assert.equal(await page.getByRole('img', { name: 'What caused what, over the feed path' }).count(), 1);
  assert.equal(await page.getByRole('img', { name: 'Voltage of PDU phase around the incident' }).count(), 1);
  assert.ok((await page.getByRole('columnheader').count()) >= 2);
});

test('hostile text runs nothing, asks for nothing and is shown', async () => {
  const { page, asked, said } = await opened('hostile', hostile(), PHONE);
  await page.screenshot({ path: join(shots, 'hostile.png'), fullPage: true });
  assert.deepEqual([asked.length, said], [1, []]);
  assert.notEqual(await page.title(), 'ran');
  // All of each cell is in sight, without a way to scroll sideways.
  const cut =
    '[...document.querySelectorAll("td,tbody th")].filter((cell) => cell.scrollWidth > cell.clientWidth + 1 || cell.getBoundingClientRect().right > innerWidth).length';
  assert.deepEqual([(await page.locator('td').count()) > 0, await page.evaluate<number>(cut)], [true, 0]);
  assert.equal(await page.locator('script, img, b, iframe, form').count(), 0);
  assert.ok(await isNoWiderThanItsWindow(page));
  assert.match(
    (await page.locator('pre').first().textContent()) ?? '',
    /<script>document\.title='ran'<\/script>.*\\u\{202e\}evil/,
  );
});

test('ten thousand events: opened at once, and small', async (t) => {
  const { page, path, openedMs } = await opened('many', tenThousand(), DESK);
  const { size } = statSync(path);
  t.diagnostic(`${size} bytes, opened in ${Math.round(openedMs)} ms`);
  assert.ok(size < MOST_BYTES, `${size} bytes`);
  assert.ok(openedMs < OPENED_MS, `${openedMs} ms`);
  await page.getByText(/^All 10000 events/).click();
  assert.ok((await page.locator('tbody tr').count()) > 5000);
});
