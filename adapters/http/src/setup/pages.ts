import { html } from 'hono/html'
import type { LicenceState } from '../licence/licence.ts'
import type { FieldName, Notice, Problem } from './notices.ts'
import type { Html, PageParts } from './page.ts'

/** Owner of the pages: the server's only installation, its operator, or a client. */
export type SetupOwner = 'alone' | 'operator' | { readonly client: string }

export interface SetupView {
  readonly owner: SetupOwner
  readonly instanceId: string
  readonly licence: LicenceState
  readonly notice: Notice | undefined
  readonly formToken: string
  /** Whether calls already work, with a provisional secret that should be replaced. */
  readonly provisional: boolean
  /** A random text, suggested as the secret. */
  readonly suggestion: string
}

/** The page on which an installation is set up. */
export function setupPage(view: SetupView): PageParts {
  const problems = view.notice?.problems ?? []
  return {
    title: problems.length > 0 ? 'Problem: Set up' : 'Set up',
    lead: html`<h1>${titleOf(view.owner)}</h1>
<p class="quiet">Accept the licence, set a secret, and the server is ready. Nothing you enter here leaves this machine.</p>
${steps(view.licence.isValid ? ['Licence'] : [])}`,
    main: html`${problemList(problems)}
${licenceCard(view)}
${secretCard(view)}`,
  }
}

function titleOf(owner: SetupOwner): string {
  if (owner === 'alone') return 'Set up this server'
  return owner === 'operator' ? 'Set up the operator of this server' : `Set up the client ${owner.client}`
}

const stepNames = ['Licence', 'Secret', 'Ready']

/** The first unfinished step is the current one. */
function steps(done: readonly string[]): Html {
  const current = stepNames.find(name => !done.includes(name))
  return html`<nav aria-label="Progress"><ol class="steps">
${stepNames.map((name, at) => (done.includes(name) ? doneStep(name) : openStep(name, at + 1, name === current)))}
</ol></nav>`
}

function doneStep(name: string): Html {
  return html`<li class="done"><span class="mark" aria-hidden="true">✓</span>${name}<span class="unseen"> is done</span></li>`
}

function openStep(name: string, number: number, current: boolean): Html {
  const now = current ? html` aria-current="step"` : ''
  return html`<li${now}><span class="mark" aria-hidden="true">${number}</span>${name}</li>`
}

function problemList(problems: readonly Problem[]): Html | '' {
  if (problems.length === 0) return ''
  return html`<div class="problems" role="alert">
<h2>${problems.length === 1 ? 'There is a problem' : `There are ${problems.length} problems`}</h2>
<ul>
${problems.map(({ field, message }) => html`<li>${field ? html`<a href="#${field}">${message}</a>` : message}</li>`)}
</ul>
</div>`
}

function licenceCard({ licence, notice, formToken }: SetupView): Html {
  return html`<section class="card" aria-labelledby="licence-heading">
<div class="heading"><h2 id="licence-heading">Licence</h2>${licenceState(licence)}</div>
<p>Findling is free and open source under the <a href="https://www.apache.org/licenses/LICENSE-2.0" rel="noreferrer">Apache License 2.0</a>. The licence created here is a note for your own records: <strong>it proves nothing and unlocks nothing.</strong> Everything works without it.</p>
${licence.isValid ? licenceDetails(licence) : licenceForm(notice, formToken)}
</section>`
}

const typeNames = new Map([
  ['OpenSource', 'Open source'],
  ['Commercial', 'Commercial'],
  ['MarketPlace', 'Marketplace'],
])

function licenceState({ isValid, type, message }: LicenceState): Html {
  if (isValid) return html`<span class="state">${typeNames.get(type)}, valid</span>`
  return html`<span class="state open">${message === '' ? 'Not set' : `Not valid: ${message}`}</span>`
}

function licenceDetails({ base64 }: LicenceState): Html {
  return html`<details><summary>Show the licence key</summary><pre><code>${base64}</code></pre></details>`
}

function licenceForm(notice: Notice | undefined, formToken: string): Html {
  const problems = notice?.problems ?? []
  return html`<form method="post" action="/setup/RequestOpenSourceLicense" novalidate>
${hidden(formToken)}
<div class="field">
<label for="Email">Email address</label>
<p class="hint" id="Email-hint">It is written into the licence and stored on this machine. No e-mail is sent.</p>
<input type="email" id="Email" name="Email" autocomplete="email" required value="${notice?.email ?? ''}"${described('Email', problems, true)}>
${errorsOf('Email', problems)}
</div>
<div class="check">
<input type="checkbox" id="Accepted" name="Accepted" value="true" required${described('Accepted', problems, false)}>
<label for="Accepted">I have read and accept the Apache License 2.0.</label>
${errorsOf('Accepted', problems)}
</div>
<button class="second">Create the free licence</button>
</form>`
}

function secretCard({ notice, formToken, instanceId, licence, provisional, suggestion }: SetupView): Html {
  const problems = notice?.problems ?? []
  return html`<section class="card" aria-labelledby="secret-heading">
<div class="heading"><h2 id="secret-heading">Secret</h2><span class="state open">${provisional ? 'Provisional' : 'Not set'}</span></div>
<p>Programs send the secret with every call. Whoever has it can read and change everything, so treat it like a password. Only a hash of it is stored, so it cannot be shown again.</p>
${provisional ? html`<p class="note">A provisional secret is in use. It stops working when you set your own.</p>` : ''}
<form method="post" action="/setup" novalidate autocomplete="off">
${hidden(formToken)}
<div class="field">
<label for="ApplicationId">Instance id</label>
<input type="text" id="ApplicationId" name="ApplicationId" autocomplete="username" readonly value="${instanceId}">
</div>
<div class="pair">
<div class="field">
<label for="Secret">Secret</label>
<input type="password" id="Secret" name="Secret" autocomplete="new-password" required${described('Secret', problems, true)}>
${errorsOf('Secret', problems)}
</div>
<div class="field">
<label for="SecretConfirm">Repeat the secret</label>
<input type="password" id="SecretConfirm" name="SecretConfirm" autocomplete="new-password" required${described('SecretConfirm', problems, false)}>
${errorsOf('SecretConfirm', problems)}
</div>
</div>
<p class="hint" id="Secret-hint">6 to 32 letters, digits and punctuation marks, no spaces. Long and random is best, for example <code>${suggestion}</code>, which was generated just now and is not stored.</p>
<div class="field">
<label for="LicenseKey">Licence key (optional)</label>
<p class="hint" id="LicenseKey-hint">${licence.isValid ? 'Leave this empty to keep the licence above.' : 'Only if you already have a key from this installation.'}</p>
<textarea id="LicenseKey" name="LicenseKey" rows="3" spellcheck="false"${described('LicenseKey', problems, true)}>${notice?.licenseKey ?? ''}</textarea>
${errorsOf('LicenseKey', problems)}
</div>
<button>Set the secret and finish</button>
</form>
</section>`
}

function hidden(formToken: string): Html {
  return html`<input type="hidden" name="FormToken" value="${formToken}">`
}

function described(field: FieldName, problems: readonly Problem[], hint: boolean): Html {
  const wrong = problems.some(problem => problem.field === field)
  const ids = [hint ? `${field}-hint` : '', wrong ? `${field}-error` : ''].filter(id => id !== '').join(' ')
  const description = ids === '' ? '' : html` aria-describedby="${ids}"`
  const first = wrong && problems.find(problem => problem.field !== undefined)?.field === field
  return html`${description}${wrong ? html` aria-invalid="true"` : ''}${first ? html` autofocus` : ''}`
}

function errorsOf(field: FieldName, problems: readonly Problem[]): Html | '' {
  const own = problems.filter(problem => problem.field === field)
  if (own.length === 0) return ''
  return html`<p class="error" id="${field}-error">${own.map(({ message }) => message).join(' ')}</p>`
}

const ofOne = html`<h1>This server is not set up yet</h1>
<p class="quiet">It needs a secret. Only someone who can see the console it was started in can set one.</p>`

const ofSeveral = html`<h1>Set up a client</h1>
<p class="quiet">This server has several clients. The token determines whose secret is set.</p>`

/** For visitors without the token. */
export function tokenPage(refused: boolean, owner: SetupOwner | 'any'): PageParts {
  const [invalid, error] = refused
    ? [
        html` aria-invalid="true" aria-describedby="token-hint token-error" autofocus`,
        html`<p class="error" id="token-error">This is not the token of this server. The server makes a new token at every start.</p>`,
      ]
    : [html` aria-describedby="token-hint"`, '']
  return {
    title: refused ? 'Problem: Setup token' : 'Setup token',
    lead: owner === 'any' ? ofSeveral : ofOne,
    main: html`<section class="card" aria-labelledby="owner">
<h2 id="owner">Open the setup</h2>
<p>When it started, the server printed a link with a token. Open that link, or enter the token here.</p>
<form method="get" action="/setup" novalidate autocomplete="off">
<div class="field">
<label for="token">Setup token</label>
<p class="hint" id="token-hint">The part of the link after <code>token=</code>.</p>
<input type="text" class="mono" id="token" name="token" spellcheck="false" autocapitalize="none" autocomplete="off" required${invalid}>
${error}
</div>
<button>Continue</button>
</form>
</section>`,
  }
}

export interface CompletedView {
  readonly owner: SetupOwner
  readonly instanceId: string
  readonly licenceType: string
  /** Scheme, host and port, as the visitor sees them. */
  readonly origin: string
}

/** For everyone, once the owner's secret is set. */
export function completedPage({ owner, instanceId, licenceType, origin }: CompletedView): PageParts {
  const licence = typeNames.get(licenceType)
  const path = typeof owner === 'string' ? '' : `/${owner.client}`
  return {
    title: 'Setup complete',
    lead: html`<h1>Setup is complete</h1>
<p class="quiet">The secret is set. Nothing more can be entered on this page.</p>
${steps(licence === undefined ? ['Secret', 'Ready'] : stepNames)}`,
    main: html`<section class="card" aria-labelledby="call">
<h2 id="call">Make the first request</h2>
<p>Every call below <code>${path}/api</code> needs the secret in its <code>Authorization</code> header. Paste this line into a terminal and replace <code>YOUR-SECRET</code> with your secret. ${owner === 'operator' ? 'It shows the state of the machine' : 'It lists the datasets'}:</p>
<pre tabindex="0" aria-label="First request"><code>curl -H 'Authorization: Findling YOUR-SECRET' ${origin}${path}/api/${owner === 'operator' ? 'Status' : 'DataSets'}</code></pre>
<p><a href="${path}/docs">Open the documentation</a>: it shows all calls, and you can try them there. Its examples work if this server has the sample catalogue.</p>
<dl class="facts">
<div><dt>Installation</dt><dd><code>${instanceId}</code></dd></div>
<div><dt>Licence</dt><dd>${licence ?? 'Not set; everything works without it'}</dd></div>
<div><dt>Change the secret</dt><dd><code>POST /api/Maintenance/ChangeSecret</code></dd></div>
<div><dt>Change the licence</dt><dd><code>POST /api/License</code></dd></div>
</dl>
</section>`,
  }
}
