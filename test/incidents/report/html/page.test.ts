// The HTML report as a real parser reads it: what a screen reader needs is there, and nothing that others wrote is markup.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { evidenceList } from '../../../../src/incidents/report/html/evidence-list.ts';
import { renderIncidentPage } from '../../../../src/incidents/report/html/incident-page.ts';
import type { ReportInput } from '../../../../src/incidents/report/report-input.ts';
import { safeLines, safeText } from '../../../../src/model/safe-text.ts';
import { incident, T0 } from '../../sample.ts';
import { ATTACK, hostile, input, powerChain, tenThousand } from './cases.ts';
import { attribute, type Element, elementsOf, textOf } from './tree.ts';

const KNOWN = new Set(
  'html head meta title style body a header p h1 ul li nav main section h2 div dl dt dd details summary ol table caption thead tbody tr th td figure figcaption svg desc rect text path line g span code pre footer'.split(
    ' ',
  ),
);
const ATTRIBUTES =
  /^(?:lang|dir|charset|http-equiv|content|name|class|href|id|tabindex|role|aria-[a-z]+|scope|start|data-l|viewbox|x|y|x1|x2|y1|y2|d|rx|width|height)$/i;

function checked(of: ReportInput): Element[] {
  const { elements, errors } = elementsOf(renderIncidentPage(of));
  assert.deepEqual(errors, []);
  return elements;
}

const cases: readonly [string, () => ReportInput][] = [
  ['the power chain', powerChain],
  ['a hostile incident', hostile],
  [
    'an incident without anything but its root',
    () => input(incident('abcdef012345', { evidence: [], alternatives: [], ruledOut: [], confidenceParts: [] })),
  ],
  ['an incident without a root', () => input(incident('abcdef012346', { rootKnown: false }))],
];

for (const [name, make] of cases) {
  test(`${name}: only known elements and attributes, no address but anchors of the page`, () => {
    const elements = checked(make());
    const ids = elements.flatMap((element) => attribute(element, 'id') ?? []);
    assert.equal(new Set(ids).size, ids.length);
    for (const element of elements) {
      assert.ok(KNOWN.has(element.tagName), element.tagName);
      for (const { name: attributeName, value } of element.attrs) {
        assert.match(attributeName, ATTRIBUTES);
        if (attributeName === 'href') assert.ok(value.startsWith('#') && ids.includes(value.slice(1)), value);
        if (attributeName === 'aria-labelledby') for (const id of value.split(' ')) assert.ok(ids.includes(id), id);
      }
    }
  });

  test(`${name}: landmarks, headings, tables and pictures can be read aloud`, () => {
    const elements = checked(make());
    const named = (tag: string): Element[] => elements.filter(({ tagName }) => tagName === tag);
    for (const tag of ['header', 'nav', 'main', 'footer', 'h1']) assert.equal(named(tag).length, 1, tag);
    assert.equal(attribute(named('html')[0] as Element, 'lang'), 'en'); // a parser makes one where there is none
    assert.equal(named('section').length, named('h2').length);
    for (const table of named('table')) {
      const own = table.childNodes.map(({ nodeName }) => nodeName);
      assert.deepEqual(
        own.filter((each) => each !== '#text'),
        ['caption', 'thead', 'tbody'],
      );
    }
    for (const head of named('th')) assert.match(attribute(head, 'scope') ?? '', /^(?:col|row)$/);
    for (const picture of named('svg').filter((each) => attribute(each, 'aria-hidden') === null)) {
      assert.equal(attribute(picture, 'role'), 'img');
      assert.notEqual(attribute(picture, 'aria-labelledby'), null);
    }
    for (const region of elements.filter((each) => attribute(each, 'role') === 'region')) {
      assert.equal(attribute(region, 'tabindex'), '0');
      assert.notEqual(attribute(region, 'aria-label') ?? '', '');
    }
  });
}

test('the policy allows the style sheet of the page and nothing else', () => {
  const elements = checked(powerChain());
  const policy = elements.find((each) => attribute(each, 'http-equiv') === 'Content-Security-Policy');
  const style = elements.find(({ tagName }) => tagName === 'style');
  assert.ok(policy !== undefined && style !== undefined);
  const hash = createHash('sha256').update(textOf(style)).digest('base64');
  assert.equal(
    attribute(policy, 'content'),
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
  );
  assert.doesNotMatch(textOf(style), /url\(|@import/);
});

test('evidence is shown as it was written; what would mislead is shown as an escape', () => {
  const elements = checked(hostile());
  const quotes = elements.filter(({ tagName }) => tagName === 'pre').map(textOf);
  assert.equal(quotes[0], safeText(ATTACK));
  assert.match(quotes[0] ?? '', /<script>.*\\u\{202e\}evil.*\\x1b/);
  assert.equal(quotes[1]?.length, 32_768);
  const page = renderIncidentPage(hostile());
  assert.match(page, /1,050,000 characters in all/);
  assert.equal(safeLines(page), page);
  assert.ok(page.length < 400_000, String(page.length));
});

test('the report says what broke, what it did, what to do, over the feed path, with what was measured', () => {
  const elements = checked(powerChain());
  const text = elements
    .filter(({ tagName }) => tagName === 'body')
    .map(textOf)
    .join('');
  const heading = elements.find(({ tagName }) => tagName === 'h1');
  assert.ok(heading !== undefined);
  assert.equal(textOf(heading), 'voltage sag on pdu-b-rack-14 phase 1: 121.4 → 108.2 V');
  for (const said of [
    'check the power feed of pdu-b-rack-14 phase 1',
    'llama-70b step time 412 → 897 ms',
    'pdu-b-rack-14 outlet 7',
    'node-3 psu 1',
    'on the feed path',
    '3 node-3 gpu 0…7',
    'node-3 gpu 0…7: thermal slowdown — caused by 3, 2.8 s later',
    'pdu-b-rack-14 phase 1: 121.4 V before, 108.1…121.6 V from then on',
    'faultline explain 7fdb89 --format json',
  ])
    assert.ok(text.replace(/ +/g, ' ').includes(said), said);
  const plots = elements.filter((each) => attribute(each, 'class') === 'plot');
  assert.equal(plots.length, 6);
});

test('a report of ten thousand events has all of them, or says how many it left out', () => {
  const page = renderIncidentPage(tenThousand());
  assert.ok(page.length < 5_000_000, String(page.length));
  const rows = page.match(/<tr><th scope="row">/g)?.length ?? 0;
  const left = Number(/<p>(\d+) more events are in the document/.exec(page)?.[1] ?? 0);
  assert.ok(rows + left >= 10_000 && rows > 5000, `${rows} ${left}`);
});

test('what was injected says so in the name of its tab and in its headline', () => {
  const page = renderIncidentPage(input({ ...incident('7f3c41d2a0b1'), made: 'injected' }));
  assert.match(page, /<title>[0-9a-f]+ [a-z]+: \[injected\] /);
  assert.match(page, /<h1>\[injected\] /);
});

test('evidence that differs in numbers alone is folded under the first of it, and none is lost', () => {
  const piece = (text: string, i: number) => ({ source: 'kernel-log', time: '', timeMs: T0 + i, text });
  const evidence = [
    piece('Xid 79, pid 1', 0),
    piece('Link is down', 1),
    piece('Xid 79, pid 22', 2),
    piece('Xid 79, pid 3', 3),
  ];
  const list = evidenceList(evidence, 'UTC');
  const { elements } = elementsOf(
    `<!doctype html><html lang="en"><head><title>t</title></head><body>${list}</body></html>`,
  );
  assert.deepEqual(elements.filter(({ tagName }) => tagName === 'pre').map(textOf), [
    'Xid 79, pid 1',
    'Xid 79, pid 22',
    'Xid 79, pid 3',
    'Link is down',
  ]);
  assert.deepEqual(elements.filter(({ tagName }) => tagName === 'summary').map(textOf), ['2 more alike']);
});
