// An end user is erased: threads, sessions and responses go, the usage stays under `erased`, other users keep all of theirs; a
// block stays in force. And who is listed as an end user, by the usage that is written.
import { randomUUID } from 'node:crypto'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { hashUser } from '../../src/crypto/hash-user.ts'
import { conversationOwner } from '../../src/domain/conversation/conversation-owner.ts'
import { sharedAnswersOf } from '../../src/domain/conversation/shared-answers.ts'
import { readGuardrailEvent } from '../../src/domain/guardrails/guardrail-event.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { addUsageRows, type UsageRow } from '../../src/storage/add-usage-rows.ts'
import { addResponse } from '../../src/storage/conversations/stored-responses.ts'
import { addTurn } from '../../src/storage/conversations/thread-rows.ts'
import { requestErasure } from '../../src/storage/end-users/erase.ts'
import { listEndUsers } from '../../src/storage/end-users/list-end-users.ts'
import { blockEndUser, revokeTokens } from '../../src/storage/end-users/restrict.ts'
import { addGuardrailEvents, guardrailEventRow } from '../../src/storage/guardrail-events/guardrail-event-rows.ts'
import { eraseEndUsers } from '../../src/worker/erase-end-users.ts'
import { createHandClock, createMemoryLog, openProcessStore, openRedisStore } from '../kv/stores.ts'
import { openDistributed, openMigrated } from '../storage/fixtures.ts'
import { createDatabase } from '../support/postgres.ts'
import { eventOf } from './drain-events-stage.ts'

const noon = Date.UTC(2026, 4, 1, 12)
const dayMs = 86_400_000

function responseOf(index: number) {
  const fields = { previousId: null, body: '{}', messages: '[]', messageCount: 0 }
  return { ...fields, id: `resp_${index}`, createdAt: noon, expiresAt: noon + dayMs }
}

async function openStage(backend: string) {
  const clock = createHandClock(noon)
  const { log } = createMemoryLog()
  const isEmbedded = backend === 'sqlite'
  const { sql, ...database } = isEmbedded
    ? await openMigrated()
    : await openDistributed(await createDatabase(inject('postgresUrl')))
  const kv = await (isEmbedded ? openProcessStore({ clock }) : openRedisStore(inject('redisUrl'))({ clock }))
  const outbound = createOutbound({ allow: parseOutboundAllow(undefined), log })
  onTestFinished(async () => {
    await Promise.all([outbound.close(), kv.close()])
  })
  const [tenantId, projectId] = [randomUUID(), randomUUID()]
  await sql
    .insertInto('tenants')
    .values({ id: tenantId, name: 'Tenant', plan: 'free', provider_keys_revision: 0, created_at: 1 })
    .execute()
  await sql
    .insertInto('projects')
    .values({
      id: projectId,
      tenant_id: tenantId,
      name: 'Project',
      slug: 'amber-falcon-4821',
      status: 'active',
      dns_status: 'READY',
      dns_last_error: null,
      dns_updated_at: null,
      created_at: 1,
    })
    .execute()
  const usage = (userId: string, at: number, more: Partial<UsageRow> = {}): UsageRow => ({
    request_id: randomUUID(),
    tenant_id: tenantId,
    project_id: projectId,
    user_id: userId,
    day: new Date(at).toISOString().slice(0, 10),
    model: 'openai/gpt-4o-mini',
    provider: 'openai',
    endpoint: 'chat_completions' as const,
    prompt_tokens: 1,
    completion_tokens: 2,
    total_tokens: 3,
    cached_tokens: 0,
    reasoning_tokens: 0,
    cost_nanousd: 4,
    is_estimated: 0,
    created_at: at,
    ...more,
  })
  const run = (signal = new AbortController().signal) =>
    eraseEndUsers(database).run({ sql, kv, outbound, now: clock.now, log }, signal)
  const list = (part: string | null = null) =>
    listEndUsers(sql, { projectId, part, day: '2026-05-01' }, { after: null, limit: 100 })
  const ids = async (part: string | null = null) => (await list(part)).map(user => user.user_id)
  return { clock, sql, kv, tenantId, projectId, usage, run, list, ids }
}

type EraseStage = Awaited<ReturnType<typeof openStage>>

const answerKey = (projectId: string, userId: string) => `${conversationOwner({ projectId, userId })}:digest`

/** Threads, responses, a session and a cached answer of alice and bob. */
async function addConversations({ sql, kv, projectId }: Pick<EraseStage, 'sql' | 'kv' | 'projectId'>): Promise<void> {
  for (const userId of ['alice', 'bob']) {
    const turn = { threadId: 't', title: '', retentionDays: null, at: noon }
    const messages = Array.from({ length: 600 }, () => ({ id: randomUUID(), role: 'user', body: '{}' }))
    await addTurn(sql, { projectId, userId }, { ...turn, messages })
    for (let index = 0; index < 150; index++) await addResponse(sql, { projectId, userId }, responseOf(index))
    const key = `${conversationOwner({ projectId, userId })}:s`
    await kv.appendTurn(key, ['{}'], { keep: 5, ttlSeconds: 600 })
    await kv.keepAnswer(answerKey(projectId, userId), 'hello', 600)
  }
}

async function addEvents({
  sql,
  tenantId,
  projectId,
}: Pick<EraseStage, 'sql' | 'tenantId' | 'projectId'>): Promise<void> {
  const events = ['alice', 'bob', 'alice'].map((userId, index) => {
    const fields = eventOf({ tenantId, projectId, userHash: hashUser({ projectId, userId }) })
    return guardrailEventRow(`${index}-1`, noon, readGuardrailEvent(fields) ?? expect.fail('malformed'))
  })
  await addGuardrailEvents(sql, events, 100)
}

/** No thread, message or stored response of another user is left. */
async function expectOnlyBob(sql: EraseStage['sql']): Promise<void> {
  const owners = await sql.selectFrom('threads').select('user_id').execute()
  expect(owners).toEqual([{ user_id: 'bob' }])
  const messages = await sql
    .selectFrom('thread_messages')
    .select(row => row.fn.countAll<number>().as('n'))
    .execute()
  expect(messages.map(({ n }) => Number(n))).toEqual([600])
  const responses = await sql.selectFrom('stored_responses').select('user_id').execute()
  expect(responses).toEqual(Array(150).fill({ user_id: 'bob' }))
}

describe.each(['sqlite', 'postgres'])('on %s', backend => {
  test('a row of usage lists its end user, with when it was first and last seen and its sums of the day', async () => {
    const { sql, usage, list, projectId } = await openStage(backend)
    await blockEndUser(sql, { projectId, userId: 'Ümit' }, 'Spam', noon)
    await addUsageRows({ sql, now: Date.now }, [
      usage('zoë', noon),
      usage('zoë', noon - dayMs),
      usage('svc:playground', noon),
    ])
    await addUsageRows({ sql, now: Date.now }, [
      usage('zoë', noon - 5, { model: 'openai/gpt-4o' }),
      usage('Ümit', noon + 7),
    ])
    // Given a second time as well, as from the store's shelf.
    const late = usage('zoë', noon - 2 * dayMs)
    await addUsageRows({ sql, now: Date.now }, [late])
    await addUsageRows({ sql, now: Date.now }, [late, usage('zoë', noon - 6)])
    const none = { blocked_at: null, block_reason: null, tokens_revoked_before: null }
    expect(await list()).toEqual([
      { user_id: 'zoë', first_seen_at: noon - 2 * dayMs, last_seen_at: noon, ...none, requests: 3, tokens: 9 },
      {
        user_id: 'Ümit',
        first_seen_at: noon + 7,
        last_seen_at: noon + 7,
        ...none,
        blocked_at: noon,
        block_reason: 'Spam',
        requests: 1,
        tokens: 3,
      },
    ])
  })

  test('a part of the id finds users, whatever is special in it', async () => {
    const { sql, usage, ids } = await openStage(backend)
    await addUsageRows(
      { sql, now: Date.now },
      ['Alice@Example.com', '100%', '1000', 'a_b', 'aXb', 'back\\slash'].map(id => usage(id, noon)),
    )
    expect(await ids('EXAMPLE')).toEqual(['Alice@Example.com'])
    expect(await ids('100%')).toEqual(['100%'])
    expect(await ids('a_b')).toEqual(['a_b'])
    expect(await ids('k\\s')).toEqual(['back\\slash'])
    expect(await ids('nobody')).toEqual([])
  })

  test('erases all of one user and nothing of another', async () => {
    const { clock, sql, kv, tenantId, projectId, usage, run, ids } = await openStage(backend)
    const days = [noon, noon - dayMs, noon - 40 * dayMs]
    const models = ['openai/gpt-4o', 'openai/gpt-4o-mini']
    const rows = ['alice', 'bob'].flatMap(id =>
      days.flatMap(at => models.map(model => usage(id, at, { model, request_id: randomUUID() }))),
    )
    const [row] = rows
    for (const one of rows) if (one.day === row?.day && one.model === row.model) one.endpoint = 'embeddings'
    await addUsageRows({ sql, now: Date.now }, rows)
    const answerOf = (userId: string) => answerKey(projectId, userId)
    await addConversations({ sql, kv, projectId })
    const [shared, foreign] = [sharedAnswersOf({ projectId }), sharedAnswersOf({ projectId: randomUUID() })]
    for (const start of [shared, foreign]) await kv.keepAnswer(`${start}digest`, 'hello', 600)
    await addEvents({ sql, tenantId, projectId })
    await requestErasure(sql, { projectId, userId: 'alice' }, clock.now())
    // What was answered just before may not be written yet.
    await run()
    expect(await ids()).toEqual(['alice', 'bob'])
    clock.advance(1_000)
    await run()
    expect(await ids()).toEqual(['bob'])
    await expectOnlyBob(sql)
    const recall = (userId: string) => kv.recallTurns(`${conversationOwner({ projectId, userId })}:s`, 9, 600)
    expect([await recall('alice'), await recall('bob')]).toEqual([[], ['{}']])
    const answers = [answerOf('alice'), answerOf('bob'), `${shared}digest`, `${foreign}digest`]
    // Any user may have asked first for an answer that all share.
    const left = await Promise.all(answers.map(key => kv.findAnswer(key)))
    expect(left).toEqual([null, 'hello', null, 'hello'])
    const sums = await sql
      .selectFrom('usage_days')
      .select(['day', 'user_id', 'model', 'requests', 'total_tokens', 'cost_nanousd'])
      .where('user_id', '!=', 'bob')
      .orderBy('day')
      .orderBy('model')
      .execute()
    const sum = { user_id: 'erased', requests: 1, total_tokens: 3, cost_nanousd: 4 }
    const dates = days.toReversed().map(at => new Date(at).toISOString().slice(0, 10))
    expect(sums).toEqual(dates.flatMap(day => models.map(model => ({ day, ...sum, model }))))
    const records = await sql.selectFrom('usage_records').select('user_id').distinct().orderBy('user_id').execute()
    expect(records.map(row => row.user_id)).toEqual(['bob', 'erased'])
    const hashes = await sql.selectFrom('guardrail_events').select(['uid', 'user_hash']).execute()
    expect(hashes.map(row => row.uid).filter(uid => uid !== null)).not.toContain('alice')
    expect(hashes.map(row => row.user_hash).sort()).toEqual([hashUser({ projectId, userId: 'bob' }), null, null])
    expect(await sql.selectFrom('end_user_erasures').selectAll().execute()).toEqual([])
    const byEndpoint = () =>
      sql.selectFrom('usage_endpoints').select(['user_id', 'requests']).orderBy('user_id').execute()
    expect(await byEndpoint()).toEqual([
      { user_id: 'bob', requests: 1 },
      { user_id: 'erased', requests: 1 },
    ])
    // The second one joins the first.
    await requestErasure(sql, { projectId, userId: 'bob' }, clock.now())
    clock.advance(1_000)
    await run()
    const both = await sql.selectFrom('usage_days').select(['user_id', 'requests']).execute()
    expect(both).toEqual(days.flatMap(() => models.map(() => ({ user_id: 'erased', requests: 2 }))))
    expect(await byEndpoint()).toEqual([{ user_id: 'erased', requests: 2 }])
  })

  test('a block outlives the erasure and is listed; a revocation is not', async () => {
    const { clock, sql, projectId, usage, run, list, ids } = await openStage(backend)
    await addUsageRows({ sql, now: Date.now }, [usage('alice', noon), usage('bob', noon)])
    await blockEndUser(sql, { projectId, userId: 'alice' }, null, noon)
    await revokeTokens(sql, { projectId, userId: 'bob' }, noon / 1000)
    for (const userId of ['alice', 'bob']) await requestErasure(sql, { projectId, userId }, clock.now())
    clock.advance(1_000)
    await run()
    expect(await list()).toMatchObject([{ user_id: 'alice', first_seen_at: null, blocked_at: noon, requests: 0 }])
    await addUsageRows({ sql, now: Date.now }, [usage('bob', noon + 5_000)])
    expect(await list('bob')).toMatchObject([{ first_seen_at: noon + 5_000, tokens_revoked_before: noon / 1000 }])
    expect(await ids()).toEqual(['alice', 'bob'])
  })

  test('one that is cut off is done by the next run', async () => {
    const { clock, sql, kv, projectId, usage, run, ids } = await openStage(backend)
    await addUsageRows({ sql, now: Date.now }, [usage('alice', noon)])
    await requestErasure(sql, { projectId, userId: 'alice' }, clock.now())
    clock.advance(1_000)
    const controller = new AbortController()
    vi.spyOn(kv, 'forgetConversations').mockImplementationOnce(async () => controller.abort())
    await run(controller.signal)
    expect(await ids()).toEqual(['alice'])
    await run()
    expect(await ids()).toEqual([])
  })
})
