// An exported audit is proven without a server: whole, with its signature, or with the line that is wrong.
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { signAuditHead } from '../../server/src/crypto/keys/sign-audit-head.ts'
import { createSigningKey } from '../../server/src/crypto/keys/signing-key.ts'
import { type AuditEntry, noHash, sealEntry } from '../../server/src/domain/audit/entry.ts'
import { createAuditFileCheck, findSignatureFault } from '../src/commands/audit/audit-file.ts'

const key = createSigningKey('default', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
const other = createSigningKey('default', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)

/** The first entries of the chain as a version wrote them that did not record the project. */
const old = 2

function makeEntries(count: number): AuditEntry[] {
  const entries: AuditEntry[] = []
  for (let seq = 1; seq <= count; seq++) {
    entries.push(
      sealEntry({
        seq,
        id: `entry-${seq}`,
        at: new Date(seq * 1000).toISOString(),
        tenant_id: 'tenant-1',
        ...(seq <= old ? {} : { project_id: seq % 2 === 0 ? null : 'project-1' }),
        actor: { kind: 'user', id: 'user-1', name: 'somebody@example.com' },
        authenticated_by: 'session',
        address: null,
        user_agent: null,
        action: 'tenant.rename',
        target: { type: 'tenant', id: 'tenant-1', name: 'Ünïcode \u2028' },
        before: { name: 'a' },
        after: { name: 'b', z: 1e21, a: 0.1 },
        outcome: 'done',
        reason: null,
        request_id: null,
        prev_hash: entries.at(-1)?.hash ?? noHash,
      }),
    )
  }
  return entries
}

async function makeFile(count = 5): Promise<{ lines: string[]; head: { chain: string; seq: number; hash: string } }> {
  const entries = makeEntries(count)
  const end = { chain: 'tenant-1', seq: count, hash: entries.at(-1)?.hash ?? noHash }
  const signature = await signAuditHead(key, { ...end, signed_at: new Date(0).toISOString() })
  const head = { ...end, start: { seq: 0, hash: noHash, signature: null }, signature }
  return { lines: [...entries, { head }].map(line => JSON.stringify(line)), head }
}

function check(lines: readonly string[]) {
  const file = createAuditFileCheck()
  for (const line of lines) if (!file.addLine(line)) break
  return file.end()
}

describe('an exported audit', () => {
  test('is whole, with a signature of the right key', async () => {
    const { lines, head } = await makeFile()
    expect(check(lines)).toMatchObject({ verified: true, entries: 5 })
    expect(await findSignatureFault(head, JSON.stringify({ keys: [key.publicJwk] }))).toBeNull()
    expect(await findSignatureFault(head, JSON.stringify({ keys: [other.publicJwk] }))).toMatchObject({
      verified: false,
    })
    const longer = { ...head, seq: 6 }
    expect(await findSignatureFault(longer, JSON.stringify({ keys: [key.publicJwk] }))).toMatchObject({
      message: 'The signature is that of another end.',
    })
    expect(await findSignatureFault(head, '[]')).toMatchObject({ verified: false })
  })

  test.each([
    ['without its first entry', (lines: string[]) => lines.slice(1), 'Entry 1 is missing'],
    ['without an entry', (lines: string[]) => lines.toSpliced(2, 1), 'Entry 3 is missing'],
    ['without its last entry', (lines: string[]) => lines.toSpliced(4, 1), 'Entry 5 is missing'],
    ['without its end', (lines: string[]) => lines.slice(0, -1), 'The signed end is missing'],
    ['with two swapped', ([a = '', b = '', ...rest]: string[]) => [b, a, ...rest], 'Entry 1 stands behind entry 2'],
    ['with one twice', ([a = '', ...rest]: string[]) => [a, a, ...rest], 'Entry 1 stands there twice'],
    ['with a changed value', (lines: string[]) => lines.map(line => line.replace('"b"', '"c"')), 'Entry 1 was changed'],
    [
      'with a project added to an entry that had none',
      ([a = '', ...rest]: string[]) => [a.replace('"actor"', '"project_id":null,"actor"'), ...rest],
      'Entry 1 was changed',
    ],
    [
      'without the project of an entry',
      (lines: string[]) => lines.map(line => line.replace('"project_id":null,', '')),
      'Entry 4 was changed',
    ],
    [
      'with an entry of another project',
      (lines: string[]) => lines.map(line => line.replace('"project-1"', '"project-2"')),
      'Entry 3 was changed',
    ],
    ['with a line behind its end', (lines: string[]) => [...lines, lines[4] ?? ''], 'A line stands behind'],
    ['with another line', (lines: string[]) => ['{}', ...lines], 'A line is no entry'],
  ])('is not whole %s', async (_, change, message) => {
    const { lines } = await makeFile()
    expect(check(change(lines))).toMatchObject({ verified: false, message: expect.stringContaining(message) })
  })
})
