// Incident page: one incident as one HTML file, the headline first, then why, when, what was measured, what was ruled out.

import { nameText } from '../../../model/component-name.ts';
import type { Incident } from '../../../model/incident.ts';
import { kindInfo } from '../../../model/kind.ts';
import { plain } from '../../../model/plain.ts';
import { badgesOf, titleOf } from '../head.ts';
import { lifeRows } from '../life.ts';
import { picturesOf } from '../pictures.ts';
import { percentText } from '../quantity.ts';
import type { ReportInput } from '../report-input.ts';
import { shortId } from '../sentences.ts';
import { againOf, commandOf, headlineOf, hostOf, placesOf, summaryOf } from '../summary.ts';
import { clockText, dayText } from '../when.ts';
import { chainDrawing } from './chain-drawing.ts';
import { html } from './escape.ts';
import { evidenceList } from './evidence-list.ts';
import { marksOf } from './marks.ts';
import { definitions, renderPage, type Section, table, wide } from './page.ts';
import { plotsOf } from './plot.ts';
import { timeStrip } from './time-strip.ts';
import { timelineTable } from './timeline-table.ts';

const NAMED = 200;

/** The whole file. */
export function renderIncidentPage(input: ReportInput): string {
  return renderPage({
    title: plain(`${shortId(input.incident.id)} ${input.incident.severity}: ${headlineOf(input)}`),
    header: headerOf(input),
    sections: sectionsOf(input),
    footer: `<p>${html(`${commandOf(input, 'html')}. One file: nothing is loaded and nothing runs.`)}</p>`,
  });
}

/** What it did and what to do, then the rest. */
export function sectionsOf(input: ReportInput): Section[] {
  const { incident, timeZone } = input;
  const marks = marksOf(incident);
  return [
    {
      id: 'what-to-do',
      title: 'What it did, what to do',
      body: `<div class="do">${definitions(summaryOf(input))}</div>`,
    },
    { id: 'chain', title: 'What caused what', body: chainDrawing(incident, marks, timeZone) },
    {
      id: 'timeline',
      title: 'Timeline',
      body: `${timeStrip(marks, timeZone)}<details><summary>${html(tableTitle(incident))}</summary>${timelineTable(incident, timeZone)}</details>`,
    },
    ...lifeSection(input),
    { id: 'measured', title: 'What was measured', body: measured(input, marks) },
    { id: 'sure', title: 'Why it is this sure', body: sure(incident) },
    { id: 'alternatives', title: 'What else it could be', body: alternatives(incident) },
    { id: 'evidence', title: 'Evidence', body: evidenceList(incident.evidence, timeZone) },
    {
      id: 'again',
      title: 'See it again',
      body: `<div class="commands">${definitions(againOf(input), true)}</div>${definitions(placesOf(input))}`,
    },
  ];
}

/** Nothing where nothing was done about it. */
function lifeSection({ incident, timeZone }: ReportInput): Section[] {
  const rows = lifeRows(incident, timeZone).map(({ stage, when, time, outcome, what }) => [stage, when, time, outcome, what].map(html)); // biome-ignore format: one line
  if (rows.length === 0) return [];
  const title = 'What was done about it';
  const body = wide('Table of stages', table(title, ['Stage', 'When', 'Time', 'Outcome', 'What'], rows));
  return [{ id: 'life', title, body }];
}

function headerOf(input: ReportInput): string {
  const { incident, timeZone } = input;
  const opened = `${dayText(incident.openedMs, timeZone)} ${clockText(incident.openedMs, timeZone)} ${timeZone}`;
  return `<p class="brand">${html(`${titleOf(input)} on ${hostOf(input)}, ${opened}`)}</p>
<h1>${html(headlineOf(input))}</h1>
${badgeList(input)}`;
}

export function badgeList(input: ReportInput): string {
  const [severity = '', ...others] = badgesOf(input);
  const badges = [`<li class="${severity}">${html(severity)}</li>`, ...others.map((each) => `<li>${html(each)}</li>`)];
  return `<ul class="badges" aria-label="Severity, confidence, state">${badges.join('')}</ul>`;
}

function tableTitle({ chain }: Incident): string {
  return chain.length === 1 ? 'The event with its bounds' : `All ${chain.length} events with their bounds`;
}

function measured({ incident, samples, timeZone }: ReportInput, marks: ReturnType<typeof marksOf>): string {
  if (samples === null || samples.series.length === 0)
    return '<p>No black box: no samples of its devices were kept around it.</p>';
  const { pictures, left } = picturesOf(incident, samples.series);
  const plots = plotsOf(pictures, marks, timeZone);
  const more = left === 0 ? '' : `<p>${left} further quantities are in ${html(plain(samples.path))}.</p>`;
  return `<p>The black box around it. A dashed line with a number is what the timeline has under that number; a band is the time that clocks and polls leave for it.</p>${plots}${more}`;
}

function sure({ confidenceParts, confidence }: Incident): string {
  const items = confidenceParts.slice(0, NAMED).map(({ why, delta }) => {
    const [sign, kind, said] =
      delta > 0 ? ['+', 'for', 'for it: '] : delta < 0 ? ['−', 'against', 'against it: '] : ['·', '', ''];
    return `<li><span class="${kind}" aria-hidden="true">${sign}</span><span><span class="hidden">${said}</span>${html(plain(why))}</span></li>`;
  });
  return `<p>${html(`${percentText(confidence)}: that this caused what followed.`)}</p><ul class="sure">${items.join('\n')}</ul>`;
}

function alternatives({ alternatives: others, ruledOut, rootKnown }: Incident): string {
  const rivals = others
    .slice(0, NAMED)
    .map(({ root, confidence, why }) => [
      html(kindInfo(root.kind).title),
      html(root.component === null ? '' : nameText(root.component)),
      html(percentText(confidence)),
      html(plain(why)),
    ]);
  const title = rootKnown ? 'Why it lost' : 'Why it may be';
  const first =
    rivals.length === 0
      ? '<p>No other cause was left to weigh.</p>'
      : wide(
          'Table of alternatives',
          table('Other causes that were weighed', ['Cause', 'Where', 'Sure', title], rivals),
        );
  const second = ruledOut.slice(0, NAMED).map(({ what, why }) => [html(plain(what)), html(plain(why))]);
  return second.length === 0
    ? first
    : first + wide('Table of what was ruled out', table('Looked at and ruled out', ['What', 'Why not'], second));
}
