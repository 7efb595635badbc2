import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { dumpError, linksAmong, nothingRead, whyNone } from '../../../src/commands/fr/errors.ts';

test('a folder that may not be entered is reported with what helps, any other with what to give', () => {
  const shut = dumpError('/dumps: Permission denied');
  assert.match(shut, /^FL2402 \/dumps: Permission denied\. Run it as the user of the job, or as root: sudo faultline/);
  assert.equal(
    dumpError('/dumps: No such file or directory'),
    'FL2402 /dumps: No such file or directory. Give the folder or the files that TORCH_FR_DUMP_TEMP_FILE names',
  );
  assert.equal(dumpError('FL2417 no summary is of job a'), 'FL2417 no summary is of job a');
});

test('where nothing could be read the first line says what to give, whatever was found', () => {
  const refused = {
    rank: null, path: '/dumps/a', host: null, version: '', entries: 0, truncated: false,
    rejected: { offset: 0, opcode: null, why: 'is not a dump' },
  }; // biome-ignore format: one dump
  for (const dumps of [[], [refused], [refused, refused]])
    assert.match(
      nothingRead(['/dumps'], dumps),
      /^FL2401 .*give the folder or the files that TORCH_FR_DUMP_TEMP_FILE names/,
    );
});

test('a folder without a dump is said to have none, also where the reader of dumps could not be run', async () => {
  const path = mkdtempSync(join(tmpdir(), 'fl-fr-empty-'));
  try {
    const failed = new Error('FL2403 could not be run');
    assert.match(
      String(await whyNone(failed, [path])),
      /FL2401 there is no flight-recorder dump in .*DUMP_ON_TIMEOUT=1/,
    );
    assert.equal(await whyNone(failed, [join(path, 'gone')]), failed);
    writeFileSync(join(path, 'train.py'), 'import torch');
    mkdirSync(join(path, 'logs'));
    assert.match(String(await whyNone(failed, [path])), /FL2401 there is no flight-recorder dump/);
    assert.match(String(await whyNone(failed, [join(path, 'train.py')])), /FL2401/);
    writeFileSync(join(path, 'rank_0'), Buffer.from([0x80, 2]));
    assert.equal(await whyNone(failed, [join(path, 'rank_0')]), failed);
    assert.equal(await whyNone(failed, [path]), failed);
  } finally {
    rmSync(path, { recursive: true });
  }
});

test('links are reported with the path to give in their place, links in a folder by their number', async () => {
  const path = mkdtempSync(join(tmpdir(), 'fl-fr-links-'));
  try {
    writeFileSync(join(path, 'rank_0'), '');
    assert.deepEqual(await linksAmong([path, join(path, 'rank_0'), join(path, 'gone')]), []);
    symlinkSync('rank_0', join(path, 'rank_1'));
    symlinkSync('.', join(path, 'latest'));
    assert.deepEqual(await linksAmong([join(path, 'latest'), join(path, 'rank_1'), path]), [
      `${join(path, 'rank_1')} is a symbolic link, which is not followed: give ${join(path, 'rank_0')}`,
      `${path} has 2 symbolic links, which are not followed: give the files that they point to`,
    ]);
  } finally {
    rmSync(path, { recursive: true });
  }
});
