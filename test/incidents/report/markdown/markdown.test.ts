import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderIncidentPage } from '../../../../src/incidents/report/html/incident-page.ts';
import { renderMarkdown } from '../../../../src/incidents/report/markdown/markdown.ts';
import { block, code, words } from '../../../../src/incidents/report/markdown/words.ts';
import { safeLines } from '../../../../src/model/safe-text.ts';
import { hostile, powerChain, tenThousand } from '../html/cases.ts';

test('an incident reads in a ticket as in a terminal', () => {
  const text = renderMarkdown(powerChain());
  assert.ok(
    text.startsWith(`## voltage sag on pdu-b-rack-14 phase 1: 121.4 → 108.2 V

**INCIDENT 7fdb89** on node-3, 2026-11-27 14:32:01 UTC · error · 87 % sure · open, 1 min 47 s

- **Effect:** llama-70b step time 412 → 897 ms; ≈ 0.12 GPU-hours so far
- **Do:** check the power feed of pdu-b-rack-14 phase 1
`),
    text.slice(0, 600),
  );
  assert.match(text, /\| 4 \| 14:32:03\.7 \| node-3 gpu 0…7 \| thermal slowdown \| NVML \| 3, 2\.8 s later \|/);
  assert.match(text, /\| Voltage of PDU phase \| pdu-b-rack-14 phase 1 \| 121\.4 V \| 108\.1…121\.6 V \|/);
});

test('what a ticket shows at once is about a screen, and the rest is closed and complete', () => {
  for (const input of [powerChain(), tenThousand()]) {
    const text = renderMarkdown(input);
    const open = text.replaceAll(/<details>[\s\S]*?<\/details>\n*/g, '').split('\n');
    assert.ok(open.length <= 45, `${open.length} lines`);
    assert.equal(text.split('<details>').length, text.split('</details>').length);
    assert.match(text, /<details><summary>Evidence: [\d,]+ items/);
  }
  const blocks = renderMarkdown(powerChain()).split('```text').length - 1;
  assert.ok(blocks <= 8, `${blocks} blocks of evidence for 27 pieces of six kinds`);
});

test('words of others make no markup, mention, link or cell', () => {
  assert.equal(words('<b>*x*</b> [a](b) `c` | d_e'), '&lt;b&gt;\\*x\\*&lt;/b&gt; \\[a\\](b) \\`c\\` \\| d\\_e');
  assert.equal(words('# head'), '\\# head');
  assert.equal(words('1. item'), '1\\. item');
  assert.equal(words('121.4 V'), '121.4 V');
  assert.equal(
    words('ask @team about #12 at https://x.example/?a=b'),
    'ask `@team` about `#12` at `https://x.example/?a=b`',
  );
  assert.equal(words('a\u202eb\n\u001b[31m'), 'a\\\\u\\{202e\\}b \\\\x1b\\[31m');
  assert.equal(code('a`b``c|'), '```a`b``c\\|```');
  assert.equal(block('x\n```\ny'), '````text\nx\n```\ny\n````');
});

test('a hostile incident stays in its fences', () => {
  const text = renderMarkdown(hostile());
  // Outside of fences: no markup of others, whole lines of tables, no control characters.
  const outside = text
    .replaceAll(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '')
    .replaceAll(/\\[^\w\s]/g, '\\')
    .replaceAll(/(`+)[^`\n]+\1(?!`)/g, '');
  assert.doesNotMatch(outside, /<(?:script|img|b)\b/);
  assert.doesNotMatch(outside, /\[a\]/);
  assert.doesNotMatch(outside, /@everyone|https:\/\/evil/);
  assert.equal(safeLines(text), text);
  assert.ok(text.length < 80_000, String(text.length));
});

test('ten thousand events are a report that a ticket takes', () => {
  const text = renderMarkdown(tenThousand());
  assert.ok(text.length < 120_000, String(text.length));
  assert.match(text, /more rows: `--format json` has all/);
});

test('the samples of the docs are what the reports are now', () => {
  const folder = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'samples');
  const again = 'node scripts/lib/sample-reports.mjs';
  assert.equal(readFileSync(join(folder, 'voltage-sag.md'), 'utf8'), renderMarkdown(powerChain()), again);
  assert.equal(readFileSync(join(folder, 'voltage-sag.html'), 'utf8'), renderIncidentPage(powerChain()), again);
});
