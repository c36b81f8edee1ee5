"""How the page looks: on a desk, on a phone, and on paper, in black and white too."""

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #111; font: 1rem/1.55 "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
main, header, footer { max-width: 66rem; margin: 0 auto; padding: 0 1.25rem; }
p, li, dd { max-width: 46rem; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h1 { font-size: 1rem; font-weight: 600; margin: 1rem 0 .75rem; }
h1.case { font-size: 1.5rem; margin: 1rem 0 .2rem; }
header p { margin: 0 0 .2rem; } header p:last-child { margin-bottom: .8rem; }
.said dd, blockquote.said { white-space: pre-line; } blockquote { border-left: 4px solid #999; margin: .5rem 0;
  padding-left: 1rem; max-width: 46rem; overflow-wrap: anywhere; }
h2 { font-size: 1.4rem; margin: 0 0 .75rem; }
h3 { font-size: 1.08rem; margin: 1.5rem 0 .4rem; }
section { border-top: 2px solid #111; margin-top: 2.5rem; padding-top: 1rem; }
section.first { border-top: 0; margin-top: 0; padding-top: 0; }
.answer { display: flex; gap: 1.1rem; align-items: center; border: 3px solid #111; padding: .8rem 1.1rem; }
.answer svg { flex: none; width: 4.2rem; height: 4.2rem; }
.answer p { margin: 0; }
.answer .word { font-size: 2rem; font-weight: 800; letter-spacing: .04em; line-height: 1.15; }
.rejected { border-width: 8px; border-style: double; }
.undecided, .not-closed { border-style: dashed; }
.verified { background: #eef7ee; } .rejected { background: #fdeeee; }
.undecided, .not-closed { background: #fbf6e4; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: .8rem; }
.proven { border: 3px solid #111; padding: .7rem 1.1rem; min-width: 0; }
.proven h2 { font-size: 1.15rem; margin: 0 0 .4rem; } .proven p { margin: 0; max-width: none; }
.proven h3 { font-size: 1rem; margin: 0; } .proven h3 span { text-transform: none; font-weight: 800; }
.certificate { display: flex; gap: .7rem; align-items: flex-start; margin-top: .4rem; }
.certificate svg { flex: none; width: 1.7rem; height: 1.7rem; } .certificate > div { min-width: 0; }
.proven.reached { background: #eef7ee; } .proven.short { background: #fdf3d8; border-style: dashed; }
.simulation { border: 2px dashed #111; padding: .5rem .9rem; font-weight: 600; margin: .8rem 0; max-width: none; }
.finding { border: 2px solid #111; border-left-width: 10px; padding: .6rem 1rem; margin: 1rem 0; }
.finding h3 { margin-top: 0; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .4rem 0; }
dl.facts dt { font-weight: 600; } dl.facts dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 2.5rem; }
.strips { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: .6rem 2.5rem; }
figure { margin: .8rem 0; break-inside: avoid; min-width: 0; }
figcaption { font-size: .92rem; margin-bottom: .25rem; }
figure svg { display: block; width: 100%; height: auto; max-width: 34rem; }
svg text { font: 13px "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #111; }
.defs { position: absolute; width: 0; height: 0; }
ul.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; }
ul.legend svg { width: 2rem; height: 1.1rem; vertical-align: -.2rem; margin-right: .4rem; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .9rem; width: 100%; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { border-bottom: 1px solid #999; padding: .3rem .7rem .3rem 0; text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid #111; vertical-align: bottom; }
tbody th { font-weight: 400; min-width: 4rem; overflow-wrap: anywhere; }
table.cards tbody th { white-space: normal; min-width: 5rem; overflow-wrap: anywhere; }
td { overflow-wrap: anywhere; min-width: 4rem; }
table.numbers td, table.numbers th { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
table.numbers td, table.numbers tbody th { white-space: nowrap; min-width: 0; }
table.numbers { width: auto; font-size: .82rem; }
table.numbers th, table.numbers td { padding: .3rem .3rem .3rem .45rem; }
table.cards td { min-width: 6rem; } table.cards svg { max-width: 100%; }
.outcome { font-weight: 700; white-space: nowrap; }
.fail { border: 3px double #111; padding: 0 .4rem; }
.left { font-weight: 400; font-style: italic; }
code, .key { font-family: "DejaVu Sans Mono", Consolas, Menlo, monospace; font-size: .88em; overflow-wrap: anywhere; }
nav ul { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; padding: 0; list-style: none; }
a { color: #003a8c; }
.note { font-size: .92rem; }
.fields { display: block; font-size: .92em; } ul.parts { list-style: none; margin: .2rem 0; padding: 0 0 0 .6rem; }
dl.glossary dt { font-weight: 700; margin-top: .7rem; } dl.glossary dd { margin: 0; }
footer { border-top: 2px solid #111; margin-top: 2.5rem; padding-top: .5rem; padding-bottom: 2rem; font-size: .88rem;
  overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  main, header, footer { padding: 0 .9rem; }
  .answer { gap: .8rem; padding: .6rem .8rem; } .answer svg { width: 3rem; height: 3rem; }
  .answer .word { font-size: 1.55rem; }
  .proven { padding: .5rem .8rem; } .certificate svg { width: 1.4rem; height: 1.4rem; }
  dl.facts { grid-template-columns: 1fr; gap: 0; } dl.facts dd { margin-bottom: .35rem; }
  table.checks thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table.checks, table.checks tbody, table.checks caption { display: block; }
  table.checks tr { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .45rem 0; border-bottom: 1px solid #999; }
  table.checks th, table.checks td { border: 0; padding: 0; min-width: 0; }
  table.checks td:last-child { flex-basis: 100%; }
  table.cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table.cards, table.cards tbody, table.cards caption, table.cards tr { display: block; }
  table.cards tr { border-bottom: 2px solid #999; padding: .45rem 0; }
  table.cards tbody th, table.cards td { display: grid; grid-template-columns: 8rem 1fr; gap: 0 .6rem; border: 0;
    padding: 0; min-width: 0; white-space: normal; }
  table.cards [data-head]::before { content: attr(data-head); font-weight: 600; }
  .scroll.numbers { border: 1px solid #999; padding: 0 .5rem .5rem; }
  .scroll.numbers::before { content: "Wider than this screen: move it sideways \\2192"; display: block;
    width: max-content; position: sticky; left: 0; font-size: .85rem; font-style: italic; padding: .3rem 0; }
  svg text { font-size: 16px; }
  .numbers caption { max-width: calc(100vw - 3.2rem); }
  table.numbers tbody th { position: sticky; left: 0; background: #fff; }
}
@media print {
  @page { margin: 16mm 14mm; }
  html { font-size: 10pt; } body { line-height: 1.4; }
  main, header, footer { max-width: none; padding: 0; }
  nav { display: none; }
  section { break-before: page; border-top: 0; margin-top: 0; padding-top: 0; }
  section.first, section.flows { break-before: auto; }
  dl.glossary { columns: 2; column-gap: 2rem; font-size: 9pt; }
  section.flows { margin-top: 1.5rem; }
  h2, h3, caption { break-after: avoid; }
  .finding, .answer, .proven, tr, dl.glossary div { break-inside: avoid; }
  thead { display: table-header-group; }
  .scroll { overflow: visible; }
  table { font-size: 8pt; } table.cards td { min-width: 0; } td { min-width: 0; } tbody th { white-space: normal; }
  th, td { padding-right: .5rem; }
  .strips, .two { grid-template-columns: 1fr 1fr; gap: .3rem 1.5rem; }
  .answer, .proven, .verified, .rejected, .undecided, .not-closed, .proven.reached, .proven.short { background: #fff; }
  a { color: #111; text-decoration: none; }
}
"""
