// The bundle's own steps: Node's modules taken by name, and the parts that a start reads anyway merged.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const LIB = join(import.meta.dirname, '../../scripts/lib');

/** What `expression` gives with the exports of a script, in its own process. */
function result(script: string, expression: string): unknown {
  const code = `import * as it from ${JSON.stringify(join(LIB, script))}; console.log(JSON.stringify(${expression}));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}

const takes = (text: string) => result('bundle-builtins.mjs', `it.takeBuiltins(${JSON.stringify(text)})`);

test('of a module of Node only what is named is read', () => {
  assert.equal(
    takes("import { readFileSync, type Stats, join as paths } from 'node:fs';"),
    'const { readFileSync, join: paths } = process.getBuiltinModule("node:fs");',
  );
  assert.equal(
    takes("import http, { type Server, request } from 'node:http';"),
    'const http = process.getBuiltinModule("node:http"); const { request } = process.getBuiltinModule("node:http");',
  );
  assert.equal(takes("import * as os from 'node:os';"), 'const os = process.getBuiltinModule("node:os");');
  assert.equal(
    takes("import {\n  a,\n  b,\n} from 'node:util';\nx"),
    'const { a, b } = process.getBuiltinModule("node:util");\n\n\n\nx',
  );
});

test('imports of anything else, and of types, stay', () => {
  for (const text of [
    "import type { Stats } from 'node:fs';",
    "import { parse } from 'yaml';",
    "import { a } from './fs.ts';",
    "  import { a } from 'node:fs';",
  ]) {
    assert.equal(takes(text), text);
  }
});

/** As the bundler lists its files: those in `statics` are read with it, those in `late` by import(). */
const part = (entryPoint: string | null, statics: readonly string[] = [], late: readonly string[] = []) => ({
  ...(entryPoint === null ? {} : { entryPoint }),
  imports: [
    ...statics.map((path) => ({ path, kind: 'import-statement' })),
    ...late.map((path) => ({ path, kind: 'dynamic-import' })),
  ],
});

test('parts that the daemon always reads are merged, each with those that the same others read; entry points stay', () => {
  const outputs = {
    'main.js': part('src/main.ts', ['part-both1.js', 'part-both2.js'], ['part-run.js', 'part-list.js', 'part-scan.js']),
    'part-run.js': part(
      'src/commands/run/run-daemon.ts',
      ['part-own1.js', 'part-own2.js', 'part-both1.js', 'part-list1.js'],
      ['part-pdu.js', 'part-bmc.js'],
    ),
    'part-list.js': part('src/commands/incidents/list-incidents.ts', [
      'part-list1.js',
      'part-list2.js',
      'part-late.js',
    ]),
    'part-scan.js': part('src/commands/scan.ts', ['part-own2.js', 'part-late.js']),
    'part-pdu.js': part('src/sources/pdu/pdu.ts', ['part-own1.js', 'part-devices.js', 'part-devices2.js']),
    'part-bmc.js': part('src/sources/bmc/bmc.ts', ['part-devices.js', 'part-devices2.js']),
    'part-correlate.js': part('src/commands/correlate/run-correlate.ts'),
    'no-inspector.js': part('src/helpers/no-inspector.ts'),
    'config-thread.js': part('src/daemon/config-thread.ts', ['part-list2.js']),
    'history-thread.js': part('src/daemon/history-thread.ts'),
    'inventory-child.js': part('src/sources/system/inventory/inventory-child.ts'),
    ...Object.fromEntries(
      ['both1', 'both2', 'own1', 'own2', 'list1', 'list2', 'late', 'devices', 'devices2'].map((name) => [
        `part-${name}.js`,
        part(null),
      ]),
    ),
  };
  assert.deepEqual(result('merge-parts.mjs', `it.groupsOf(${JSON.stringify(outputs)})`), [
    ['part-both1.js', 'part-both2.js'],
    ['part-own1.js', 'part-own2.js'],
  ]);
});

test('what the daemon always loads by import() lies with the rest, and with nothing that a list reads', () => {
  const outputs = {
    'main.js': part('src/main.ts', [], ['part-run.js', 'part-list.js']),
    'part-run.js': part('src/commands/run/run-daemon.ts', ['part-own.js'], ['part-gpu.js', 'part-pdu.js']),
    'part-list.js': part('src/commands/incidents/list-incidents.ts', ['part-shared.js']),
    'part-gpu.js': part('src/sources/gpu/gpu-source.ts', ['part-cards.js', 'part-shared.js']),
    'part-pdu.js': part('src/sources/pdu/pdu.ts', ['part-devices.js']),
    'part-correlate.js': part('src/commands/correlate/run-correlate.ts'),
    'no-inspector.js': part('src/helpers/no-inspector.ts'),
    'config-thread.js': part('src/daemon/config-thread.ts'),
    'history-thread.js': part('src/daemon/history-thread.ts'),
    'inventory-child.js': part('src/sources/system/inventory/inventory-child.ts'),
    ...Object.fromEntries(['own', 'cards', 'shared', 'devices'].map((name) => [`part-${name}.js`, part(null)])),
  };
  const late = JSON.stringify(['src/sources/gpu/gpu-source.ts']);
  assert.deepEqual(result('merge-parts.mjs', `it.groupsOf(${JSON.stringify(outputs)}, ${late})`), [
    ['part-gpu.js', 'part-own.js', 'part-cards.js'],
  ]);
});
