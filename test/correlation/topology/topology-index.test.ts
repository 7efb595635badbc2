// Topology: reach over configured and implied links, in any order of configuration, with cycles and aliases.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TopologyIndex } from '../../../src/correlation/topology/topology-index.ts';
import { componentText } from '../../../src/model/component.ts';
import type { Link } from '../../../src/model/topology.ts';
import { runs } from '../../runs.ts';
import { component, event, GPUS, HOST, link } from '../fixtures.ts';

const [GPU_A = '', GPU_B = ''] = GPUS;

function index(links: readonly Link[], ...known: string[]): TopologyIndex {
  const made = new TopologyIndex(HOST);
  for (const one of links) made.link(one);
  for (const text of known) made.retain(component(text));
  return made;
}

const DEEP = [
  link('ups/u', 'pdu_inlet/b/1', 'feeds'),
  link('pdu_phase/b/1', 'pdu_branch/b/1', 'feeds'),
  link('pdu_branch/b/1', 'pdu_outlet/b/7', 'feeds'),
  link('pdu_outlet/b/7', 'psu/node-3/1', 'feeds'),
  link('host/node-3', GPU_A, 'contains'),
  link(GPU_A, 'rank/llama/16', 'runs'),
];

test('a deep path resolves the same from any order of links', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(DEEP, { minLength: DEEP.length }), (links) => {
      const reach = index(links).reach(component('pdu_phase/b/1'), component('job/llama'));
      const path = ['pdu_phase/b/1', 'pdu_branch/b/1', 'pdu_outlet/b/7', 'psu/node-3/1', 'host/node-3'];
      assert.deepEqual(reach?.path.slice(0, 5), path);
      assert.equal(reach?.quality, 1);
    }),
  );
});

test('the output of a UPS reaches what the UPS is configured to feed', () => {
  const links = [
    link('ups/u', 'pdu/a', 'feeds'),
    link('pdu/a', 'psu/node-3/1', 'feeds'),
    link('ups/u', 'pdu_phase/u/1', 'contains'),
  ];
  const made = index(links, 'pdu_phase/u/1');
  assert.ok(made.quality(component('pdu_phase/u/1'), component('host/node-3')) > 0);
  assert.equal(made.quality(component('ups/u'), component('host/node-3')), 1);
  assert.deepEqual(made.hostsFedBy(component('pdu_phase/u/1')), ['node-3']);
});

test('a GPU that changed its index is shown under the new one, and found under all its lasting names', () => {
  const made = new TopologyIndex(HOST);
  const gpu = (place: string) => ({ ...component(GPU_A), aliases: [place, 'GPU-uuid', '4711'] });
  const seen = (place: string) => made.link({ ...link('host/node-3', GPU_A, 'contains'), to: gpu(place) });
  seen('gpu 1');
  seen('gpu 0');
  const found = made.resolve({ type: 'gpu', id: 'GPU-uuid', host: HOST });
  assert.equal(componentText(found), componentText(component(GPU_A)));
  assert.deepEqual(found.aliases, ['gpu 0', 'GPU-uuid', '4711']);
});

test('a cycle of feeds ends', () => {
  const made = index([
    link('pdu/a', 'pdu/b', 'feeds'),
    link('pdu/b', 'pdu/a', 'feeds'),
    link('pdu/b', 'host/node-3', 'feeds'),
  ]);
  assert.equal(made.quality(component('pdu/a'), component('host/node-3')), 1);
  assert.deepEqual(made.hostsFedBy(component('pdu/a')), ['node-3']);
});

test('which phase feeds an outlet is assumed where it is not configured, and never across PDUs', () => {
  const made = index([link('pdu_outlet/b/7', 'psu/node-3/1', 'feeds')], 'pdu_phase/b/2', 'pdu_phase/c/2');
  const quality = made.quality(component('pdu_phase/b/2'), component('host/node-3'));
  assert.ok(quality > 0.9 && quality < 1);
  assert.equal(made.quality(component('pdu_phase/c/2'), component('host/node-3')), 0);
  assert.deepEqual(made.hostsFedBy(component('pdu_phase/c/2')), []);
  assert.deepEqual(made.feedsOf(HOST), ['pdu/b']);
});

test('a GPU reaches its own rank and not that of its neighbour; CPU and NIC reach all work of the host', () => {
  const links = [link(GPU_A, 'rank/ddp/0', 'runs'), link(GPU_B, 'rank/ddp/1', 'runs')];
  const made = index(links, 'cpu/node-3/0', 'rank/ddp/0', 'rank/ddp/1', 'job/ddp');
  assert.equal(made.quality(component(GPU_A), component('rank/ddp/0')), 1);
  assert.equal(made.quality(component(GPU_A), component('rank/ddp/1')), 0);
  assert.deepEqual([...made.jobsOf(component(GPU_A)).keys()], ['ddp']);
  assert.equal(made.quality(component('cpu/node-3/0'), component('rank/ddp/1')), 1);
});

test('a component of another host is not reached from this one', () => {
  const made = index([], 'cpu/node-9/0', 'psu/node-3/1');
  assert.equal(made.quality(component('psu/node-3/1'), component('cpu/node-9/0')), 0);
});

test('UUID and serial name the device, an index does not', () => {
  const gpu = { ...component(GPU_A), aliases: ['gpu 0', 'GPU-abc', '1650522000123'] };
  const made = index([{ from: component('host/node-3'), to: gpu, relation: 'contains', source: 'host' }]);
  assert.equal(made.resolve(component('gpu/GPU-abc')).id, gpu.id);
  assert.equal(made.resolve(component('gpu/1650522000123')).id, gpu.id);
  assert.equal(made.resolve(component('gpu/gpu 0')).id, 'gpu 0');
});

test('a component that becomes known late is reached as if it had been known from the beginning', () => {
  const late = [
    'pdu_phase/b/1',
    'pdu_phase/b/2',
    'psu/node-3/2',
    GPU_B,
    'pcie/0000:29:00.0',
    'rank/llama/17',
    'job/other',
    'cpu/node-4/0',
    'host/node-4',
  ];
  const asked = [...late, ...DEEP.flatMap(({ from, to }) => [componentText(from), componentText(to)])].map((text) =>
    component(text),
  );
  const table = (made: TopologyIndex): unknown =>
    asked.map((from) => [
      asked.map((to) => made.quality(from, to)),
      [...made.jobsOf(from)].sort(),
      made.hostsFedBy(from),
    ]);
  const expected = table(index(DEEP, ...late));
  fc.assert(
    fc.property(fc.shuffledSubarray(late, { minLength: late.length }), (order) => {
      const made = index(DEEP);
      for (const text of order) {
        table(made);
        made.retain(component(text));
      }
      assert.deepEqual(table(made), expected);
    }),
    { numRuns: runs(20, 200) },
  );
});

test('names that no condition holds any more give way to new ones, those of links do not', () => {
  const made = index([link('host/node-3', GPU_A, 'contains')]);
  for (let i = 0; i < 5000; i += 1) {
    const process = component(`process/${i}`);
    made.retain(process);
    made.release(process);
  }
  made.release(component(GPU_A));
  made.retain(component('rank/llama/1'));
  assert.ok(made.quality(component('host/node-3'), component('rank/llama/1')) > 0);
  assert.deepEqual(
    made.gpusOf(HOST).map(({ id }) => `gpu/${id}`),
    [GPU_A],
  );
});

test('another host of a job that a scheduler calls down ran that job; this host, and hosts without end, add nothing', () => {
  const topology = index([], 'job/llama');
  const down = (node: string) => event(0, 'host.down', `host/${node}`, { attributes: { job: 'llama' } });
  assert.equal(topology.hears(down('node-41')), true);
  assert.equal(topology.hears(down('node-41')), false);
  assert.ok(topology.quality(component('host/node-41'), component('job/llama')) > 0);
  assert.equal(topology.hears(down(HOST)), false);
  const heard = Array.from({ length: 400 }, (_, i) => topology.hears(down(`made-up-${i}`)));
  assert.equal(heard.filter((fresh) => fresh).length, 255);
});

test('a link that is taken away is as if it had never been there; its ends stay known by their names', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(DEEP, { minLength: 1 }), fc.nat(5), (links, at) => {
      const gone = links[at % links.length];
      assert.ok(gone !== undefined);
      const made = index(links);
      const paths = (one: TopologyIndex) =>
        DEEP.flatMap(({ from }) => DEEP.map(({ to }) => one.quality(from, to))).join(' ');
      paths(made);
      assert.equal(made.unlink(gone), true);
      const ends = [gone.from, gone.to].map(componentText);
      assert.equal(paths(made), paths(index(links.filter((each) => each !== gone), ...ends))); // biome-ignore format: one line
      assert.equal(made.unlink(gone), false);
      made.link(gone);
      assert.equal(paths(made), paths(index(links)));
    }),
    { numRuns: 50, seed: 7 },
  );
});

test('a link that the host shows as well stays, and so does one that the configuration never had', () => {
  const configured = link('host/node-3', GPU_A, 'contains');
  const found: Link = { ...configured, source: 'host' };
  for (const links of [
    [configured, found],
    [found, configured],
  ]) {
    const made = index(links);
    assert.equal(made.unlink(configured), false);
    assert.ok(made.quality(component('host/node-3'), component(GPU_A)) > 0);
    assert.equal(made.unlink(configured), false, 'it is the host’s alone by now');
  }
});
