// A password in any URL or address of the configuration is shown by nothing: not by what is refused, printed or resolved.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the configuration are what is tested

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringify } from 'yaml';
import { ConfigError } from '../../src/config/config-error.ts';
import { printConfig, redactedConfig } from '../../src/config/print-config.ts';
import type { SchemaNode } from '../../src/config/schema-parts.ts';
import { configSchema as schema } from '../../src/daemon/config.ts';
import { load } from './helpers.ts';

const SECRET = 'hunter2-horse';
const ADDRESSES = ['endpoint', 'url', 'host', 'listen'];
const URLS = [
  `https://user:${SECRET}@10.0.20.3`,
  `http://user:${SECRET}@[2001:db8::5]:8080/x?y`,
  `https://user:a/${SECRET}@host`,
  `user:${SECRET}@10.0.14.2:161`,
  `https://host:4318/v1?api_key=${SECRET}`,
  `HTTPS://${SECRET}@host`,
];

/** The path of every key whose value is text, lists by their first entry. */
function textKeys(node: SchemaNode, path: readonly string[] = []): (readonly string[])[] {
  if (node.items !== undefined) return textKeys(node.items, [...path, '0']);
  if (node.properties === undefined) return [node.type].flat().includes('string') ? [path] : [];
  return Object.entries(node.properties).flatMap(([key, inner]) => textKeys(inner, [...path, key]));
}

/** A document with `value` at `path`, and with what else its list entries need. */
function documentWith(path: readonly string[], value: string, node: SchemaNode = schema): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (key === '0' && node.items !== undefined) return [documentWith(rest, value, node.items)];
  const needed = (node.required ?? []).map((name) => [name, String(node.properties?.[name]?.examples?.[0] ?? 'x')]);
  const inner = node.properties?.[key];
  return { ...Object.fromEntries(needed), [key]: inner === undefined ? value : documentWith(rest, value, inner) };
}

async function everythingSaid(text: string, environment: Record<string, string> = {}): Promise<string> {
  try {
    const loaded = await load(text, environment);
    return [...loaded.warnings, printConfig(loaded, schema), JSON.stringify(redactedConfig(loaded, schema))].join('\n');
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

const keys = textKeys(schema);

test('the keys of addresses are among those that are tried', () => {
  const names = keys.map((path) => path.join('.'));
  for (const key of ['otlp.endpoint', 'otlp.traces.endpoint', 'sources.bmc.0.url', 'sources.pdu.0.host'])
    assert.ok(names.includes(key), key);
  assert.ok(names.length > 60, String(names.length));
});

for (const url of URLS) {
  test(`no message and no print shows the secret of ${url.replace(SECRET, '…')}, whatever key holds it`, async () => {
    // Without a scheme it is an address only where one is asked for.
    const tried = url.startsWith('user:') ? keys.filter((path) => ADDRESSES.includes(path.at(-1) ?? '')) : keys;
    assert.ok(tried.length >= ADDRESSES.length);
    for (const path of tried) {
      const direct = await everythingSaid(stringify(documentWith(path, url)));
      assert.ok(!direct.includes(SECRET), `${path.join('.')}: ${direct}`);
      const expanded = await everythingSaid(stringify(documentWith(path, '${URL}')), { URL: url });
      assert.ok(!expanded.includes(SECRET), `${path.join('.')} from a variable: ${expanded}`);
    }
  });
}

test('the endpoint of a signal that is off could be shown as well: it is refused', async () => {
  const text = `otlp: {logs: {enabled: off, endpoint: "https://u:${SECRET}@h"}}`;
  assert.match(
    await everythingSaid(text),
    /^faultline\.yaml:1:39: otlp\.logs\.endpoint holds a secret\. Write: endpoint: /,
  );
});

test("the parser's own words, tags and aliases quote no secret", async () => {
  const texts = [
    `sources: {pdu: [{name: a, host: h, community: !${SECRET}}]}`,
    `sources: {pdu: [{name: a, host: h, community: *${SECRET}}]}`,
    `sources: {pdu: [{name: a, host: h, community: "x" ${SECRET}}]}`,
    `sources:\n  pdu:\n    - community: |${SECRET}\n`,
    `sources:\n  pdu:\n    - community: "\\q${SECRET}"\n`,
    `sources:\n  pdu:\n    - community: %${SECRET}\n`,
    `sources:\n  pdu:\n    - community: @${SECRET}\n`,
    `sources:\n  pdu:\n    - community: [${SECRET}\n`,
    `%TAG ! ${SECRET}\n---\na: 1`,
    `a: !<${SECRET}> b`,
    `a: ${SECRET}: b`,
    `sources: {pdu: [{name: a, host: h, community: {${SECRET}}}]}`,
  ];
  for (const text of texts) {
    const said = await everythingSaid(text);
    // The last one makes a key of it, and a key has to be named.
    if (text !== texts.at(-1)) assert.ok(!said.includes(SECRET), said);
    assert.match(said, /\[FL11\d\d\]/);
  }
});

test('variables of OpenTelemetry that hold a password are named, not shown', async () => {
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: `https://u:${SECRET}@h`, OTEL_EXPORTER_OTLP_HEADERS: SECRET };
  const said = await everythingSaid('log_level: info', variables);
  assert.match(said, /does not use the variable OTEL_EXPORTER_OTLP_ENDPOINT/);
  assert.ok(!said.includes(SECRET), said);
});
