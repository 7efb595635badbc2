// Invalid configurations: each mistake at its line and column, in words, with what to write instead.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the configuration are what is tested

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaints } from './helpers.ts';

const pdu = (...lines: string[]) =>
  ['sources:', '  pdu:', '    - name: pdu-b', '      host: 10.0.14.2', ...lines.map((line) => `      ${line}`)].join(
    '\n',
  );
const known =
  'host, directories, roots, sources, topology, correlation, incidents, impact, inject, silences, api, simulated, shadow, record, rules, detectors, otlp, prometheus, alertmanager, notify, nvsentinel, acting, log_level';

// biome-ignore format: one case, one glance
const cases: readonly (readonly [string, string, readonly string[]])[] = [
  ['a version that SNMP has not', pdu('community: public', 'version: 4'), [
    '6:16: sources.pdu[0].version must be one of "1", "2c", "3" (got 4). Write: version: 2c [FL1106]']],
  ['a key misspelt', 'sources:\n  gpu:\n    intervall: 2s', [
    '3:5: sources.gpu.intervall is not known. Did you mean: interval [FL1105]']],
  ['a key in camel case', 'logLevel: info', ['1:1: logLevel is not known. Did you mean: log_level [FL1105]']],
  ['a key like nothing known', 'xyz: 1', [`1:1: xyz is not known. Known here: ${known} [FL1105]`]],
  ['a key that objects inherit', '__proto__: {a: 1}', [`1:1: __proto__ is not known. Known here: ${known} [FL1105]`]],
  ['a duration without a unit', 'sources:\n  cpu:\n    interval: 2', [
    '3:15: sources.cpu.interval must be a duration such as "500ms", "2s", "10m", "24h" (got 2). Write: interval: 2s [FL1106]']],
  ['a duration in words', 'correlation: {hold: soon}', [
    '1:21: correlation.hold must be a duration such as "500ms", "2s", "10m", "24h" (got soon). Write: hold: 30s [FL1106]']],
  ['a duration out of range', 'sources: {gpu: {interval: 1ms, burst_interval: 10ms}}', [
    '1:27: sources.gpu.interval must be from 20ms to 1m (got 1ms). Write: interval: 20ms [FL1106]']],
  ['a size in the wrong unit', 'incidents:\n  max_bytes: 64MB', [
    '2:14: incidents.max_bytes must be a size such as "64MiB" (B, KiB, MiB, GiB) (got 64MB). Write: max_bytes: 64MiB [FL1106]']],
  ['a size out of range', 'record: {max_bytes: 1B}', ['1:21: record.max_bytes must be from 64KiB to 64GiB (got 1B). Write: max_bytes: 64KiB [FL1106]']],
  ['true for on', 'sources:\n  gpu:\n    enabled: true', [
    '3:14: sources.gpu.enabled must be one of "auto", "on", "off" (got true). Write: enabled: on [FL1106]']],
  ['a choice misspelt', 'log_level: warning', [
    '1:12: log_level must be one of "trace", "debug", "info", "warn", "error" (got warning). Write: log_level: warn [FL1106]']],
  ['a port out of range', pdu('port: 70000', 'community: public'), [
    '5:13: sources.pdu[0].port must be from 1 to 65535 (got 70000). Write: port: 161 [FL1106]']],
  ['text for a number', pdu('retries: many', 'community: public'), [
    '5:16: sources.pdu[0].retries must be a whole number (got many). Write: retries: 1 [FL1106]']],
  ['a section where a list belongs', 'sources:\n  pdu:\n    name: x', ['3:5: sources.pdu must be a list (got a section). [FL1106]']],
  ['text where a section belongs', 'sources: all', ['1:10: sources must be a section (name: value lines) (got all). [FL1106]']],
  ['a list as the whole', '- a\n- b', ['1:1: the configuration must be a section (name: value lines) (got a list). [FL1106]']],
  ['a port within the host of a PDU', 'sources:\n  pdu:\n    - name: x\n      community: public\n      host: 10.0.14.2:1161', [
    '5:13: sources.pdu[0].host names a port as well (got 10.0.14.2:1161). Write: host: "10.0.14.2" and port: 1161 [FL1106]']],
  ['a port behind an IPv6 host', 'sources:\n  pdu:\n    - name: x\n      community: public\n      host: "[2001:db8::5]:1161"', [
    '5:13: sources.pdu[0].host names a port as well (got [2001:db8::5]:1161). Write: host: "2001:db8::5" and port: 1161 [FL1106]']],
  ['a PDU without a name', 'sources:\n  pdu:\n    - host: 10.0.14.2\n      community: public', [
    '3:7: sources.pdu[0] needs name. Write: name: pdu-b-rack-14 [FL1107]']],
  ['a value left empty', 'host:', ['1:6: host must be text (got nothing). Write: host: node-3 [FL1106]']],
  ['a host name with a slash', 'host: a/b', [
    '1:7: host must be a name of letters, digits, ".", "_" and "-" (got a/b). Write: host: node-3 [FL1106]']],
  ['a key given twice', 'host: a\nlog_level: info\nhost: b', ['3:1: host is there twice; the first is on line 1. Remove one [FL1103]']],
  ['a tab', 'sources:\n\tgpu: {}', ['2:1: is not valid YAML: Tabs are not allowed as indentation [FL1103]']],
  ['a list left open', 'sources:\n  pdu: [a', [
    '2:8: is not valid YAML: this [ is not closed [FL1103]']],
  ['a quote left open', 'host: "a', ['1:7: is not valid YAML: this " is not closed [FL1103]']],
  ['two documents', 'host: a\n---\nhost: b', [
    '2:1: is not valid YAML: there is a second document (---); keep one [FL1103]']],
  ['a tag', 'host: !!binary aGk=', ['1:16: has the tag tag:yaml.org,2002:binary. Write: the plain value, in quotes [FL1103]']],
  ['an alias without its anchor', 'host: *x', ['1:7: uses *x, which is not defined before it [FL1103]']],
  ['an alias inside itself', 'host: &x [*x]', ['1:10: host must be text (got a list). Write: host: node-3 [FL1106]', '1:11: uses *x, which is not defined before it [FL1103]']],
  ['a variable that is not set', 'host: ${NODE}', [
    '1:7: host needs the environment variable NODE, which is not set. Set it, or write: ${NODE:-default} [FL1108]']],
  ['something in braces that is not a variable', 'host: ${NODE-x}', [
    '1:7: host has a "${" that does not begin a variable. Write: ${NAME}, ${NAME:-default}, or $${ for the characters themselves [FL1108]']],
  ['a community written out', pdu('community: hunter2'), [
    '5:18: sources.pdu[0].community is a secret and must not be written out. Write: community: ${PDU_COMMUNITY}, or community_file: <path> [FL1109]']],
  ['a community file that is not there', pdu('community_file: /nonexistent/c'), [
    '5:23: sources.pdu[0].community_file names /nonexistent/c, which does not exist. Create it with mode 0600 [FL1109]']],
  ['no community', pdu(), [
    '3:7: sources.pdu[0] needs a community for version 2c. Write: community_file: /etc/faultline/pdu-community [FL1107]']],
  ['version 3 without a user', pdu('version: 3'), [
    '3:7: sources.pdu[0] needs a user for version 3. Write: user: {name: faultline, auth_key_file: <path>, priv_key_file: <path>} [FL1107]']],
  ['a user for version 2c', pdu('community: public', 'user: {name: u, level: noAuthNoPriv}'), [
    '6:13: sources.pdu[0].user is not used by version 2c. Write: version: 3 [FL1110]']],
  ['a user without the key of its level', pdu('version: 3', 'user: {name: u, level: authNoPriv}'), [
    '6:13: sources.pdu[0].user needs auth_key_file for level authNoPriv. Write: auth_key_file: /etc/faultline/pdu-auth.key [FL1107]']],
  ['two PDUs of one name', `${pdu('community: public')}\n    - {name: pdu-b, host: 10.0.14.3, community: public}`, [
    '6:14: sources.pdu[1].name is that of entry [0] too. Give each its own [FL1110]']],
  ['ranks backwards', 'sources: {job_log: [{job: j, path: /l, ranks: 23-16}]}', [
    '1:47: sources.job_log[0].ranks must be ranks, at most 4096. Write: ranks: 16-23 [FL1106]']],
  ['a rank outside the world', 'sources: {job_log: [{job: j, path: /l, ranks: 16-23, world_size: 20}]}', [
    '1:47: sources.job_log[0].ranks holds rank 23, but world_size 20 ends at rank 19 [FL1110]']],
  ['a burst slower than the pace', 'sources: {gpu: {burst_interval: 1s}}', [
    '1:33: sources.gpu.burst_interval is longer than sources.gpu.interval (500ms). Write: burst_interval: 500ms [FL1110]']],
  ['a component type misspelt', 'topology:\n  feeds:\n    - {from: pdu_fase/pdu-b/1, to: psu/node-3/1}', [
    '3:14: topology.feeds[0].from is not a component (type/id). Write: pdu_phase/pdu-b/1 [FL1110]']],
  ['a supply without its host', 'topology:\n  feeds:\n    - {from: pdu/pdu-b, to: psu/node-3}', [
    '3:29: topology.feeds[0].to needs the host it belongs to. Write: psu/node-3/1 [FL1110]']],
  ['a GPU by its index', 'topology: {runs: [{from: gpu/0, to: job/j}]}', [
    '1:26: topology.runs[0].from needs a PCI address. Write: gpu/0000:9b:00.0 [FL1110]']],
  ['work that is not work', 'topology: {runs: [{from: host/a, to: host/b}]}', [
    '1:38: topology.runs[0].to must be work. Write: job/<id>, rank/<job>/<n>, process/<pid> or service/<name> [FL1110]']],
  ['a price that is none', 'impact: {gpu_hour_rate: free}', [
    '1:25: impact.gpu_hour_rate must be a number (got free). Write: gpu_hour_rate: 2.5 [FL1106]']],
  ['a price below nothing', 'impact: {gpu_hour_rate: -1}', [
    '1:25: impact.gpu_hour_rate must be from 0 to 1000000 (got -1). Write: gpu_hour_rate: 2.5 [FL1106]']],
  ['a currency that is none', 'impact: {gpu_hour_rate: 2, currency: euro}', [
    '1:38: impact.currency must be a currency of three capital letters (got euro). Write: currency: EUR [FL1106]']],
  ['all mistakes at once, in the order of their lines', 'xyz: 1\nhost: a/b\nlog_level: loud', [
    `1:1: xyz is not known. Known here: ${known} [FL1105]`,
    '2:7: host must be a name of letters, digits, ".", "_" and "-" (got a/b). Write: host: node-3 [FL1106]',
    '3:12: log_level must be one of "trace", "debug", "info", "warn", "error" (got loud). Write: log_level: info [FL1106]']],
];

for (const [name, text, expected] of cases) {
  test(name, async () => {
    assert.deepEqual(
      await complaints(text),
      expected.map((line) => `faultline.yaml:${line}`),
    );
  });
}
