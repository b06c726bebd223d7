// Tests that a block at one replica ends the streams of its user on three replicas within two seconds, and no others:
// processes on one PostgreSQL and one Redis, with Redis reachable and not.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openaiEvents } from '../support/simulated/provider-answers.ts'
import { startUpstream } from '../support/simulated/scripted-upstream.ts'
import { roomFor } from '../support/slowness.ts'
import type { Product } from '../support/start-product.ts'
import { ask, createWorld, makeProject, signIn } from './distributed-world.ts'

const contractMs = 2_000
const pieceMs = 50
const [head = '', piece = '', ...tail] = openaiEvents({ text: ['piece '] })

/** Streams pieces until the test finishes them, or until the product closes the connection. */
async function startEndlessProvider() {
  const upstream = await startUpstream()
  let isFinishing = false
  upstream.on('POST /v1/chat/completions', {
    async write(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(head)
      while (!isFinishing && !response.destroyed) {
        response.write(piece)
        await sleep(pieceMs)
      }
      response.end(tail.join(''))
    },
  })
  onTestFinished(() => upstream.close())
  return {
    url: upstream.url,
    finish: () => {
      isFinishing = true
    },
  }
}

/** A stream whose first piece has arrived. */
async function openStream({ baseUrl }: Product, slug: string, token: string) {
  const response = await fetch(`${baseUrl}/p/${slug}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(response.status).toBe(200)
  const stream = { text: '', endedAt: null as number | null, error: null as unknown }
  const read = async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) stream.text += chunk
  }
  void read()
    .catch((error: unknown) => {
      stream.error = error
    })
    .finally(() => {
      stream.endedAt = performance.now()
    })
  await expect.poll(() => stream.text).toContain('piece')
  return stream
}

const areEnded = (streams: { endedAt: number | null }[]) => streams.map(({ endedAt }) => endedAt !== null)

test.each([true, false])('a block at one of three replicas; Redis reachable: %s', async isRedisReachable => {
  const provider = await startEndlessProvider()
  const world = await createWorld()
  const env = {
    OPENAI_BASE_URL: `${provider.url}/v1`,
    PLATFORM_OPENAI_API_KEY: 'sk-platform-0123456789abcdefgh',
    PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o-mini',
    // Each replica has a port of its own, and all accept the same tokens.
    JWT_ISSUER: 'http://gateway.example.com',
    // The worker's cycle must not publish what the block did not.
    SYNC_INTERVAL: '3600',
    LOG_LEVEL: 'warn',
  }
  const replicas = await Promise.all([world.start(env), world.start(env), world.start(env)])
  const [first] = replicas
  const session = await signIn(first)
  const { id, slug } = await makeProject(first, session)
  await ask(first, 'POST', `/auth/v1/projects/${id}/settings/deploy`, session)
  const { api_key } = await ask<{ api_key: string }>(first, 'POST', `/auth/v1/projects/${id}/api-keys`, session, {})
  const openAll = async (user_id: string) => {
    const keyed = { authorization: `Bearer ${api_key}` }
    const minted = await ask<{ access_token: string }>(first, 'POST', '/auth/v1/auth/mint', keyed, { user_id })
    return Promise.all(replicas.map(replica => openStream(replica, slug, minted.access_token)))
  }
  const [ofAlice, ofBob] = [await openAll('alice'), await openAll('bob')]
  if (!isRedisReachable) await world.redis.kill()

  await ask(first, 'PUT', `/auth/v1/projects/${id}/users/alice/block`, session, {})
  const blockedAt = performance.now()
  await expect.poll(() => areEnded(ofAlice)).toEqual([true, true, true])
  const tookMs = ofAlice.map(({ endedAt }) => (endedAt ?? Number.POSITIVE_INFINITY) - blockedAt)
  expect(Math.max(...tookMs)).toBeLessThan(roomFor(contractMs))
  for (const { text, error } of ofAlice) {
    expect(error).toBeNull()
    const last = text.trimEnd().split('\n\n').at(-1) ?? ''
    expect(JSON.parse(last.replace('data: ', ''))).toMatchObject({
      error: { message: 'User is blocked', code: 'service_disabled' },
    })
  }
  expect(areEnded(ofBob)).toEqual([false, false, false])
  provider.finish()
  await expect.poll(() => areEnded(ofBob)).toEqual([true, true, true])
  for (const { text, error } of ofBob) {
    expect(error).toBeNull()
    expect(text).toMatch(/data: \[DONE\]\n\n$/)
  }
  process.stdout.write(`blocked streams ended after ${tookMs.map(ms => Math.round(ms)).join(', ')} ms\n`)
})
