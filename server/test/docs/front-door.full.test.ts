// Follows README.md and docs/start.md word by word on a fresh clone with Node 20 and an empty npm cache, until Chromium
// shows a streamed answer on another origin. Commands and addresses are read from the pages; a page that changes what
// the test does by hand or replaces fails it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/programs/browsers.ts'
import { findBinary } from '../support/programs/find-binary.ts'
import { findNode20 } from '../support/programs/runtimes.ts'
import { findFreePort, type ServerProcess, startProcess, waitUntilReady } from '../support/server-process.ts'
import { openaiEvents, say } from '../support/simulated/provider-answers.ts'
import { startUpstream } from '../support/simulated/scripted-upstream.ts'
import { roomFor } from '../support/slowness.ts'
import { checkout, readFences } from './fences.ts'

/** Installs included. */
const maxMs = 180_000
const hangingMs = 500_000

let folder: string
let clone: string
let browser: TestBrowser
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-front-door-'))
  clone = join(folder, 'sallyport')
  execFileSync('git', ['clone', '--quiet', checkout, clone], { stdio: 'pipe' })
  browser = await openBrowser('chromium')
})
afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

/** The code of the steps, in order: each section of docs/start.md with a number has one fence. */
function readSteps(): string[] {
  const fences = readFences('docs/start.md', clone)
  expect(fences.map(({ section, language }) => `${section[0]} ${language}`)).toEqual(
    ['1', '2', '3', '4', '5', '6'].map(number => `${number} sh`),
  )
  return fences.map(({ code }) => code)
}

/** README's two commands: the product, and the demo. */
function readCommands(): [start: string, demo: string] {
  const [start, demo, ...others] = readFences('README.md', clone).filter(({ section }) => section === 'Run it')
  if (start === undefined || demo === undefined || others.length > 0) throw new Error('“Run it” has two commands')
  return [start.code, demo.code]
}

/** What the page says in words. Fails when the page says it no longer. */
function readSentence(pattern: RegExp): string {
  const found = pattern.exec(readFileSync(join(clone, 'docs/start.md'), 'utf8'))?.[1]
  if (found === undefined) throw new Error(`docs/start.md no longer says ${pattern}`)
  return found
}

/** What the test replaces in the commands, by name. Fails when the commands no longer have it. */
function map(code: string, mapping: Record<string, [from: string, to: string]>): string {
  return Object.entries(mapping).reduce((text, [name, [from, to]]) => {
    if (!text.includes(from)) throw new Error(`docs/start.md has no ${from}, which the test maps: ${name}`)
    return text.replaceAll(from, to)
  }, code)
}

/**
 * A person's shell: Node 20 comes first, nothing of this checkout is on the PATH, the home folder is empty at first.
 */
function startShell(code: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  const others = (process.env.PATH ?? '').split(delimiter).filter(each => !each.includes('node_modules'))
  const PATH = [dirname(findNode20() ?? ''), ...others, dirname(findBinary('curl') ?? '')].join(delimiter)
  const script = `set -e\nnode --version\n${code}`
  return startProcess({
    command: 'sh',
    args: ['-c', script],
    cwd: clone,
    env: { PATH, HOME: folder, ...networkSettings(), ...env },
    asGroup: true,
  })
}

/** How this machine reaches the npm registry; nothing else of the environment. */
function networkSettings(): Record<string, string> {
  const names = /^((https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/i
  const given = Object.entries(process.env).filter(([name]) => names.test(name))
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  return { ...(Object.fromEntries(given) as Record<string, string>), npm_config_registry: registry }
}

interface Walk {
  /** The first shell's command, with its environment. */
  command: string
  env: Record<string, string>
  /** The second shell's commands, where the address of the first stands as the page has it. */
  steps: string
  address: string
}

/** Both shells; resolves to the page's address, and what the second shell has printed until then. */
async function follow({ command, env, steps, address }: Walk) {
  const [port, pagePort] = [await findFreePort(), await findFreePort()]
  const here = `http://localhost:${port}`
  const pageAddress = readSentence(/^Open (http:\/\/localhost:3000), write a message, and read the answer as it/m)
  const script = map(steps, {
    'a free port for the product': [address, here],
    'a free port for the page': [pageAddress, `http://localhost:${pagePort}`],
  })
  const first = await startShell(command, { ...env, PORT: String(port) })
  onTestFinished(async () => void (await first.end('SIGINT')))
  const isUp = () => fetch(`${here}/readyz`).then(({ ok }) => ok, isRefused)
  await waitUntilReady(first, isUp, hangingMs)
  const second = await startShell(script, { ...env, PORT: String(pagePort) })
  onTestFinished(async () => void (await second.end('SIGINT')))
  await waitUntilReady(second, () => second.stdout().includes(`Open http://localhost:${pagePort}`), hangingMs)
  for (const shell of [first, second]) expect(shell.stdout()).toMatch(/^v20\./)
  return { url: pageAddress.replace(':3000', `:${pagePort}`), printed: second.stdout() }
}

/**
 * Writes a message and sends it; each text that the page showed, the complete one last. `onText` is called with each.
 */
async function chat(url: string, message: string, onText?: (text: string) => void): Promise<string[]> {
  const { page, close } = await browser.openPage(url)
  const texts: string[] = []
  await page.exposeFunction('onAnswer', (text: string) => {
    texts.push(text)
    onText?.(text)
  })
  await page.waitForSelector('form[data-ready]')
  const answer = `(document.querySelector('#messages .assistant')?.textContent ?? '')`
  await page.evaluate(`{
    const changes = { childList: true, characterData: true, subtree: true }
    new MutationObserver(() => onAnswer(${answer})).observe(document.querySelector('#messages'), changes)
  }`)
  await page.type('[name=message]', message)
  await page.click('[name=send]')
  await page.waitForSelector('[name=send]:not(:disabled)')
  expect(await page.evaluate(`document.querySelector('[role=alert]').textContent`)).toBe('')
  texts.push(String(await page.evaluate(answer)))
  await close()
  return texts
}

function isRefused(error: unknown): false {
  if (error instanceof TypeError) return false
  throw error
}

/** Prints the time, and fails above the maximum, to which a busy machine adds. */
function expectSoon(what: string, begunAt: number): void {
  const ms = performance.now() - begunAt
  const room = roomFor(maxMs)
  console.log(`${what}, from npm ci to the answer in Chromium: ${(ms / 1000).toFixed(1)} s, at most ${maxMs / 1000} s`)
  expect(ms).toBeLessThan(room)
}

test('the demo: from npm ci to a streamed answer in Chromium', async () => {
  const begunAt = performance.now()
  const [, demo] = readCommands()
  const [, create = '', , send = '', allow = '', runPage = ''] = readSteps()
  const values = readSentence(/^in front of a simulated .* Use these values in step 2 and skip step 3:\n`(.*)`\.$/ms)
  const withValues = map(create, { 'the values of step 2': [readSentence(/^(base=http:.*)$/m), values] })
  const { url, printed } = await follow({
    command: demo,
    env: {},
    steps: [withValues, send, allow, runPage].join('\n'),
    address: 'http://localhost:8787',
  })
  expect(printed).toContain('(simulated answer)')
  const texts = await chat(url, 'Good morning')
  expectSoon('The demo', begunAt)
  expect(texts.at(-1)).toMatch(/^\(simulated answer\).*“Good morning”/)
  expect(new Set(texts).size).toBeGreaterThan(2)
})

test('the product with a provider key: from npm ci to a streamed answer in Chromium', async () => {
  const begunAt = performance.now()
  const [start] = readCommands()
  const [first, ...steps] = readSteps()
  expect(first).toBe(start)
  const provider = await startUpstream()
  onTestFinished(() => provider.close())
  provider.on('GET /v1/models', { body: { object: 'list', data: [{ id: 'gpt-4o-mini', object: 'model' }] } })
  provider.on('POST /v1/chat/completions', say('openai', { text: ['Good day.'] }, false))
  const key = `sk-${'x'.repeat(40)}`
  const { url, printed } = await follow({
    command: start,
    // The only thing that a reader does not set: the provider is simulated.
    env: { OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: key },
    steps: steps.join('\n'),
    address: 'http://localhost:8080',
  })
  expect(printed).toContain('"content":"Good day."')

  // The provider sends the second half only when the page has shown the first one.
  const { promise: isHalfShown, resolve: onHalf } = Promise.withResolvers<void>()
  const events = openaiEvents({ text: ['Good morning, ', 'world.'] })
  const write = async (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(events.slice(0, 2).join(''))
    await isHalfShown
    response.end(events.slice(2).join(''))
  }
  provider.on('POST /v1/chat/completions', { write })
  const texts = await chat(url, 'Hello', text => {
    if (text === 'Good morning, ') onHalf()
  })
  expectSoon('The product', begunAt)
  expect(texts.at(-1)).toBe('Good morning, world.')
  expect(provider.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`)
})
