// Tests bodies and answers in chunks of one byte, with a small heap: the memory they take is bounded by their bytes and
// by a share of the heap, and other requests are served meanwhile.
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseAnswers, whenStuck, writeAll } from '../../http/raw-request.ts'
import { say } from '../../support/simulated/provider-answers.ts'
import { openStageOfTest, type Stage, type TestProject } from '../inference-stage.ts'

const mib = 1024 * 1024
/** If each chunk were an object, at a hundred bytes or more for each byte, they would take gigabytes. */
const maxGrowthBytes = 350 * mib
const loginBytes = 1_000_000
const completionBytes = 4_000_000
const end = '0\r\n\r\n'
const chunked = 'Transfer-Encoding: chunked\r\n\r\n'
const inChunksOfOne = (text: string) => text.replaceAll(/./gs, byte => `1\r\n${byte}\r\n`)

async function openSmall() {
  const stage = await openStageOfTest('sqlite', { NODE_OPTIONS: '--max-old-space-size=192', BODY_LIMIT_MB: '4' })
  const project = await stage.makeProject()
  stage.script(say('openai', { text: ['served'] }, false))
  expect((await project.complete()).status).toBe(200)
  const login = 'POST /auth/v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
  return { stage, project, heads: { login, completion: await completionHead(project) } }
}

async function completionHead(project: TestProject): Promise<string> {
  const line = 'POST /v1/chat/completions HTTP/1.1\r\n'
  const identity = `Host: ${project.slug}.localhost\r\nAuthorization: Bearer ${await project.mint()}\r\n`
  return `${line}${identity}Content-Type: application/json\r\n`
}

function residentBytes({ harness }: Stage, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${harness.product.pid}/status`, 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
}

interface Client {
  socket: Socket
  text: string
}

function send({ harness }: Stage, head: string, body: Buffer): Client {
  const client: Client = { socket: connect(harness.product.port, '127.0.0.1'), text: '' }
  const { socket } = client
  onTestFinished(() => void socket.destroy())
  socket.on('data', piece => {
    client.text += piece.toString('latin1')
  })
  socket.on('error', () => socket.destroy())
  socket.write(head)
  writeAll(socket, body)
  return client
}

const logIn = ({ harness }: Stage, password: string) =>
  harness.call('POST', '/auth/v1/sessions', { body: { email: 'nobody@localhost.test', password } })

async function expectOthersServed(stage: Stage, project: TestProject): Promise<void> {
  expect((await project.complete()).status).toBe(200)
  expect((await logIn(stage, 'wrong password')).status).toBe(401)
}

describe.runIf(process.platform === 'linux')('in chunks of one byte', () => {
  test('requests take no more memory than their bytes, with a credential and without', async () => {
    const { stage, project, heads } = await openSmall()
    const before = residentBytes(stage, 'VmRSS')
    const login = Buffer.from(inChunksOfOne(`"${'x'.repeat(loginBytes)}`))
    const completion = Buffer.from(inChunksOfOne(`"${'x'.repeat(completionBytes)}`))
    const clients = [
      ...Array.from({ length: 8 }, () => send(stage, heads.login + chunked, login)),
      ...Array.from({ length: 3 }, () => send(stage, heads.completion + chunked, completion)),
    ]
    await Promise.all(clients.map(({ socket }) => whenStuck(socket)))
    await expectOthersServed(stage, project)
    expect(residentBytes(stage, 'VmHWM') - before).toBeLessThan(maxGrowthBytes)
  })

  test('answers of a provider take no more either', async () => {
    const { stage, project } = await openSmall()
    const said = 'x'.repeat(2_000_000)
    const answer = inChunksOfOne(JSON.stringify(say('openai', { text: [said] }, false).body))
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${chunked}`
    stage.script({
      write({ socket }) {
        if (socket !== null) writeAll(socket, head + answer + end)
      },
    })
    const before = residentBytes(stage, 'VmRSS')
    const answers = await Promise.all(Array.from({ length: 6 }, () => project.complete()))
    expect(answers.filter(({ text }) => text.includes(said)).length).toBeGreaterThan(0)
    expect(residentBytes(stage, 'VmHWM') - before).toBeLessThan(maxGrowthBytes)
  })
})

test('bodies beyond a share of the heap are refused, each in the words of its surface, until others have gone', async () => {
  const { stage, project, heads } = await openSmall()
  const waiting: Client[] = []
  /** Sends all of the body except for its last byte. */
  const begin = (head: string, bytes: number) =>
    send(stage, `${head}Content-Length: ${bytes}\r\n\r\n`, Buffer.alloc(bytes - 1, 'x'))
  /** In rounds, because the test does not know the product's share, and clients that wait too long are disconnected. */
  const fillUntilRefused = async (head: string, bytes: number) => {
    for (let round = 0; round < 20; round++) {
      const more = Array.from({ length: 5 }, () => begin(head, bytes))
      waiting.push(...more)
      await Promise.all(more.map(({ socket }) => whenStuck(socket)))
      const answers = more.flatMap(({ text }) => parseAnswers(text))
      const refused = answers.find(({ status }) => status === 503)
      if (refused !== undefined) return refused
    }
    return null
  }
  const message = 'The request bodies in progress take too much memory'
  expect(await fillUntilRefused(heads.completion, completionBytes)).toMatchObject({
    headers: { 'retry-after': '1' },
    body: JSON.stringify({ error: 'service unavailable', message }),
  })
  expect(await fillUntilRefused(heads.login, loginBytes)).toMatchObject({
    headers: { 'retry-after': '1' },
    body: JSON.stringify({ error: message, retryable: true }),
  })
  await expectOthersServed(stage, project)
  for (const { socket } of waiting) socket.destroy()
  const large = 'x'.repeat(900_000)
  await expect.poll(async () => (await logIn(stage, large)).status).not.toBe(503)
  expect((await project.complete({ messages: [{ role: 'user', content: large }] })).status).toBe(200)
})
