// The chain of the audit: many writers at once leave no gap, an act that fails leaves no entry, and whoever changes,
// drops, swaps or adds an entry is found, with its number.
import { compactVerify, importJWK, type JWK } from 'jose'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { type AuditEntry, noHash, sealEntry } from '../../../src/domain/audit/entry.ts'
import { createChainVerifier } from '../../../src/domain/audit/verify-chain.ts'
import { describeEachBackend, type ManagementHarness } from '../../support/management-harness.ts'
import { expectOk, times } from '../requests.ts'

interface Verdict {
  verified: boolean
  entries: number
  last_seq: number
  fault: { seq: number | null; kind: string } | null
}

const writers = 20

describeEachBackend('the chain of the audit', start => {
  let plane: ManagementHarness
  beforeAll(async () => {
    plane = await start()
  })

  const verify = async (tenantId: string) =>
    expectOk<Verdict>(
      await plane.call('GET', `/auth/v1/tenants/${tenantId}/audit/verify`, { session: plane.owner.session }),
    )
  const rename = (tenantId: string, name: string) =>
    plane.call('PATCH', `/auth/v1/tenants/${tenantId}`, { session: plane.owner.session, body: { name } })

  async function makeChain(count: number): Promise<string> {
    const { id } = await plane.makeTenant()
    for (let index = 1; index <= count; index++) expectOk(await rename(id, `Name ${index}`))
    return id
  }
  const readRow = async (tenantId: string, seq: number): Promise<AuditEntry> => {
    const place = [tenantId, seq]
    const rows = await plane.query<{ entry: string }>(
      'select entry from audit_entries where tenant_id = ? and seq = ?',
      place,
    )
    return JSON.parse(rows[0]?.entry ?? '')
  }
  const writeRow = (tenantId: string, seq: number, entry: AuditEntry) =>
    plane.query('update audit_entries set entry = ? where tenant_id = ? and seq = ?', [
      JSON.stringify(entry),
      tenantId,
      seq,
    ])

  test(`of ${writers} writers has no gap and verifies`, async () => {
    const rounds = inject('prove') ? 5_000 : 10
    const { id } = await plane.makeTenant()
    await times(writers, async writer => {
      for (let round = 0; round < rounds; round++) expectOk(await rename(id, `Name ${writer} ${round}`))
    })
    const count = writers * rounds
    expect(await verify(id)).toMatchObject({ verified: true, entries: count, last_seq: count, fault: null })
  })

  test('has no entry of an act whose transaction fails', async () => {
    const id = await makeChain(1)
    const { session } = plane.owner
    const path = `/auth/v1/tenants/${id}`
    const answer = await plane.call('DELETE', `${path}/members/${plane.owner.id}`, { session })
    expect(answer.status).toBe(409)
    const { data } = expectOk<{ data: AuditEntry[] }>(await plane.call('GET', `${path}/audit`, { session }))
    const words = data.map(({ action, outcome, reason }) => [action, outcome, reason])
    expect(words).toEqual([
      ['member.remove', 'refused', 'last_owner'],
      ['tenant.rename', 'done', null],
    ])
    expect(await verify(id)).toMatchObject({ verified: true })
  })

  describe('names the entry', () => {
    test('that was changed', async () => {
      const id = await makeChain(5)
      await writeRow(id, 3, { ...(await readRow(id, 3)), at: '2001-01-01T00:00:00.000Z' })
      expect((await verify(id)).fault).toMatchObject({ seq: 3, kind: 'changed' })
    })

    test('that was changed and hashed again', async () => {
      const id = await makeChain(5)
      await writeRow(id, 3, sealEntry({ ...(await readRow(id, 3)), action: 'tenant.read' }))
      expect((await verify(id)).fault).toMatchObject({ seq: 4, kind: 'added' })
    })

    test('that was dropped', async () => {
      const id = await makeChain(5)
      await plane.query('delete from audit_entries where tenant_id = ? and seq = 3', [id])
      expect((await verify(id)).fault).toMatchObject({ seq: 3, kind: 'missing' })
    })

    test.each([1, 5])('that was dropped at an end: %d', async seq => {
      const id = await makeChain(5)
      await plane.query('delete from audit_entries where tenant_id = ? and seq = ?', [id, seq])
      expect((await verify(id)).fault).toMatchObject({ seq, kind: 'missing' })
    })

    test('that was swapped with another', async () => {
      const id = await makeChain(5)
      const [second, third] = [await readRow(id, 2), await readRow(id, 3)]
      await writeRow(id, 2, third)
      await writeRow(id, 3, second)
      expect((await verify(id)).fault).toMatchObject({ seq: 2, kind: 'missing' })
    })

    test('that was added', async () => {
      const id = await makeChain(5)
      const last = await readRow(id, 5)
      const added = sealEntry({ ...last, seq: 5, prev_hash: last.prev_hash, action: 'tenant.read' })
      await plane.query('update audit_entries set seq = 6 where tenant_id = ? and seq = 5', [id])
      await plane.query(
        `insert into audit_entries (tenant_id, seq, at, actor_id, action, target_type, target_id, outcome, entry)
          values (?, 5, 0, null, 'tenant.read', 'tenant', null, 'done', ?)`,
        [id, JSON.stringify(added)],
      )
      expect((await verify(id)).fault).toMatchObject({ seq: 5, kind: 'added' })
    })
  })

  describe('whose first entries an older version wrote, without a project,', () => {
    /** Of five entries the first three, as if they had been written so. */
    async function makeMixed(): Promise<string> {
      const id = await makeChain(5)
      let prev_hash = (await readRow(id, 1)).prev_hash
      for (let seq = 1; seq <= 5; seq++) {
        const { project_id, ...rest } = await readRow(id, seq)
        const entry = sealEntry({ ...rest, ...(seq <= 3 ? {} : { project_id }), prev_hash })
        await writeRow(id, seq, entry)
        prev_hash = entry.hash
      }
      await plane.query('update audit_heads set hash = ? where tenant_id = ?', [prev_hash, id])
      return id
    }

    test('verifies, goes on, and is listed and exported as it is stored', async () => {
      const id = await makeMixed()
      expectOk(await rename(id, 'Another'))
      expect(await verify(id)).toMatchObject({ verified: true, entries: 6 })
      const { session } = plane.owner
      const path = `/auth/v1/tenants/${id}/audit`
      const { data } = expectOk<{ data: AuditEntry[] }>(await plane.call('GET', path, { session }))
      const lines = (await plane.call('GET', `${path}/export`, { session })).text.split('\n').slice(0, 6)
      for (const entries of [data.toReversed(), lines.map(line => JSON.parse(line) as AuditEntry)]) {
        expect(entries.map(entry => 'project_id' in entry)).toEqual([false, false, false, true, true, true])
        const verifier = createChainVerifier({ seq: 0, hash: noHash })
        expect(entries.map(entry => verifier.add(entry))).toEqual(entries.map(() => null))
      }
    })

    test.each<[string, number, (entry: AuditEntry) => AuditEntry, { seq: number; kind: string }]>([
      ['gets one', 2, entry => ({ ...entry, project_id: null }), { seq: 2, kind: 'changed' }],
      ['gets one, and a new hash', 2, entry => sealEntry({ ...entry, project_id: null }), { seq: 3, kind: 'added' }],
      ['loses it', 4, ({ project_id: _, ...entry }) => entry, { seq: 4, kind: 'changed' }],
      [
        'loses it, and gets a new hash',
        4,
        ({ project_id: _, ...entry }) => sealEntry(entry),
        { seq: 5, kind: 'added' },
      ],
      ['gets another', 5, entry => ({ ...entry, project_id: 'another' }), { seq: 5, kind: 'changed' }],
    ])('names the entry that %s', async (_case, seq, change, fault) => {
      const id = await makeMixed()
      await writeRow(id, seq, change(await readRow(id, seq)))
      expect((await verify(id)).fault).toMatchObject(fault)
    })

    test('names the entry that is missing', async () => {
      const id = await makeMixed()
      await plane.query('delete from audit_entries where tenant_id = ? and seq = 4', [id])
      expect((await verify(id)).fault).toMatchObject({ seq: 4, kind: 'missing' })
    })
  })

  test('has an end that is signed by the key of the tokens', async () => {
    const id = await makeChain(3)
    const { session } = plane.owner
    const head = expectOk<{ seq: number; hash: string; signature: string }>(
      await plane.call('GET', `/auth/v1/tenants/${id}/audit/head`, { session }),
    )
    const { keys } = expectOk<{ keys: JWK[] }>(await plane.call('GET', '/.well-known/jwks.json'))
    const key = await importJWK(keys[0] ?? {}, 'RS256')
    const { payload, protectedHeader } = await compactVerify(head.signature, key)
    expect(protectedHeader.typ).toBe('audit-head')
    expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({ chain: id, seq: 3, hash: head.hash })
    expect((await readRow(id, 3)).hash).toBe(head.hash)
  })
})
