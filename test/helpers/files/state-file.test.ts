// A state file over runs, whatever is in the folder or wrong with the disk.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // biome-ignore format: one line
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { StateFile } from '../../../src/helpers/files/state-file.ts';
import { asAnybody } from '../../as-anybody.ts';
import { until } from '../../until.ts';

const top = mkdtempSync(join(tmpdir(), 'state-file-'));
chmodSync(top, 0o755);
after(() => rmSync(top, { recursive: true }));

class Kept {
  words: unknown[] = [];
  readonly troubles: string[] = [];
  readonly file: StateFile;

  constructor(directory: string | null) {
    this.file = new StateFile({
      directory,
      name: 'words.json',
      schema: 'words/1',
      maxBytes: 4096,
      settleMs: 1,
      head: () => ({ at: performance.now() }),
      content: () => ({ words: this.words }),
      onTrouble: (what, detail) => this.troubles.push(`${what}: ${detail}`),
    });
  }

  async read(): Promise<this> {
    await this.file.read(({ words }) => {
      if (!Array.isArray(words)) return false;
      this.words = words;
      return true;
    });
    return this;
  }
}

function folder(t: TestContext): string {
  return mkdtempSync(join(top, `${t.name.slice(0, 8)}-`));
}

test('what one run keeps the next one has; nothing is written of nothing, nor again of the same', async (t) => {
  const directory = folder(t);
  const first = await new Kept(directory).read();
  await first.file.stop();
  assert.deepEqual(readdirSync(directory), []);
  const second = await new Kept(directory).read();
  second.words = ['a'];
  second.file.changed();
  await until(() => existsSync(join(directory, 'words.json')));
  second.words = ['a', 'b'];
  await second.file.stop();
  const text = readFileSync(join(directory, 'words.json'), 'utf8');
  assert.match(text, /^\{"schema":"words\/1","at":[\d.]+,"words":\["a","b"\]\}\n$/);
  const third = await new Kept(directory).read();
  assert.deepEqual(third.words, ['a', 'b']);
  await third.file.stop();
  assert.equal(readFileSync(join(directory, 'words.json'), 'utf8'), text, 'the head alone does not count');
  assert.deepEqual([second.troubles, third.troubles], [[], []]);
});

test('a damaged file is set aside, reported by name, and begun again; a second one takes its place', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'words.json');
  const damage: [string, RegExp][] = [['', /is empty/], ['{"schema":"wo', /is damaged/], ['[]', /is damaged/], ['null', /is damaged/], ['7', /is damaged/], ['{}', /is not of this version/], ['{"schema":"words/2","words":[]}', /is not of this version \(words\/1\)/], ['{"schema":"words/1","words":7}', /is damaged/], [`{"schema":"words/1","words":["${'x'.repeat(5000)}"]}`, /is larger than 4096 bytes/], ['\0\uFFFD\u0007', /is damaged/]]; // biome-ignore format: a list
  for (const [text, why] of damage) {
    writeFileSync(path, text);
    const kept = await new Kept(directory).read();
    assert.deepEqual(kept.words, [], text.slice(0, 40));
    assert.match(kept.troubles[0] ?? '', why);
    assert.match(kept.file.damaged ?? '', /words\.json .*; it is kept as words\.json\.damaged$/);
    assert.equal(readFileSync(`${path}.damaged`, 'utf8'), text);
    kept.words = ['again'];
    await kept.file.stop();
    assert.deepEqual((await new Kept(directory).read()).words, ['again']);
  }
  assert.deepEqual(readdirSync(directory).sort(), ['words.json', 'words.json.damaged']);
});

test('what is not a file of ours ends nothing and is not followed: a link, a folder, a FIFO, a folder that is not there', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'words.json');
  const other = join(directory, 'other');
  writeFileSync(other, '{"schema":"words/1","words":["of another"]}');
  symlinkSync(other, path);
  const kept = await new Kept(directory).read();
  assert.deepEqual(kept.words, []);
  assert.match(kept.troubles.join(), /^damaged: .*words\.json cannot be read/);
  kept.words = ['own'];
  await kept.file.stop();
  assert.match(readFileSync(other, 'utf8'), /of another/);
  assert.deepEqual((await new Kept(directory).read()).words, ['own']);
  rmSync(path);
  assert.equal(spawnSync('mkfifo', [path]).status, 0);
  assert.deepEqual((await new Kept(directory).read()).words, []);
  rmSync(path);
  mkdirSync(path);
  const inTheWay = await new Kept(directory).read();
  inTheWay.words = ['x'];
  await inTheWay.file.stop();
  assert.match(inTheWay.troubles.at(-1) ?? '', /^unwritten: .*words\.json/);
  const nowhere = await new Kept(join(directory, 'no', 'such')).read();
  nowhere.words = ['x'];
  await nowhere.file.stop();
  assert.match(nowhere.troubles.join(), /^unwritten: .*ENOENT/);
  const nothing = await new Kept(null).read();
  nothing.words = ['x'];
  nothing.file.changed();
  await nothing.file.stop();
  assert.deepEqual(nothing.troubles, []);
});

test('a folder that cannot be written is reported once, keeps what was there, and is taken up again', async (t) => {
  const directory = folder(t);
  const blocked = join(directory, 'words.json.new');
  const kept = await new Kept(directory).read();
  kept.words = ['a'];
  kept.file.changed();
  await until(() => kept.file.isWritten);
  mkdirSync(join(blocked, 'in the way'), { recursive: true });
  kept.words = ['a', 'b'];
  kept.file.changed();
  await until(() => kept.file.unwritten !== null);
  kept.words = ['a', 'b', 'c'];
  await kept.file.stop();
  assert.equal(kept.troubles.length, 1);
  assert.match(readFileSync(join(directory, 'words.json'), 'utf8'), /\["a"\]/);
  rmSync(blocked, { recursive: true });
  await kept.file.stop();
  assert.equal(kept.file.unwritten, null);
  assert.deepEqual((await new Kept(directory).read()).words, ['a', 'b', 'c']);
});

test('a folder of another user is reported, and nothing of it is touched', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'words.json');
  writeFileSync(path, 'nonsense');
  chmodSync(path, 0o644);
  chmodSync(directory, 0o555);
  const troubles = await asAnybody(async () => {
    const kept = await new Kept(directory).read();
    kept.words = ['x'];
    await kept.file.stop();
    return kept.troubles;
  });
  chmodSync(directory, 0o755);
  assert.match(troubles.join('\n'), /^damaged: .*it cannot be set aside: .*\nunwritten: .*EACCES/);
  assert.deepEqual([readdirSync(directory), readFileSync(path, 'utf8')], [['words.json'], 'nonsense']);
});

test('what never read what was there leaves nothing, and takes nothing away', async (t) => {
  const directory = folder(t);
  const never = new Kept(join(directory, 'state'));
  never.words = ['new'];
  await never.file.stop();
  assert.deepEqual(readdirSync(directory), []);
});

test('a disk that takes half of it: the file of before stays whole, and the half is removed', async (t) => {
  const directory = folder(t);
  const kept = await new Kept(directory).read();
  kept.words = ['small'];
  await kept.file.stop();
  const source = join(import.meta.dirname, '../../../src/helpers/files/state-file.ts');
  const script = `const { StateFile } = await import(${JSON.stringify(source)});
    const file = new StateFile({ directory: ${JSON.stringify(directory)}, name: 'words.json', schema: 'words/1', maxBytes: 1e6, settleMs: 1,
      content: () => ({ words: ['x'.repeat(100_000)] }), onTrouble: (what, detail) => console.log(what, detail) });
    await file.read(() => true);
    await file.stop();`;
  // A limit on file sizes cuts a write off as a full disk does.
  const limited = `trap '' XFSZ; ulimit -f 8; exec "$0" --input-type=module -e "$1"`;
  const { stdout } = spawnSync('bash', ['-c', limited, process.execPath, script], { encoding: 'utf8' });
  assert.match(stdout, /^unwritten .*EFBIG/);
  assert.deepEqual(readdirSync(directory), ['words.json']);
  assert.deepEqual((await new Kept(directory).read()).words, ['small']);
});
