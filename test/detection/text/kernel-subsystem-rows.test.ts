// Lines of parts of the kernel by catalog/kernel-lines.json: each row reads its example, and none that quotes it or that says more.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/kernel-lines.json' with { type: 'json' };
import { SUBSYSTEM_ROWS, SUBSYSTEM_WORDS } from '../../../src/detection/text/kernel/subsystem-line.ts';
import { isKind } from '../../../src/model/kind.ts';
import { SEVERITIES } from '../../../src/model/severity.ts';
import { decodeLines } from './lines.ts';

const kindsOf = (line: string) => decodeLines([line]).map(({ kind }) => kind);

for (const { of, example, kind, severity, source } of SUBSYSTEM_ROWS)
  test(`"${example.slice(0, 80)}" is ${kind}`, () => {
    assert.ok(isKind(kind) && (severity === undefined || SEVERITIES.includes(severity)));
    assert.ok(
      of.every((name) => name in catalog.heads),
      'each head is known',
    );
    assert.ok(source.length > 8, 'it says where it is from');
    assert.deepEqual(kindsOf(example), [kind]);
    assert.ok(
      SUBSYSTEM_WORDS.some((word) => example.includes(word)),
      'a word of the list is in it',
    );
    for (const quote of [`looking for "${example}"`, `# ${example}`, `python3[12]: ${example}`])
      assert.deepEqual(kindsOf(quote), [], quote);
  });

test("a client of Lustre that has no configuration from its MGS, in the kernel's own spelling too", () => {
  for (const word of ['Configuration', 'Confguration'])
    assert.deepEqual(kindsOf(`LustreError: 15c-8: MGC10.9.0.2@tcp: ${word} from log work-client failed from MGS -110. Communication error`), ['storage.io_error']); // biome-ignore format: one line
  assert.deepEqual(kindsOf('Lustre: MGC10.9.0.2@tcp: Confguration from log work-client read'), []);
});
