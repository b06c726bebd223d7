// Sealed secrets: they open where they belong and nowhere else, and outlive the keys that wrapped them.
import { createHash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { findPlaintext } from '../../../src/crypto/secrets/aes-gcm.ts'
import { createSecretBox, SealedSecretError, type SecretContext } from '../../../src/crypto/secrets/secret-box.ts'

const [oldKey, currentKey, foreignKey] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const box = createSecretBox({ current: currentKey, previous: [oldKey] })
const oldBox = createSecretBox({ current: oldKey, previous: [] })
const foreignBox = createSecretBox({ current: foreignKey, previous: [] })
const home: SecretContext = { purpose: 'provider-key', tenantId: 't1', rowId: 'r1', bound: ['https://api.example/v1'] }

function reasonFor(open: () => unknown): string {
  try {
    open()
  } catch (error) {
    expect(error).toBeInstanceOf(SealedSecretError)
    expect((error as Error).message).toBe(`sealed secret cannot be opened: ${(error as SealedSecretError).reason}`)
    return (error as SealedSecretError).reason
  }
  return 'opened'
}

const anyText = fc.string({ unit: 'binary', maxLength: 300 })
const anyContext = fc.record({
  purpose: anyText,
  tenantId: anyText,
  rowId: anyText,
  bound: fc.array(anyText, { maxLength: 3 }),
})

test('what was sealed opens again, whatever it is and wherever it belongs', () => {
  fc.assert(
    fc.property(anyText, anyContext, (plaintext, context) => {
      expect(box.open(box.seal(plaintext, context), context)).toBe(plaintext)
    }),
    { numRuns: inject('prove') ? 5000 : 200 },
  )
})

test('two different contexts never share an envelope', () => {
  fc.assert(
    fc.property(anyContext, anyContext, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other))
      expect(reasonFor(() => box.open(box.seal('secret', one), other))).toBe('not_authentic')
    }),
    { numRuns: inject('prove') ? 5000 : 200 },
  )
})

test.each<[string, SecretContext]>([
  ['another tenant', { ...home, tenantId: 't2' }],
  ['another row', { ...home, rowId: 'r2' }],
  ['another purpose', { ...home, purpose: 'thread-text' }],
  ['another address', { ...home, bound: ['https://evil.example/v1'] }],
  ['no address', { ...home, bound: [] }],
  ['one part moved into the next', { ...home, tenantId: 't', rowId: '1r1' }],
  ['parts swapped', { ...home, tenantId: 'r1', rowId: 't1' }],
])('a row moved to %s does not open and is not re-wrapped', (_, elsewhere) => {
  const envelope = box.seal('sk-secret', home)
  expect(reasonFor(() => box.open(envelope, elsewhere))).toBe('not_authentic')
  expect(reasonFor(() => box.rewrap(envelope, elsewhere))).toBe('not_authentic')
})

test.each([',', '|', '.', ':', '/', '\0', '"', '","', '\\'])(
  'parts that hold the separator %j stay apart',
  separator => {
    const one = { ...home, tenantId: `a${separator}b`, rowId: 'c' }
    const other = { ...home, tenantId: 'a', rowId: `b${separator}c` }
    expect(reasonFor(() => box.open(box.seal('secret', one), other))).toBe('not_authentic')
  },
)

test('the stored form is version 1: data key and data each bound to their place', () => {
  const [version, keyId, wrappedKey = '', sealed = ''] = box.seal('sk-secret', home).split('.')
  expect([version, keyId]).toEqual(['v1', createHash('sha256').update(currentKey).digest('hex').slice(0, 8)])
  const place = ['provider-key', 't1', 'r1', 'https://api.example/v1']
  const opened = (key: Uint8Array, text: string, additionalData: unknown) => {
    const bytes = Buffer.from(text, 'base64url')
    return findPlaintext(key, bytes.subarray(0, 12), bytes.subarray(12), Buffer.from(JSON.stringify(additionalData)))
  }
  const dataKey = opened(currentKey, wrappedKey, ['v1', 'key', keyId, place])
  expect(dataKey).toHaveLength(32)
  expect(opened(dataKey!, sealed, ['v1', 'data', place])?.toString()).toBe('sk-secret')
})

test('halves of two envelopes of one row do not make a third', () => {
  const [one, other] = [box.seal('one', home).split('.'), box.seal('other', home).split('.')]
  expect(reasonFor(() => box.open([...one.slice(0, 3), other[3]].join('.'), home))).toBe('not_authentic')
  expect(reasonFor(() => box.open([...one.slice(0, 2), other[2], one[3]].join('.'), home))).toBe('not_authentic')
})

test('no changed envelope opens: flipped bits, other characters, cuts and additions', () => {
  const envelope = box.seal('sk-a-provider-key-of-usual-length-0123456789', home)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+/= \n\u00e9'
  const mutations: ((at: number, random: number) => string)[] = [
    (at, random) =>
      envelope.slice(0, at) +
      String.fromCharCode(envelope.charCodeAt(at) ^ (1 << (random % 8))) +
      envelope.slice(at + 1),
    (at, random) => envelope.slice(0, at) + alphabet[random % alphabet.length] + envelope.slice(at + 1),
    at => envelope.slice(0, at),
    at => envelope.slice(0, at) + envelope.slice(at + 1),
    (at, random) => envelope.slice(0, at) + alphabet[random % alphabet.length] + envelope.slice(at),
  ]
  const count = inject('prove') ? 10_000 : 300
  for (let i = 0; i < count; i++) {
    const [at, random] = [randomBytes(4).readUInt32LE() % envelope.length, randomBytes(4).readUInt32LE()]
    const mutant = mutations[i % mutations.length]!(at, random)
    if (mutant !== envelope)
      expect(
        reasonFor(() => box.open(mutant, home)),
        mutant,
      ).not.toBe('opened')
  }
})

test('every single bit of an envelope counts', () => {
  const [version, keyId, ...parts] = box.seal('k', home).split('.')
  for (const index of parts.keys()) {
    const bytes = Buffer.from(parts[index]!, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      const mutant = [version, keyId, ...parts.with(index, flipped.toString('base64url'))].join('.')
      expect(reasonFor(() => box.open(mutant, home))).toBe('not_authentic')
    }
  }
})

describe('rotation', () => {
  const envelope = oldBox.seal('sk-secret', home)

  const [current, earlier] = box.prefixes

  test('what an earlier key sealed opens, and is told apart by its mark', () => {
    expect(box.open(envelope, home)).toBe('sk-secret')
    expect(envelope.startsWith(earlier ?? '')).toBe(true)
    expect(box.seal('sk-secret', home).startsWith(current)).toBe(true)
    expect(current).not.toBe(earlier)
    expect(current).toHaveLength(earlier?.length ?? 0)
    expect(oldBox.prefixes).toEqual([earlier])
  })

  test('a current key that is listed among the earlier ones too has one mark', () => {
    expect(createSecretBox({ current: currentKey, previous: [currentKey] }).prefixes).toEqual([current])
  })

  test('wrapping anew changes the data key’s wrapping alone; the earlier key is needed no more', () => {
    const rewrapped = box.rewrap(envelope, home)
    expect(rewrapped.split('.')[3]).toBe(envelope.split('.')[3])
    expect(rewrapped.split('.')[2]).not.toBe(envelope.split('.')[2])
    expect(rewrapped.startsWith(current)).toBe(true)
    expect(createSecretBox({ current: currentKey, previous: [] }).open(rewrapped, home)).toBe('sk-secret')
    expect(reasonFor(() => oldBox.open(rewrapped, home))).toBe('unknown_key')
  })

  test('a key we do not have is told apart from a damaged text', () => {
    expect(reasonFor(() => box.open(foreignBox.seal('x', home), home))).toBe('unknown_key')
    for (const text of [
      '',
      'v1',
      'v2.a.b.c',
      'v1.a.b.c.d',
      'sk-plain-text-left-behind',
      'v1..a.b',
      `${envelope}.AAAA`,
    ]) {
      expect(reasonFor(() => box.open(text, home))).toBe('malformed')
      expect(reasonFor(() => box.rewrap(text, home))).toBe('malformed')
    }
  })

  test('an envelope under a foreign key that takes the name of ours does not open', () => {
    const [, ourId] = box.seal('x', home).split('.')
    const parts = foreignBox.seal('x', home).split('.').with(1, ourId!)
    expect(reasonFor(() => box.open(parts.join('.'), home))).toBe('not_authentic')
  })
})

test('one text sealed often never looks the same, and no envelope holds it', () => {
  const envelopes = Array.from({ length: 1000 }, () => box.seal('sk-visible', home))
  const parts = envelopes.flatMap(envelope => envelope.split('.').slice(2))
  expect(new Set(parts.map(part => part.slice(0, 16))).size).toBe(2000)
  for (const part of parts) expect(Buffer.from(part, 'base64url').includes('sk-visible')).toBe(false)
})
