// The audit of a tenant and of the installation: list, one entry, the signed end of the chain, a check of the chain,
// and exports. No route changes or deletes an entry.

import { z } from 'zod'
import { signAuditHead } from '../../crypto/keys/sign-audit-head.ts'
import type { AuditEntry } from '../../domain/audit/entry.ts'
import { toCloudEvent } from '../../domain/audit/ocsf.ts'
import { createChainVerifier } from '../../domain/audit/verify-chain.ts'
import { getPage } from '../../domain/cursor.ts'
import { Refusal } from '../../domain/errors.ts'
import { installationChain } from '../../storage/audit/append-entry.ts'
import { type AuditFilter, findEntry, getHead, listEntries, readEntries } from '../../storage/audit/audit-rows.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, type RouteInput, route } from '../plane/route.ts'
import { writePages } from '../plane/write-pages.ts'
import { entrySchema, exportQuery, headSchema, listQuery, readFilter, verdictSchema } from './audit-schemas.ts'

const entriesAtOnce = 500

/** One set of routes for each kind of chain: who may read it, and which it is. */
const places = [
  {
    path: '/auth/v1/tenants/:tenantId/audit',
    of: 'Tenant',
    words: 'of a tenant',
    access: { credential: 'session', owner: 'tenant', permission: 'audit:read' },
    target: { target: 'tenantId' },
    chainOf: ({ owned }: RouteInput<unknown, unknown>) => owned.tenant.id,
  },
  {
    path: '/v1/admin/audit',
    of: 'Installation',
    words: 'of the installation',
    access: { credential: 'admin-secret', owner: 'none' },
    target: { targetId: installationChain },
    chainOf: () => installationChain,
  },
] as const

type Place = (typeof places)[number]

export function auditRoutes(management: ManagementDependencies): Route[] {
  return places.flatMap(place => [
    listRoute(management, place),
    headRoute(management, place),
    verifyRoute(management, place),
    exportRoute(management, place),
    entryRoute(management, place),
  ])
}

function listRoute({ sql }: ManagementDependencies, { path, of, words, access, chainOf }: Place): Route {
  return route({
    ...access,
    method: 'GET',
    path,
    operation: `list${of}Audit`,
    summary: `List the audit ${words}, newest first`,
    query: listQuery,
    answers: { 200: z.object({ data: z.array(entrySchema), next_cursor: z.string().nullable() }) },
    async handle(input) {
      const chain = chainOf(input)
      const filter = readFilter(input.query)
      const list = ['audit', chain, JSON.stringify(filter)] as const
      const page = getPage(input.query, { list, key: ['number'] })
      const found = await listEntries(sql, { chain, filter, before: page.after?.[0] ?? null, limit: page.limit + 1 })
      const data = found.slice(0, page.limit)
      const last = found.length > page.limit ? data.at(-1) : undefined
      return { status: 200, body: { data, next_cursor: last === undefined ? null : page.cursorAfter([last.seq]) } }
    },
  })
}

function entryRoute({ sql }: ManagementDependencies, { path, of, words, access, chainOf }: Place): Route {
  return route({
    ...access,
    method: 'GET',
    path: `${path}/:seq`,
    operation: `get${of}AuditEntry`,
    summary: `Get one entry of the audit ${words}, by its number`,
    answers: { 200: entrySchema },
    refusals: ['not_found'],
    async handle(input) {
      const seq = input.params['seq'] ?? ''
      const entry = /^[1-9]\d{0,14}$/.test(seq) ? await findEntry(sql, chainOf(input), Number(seq)) : undefined
      if (entry === undefined) throw new Refusal('not_found')
      return { status: 200, body: entry }
    },
  })
}

async function signHead({ sql, signingKey, now }: ManagementDependencies, chain: string) {
  const head = await getHead(sql, chain)
  const signed = { chain, seq: head.seq, hash: head.hash, signed_at: isoTime(now()) }
  return { chain, ...head, signature: await signAuditHead(signingKey, signed) }
}

function headRoute(management: ManagementDependencies, { path, of, words, access, chainOf }: Place): Route {
  return route({
    ...access,
    method: 'GET',
    path: `${path}/head`,
    operation: `get${of}AuditHead`,
    summary: `Get the signed end of the audit ${words}`,
    answers: { 200: headSchema },
    async handle(input) {
      return { status: 200, body: await signHead(management, chainOf(input)) }
    },
  })
}

function verifyRoute({ sql }: ManagementDependencies, { path, of, words, access, chainOf }: Place): Route {
  return route({
    ...access,
    method: 'GET',
    path: `${path}/verify`,
    operation: `verify${of}Audit`,
    summary: `Check the chain of the audit ${words}, entry by entry`,
    answers: { 200: verdictSchema },
    async handle(input) {
      return { status: 200, body: await verify(sql, chainOf(input)) }
    },
  })
}

/** Up to the end that the chain had when the check began. */
async function verify(sql: ManagementDependencies['sql'], chain: string): Promise<z.output<typeof verdictSchema>> {
  const { seq: last, hash, start } = await getHead(sql, chain)
  const verifier = createChainVerifier(start)
  const verdict = (fault: z.output<typeof verdictSchema>['fault']) => ({
    verified: fault === null,
    entries: verifier.count,
    first_seq: start.seq + 1,
    last_seq: last,
    fault,
  })
  const place = { chain, filter: {}, after: start.seq, last: Number.MAX_SAFE_INTEGER }
  for await (const entries of readEntries(sql, place, entriesAtOnce)) {
    for (const entry of entries) {
      if (entry.seq > last) break
      const fault = verifier.add(entry)
      if (fault !== null) return verdict(fault)
    }
    await new Promise(setImmediate)
  }
  const end = verifier.last
  if (end !== null && end.seq === last && end.hash === hash) return verdict(null)
  const seq = (end?.seq ?? start.seq) + 1
  if (seq > last) return verdict({ seq: last, kind: 'changed', message: `Entry ${last} is not the end of the chain` })
  return verdict({ seq, kind: 'missing', message: `Entry ${seq} is missing: the chain ends with entry ${last}` })
}

function exportRoute(management: ManagementDependencies, { path, of, words, access, target, chainOf }: Place): Route {
  return route({
    ...access,
    method: 'GET',
    path: `${path}/export`,
    operation: `export${of}Audit`,
    audit: { action: 'audit.export', reads: 'always', ...target },
    summary: `Export the audit ${words}, oldest first: entries, or OCSF events in CloudEvents, one a line`,
    query: exportQuery,
    answers: { 200: 'lines' },
    async handle(input) {
      const { format } = input.query
      const headers = {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': `attachment; filename="audit.${format === 'ocsf' ? 'ocsf.' : ''}ndjson"`,
      }
      const lines = writeLines(management, chainOf(input), readFilter(input.query), format)
      return { status: 200, write: exchange => writePages(exchange, headers, lines) }
    },
  })
}

/** The signed end comes last, so that a part of the export does not look like the whole. */
async function* writeLines(
  management: ManagementDependencies,
  chain: string,
  filter: AuditFilter,
  format: 'ndjson' | 'ocsf',
): AsyncGenerator<string> {
  const head = await signHead(management, chain)
  const source = `${management.settings.baseUrl}/audit/${chain}`
  const write = (entry: AuditEntry) => JSON.stringify(format === 'ocsf' ? toCloudEvent(entry, source) : entry)
  const place = { chain, filter, after: head.start.seq, last: head.seq }
  for await (const entries of readEntries(management.sql, place, entriesAtOnce)) {
    yield entries.map(entry => `${write(entry)}\n`).join('')
  }
  if (format === 'ndjson') yield `${JSON.stringify({ head })}\n`
}
