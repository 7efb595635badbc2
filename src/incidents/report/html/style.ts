// Style: the style sheet of every page; dark and light by the reader's own setting, readable on a phone and on paper.

const LINES_LIGHT = ['#1b66c9', '#b5500b', '#0b7565', '#a02c69', '#6443c0', '#6b5d00', '#ad1f17', '#525b66'];
const LINES_DARK = ['#6fb1ff', '#ff9d57', '#42c9b3', '#f481b9', '#b7a0ff', '#d6c43f', '#ff8b82', '#b0bac6'];
/** Lines differ in more than colour. */
const DASHES = ['none', '7 3', '2 3', '9 3 2 3', '12 4', '4 4', '1 4', '9 3 2 3 2 3'];

const lines = (colours: readonly string[]): string => colours.map((colour, i) => `--l${i}:${colour}`).join(';');

export const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--panel:#f4f6f8;--text:#16191d;--soft:#4d5661;--rule:#cfd6dd;--link:#0b57b5;--bad:#ad1f17;--badbg:#fdecea;--warn:#7a4b00;--warnbg:#fff3d9;--ok:#1c6b2f;--band:#1b66c922;${lines(LINES_LIGHT)}}
@media (prefers-color-scheme:dark){:root{--bg:#12161b;--panel:#1b2129;--text:#e8ecf1;--soft:#aab4c0;--rule:#36404b;--link:#7db8ff;--bad:#ff8b82;--badbg:#3a1c1b;--warn:#ffcf70;--warnbg:#37290c;--ok:#7bd68f;--band:#6fb1ff2e;${lines(LINES_DARK)}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:64rem;padding:1rem 1.25rem 3rem;background:var(--bg);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif;overflow-wrap:anywhere}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-100vw;padding:.5rem 1rem;background:var(--panel)}
.skip:focus{left:1rem;top:.5rem}
.brand{margin:0;color:var(--soft)}
h1{font-size:1.55rem;line-height:1.25;margin:.5rem 0}
h2{font-size:1.15rem;margin:2rem 0 .6rem;padding-top:.8rem;border-top:1px solid var(--rule)}
h3{font-size:1rem;margin:1.2rem 0 .4rem}
.badges{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;margin:.5rem 0 0;padding:0}
.badges li{padding:.1rem .6rem;border:1px solid var(--rule);border-radius:1rem;background:var(--panel)}
.badges .critical,.badges .error{color:var(--bad);background:var(--badbg);border-color:var(--bad);font-weight:600}
.badges .warning{color:var(--warn);background:var(--warnbg);border-color:var(--warn);font-weight:600}
nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;margin:1rem 0 0;padding:0}
nav a{display:inline-block;padding:.3rem 0}
dl{margin:0}
dl>div{display:grid;grid-template-columns:8rem 1fr;gap:.2rem 1rem;padding:.35rem 0;border-bottom:1px solid var(--rule)}
dt{font-weight:600;color:var(--soft)}
dd{margin:0}
.commands dl>div{grid-template-columns:1fr}
.do dl>div:nth-child(-n+2) dd{font-weight:600;font-size:1.1rem}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.875rem}
pre{margin:.3rem 0;padding:.6rem .8rem;background:var(--panel);border:1px solid var(--rule);border-radius:.3rem;white-space:pre-wrap;overflow-wrap:anywhere;max-height:24rem;overflow:auto;unicode-bidi:isolate;direction:ltr}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;color:var(--soft);padding:.2rem 0 .4rem}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--rule);font-variant-numeric:tabular-nums}
thead th{color:var(--soft);white-space:nowrap}
tbody th{font-weight:400;white-space:nowrap}
td{min-width:6rem;overflow-wrap:break-word}
td:has(>div){min-width:20rem}
td>div:first-child{font-weight:600}
.for{color:var(--ok)}.against{color:var(--bad)}
.contents{margin:1rem 0 0;padding-left:1.6rem}.contents li{padding:.25rem 0}.soft{color:var(--soft)}
.sure{list-style:none;margin:0;padding:0}
.sure li{display:grid;grid-template-columns:1.2rem 1fr;padding:.15rem 0}
details{margin:.6rem 0}
summary{cursor:pointer;padding:.2rem 0;color:var(--link)}
figure{margin:1.2rem 0}
figcaption{font-weight:600}
svg{display:block;width:100%;height:auto;font:13px/1.2 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
svg.strip,svg.plot,svg.chain{min-width:36rem}
svg text{fill:var(--text)}
svg .soft{fill:var(--soft)}
svg .mid{text-anchor:middle}svg .end{text-anchor:end}
svg .rule{stroke:var(--rule);fill:none}
svg .axis{stroke:var(--soft);fill:none}
svg .lane{fill:var(--panel);stroke:var(--rule)}
svg .box{fill:var(--bg);stroke:var(--soft);stroke-width:1.2}
svg .box.root{stroke:var(--bad);stroke-width:3;fill:var(--badbg)}
svg .box.way{stroke-dasharray:4 3}
svg path.way{stroke:var(--soft);stroke-dasharray:4 3;fill:none}
svg .cause{stroke:var(--l0);stroke-width:1.8;fill:none}
svg .cause.unsure{stroke-dasharray:6 4}
svg .head{fill:var(--l0)}
svg .strong{font-weight:600}
svg .band{fill:var(--band)}
svg .mark{stroke:var(--bad);stroke-width:1.2;stroke-dasharray:3 3}
svg .marked{fill:var(--bad);font-size:11px}
svg .span{fill:var(--l0)}svg .span.root{fill:var(--bad)}
svg .line{fill:none;stroke-width:1.8;stroke-linejoin:round}
${LINES_LIGHT.map((_, i) => `svg .s${i}{stroke:var(--l${i});stroke-dasharray:${DASHES[i]}}`).join('\n')}
.key{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;margin:.3rem 0;padding:0;font-size:.9rem}
.key svg{display:inline-block;width:2.2rem;min-width:0;vertical-align:middle;margin-right:.4rem}
footer{margin-top:2.5rem;padding-top:.8rem;border-top:1px solid var(--rule);color:var(--soft);font-size:.9rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:40rem){.wide table{width:max-content;min-width:100%}.wide th,.wide td{max-width:15rem;min-width:0;white-space:normal}.blocks thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.blocks,.blocks caption,.blocks tbody,.blocks tr,.blocks th,.blocks td{display:block}.wide .blocks,.wide .blocks th,.wide .blocks td{width:auto;max-width:none;min-width:0;overflow-wrap:anywhere}.blocks tr{padding:.5rem 0;border-bottom:2px solid var(--rule)}.blocks tbody th,.blocks tbody td{padding:.1rem 0;border:0}.blocks tbody th{font-weight:600}.blocks td::before{content:attr(data-l) ": ";color:var(--soft)}.blocks td:empty{display:none}body{padding:.75rem .9rem 2rem}dl>div{grid-template-columns:1fr;gap:0}h1{font-size:1.3rem}}
@media print{nav,.skip{display:none}body{max-width:none}pre{max-height:none}details::details-content{content-visibility:visible;block-size:auto}}
`;
