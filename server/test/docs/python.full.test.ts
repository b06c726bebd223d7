// docs/python.md and the package's README: their snippets mint, report an error and verify webhooks on the product.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClientStage, startClientStage } from '../clients/client-stage.ts'
import { findBinary } from '../support/programs/find-binary.ts'
import { startProcess } from '../support/server-process.ts'
import { checkout } from './fences.ts'
import { fencesOf } from './runners.ts'
import { expectVerifies } from './webhook-receiver.ts'

let stage: ClientStage
beforeAll(async () => {
  stage = await startClientStage()
})
afterAll(() => stage?.end())

const codeOf = (page: string, section: string) =>
  fencesOf('docs/python.full.test.ts', page).find(fence => fence.section === section)?.code ?? 'none'

const start = (program: string, env: Record<string, string>) => {
  const PYTHONPATH = join(checkout, 'python/src')
  const command = findBinary('python3') ?? 'python3 is not installed'
  return startProcess({ command, args: ['-B', '-c', program], env: { PATH: process.env.PATH, PYTHONPATH, ...env } })
}

async function runOnProject(program: string) {
  const { baseURL, apiKey } = stage.projects.openai
  const url = baseURL.replace(/\/v1$/, '')
  const placed = program.replace('http://localhost:8080/p/amber-falcon-4821', url)
  const running = await start(placed, { SALLYPORT_URL: url, SALLYPORT_API_KEY: apiKey })
  return { code: await running.exitCode, stdout: running.stdout(), stderr: running.stderr() }
}

test('the README mints', async () => {
  const { code, stdout, stderr } = await runOnProject(codeOf('python/README.md', 'sallyport'))
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^eyJ\S+ 3600\n$/)
})

test('the page mints, and shows a refusal with the id of its request', async () => {
  const page = 'docs/python.md'
  const program = `${codeOf(page, 'Mint on your server')}\n${codeOf(page, 'Errors')}`
  const { code, stdout, stderr } = await runOnProject(program)
  expect([code, stderr]).toEqual([0, ''])
  const [minted = '', refused = ''] = stdout.split('\n')
  expect(minted).toMatch(/^eyJ\S+ 3600 [0-9a-f-]{36} 20\S+ \S+\+00:00$/)
  expect(refused).toMatch(/^400 ttl .* [0-9a-f-]{36}$/)
})

// Prints the headers of what arrives, so that the test can send it again.
const tap = `import http.server, json, sys
parse = http.server.BaseHTTPRequestHandler.parse_request
def parse_and_print(self):
    parsed = parse(self)
    print(json.dumps(dict(self.headers)), file=sys.stderr, flush=True)
    return parsed
http.server.BaseHTTPRequestHandler.parse_request = parse_and_print
`

test('the receiver accepts a delivery, and nothing that was changed, replayed later or not signed', async () => {
  await expectVerifies(env => start(tap + codeOf('docs/python.md', 'Verify a webhook'), env))
})
