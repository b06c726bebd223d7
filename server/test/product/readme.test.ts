// What the README has its reader type works as it stands there: from the first login to a completion.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { findBinary } from '../support/find-binary.ts'
import { say } from '../support/provider-answers.ts'
import { startUpstream } from '../support/scripted-upstream.ts'
import { startProduct } from '../support/start-product.ts'
import { temporaryFolder } from './refusal.ts'

const curl = findBinary('curl') ?? 'curl'

/** The shell's lines under these headings. */
function linesUnder(headings: string[]): string {
  const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8')
  const sections = readme.split(/^## /m).filter(section => headings.some(heading => section.startsWith(`${heading}\n`)))
  expect(sections).toHaveLength(headings.length)
  return sections
    .flatMap(section => [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines]) => lines))
    .join('\n')
}

async function startOpenAi() {
  const provider = await startUpstream()
  onTestFinished(() => provider.close())
  provider.on('GET /v1/models', { body: { object: 'list', data: [{ id: 'gpt-4o-mini', object: 'model' }] } })
  provider.on('POST /v1/chat/completions', say('openai', { text: ['Good day.'] }, false))
  return provider
}

test('the first token and the first completion', async () => {
  const provider = await startOpenAi()
  // Where `data` is in the folder that the lines are typed in.
  const folder = join(temporaryFolder(), 'data')
  const product = await startProduct({ env: { DATA_DIR: folder, OPENAI_BASE_URL: `${provider.url}/v1` } })
  onTestFinished(() => product.kill())
  const typed = linesUnder(['Your first token', 'Your first completion'])
  expect(typed).toContain('base=http://localhost:8080\n')
  const script = `set -e\n${typed.replace('http://localhost:8080', product.baseUrl)}`
  const env = { PATH: `${process.env.PATH}:${dirname(curl)}`, OPENAI_API_KEY: `sk-${'x'.repeat(40)}` }
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script], { cwd: dirname(folder), env })
  expect(stderr).toBe('')
  expect(stdout).toContain('"plan":"pro"')
  expect(stdout).toContain('"key_last4":"xxxx"')
  expect(stdout).toContain('"provider_model":"openai/gpt-4o-mini"')
  expect(stdout).toContain('"content":"Good day."')
  expect(provider.requests.at(-1)?.headers.authorization).toBe(`Bearer ${env.OPENAI_API_KEY}`)
})
