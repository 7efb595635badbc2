// The resolver adds what the host showed, and never changes what an event says itself.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Resolver } from '../../src/identity/resolver.ts';

test('a component gets the host, parent and aliases that were discovered', () => {
  const resolver = new Resolver();
  resolver.learn({ type: 'gpu', id: '0000:1b:00.0', host: 'node-3', parent: 'host/node-3', aliases: ['gpu 0'] });
  resolver.learn({ type: 'gpu', id: '0000:1b:00.0', aliases: ['GPU-uuid'] });
  assert.deepEqual(resolver.resolve({ type: 'gpu', id: '0000:1b:00.0' }), {
    type: 'gpu',
    id: '0000:1b:00.0',
    host: 'node-3',
    parent: 'host/node-3',
    aliases: ['gpu 0', 'GPU-uuid'],
  });
});

test('the place in a list is the last one reported, other names stay', () => {
  const resolver = new Resolver();
  resolver.learn({ type: 'gpu', id: '0000:1b:00.0', aliases: ['gpu 1', 'GPU-uuid'] });
  resolver.learn({ type: 'gpu', id: '0000:1b:00.0', aliases: ['gpu 0'] });
  assert.deepEqual(resolver.resolve({ type: 'gpu', id: '0000:1b:00.0' })?.aliases, ['GPU-uuid', 'gpu 0']);
});

test('what is unknown stays as it is, and null stays null', () => {
  const resolver = new Resolver();
  assert.deepEqual(resolver.resolve({ type: 'gpu', id: '0000:1b:00.0' }), { type: 'gpu', id: '0000:1b:00.0' });
  assert.equal(resolver.resolve(null), null);
});

test('a source that invents components without end does not fill the memory', () => {
  const resolver = new Resolver();
  for (let i = 0; i < 25_000; i += 1) resolver.learn({ type: 'process', id: String(i), host: 'h' });
  assert.deepEqual(resolver.resolve({ type: 'process', id: '24999' }), { type: 'process', id: '24999' });
});
