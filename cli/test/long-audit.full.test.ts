// An audit of 100,000 entries on PostgreSQL, to whose end 20 writers append at once: its chain has no gap, its export is
// proven without a server, and the line that was changed, dropped, swapped or added is named.
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type AuditEntry, noHash, sealEntry } from '../../server/src/domain/audit/entry.ts'
import { appendEntry, lockChain, type NewEntry } from '../../server/src/storage/audit/append-entry.ts'
import { transact } from '../../server/src/storage/transact.ts'
import { expectOk, times } from '../../server/test/management/requests.ts'
import { openDistributed } from '../../server/test/storage/fixtures.ts'
import { type ManagementHarness, startManagement } from '../../server/test/support/management-harness.ts'
import { createAuditFileCheck } from '../src/commands/audit/audit-file.ts'
import { makeFolder, runCli } from './run-cli.ts'

const writers = 20
const total = 100_000
/** By the writers, one transaction each; those before them are written as an earlier year would have left them. */
const appended = inject('prove') ? total : 2_000
const rowsAtOnce = 2_000

let plane: ManagementHarness
let tenantId: string
beforeAll(async () => {
  plane = await startManagement('postgres')
  tenantId = (await plane.makeTenant()).id
})
afterAll(() => plane?.stop())

const makeEntry = (name: string): NewEntry => ({
  tenant_id: tenantId,
  actor: { kind: 'user', id: plane.owner.id, name: plane.owner.email },
  authenticated_by: 'session',
  address: '192.0.2.7',
  user_agent: null,
  action: 'tenant.rename',
  target: { type: 'tenant', id: tenantId, name },
  before: { name: 'Before' },
  after: { name },
  outcome: 'done',
  reason: null,
  request_id: null,
})

async function fillChain(count: number): Promise<void> {
  let last: AuditEntry | undefined
  const at = Date.now()
  for (let done = 0; done < count; done += rowsAtOnce) {
    const rows = Array.from({ length: rowsAtOnce }, (_, index) => {
      const seq = done + index + 1
      const place = { seq, id: `entry-${seq}`, at: new Date(at).toISOString(), prev_hash: last?.hash ?? noHash }
      last = sealEntry({ ...place, ...makeEntry(`Name ${seq}`) })
      const { action, outcome } = last
      const found = { actor_id: plane.owner.id, target_type: 'tenant', target_id: tenantId }
      return { tenant_id: tenantId, seq, at, action, outcome, ...found, entry: JSON.stringify(last) }
    })
    const written = [JSON.stringify(rows)]
    await plane.query(
      'insert into audit_entries select * from json_populate_recordset(null::audit_entries, ?)',
      written,
    )
  }
  const head = [tenantId, count, last?.hash ?? noHash, noHash]
  await plane.query(
    'insert into audit_heads (tenant_id, seq, hash, start_seq, start_hash) values (?, ?, ?, 0, ?)',
    head,
  )
}

/** Through two pools, as two replicas have. */
async function appendTogether(count: number): Promise<void> {
  const replicas = await times(2, () => openDistributed(plane.env['DATABASE_URL'] ?? ''))
  await times(writers, async writer => {
    const { sql } = replicas[writer % 2] ?? expect.unreachable()
    for (let round = 0; round < count / writers; round++) {
      await transact(sql, async trx => {
        await appendEntry(trx, await lockChain(trx, tenantId), makeEntry(`${writer} ${round}`), { at: Date.now() })
      })
    }
  })
}

async function exportTo(file: string): Promise<string[]> {
  const response = await fetch(`${plane.baseUrl}/auth/v1/tenants/${tenantId}/audit/export`, {
    headers: { authorization: `Bearer ${plane.owner.session}` },
  })
  if (!response.ok || response.body === null) throw new Error(`the export answered ${response.status}`)
  await writeFile(file, response.body)
  const lines: string[] = []
  for await (const line of createInterface({ input: createReadStream(file) })) lines.push(line)
  return lines
}

function findFault(lines: readonly string[]) {
  const check = createAuditFileCheck()
  for (const line of lines) if (!check.addLine(line)) break
  return check.end().fault
}

test(`${writers} writers leave a chain that is whole, and whose altered lines are named`, async () => {
  if (appended < total) await fillChain(total - appended)
  await appendTogether(appended)
  const { session } = plane.owner
  const verdict = await plane.call('GET', `/auth/v1/tenants/${tenantId}/audit/verify`, { session })
  expect(expectOk(verdict)).toMatchObject({ verified: true, entries: total, last_seq: total })

  const folder = makeFolder()
  const [file, keys] = [join(folder, 'audit.ndjson'), join(folder, 'jwks.json')]
  const lines = await exportTo(file)
  // With the entry of the export itself, and the signed end.
  expect(lines).toHaveLength(total + 2)
  await writeFile(keys, (await plane.call('GET', '/.well-known/jwks.json')).text)
  const proven = await runCli(['audit', 'verify', file, '--keys', keys])
  expect(proven).toMatchObject({ code: 0, stdout: expect.stringContaining(`${total + 1} entries`) })

  const at = 25_000
  const [line = '', next = ''] = lines.slice(at - 1)
  const added = JSON.stringify(sealEntry({ ...JSON.parse(line), action: 'tenant.read', seq: at + 1 }))
  const altered: [string, string[], object][] = [
    ['changed', lines.with(at - 1, line.replace('Before', 'Defore')), { seq: at, kind: 'changed' }],
    ['dropped', lines.toSpliced(at - 1, 1), { seq: at, kind: 'missing' }],
    ['swapped', lines.with(at - 1, next).with(at, line), { seq: at, kind: 'missing' }],
    ['added', lines.toSpliced(at, 0, added), { seq: at + 1, kind: 'added' }],
    ['dropped at the end', lines.toSpliced(total, 1), { seq: total + 1, kind: 'missing' }],
  ]
  for (const [name, changed, fault] of altered) expect(findFault(changed), name).toMatchObject(fault)
}, 1_200_000)
