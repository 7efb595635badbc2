// Runbooks: each kind has its section where the reports point, with everything a section must tell, and it tells the truth.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import detectors from '#catalog/detectors.json' with { type: 'json' };
import gpu from '#catalog/gpu-detectors.json' with { type: 'json' };
import nic from '#catalog/nic.json' with { type: 'json' };
import catalog from '#catalog/xid.json' with { type: 'json' };
import { INFERENCES } from '../../src/correlation/inference/index.ts';
import { runbookOf } from '../../src/incidents/report/advice.ts';
import { KINDS, type Kind } from '../../src/model/kind.ts';
import { anchorOf, codeBlocks, ROOT, read } from './markdown.ts';

const PARTS = ['**Means.**', '**Seen by.**', '**Check first.**', '**Do.**', '**Not to confuse with.**'];
const UNSEEN = 'Nothing in this release sees it';

/** Kind → its section, from the page that the reports name. */
function sections(): Map<string, { page: string; text: string }> {
  const found = new Map<string, { page: string; text: string }>();
  for (const name of readdirSync(join(ROOT, 'docs/runbooks'))) {
    const page = `docs/runbooks/${name}`;
    for (const part of read(page).split(/^## /m).slice(1)) {
      const kind = part.slice(0, part.indexOf('\n'));
      assert.ok(!found.has(kind), `${kind} has two sections`);
      found.set(kind, { page, text: part });
    }
  }
  return found;
}

const SECTIONS = sections();

function sectionOf(kind: Kind): { page: string; text: string } {
  const section = SECTIONS.get(kind);
  assert.ok(section, `${kind} has no runbook section: write one on the page of ${runbookOf(kind)}`);
  return section;
}

/** Kinds that detection, a source, the daemon itself, an inference or the local socket can report: their code, the XIDs or the detectors name them. */
function reportedKinds(): Set<string> {
  const reported = new Set<string>(Object.values(catalog.xids).map(({ kind }) => kind));
  for (const { kind } of [...nic.detectors, ...gpu.detectors, ...Object.values(gpu.events)]) reported.add(kind ?? '');
  for (const row of detectors.detectors) for (const kind of [row.kind, row.deeper?.kind ?? '']) reported.add(kind);
  const files: string[] = [];
  for (const folder of ['src/api', 'src/daemon', 'src/detection', 'src/sources']) {
    const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
    files.push(...names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name)));
  }
  for (const file of files) {
    const code = readFileSync(join(ROOT, file), 'utf8');
    for (const [, word = ''] of code.matchAll(/'([a-z_]+(?:\.[a-z_]+)+)'/g)) reported.add(word);
  }
  for (const kind of INFERENCES.flatMap(({ infers }) => infers)) reported.add(kind);
  return reported;
}

test('every kind has one section, and no section is of a kind that does not exist', () => {
  assert.deepEqual([...SECTIONS.keys()].sort(), [...KINDS].sort());
});

test('the link of a report leads to the section of its kind', () => {
  for (const kind of KINDS) {
    const [page, anchor] = runbookOf(kind).split('#');
    assert.equal(page, sectionOf(kind).page, kind);
    assert.equal(anchor, anchorOf(kind), kind);
  }
});

test('a section says what it means, how it is seen, what to check, what to do and what it is confused with', () => {
  for (const kind of KINDS) {
    const { text } = sectionOf(kind);
    const places = PARTS.map((part) => text.indexOf(part));
    assert.ok(
      places.every((place, index) => place > (places[index - 1] ?? 0)),
      `${kind}: ${PARTS.join(' ')} in this order`,
    );
    const commands = codeBlocks(text).filter(({ info }) => info === 'sh');
    assert.ok(commands.length > 0, `${kind}: a command to check first`);
  }
});

test('a section says that nothing sees its kind exactly where that is so', () => {
  const reported = reportedKinds();
  for (const kind of KINDS) {
    const { page, text } = sectionOf(kind);
    const advice = reported.has(kind) ? 'say how it is seen' : `write "${UNSEEN}"`;
    assert.equal(!text.includes(UNSEEN), reported.has(kind), `${page} ${kind}: ${advice}`);
  }
});

test('the section of a kind names every XID that the catalogue gives it', () => {
  for (const [xid, { kind, status }] of Object.entries(catalog.xids)) {
    const section = SECTIONS.get(kind)?.text ?? '';
    const seen = section.slice(section.indexOf('**Seen by.**'), section.indexOf('**Check first.**'));
    const numbers = [...seen.matchAll(/\b(\d{1,3})(?: to (\d{1,3}))?\b/g)];
    const named = numbers.some(([, from, to = from]) => Number(from) <= Number(xid) && Number(xid) <= Number(to));
    // Those that no GPU of today reports are on a page of their own, which the section leads to.
    const listed = status !== 'documented' && seen.includes('(../reference/xids.md)');
    assert.ok(named || listed, `${kind}: XID ${xid}`);
  }
});
