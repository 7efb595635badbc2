// Runbooks: each kind has its section where the reports point, with everything a section must tell, and it tells the truth.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ceph from '#catalog/ceph-health.json' with { type: 'json' };
import cluster from '#catalog/cluster-programs.json' with { type: 'json' };
import detectors from '#catalog/detectors.json' with { type: 'json' };
import gpu from '#catalog/gpu-detectors.json' with { type: 'json' };
import nic from '#catalog/nic.json' with { type: 'json' };
import catalog from '#catalog/xid.json' with { type: 'json' };
import { INFERENCES } from '../../src/correlation/inference/index.ts';
import { knownPatterns } from '../../src/correlation/patterns/known-patterns.ts';
import { runbookOf } from '../../src/incidents/report/advice.ts';
import { whoToCall } from '../../src/incidents/report/steps.ts';
import { KINDS, type Kind } from '../../src/model/kind.ts';
import { anchorOf, codeBlocks, pages, prose, ROOT, read } from './markdown.ts';

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
  for (const { kind } of [...cluster.rows, ...ceph.checks]) reported.add(kind);
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

/** The part of a section that begins with a word in bold, up to the next one; empty where it has none. */
function partOf(kind: Kind, word: string): string {
  const { text } = sectionOf(kind);
  const begin = text.indexOf(`**${word}.**`);
  if (begin < 0) return '';
  const end = text.indexOf('\n**', begin + 1);
  return text.slice(begin, end < 0 ? undefined : end).replaceAll('\n', ' ');
}

/** Where the word names another thing than what is to be done: a counter, a sensor, a peer. */
const OTHER_RESETS: readonly Kind[] = ['cooling.leak', 'gpu.energy_reset', 'net.connection_reset', 'nvlink.nonfatal'];

test('what a section has people reset, reboot, power off, reload or restart is saved first, by commands', () => {
  const destroys = /\b(?:re(?:set|boot|load)|power .{0,20}off|restart the (?:app|cont))/i;
  const held = KINDS.filter((kind) => destroys.test(partOf(kind, 'Do')) && !OTHER_RESETS.includes(kind));
  assert.ok(held.length > 25, String(held.length));
  for (const kind of held) {
    const save = partOf(kind, 'Save first');
    assert.match(save, /```sh/, `${kind}: write **Save first.** with the commands, before **Do.**`);
    assert.ok(sectionOf(kind).text.indexOf('**Save first.**') < sectionOf(kind).text.indexOf('**Do.**'), kind);
    // Access is lost to a container, and drivers of AMD and Intel alone report that a reset failed.
    const elsewhere = kind === 'gpu.access_lost' || kind === 'gpu.reset_failed';
    if (/^(?:gpu|nvswitch)\./.test(kind) && !elsewhere) assert.match(save, /nvidia-bug-report/, kind);
  }
});

test('a pattern that has people reset, reboot or power off says what to save', () => {
  const destroys = /\bre(?:set|boot)\b|power .* off/i;
  const advised = [...knownPatterns().values()].filter(({ remediation }) => destroys.test(remediation));
  for (const { id, remediation } of advised) assert.match(remediation, /\b[Ss]ave /, id);
  assert.ok(advised.length >= 7, String(advised.length));
});

test('a section says whom to call, as the report of an incident does', () => {
  for (const kind of KINDS) {
    const who = whoToCall(kind);
    const said = partOf(kind, 'Call').trim();
    const wanted = who === null ? '' : `**Call.** ${who.charAt(0).toUpperCase()}${who.slice(1)}.`;
    assert.equal(said, wanted, kind);
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

test('no command in a sentence is broken over two lines, so that it can be copied from the file as well', () => {
  for (const page of pages()) {
    const broken = prose(read(page))
      .split('\n')
      .filter((line) => line.split('`').length % 2 === 0);
    const commands = broken.flatMap(
      (line) => line.slice(line.lastIndexOf('`')).match(/^`(?:faultline|kubectl|scontrol|sudo) .*/) ?? [],
    );
    assert.deepEqual(commands, [], page);
  }
});
