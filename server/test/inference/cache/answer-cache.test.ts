// Tests the cache of answers through the product: what is given again, to whom, in which form, and what it costs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { say } from '../../support/simulated/provider-answers.ts'
import { contentOf, mail, maskAll, repeatLast, user } from '../guard/guard-stage.ts'
import { type Answer, eventsOf, openStage, type Stage, type TestProject, textOf } from '../inference-stage.ts'
import { fixed, forUser, header } from './cache-stage.ts'

const forProject = { cache: { ttl_seconds: 3600, scope: 'project' } }

describe.each(['sqlite', 'postgres'] as const)('cached answers on %s', backend => {
  let stage: Stage
  let own: TestProject
  let shared: TestProject
  beforeAll(async () => {
    stage = await openStage(backend)
    own = await stage.makeProject({ settings: forUser })
    shared = await stage.makeProject({ settings: { ...forProject, ...maskAll } })
  })
  afterAll(() => stage.stop())
  let answers = 0
  beforeEach(() => {
    // Each answer of the provider is another one.
    stage.script(({ body }) => say('openai', { text: ['An', 'swer ', String(++answers)] }, isStreamed(body)))
  })
  /** A question that no other test asks. */
  let questions = 0
  const ask = () => user(`Question ${++questions}?`)
  const seen = (answer: Answer) => [answer.status, answer.headers[header]]
  const askedCount = () => stage.asked().length
  const isStreamed = (body: string) => JSON.parse(body).stream === true

  test('the second request gets the answer of the first one, for the price of a request', async () => {
    const project = await stage.makeProject({ settings: { ...forUser, tokens_per_day: 100_000 } })
    const body = { ...ask(), ...fixed }
    const first = await project.complete(body)
    const before = askedCount()
    const second = await project.complete(body)
    const third = await project.complete(body)
    expect([first, second, third].map(seen)).toEqual([
      [200, 'miss'],
      [200, 'hit'],
      [200, 'hit'],
    ])
    expect(askedCount()).toBe(before)
    expect([second, third].map(contentOf)).toEqual([contentOf(first), contentOf(first)])
    expect(idOf(second)).not.toBe(idOf(first))
    expect(await project.usage()).toMatchObject({
      requests: 3,
      total_tokens: 18,
      prompt_tokens: 11,
      cost_usd: 11 * 15e-8 + 7 * 6e-7,
    })
    // Both have the same estimate reserved when they are admitted: the second one has given it back.
    const left = (answer: Answer) => Number(answer.headers['x-ratelimit-remaining-tokens'])
    expect(left(third)).toBe(left(second))
    expect(left(first) - left(second)).toBe(18)
  })

  test('streams are given again as streams, and either form answers the other', async () => {
    for (const [first, second] of [
      [true, true],
      [true, false],
      [false, true],
    ]) {
      const body = { ...ask(), ...fixed, stream_options: first && second ? { include_usage: true } : undefined }
      const asFirst = await own.complete({ ...body, stream: first })
      const asSecond = await own.complete({ ...body, stream: second })
      expect([seen(asFirst), seen(asSecond)]).toEqual([
        [200, 'miss'],
        [200, 'hit'],
      ])
      expect(saidIn(asSecond)).toBe(saidIn(asFirst))
      expect(saidIn(asFirst)).toBe(`Answer ${answers}`)
      if (second) expect(eventsOf(asSecond.text).at(-1)).toBe('[DONE]')
      if (first && second) {
        expect(eventsOf(asSecond.text).length).toBe(eventsOf(asFirst.text).length)
        expect(asSecond.text).toContain('"total_tokens":18')
      }
    }
  })

  test('are of one end user, or of all of a project if it says so, and never of two projects', async () => {
    const body = { ...ask(), ...fixed }
    const asBob = async (project: TestProject) => ({ token: await project.mint({ user_id: 'bob' }) })
    expect(seen(await own.complete(body))).toEqual([200, 'miss'])
    expect(seen(await own.complete(body, await asBob(own)))).toEqual([200, 'miss'])
    expect(seen(await shared.complete(body))).toEqual([200, 'miss'])
    expect(seen(await shared.complete(body, await asBob(shared)))).toEqual([200, 'hit'])
    const sibling = await stage.makeProject({ settings: forProject, tenantId: shared.tenantId })
    expect(seen(await sibling.complete(body))).toEqual([200, 'miss'])
  })

  test('an answer that end users share has the values of the one who reads it', async () => {
    repeatLast(stage)
    const body = (address: string) => ({ ...user(`Greet ${address} in case ${questions}.`), ...fixed })
    questions++
    const bob = { token: await shared.mint({ user_id: 'bob' }) }
    const spelled = mail.toUpperCase()
    const [first, second] = [await shared.complete(body(mail)), await shared.complete(body(spelled), bob)]
    expect([seen(first), seen(second)]).toEqual([
      [200, 'miss'],
      [200, 'hit'],
    ])
    expect(contentOf(first)).toContain(mail)
    expect(contentOf(second)).toContain(spelled)
    expect(contentOf(second)).not.toContain(mail)
    const streamed = await shared.complete({ ...body(spelled), stream: true }, bob)
    expect([...seen(streamed), saidIn(streamed)]).toEqual([200, 'hit', contentOf(second)])
    // Another value is another request.
    const other = await shared.complete(body('other@example.com'), bob)
    expect([...seen(other), contentOf(other).includes('other@example.com')]).toEqual([200, 'miss', true])
    // Somebody who writes the token of a value gets the token.
    const token =
      /<EMAIL_ADDRESS_[0-9a-f]{12}>/.exec(
        stage
          .asked()
          .map(asked => JSON.stringify(asked))
          .join(),
      )?.[0] ?? ''
    const thief = await shared.complete(body(token), { token: await shared.mint({ user_id: 'eve' }) })
    expect(contentOf(thief)).toContain(token)
    expect(thief.text).not.toMatch(/zoe|other@/i)
  })

  test('are used if the temperature is 0 or the header says so, and not if it says no', async () => {
    const project = await stage.makeProject()
    const send = (body: object, value?: string, to = own) =>
      to.complete({ ...body }, value === undefined ? {} : { headers: { [header]: value } }).then(seen)
    const body = ask()
    expect(await send(body)).toEqual([200, undefined])
    expect(await send({ ...body, temperature: 0.1 })).toEqual([200, undefined])
    expect(await send(body, 'use')).toEqual([200, 'miss'])
    expect(await send(body, 'use')).toEqual([200, 'hit'])
    expect(await send(body)).toEqual([200, undefined])
    const exact = { ...ask(), ...fixed }
    expect(await send(exact, 'no')).toEqual([200, undefined])
    expect(await send(exact)).toEqual([200, 'miss'])
    expect(await send(exact, 'no')).toEqual([200, undefined])
    expect(await send(exact)).toEqual([200, 'hit'])
    // A project without a cache ignores the header.
    for (const value of ['use', 'no', 'sometimes']) expect(await send(exact, value, project)).toEqual([200, undefined])
    const refused = await own.complete(exact, { headers: { [header]: 'sometimes' } })
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { param: 'X-Sallyport-Cache', message: 'X-Sallyport-Cache must be use or no' } },
    })
  })

  test('an answer of the cache is remembered in its conversation as any other', async () => {
    const body = { ...ask(), ...fixed }
    const named = (id: string) => ({ headers: { 'x-thread-id': `${id}-${backend}` } })
    expect(seen(await own.complete(body, named('a')))).toEqual([200, 'miss'])
    expect(seen(await own.complete(body, named('b')))).toEqual([200, 'hit'])
    const listed = (id: string) => own.ask('GET', `/v1/threads/${id}-${backend}/messages`)
    const texts = async (id: string) =>
      ((await listed(id)).body as { data: { content: unknown }[] }).data.map(({ content }) => content)
    expect(await texts('b')).toEqual(await texts('a'))
    expect(await texts('b')).toHaveLength(2)
    // The same words after other messages are another request.
    expect(seen(await own.complete(body, named('b')))).toEqual([200, 'miss'])
  })

  test('the lookups are counted', async () => {
    const count = async (outcome: string) => {
      const metrics = await fetch(`http://127.0.0.1:${stage.harness.product.port}/metrics`).then(answer =>
        answer.text(),
      )
      const line = new RegExp(`^sallyport_answer_cache_lookups_total\\{.*outcome="${outcome}".*\\} (\\d+)`, 'm')
      return Number(line.exec(metrics)?.[1] ?? 0)
    }
    const before = [await count('hit'), await count('miss')]
    const body = { ...ask(), ...fixed }
    for (let times = 0; times < 3; times++) await own.complete(body)
    const after = [await count('hit'), await count('miss')]
    expect(after.map((value, at) => value - (before[at] ?? 0))).toEqual([2, 1])
  })
})

function idOf({ body }: Answer): string {
  return (body as { id: string }).id
}

/** The text of an answer in either form. */
function saidIn(answer: Answer): string {
  return answer.body === null ? textOf(eventsOf(answer.text)) : contentOf(answer)
}
