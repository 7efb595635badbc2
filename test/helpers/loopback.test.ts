// Loopback: addresses of this host alone; a name that only looks like one leaves it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopback, isPlainBeyondLoopback } from '../../src/helpers/loopback.ts';

test('addresses of loopback, and localhost by exactly that name', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', '[::1]', 'localhost']) assert.ok(isLoopback(host), host);
  for (const host of ['127.evil.example', '127.0.0.1.evil.example', '127.1', 'localhost.evil.example', 'my-localhost', '10.0.0.1', '[::2]', '0.0.0.0', '']) assert.ok(!isLoopback(host), host);
}); // biome-ignore format: one list

test('a URL in the clear leaves this host where its host is another, however it is written', () => {
  for (const url of ['http://127.evil.example:6443', 'http://127.0.0.1.evil.example', 'http://localhost.evil.example/', 'HTTP://10.0.0.1']) assert.ok(isPlainBeyondLoopback(url), url);
  // A URL's address is read as the system reads it: 127.1 is 127.0.0.1.
  for (const url of ['http://127.0.0.1:1', 'http://127.1/', 'http://localhost:8080', 'http://[::1]:1', 'https://10.0.0.1']) assert.ok(!isPlainBeyondLoopback(url), url);
}); // biome-ignore format: one list
