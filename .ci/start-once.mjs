#!/usr/bin/env node
/** Runs `npm start` as a newcomer does, until the server tells its address, and ends it as Ctrl-C would. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const started = spawn('npm', ['start'], {
  detached: true,
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, PORT: '0' },
})
const ended = once(started, 'exit')
const tooLate = setTimeout(() => process.kill(-started.pid, 'SIGKILL'), 5 * 60_000)

let printed = ''
let listens = false
for await (const text of started.stdout.setEncoding('utf8')) {
  process.stdout.write(text)
  printed += text
  if (listens || !printed.includes('Findling listens on ')) continue
  listens = true
  process.kill(-started.pid, 'SIGINT')
}
await ended
clearTimeout(tooLate)
if (!listens) {
  console.error('npm start ended before the server told its address.')
  process.exitCode = 1
}
