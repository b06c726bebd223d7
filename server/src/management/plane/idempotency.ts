// Idempotency-Key: for a day, the same key and body return the same response, even if the first connection broke. A key
// belongs to its caller, method and path. A response with a secret is recorded but never replayed.

import { createHash } from 'node:crypto'
import type { ExpressionBuilder } from 'kysely'
import { Refusal } from '../../domain/errors.ts'
import { canonicalJson } from '../../domain/json-object.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { Caller } from './caller.ts'
import type { Answer, Route, RouteInput } from './route.ts'

const lifeMs = 24 * 60 * 60 * 1000
/** A first request that has not ended after this time is assumed to have died with its process. */
const abandonedMs = 2 * 60 * 1000

interface Place {
  caller: string
  method: string
  path: string
  key: string
}

/** One request's claim to an idempotency key. */
interface Claim extends Place {
  created_at: number
}

type Dependencies = Pick<ManagementDependencies, 'sql' | 'now' | 'log'>

export function createIdempotency(dependencies: Dependencies) {
  return {
    async run(route: Route, input: RouteInput<unknown, unknown>, work: () => Promise<Answer>): Promise<Answer> {
      const key = input.header('idempotency-key')
      if (route.idempotency === undefined || key === undefined) return await work()
      if (key.length === 0 || key.length > 255) throw new Refusal('idempotency_key_invalid')
      const place = { caller: nameCaller(input.caller), method: route.method, path: concretePath(route, input), key }
      const claim = { ...place, created_at: dependencies.now() }
      const digest = digestOf(input.body)
      if (!(await take(dependencies, claim, digest))) return await replay(dependencies, claim, digest)
      let answer: Answer
      try {
        answer = await work()
      } catch (error) {
        await forget(dependencies, claim)
        throw error
      }
      await remember(dependencies, claim, answer, route.idempotency === 'secret')
      return answer
    },
  }
}

/** False if another request has claimed the key. */
async function take({ sql }: Dependencies, claim: Claim, requestDigest: string): Promise<boolean> {
  await sql
    .deleteFrom('idempotency_keys')
    .where(isAt(claim))
    .where(row =>
      row.or([
        row('created_at', '<=', claim.created_at - lifeMs),
        row.and([row('status', 'is', null), row('created_at', '<=', claim.created_at - abandonedMs)]),
      ]),
    )
    .execute()
  const inserted = await sql
    .insertInto('idempotency_keys')
    .values({ ...claim, request_digest: requestDigest, status: null, body: null, is_secret: 0 })
    .onConflict(conflict => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  return inserted !== undefined
}

async function replay({ sql }: Dependencies, claim: Claim, requestDigest: string): Promise<Answer> {
  const row = await sql
    .selectFrom('idempotency_keys')
    .select(['request_digest', 'status', 'body', 'is_secret'])
    .where(isAt(claim))
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('idempotency_running')
  if (row.request_digest !== requestDigest) throw new Refusal('idempotency_mismatch')
  if (row.status === null) throw new Refusal('idempotency_running')
  if (row.is_secret === 1) throw new Refusal('idempotency_secret')
  return { status: row.status, body: row.body === null ? undefined : JSON.parse(row.body) }
}

async function remember({ sql, log }: Dependencies, claim: Claim, answer: Answer, isSecret: boolean): Promise<void> {
  const body = isSecret || answer.body === undefined ? null : JSON.stringify(answer.body)
  try {
    await sql
      .updateTable('idempotency_keys')
      .set({ status: answer.status, body, is_secret: isSecret ? 1 : 0 })
      .where(isAt(claim))
      .where('created_at', '=', claim.created_at)
      .execute()
  } catch (error) {
    // The request itself succeeded, so its response is sent; the key stays claimed until it counts as abandoned.
    log.warn('response could not be stored for its idempotency key', { error })
  }
}

/** Frees the key after an error: nothing was created, so a retry may use the same key. */
async function forget({ sql, log }: Dependencies, claim: Claim): Promise<void> {
  try {
    await sql.deleteFrom('idempotency_keys').where(isAt(claim)).where('created_at', '=', claim.created_at).execute()
  } catch (error) {
    // Not rethrown: the caller must get the request's own error.
    log.warn('idempotency key could not be released', { error })
  }
}

function isAt({ caller, method, path, key }: Place) {
  return (row: ExpressionBuilder<Schema, 'idempotency_keys'>) => row.and({ caller, method, path, key })
}

function nameCaller(caller: Caller): string {
  if (caller.serviceAccount !== null) return `service-account ${caller.serviceAccount.id}`
  if (caller.kind === 'admin') return caller.operatorId
  if (caller.kind === 'user') return caller.userId
  // Callers without an identity would share one name and read each other's responses.
  throw new Error(`no idempotency key belongs to a caller of the kind ${caller.kind}`)
}

function concretePath(route: Route, input: RouteInput<unknown, unknown>): string {
  return route.path.replace(/:(\w+)/g, (_, name: string) => input.params[name] ?? '')
}

function digestOf(body: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(body ?? null))
    .digest('hex')
}
