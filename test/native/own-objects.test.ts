// Methods of the addon's classes: each works on objects of its own class alone, and is a TypeError on everything else. V8 refuses
// most of them before the addon does ("Illegal invocation"), which Node-API does not promise.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { native } from '../../src/native.ts';
import { makeCore } from './edges.ts';

const REFUSED = /^Illegal invocation$|^a method of \w+ was called on an object that is not a \w+$/;

const isRefusal = (error: unknown): boolean => error instanceof TypeError && REFUSED.test(error.message);

type Method = (...values: unknown[]) => unknown;

/** One object of each class, by the class's name; nothing of the host is read. */
function objects(t: TestContext): ReadonlyMap<string, object> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-objects-'));
  const core = makeCore();
  const { KernelLog, Rapl, FileWatch, HostFigures, ProcessTable, Vendor, ProgramRun, WordScanner } = native();
  const absent = join(folder, 'absent');
  const made = {
    Core: core,
    KernelLog: new KernelLog(core, { path: absent, userLines: false, fromStart: true }),
    Rapl: new Rapl(core, { sysRoot: folder, host: 'n', intervalMs: 1000, fastIntervalMs: 0 }),
    FileWatch: new FileWatch(core, { name: 'test', intervalMs: 1000, firstMs: 0, slowRounds: 6, groups: [] }),
    HostFigures: new HostFigures({ proc: folder, sys: folder }),
    ProcessTable: new ProcessTable({ proc: folder, variables: ['RANK'], paths: [], markers: ['RANK'], ranks: [], groups: [], libraries: [], devices: [], reader: '' }), // biome-ignore format: one object a line
    Vendor: new Vendor(core, {
      executable: absent, library: absent, intervalMs: 1000, burstIntervalMs: 1000, callDeadlineMs: 1000,
    }), // biome-ignore format: one object a line
    WordScanner: new WordScanner({ words: ['NVRM: '], anyCase: [], colours: false }),
    ProgramRun: new ProgramRun({ program: absent, input: '', deadlineMs: 1000, mostBytes: 10 }, () => {}),
  };
  t.after(() => {
    core.close();
    rmSync(folder, { recursive: true });
  });
  return new Map(Object.entries(made));
}

/** Name and function of each method on the class's prototype. */
function methodsOf(object: object): readonly (readonly [name: string, method: Method])[] {
  const properties = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(object)));
  return properties.flatMap(([name, { value }]) => (name === 'constructor' ? [] : [[name, value] as const]));
}

test('every class that the addon exports is tried', (t) => {
  const classes = Object.entries(native()).filter(
    ([, value]) => typeof value === 'function' && Object.getOwnPropertyNames(value.prototype ?? {}).length > 1,
  );
  assert.deepEqual(classes.map(([name]) => name).sort(), [...objects(t).keys()].sort());
});

test('a method on a foreign object is a TypeError, whatever the object is', (t) => {
  const known = objects(t);
  for (const [name, object] of known) {
    const methods = methodsOf(object);
    assert.ok(methods.length > 0, name);
    const foreign: unknown[] = [
      ...[...known].flatMap(([other, value]) => (other === name ? [] : [value])),
      {}, [], () => {}, undefined, null, 1, 'x', Symbol.iterator, globalThis, new Map(), new Uint8Array(64),
      Object.getPrototypeOf(object), Object.create(object), new Proxy(object, {}),
    ]; // biome-ignore format: a list
    for (const [method, call] of methods)
      for (const value of foreign)
        assert.throws(() => Reflect.apply(call, value, [0, 0, 0]), isRefusal, `${name}.${method}`);
  }
});

test('an object that another class made under this prototype is foreign, and so is one of a refused constructor', (t) => {
  const known = objects(t);
  const { Core, KernelLog } = native();
  const core = known.get('Core');
  const mixed = Reflect.construct(KernelLog, [core, { path: '/dev/null', userLines: false, fromStart: true }], Core);
  assert.throws(() => mixed.stats(), isRefusal);
  assert.throws(
    () => new KernelLog(mixed, { path: '/dev/null', userLines: false, fromStart: true }),
    /a Core is needed/,
  );
  assert.throws(() => Reflect.construct(Core, [{}], KernelLog), TypeError);
});

test('a subclass keeps its methods', () => {
  class Named extends native().Core {
    readonly label = 'mine';
  }
  const core = new Named({ historySeconds: 1, maxSeries: 1 });
  assert.equal(core.series('gpu/0#power'), 0);
  core.close();
});
