// docs/webhooks.md: its receiver verifies what the product sends and rejects the rest; its example and its table are
// those of real events.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { auditEventType, tenantEvents, testEventType } from '../../src/domain/webhooks/tenant-events.ts'
import { startProcess } from '../support/server-process.ts'
import { checkout } from './fences.ts'
import { fencesOf } from './runners.ts'
import { expectVerifies } from './webhook-receiver.ts'

const [example, receiver] = ['json', 'js'].map(
  language => fencesOf('docs/webhooks.test.ts').find(fence => fence.language === language)?.code ?? '',
)

// Prints the headers of what arrives, so that the test can send it again.
const tap = `const { stringify } = JSON
  const { emit } = Server.prototype
  Server.prototype.emit = function (name, request, ...rest) {
    if (name === 'request') process.stderr.write(stringify(request.headers) + '\\n')
    return emit.call(this, name, request, ...rest)
  }\n`

test('the receiver accepts a delivery, and nothing that was changed, replayed later or not signed', async () => {
  const body = await expectVerifies(env =>
    startProcess({
      command: process.execPath,
      args: ['--input-type=module', '-e', `import { Server } from 'node:http'\n${receiver}\n${tap}`],
      env: { PATH: process.env.PATH, ...env },
    }),
  )
  const shown = JSON.parse(example ?? '') as Record<string, unknown>
  expect(Object.keys(JSON.parse(body))).toEqual(Object.keys(shown))
})

test('the SDK’s example does the same', async () => {
  const code = fencesOf('clients/sdk-docs.full.test.ts', 'docs/sdk.md').find(
    fence => fence.section === 'Verify a webhook',
  )?.code
  // Passes what arrives to the route, as a framework does.
  const server = `import { createServer } from 'node:http'
    import { text } from 'node:stream/consumers'
    createServer(async (request, response) => {
      process.stderr.write(JSON.stringify(request.headers) + '\\n')
      const init = { method: 'POST', headers: request.headers, body: await text(request) }
      const answer = await POST(new Request('http://localhost/', init))
      response.writeHead(answer.status).end()
    }).listen(process.env.PORT)\n`
  await expectVerifies(env =>
    startProcess({
      command: process.execPath,
      args: ['--input-type=module', '-e', `${code?.replace('export ', '')}\n${server}`],
      cwd: checkout,
      env: { PATH: process.env.PATH, ...env },
    }),
  )
})

test('the table of event types is the one of the product', () => {
  const page = readFileSync(join(checkout, 'docs/webhooks.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([a-z_]+)` \| ([^|]*) \|/gm)]
    .map(([, type = '', fields = '']) => [type, [...fields.matchAll(/`([a-z_]+)`/g)].map(([, field]) => field)])
    .filter(([type]) => type !== testEventType && type !== auditEventType)
  expect(rows).toEqual(Object.entries(tenantEvents).map(([type, { data }]) => [type, Object.keys(data)]))
})
