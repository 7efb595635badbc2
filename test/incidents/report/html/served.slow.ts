// Pages as people come to them, in a real browser, run by scripts/test-report: the incident served by the API over TLS, with its worst
// traces, and the report of a week.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { ApiListener } from '../../../../src/api/api-listener.ts';
import { digestOf } from '../../../../src/config/token-digest.ts';
import type { Incident } from '../../../../src/model/incident.ts';
import { play } from '../../../../src/simulator/corpus/play.ts';
import { corpus } from '../../../../src/simulator/corpus/scenario-family.ts';
import { TestBackend } from '../../../api/helpers.ts';
import { logOf, runAt } from '../../../commands/incident-command.ts';
import { certificate } from '../../../sinks/certificate.ts';
import { unreadable } from './contrast.ts';

const READ = 'r'.repeat(32);
const DESK = { viewport: { width: 1100, height: 1300 } } as const;
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true } as const;
const LOOKS = [
  ['light', { ...DESK, colorScheme: 'light' }],
  ['phone-dark', { ...PHONE, colorScheme: 'dark' }],
] as const;
const shots = process.env.FAULTLINE_SCREENSHOTS ?? tmpdir();
const folder = mkdtempSync(join(tmpdir(), 'faultline-served-'));
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

/** What correlation says of scenarios of the corpus. */
async function played(...names: readonly string[]): Promise<Incident[]> {
  const wanted = corpus().filter(({ name }) => names.includes(name));
  assert.equal(wanted.length, names.length);
  const found: Incident[] = [];
  for (const one of wanted) found.push(...(await play(one.plan(0))).incidents);
  return found;
}

async function opened(url: string, options: BrowserContextOptions) {
  const page = await (await browser.newContext(options)).newPage();
  const asked: string[] = [];
  const said: string[] = [];
  page.on('request', (request) => void asked.push(request.url()));
  page.on('console', (message) => void said.push(message.text()));
  const response = await page.goto(url, { waitUntil: 'load' });
  return { page, asked, said, response };
}

async function isNoWiderThanItsWindow(page: Page): Promise<boolean> {
  return await page.evaluate<boolean>('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
}

async function served(t: TestContext, incidents: readonly Incident[]): Promise<string> {
  const { certFile, keyFile } = certificate(folder, 'server');
  const backend = new TestBackend();
  backend.known = [...incidents];
  const listener = new ApiListener(backend, {
    settings: {
      listen: { host: '127.0.0.1', port: 0 },
      certificateFile: certFile,
      keyFile,
      clientCaFile: null,
      readDigest: digestOf(READ),
      writeDigest: null,
      writers: [],
    },
    onTrouble: () => undefined,
    onWrite: () => undefined,
  });
  await listener.start();
  t.after(() => listener.close());
  return `https://127.0.0.1:${listener.port()}`;
}

test('an incident of services over the API, with its worst traces', async (t) => {
  const [incident] = await played('sag-brakes-a-service');
  assert.ok(incident);
  const [trace] = incident.impact.flatMap(({ traces = [] }) => traces);
  assert.ok(trace, 'an incident of traced services names their worst traces');
  const url = `${await served(t, [incident])}/v1/incidents/${incident.id}/report`;
  for (const [name, look] of LOOKS) {
    const { page, asked, said, response } = await opened(url, {
      ...look,
      ignoreHTTPSErrors: true,
      httpCredentials: { username: 'anyone', password: READ },
    });
    await page.screenshot({ path: join(shots, `served-${name}.png`), fullPage: true });
    assert.equal(response?.status(), 200);
    assert.match(response?.headers()['content-security-policy'] ?? '', /default-src 'none'.*sandbox/);
    assert.deepEqual([new Set(asked), said], [new Set([url]), []]);
    assert.ok(await isNoWiderThanItsWindow(page));
    assert.match(
      (await page.locator('dt', { hasText: 'Worst traces of chat' }).locator('..').textContent()) ?? '',
      /[0-9a-f]{32}/,
    );
  }
  // Without a password the browser would ask its user for one, and has none here.
  await assert.rejects(opened(url, { ignoreHTTPSErrors: true }), /ERR_INVALID_AUTH_CREDENTIALS/);
});

test('a week as one page: by keyboard from its links to the table of all incidents, and to a screen reader', async (t) => {
  const incidents = await played(
    'sag-brakes-a-service',
    'gpu-gone-under-a-service',
    'gpu-throttles-under-a-service',
    'new-version-is-slower',
    'killed-for-memory-under-a-service',
  );
  const directory = await logOf(t, ...incidents);
  const file = join(folder, 'week.html');
  const { status, stderr } = await runAt(
    incidents[0]?.updatedMs,
    'report',
    '--html',
    file,
    '--since',
    '30d',
    '--log-directory',
    directory,
  );
  assert.equal(status, 0, stderr);
  for (const [name, look] of LOOKS) {
    const { page, asked, said } = await opened(pathToFileURL(file).href, look);
    await page.screenshot({ path: join(shots, `week-${name}.png`), fullPage: true });
    assert.deepEqual([asked.length, said], [1, []]);
    assert.deepEqual(await unreadable(page), []);
    assert.ok(await isNoWiderThanItsWindow(page));
  }
  const { page } = await opened(pathToFileURL(file).href, DESK);
  for (const role of ['banner', 'navigation', 'main', 'contentinfo'] as const)
    assert.equal(await page.getByRole(role).count(), 1, role);
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1);
  assert.equal(await page.getByRole('heading', { level: 2 }).count(), 8);
  assert.ok((await page.getByRole('columnheader').count()) >= 8);
  const pictures = await page.getByRole('img').all();
  for (const picture of pictures) assert.notEqual((await picture.getAttribute('aria-labelledby')) ?? '', '');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate<string>('document.activeElement.textContent'), 'Skip to the report');
  const reached: string[] = [];
  for (let i = 0; i < 40 && !reached.includes('All incidents'); i += 1) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate<string>('document.activeElement.textContent.trim()'));
  }
  assert.ok(reached.includes('All incidents'), reached.join(' | '));
  await page.keyboard.press('Enter');
  assert.match(page.url(), /#all$/);
});
