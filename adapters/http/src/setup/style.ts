import { createHash } from 'node:crypto'

/** The style sheet, inlined in every page. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f4f3ef;
  --card: #ffffff;
  --ink: #1e2421;
  --quiet: #59615c;
  --line: #dcdad2;
  --edge: #80877f;
  --accent: #2c5f50;
  --on-accent: #ffffff;
  --calm: #e9f0ec;
  --bad: #a1281d;
  --bad-ground: #fbeeec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #141715;
    --card: #1d211f;
    --ink: #e9ece9;
    --quiet: #a5ada7;
    --line: #333936;
    --edge: #7a827c;
    --accent: #8ed1b8;
    --on-accent: #0e231b;
    --calm: #22302a;
    --bad: #ffb0a6;
    --bad-ground: #35201e;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Liberation Sans', sans-serif;
}
.page {
  max-width: 66rem;
  margin: 0 auto;
  padding: 1.5rem 1.125rem 3rem;
  display: grid;
  gap: 1.5rem;
}
.brand { display: flex; align-items: center; gap: .625rem; margin: 0; font-size: 1.0625rem; font-weight: 650; letter-spacing: .005em; }
.brand svg { width: 2rem; height: 2rem; flex: none; }
.stone { fill: var(--accent); }
.vein { fill: none; stroke: var(--on-accent); stroke-width: 1.6; stroke-linecap: round; opacity: .7; }
h1 { margin: 1.25rem 0 .5rem; font-size: 1.875rem; line-height: 1.2; font-weight: 680; letter-spacing: -.015em; }
h2 { margin: 0; font-size: 1.1875rem; line-height: 1.3; font-weight: 650; }
p { margin: .5rem 0 0; }
.quiet, .hint { color: var(--quiet); }
a { color: var(--accent); text-underline-offset: .15em; }
main { display: grid; gap: 1.25rem; min-width: 0; align-content: start; }
.card {
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: .875rem;
  padding: 1.375rem 1.125rem 1.5rem;
  min-width: 0;
}
.heading { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; justify-content: space-between; }
.state { font-size: .875rem; font-weight: 600; color: var(--accent); }
.state.open { color: var(--quiet); font-weight: 500; }
form { margin: 1.25rem 0 0; display: grid; gap: 1.125rem; }
.pair { display: grid; gap: 1.125rem 1.25rem; align-items: start; }
.field { display: grid; gap: .3125rem; min-width: 0; }
label, .label { font-weight: 600; font-size: .9375rem; }
.hint { margin: 0; font-size: .875rem; }
input[type='text'], input[type='email'], input[type='password'], textarea {
  width: 100%;
  min-height: 2.75rem;
  padding: .5625rem .75rem;
  font: inherit;
  color: inherit;
  background: var(--card);
  border: 1px solid var(--edge);
  border-radius: .5rem;
}
textarea { min-height: 5.5rem; resize: vertical; display: block; }
input[readonly] { background: var(--ground); border-color: var(--line); }
.mono, code, input[readonly], textarea, input[type='password'] {
  font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace;
  font-size: .9375rem;
}
[aria-invalid='true'] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad); }
.error { margin: 0; font-size: .875rem; font-weight: 550; color: var(--bad); }
.check { display: grid; grid-template-columns: auto 1fr; gap: .125rem .6875rem; align-items: start; }
.check label { font-weight: 450; }
.check input { width: 1.25rem; height: 1.25rem; margin: .125rem 0 0; accent-color: var(--accent); }
.check .error { grid-column: 2; }
button {
  justify-self: start;
  min-height: 2.75rem;
  padding: .5625rem 1.25rem;
  font: inherit;
  font-weight: 620;
  color: var(--on-accent);
  background: var(--accent);
  border: 1px solid var(--accent);
  border-radius: .5rem;
  cursor: pointer;
}
button:hover { filter: brightness(1.08); }
button.second { color: var(--accent); background: transparent; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.problems { background: var(--bad-ground); border: 1px solid var(--bad); border-radius: .875rem; padding: 1rem 1.125rem; }
.problems h2 { font-size: 1.0625rem; color: var(--bad); }
.problems ul { margin: .375rem 0 0; padding-left: 1.25rem; }
.problems a { color: inherit; }
.note { margin: 1rem 0 0; padding: .75rem .9375rem; background: var(--calm); border-radius: .5rem; font-size: .9375rem; }
code { overflow-wrap: anywhere; }
pre {
  margin: .75rem 0 0;
  padding: .875rem .9375rem;
  background: var(--ground);
  border: 1px solid var(--line);
  border-radius: .5rem;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
pre code { font-size: .875rem; }
details { margin-top: 1rem; }
summary { cursor: pointer; font-size: .9375rem; color: var(--accent); border-radius: .25rem; width: fit-content; }
.facts { margin: 1rem 0 0; display: grid; gap: .75rem; }
.facts dt { font-size: .875rem; color: var(--quiet); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 26rem) { input[type='text'][readonly] { padding-inline: .5rem; font-size: .75rem; } }
.steps { list-style: none; margin: 1.25rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: .625rem 1.25rem; }
.steps li { display: flex; gap: .625rem; align-items: center; color: var(--quiet); }
.steps [aria-current] { color: var(--ink); font-weight: 620; }
.mark {
  flex: none;
  width: 1.75rem;
  height: 1.75rem;
  display: grid;
  place-items: center;
  border: 1.5px solid currentColor;
  border-radius: 50%;
  font-size: .875rem;
  font-weight: 620;
}
.steps .done .mark { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (min-width: 60rem) {
  .page { padding: 3.5rem 2rem 4rem; grid-template-columns: 18rem minmax(0, 1fr); gap: 2rem 4rem; }
  .card { padding: 1.75rem 2rem 2rem; }
  .problems { padding: 1.25rem 2rem; }
  .pair { grid-template-columns: 1fr 1fr; }
  .steps { display: grid; }
}
`

export const styleHash = `sha256-${createHash('sha256').update(style).digest('base64')}`
