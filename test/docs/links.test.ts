// Links and examples of the documentation: each link leads somewhere, each configuration is one that the daemon takes.

import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import errors from '#catalog/errors.json' with { type: 'json' };
import { COMMANDS } from '../../src/commands/registry.ts';
import type { SchemaNode } from '../../src/config/schema-parts.ts';
import { checkConfig, configSchema as schema } from '../../src/daemon/config.ts';
import { anchors, codeBlocks, innerLinks, pages, ROOT, read } from './markdown.ts';

const PAGES = pages();

test('every link into the repository leads to a file, and its anchor to a heading', () => {
  const broken: string[] = [];
  for (const page of PAGES) {
    for (const target of innerLinks(read(page))) {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(ROOT, file))) broken.push(`${page}: ${target} is not there`);
      else if (anchor !== undefined && !anchors(read(file)).includes(anchor)) broken.push(`${page}: no #${anchor}`);
    }
  }
  assert.deepEqual(broken, []);
});

test('every page of the documentation can be reached from its index, by itself or in its folder', () => {
  const reached = new Set(['docs/README.md']);
  const folders = new Set<string>();
  for (const page of reached) {
    for (const target of innerLinks(read(page))) {
      const file = normalize(join(dirname(page), target.split('#')[0] ?? '')).replace(/\/$/, '');
      if (PAGES.includes(file)) reached.add(file);
      else folders.add(file);
    }
  }
  const lost = PAGES.filter((page) => page.startsWith('docs/') && !reached.has(page) && !folders.has(dirname(page)));
  assert.deepEqual(lost, [], 'add them to docs/README.md');
});

test('every example that is marked as a configuration is one', async () => {
  const environment = { PDU_COMMUNITY: 'c', BMC_PASSWORD: 'p' };
  await using folder = await mkdtempDisposable(join(tmpdir(), 'faultline-docs-'));
  const secret = join(folder.path, 'secret');
  writeFileSync(secret, 'a-passphrase', { mode: 0o600 });
  const certificate = join(folder.path, 'ca.pem');
  writeFileSync(certificate, '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n');
  // Files with secrets are not on this machine; that they are named is what an example shows.
  const withFiles = (text: string): string =>
    text
      .replaceAll(/(community|auth_key|priv_key|password)_file: [^\s,}]+/g, `$1_file: ${secret}`)
      .replaceAll(/ca_file: [^\s,}]+/g, `ca_file: ${certificate}`);
  const surroundings = { environment, uid: 0, home: '/root', hostname: 'node-3' };
  let examples = 0;
  for (const page of PAGES) {
    for (const { info, text } of codeBlocks(read(page))) {
      if (info !== 'yaml faultline') continue;
      examples += 1;
      await assert.doesNotReject(checkConfig(withFiles(text), page, surroundings), `${page}:\n${text}`);
    }
  }
  assert.ok(examples >= 5, `only ${examples} examples found`);
});

test('the front page fits a sitting: 220 lines of at most 120 columns', () => {
  const lines = read('README.md').trimEnd().split('\n');
  assert.ok(lines.length <= 220, `${lines.length} lines`);
  assert.deepEqual(
    lines.filter((line) => [...line].length > 120 && !line.startsWith('|')),
    [],
  );
});

test('pages name only commands, error codes and settings that exist', () => {
  const wrong: string[] = [];
  const names = new Set(COMMANDS.map(({ name }) => name));
  const keys = new Set(settings(schema, ''));
  for (const page of PAGES.filter((each) => !each.startsWith('docs/reference/'))) {
    const text = read(page);
    for (const [, name = ''] of text.matchAll(/(?:^|[`$ ])faultline ([a-z][a-z-]+)(?=[ `\n])/gm)) {
      const command = codeLike(text, `faultline ${name}`);
      if (command && !names.has(name)) wrong.push(`${page}: faultline ${name}`);
    }
    for (const [code] of text.matchAll(/\bFL\d{4}\b/g)) if (!(code in errors.errors)) wrong.push(`${page}: ${code}`);
    for (const [, key = ''] of text.matchAll(
      /`((?:sources|correlation|incidents|otlp|record|prometheus)\.[a-z_.]+)/g,
    )) {
      if (!key.endsWith('.jsonl') && !keys.has(key)) wrong.push(`${page}: ${key}`);
    }
  }
  assert.deepEqual([...new Set(wrong)], []);
});

/** True where the words stand in code: after a backtick, or at the start of a line of a block. */
function codeLike(text: string, words: string): boolean {
  return text.includes(`\`${words}`) || text.includes(`\n${words}`);
}

function settings(node: SchemaNode, key: string): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, inner]) => {
    const path = key === '' ? name : `${key}.${name}`;
    return [path, ...settings(inner, path), ...(inner.items === undefined ? [] : settings(inner.items, path))];
  });
}

test('no example shows an incident surer than the most that is said of a fault', () => {
  const most = Number(/\((\d\d) % is the most it says of a fault\)/.exec(read('README.md'))?.[1]);
  assert.ok(most > 0);
  const shown: string[] = [];
  for (const page of PAGES) {
    for (const [line, percent] of read(page).matchAll(
      /^.*(?:INCIDENT [0-9a-f]{6}|^[0-9a-f]{6} {2}20|answered: ).*?(\d\d) %.*$/gm,
    ))
      if (Number(percent) > most) shown.push(`${page}: ${line}`);
  }
  assert.deepEqual(shown, []);
});
