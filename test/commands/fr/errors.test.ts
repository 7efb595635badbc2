import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dumpError, nothingRead } from '../../../src/commands/fr/errors.ts';

test('a folder that may not be entered is told with what helps, any other with its reason alone', () => {
  assert.equal(
    dumpError('/dumps: Permission denied'),
    'FL2402 /dumps: Permission denied. Run it as the user of the job, or as root',
  );
  assert.equal(dumpError('/dumps: No such file or directory'), 'FL2402 /dumps: No such file or directory');
  assert.equal(dumpError('FL2417 no summary is of job a'), 'FL2417 no summary is of job a');
});

test('where nothing could be read the first line says what to give, whatever was found', () => {
  const refused = {
    rank: null, path: '/dumps/a', host: null, version: '', entries: 0, truncated: false,
    rejected: { offset: 0, opcode: null, why: 'is no dump' },
  }; // biome-ignore format: one dump
  for (const dumps of [[], [refused], [refused, refused]])
    assert.match(
      nothingRead(['/dumps'], dumps),
      /^FL2401 .*give the folder or the files that TORCH_FR_DUMP_TEMP_FILE names/,
    );
});
