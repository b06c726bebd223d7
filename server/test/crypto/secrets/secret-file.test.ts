// The primitive on its own: who made the secret is told once, and an unwritable folder is one sentence.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readOrCreateSecret } from '../../../src/crypto/secrets/secret-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-secret-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('exactly one of many callers made the secret; all get the same', async () => {
  let made = 0
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      readOrCreateSecret({
        folder,
        name: 'initial-password',
        create: () => `password number ${made++}`,
        read: text => text,
        warn: () => expect.unreachable(),
      }),
    ),
  )
  expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(new Set(answers.map(({ secret }) => secret)).size).toBe(1)
})

test('a fault of the maker is the fault that is thrown, and leaves no file', async () => {
  const create = () => Promise.reject(new Error('no entropy'))
  const attempt = () => readOrCreateSecret({ folder, name: 's', create, read: text => text, warn: () => undefined })
  await expect(attempt()).rejects.toThrow('no entropy')
  await expect(attempt()).rejects.toThrow('no entropy')
})

if (process.platform === 'linux') {
  test.each(['/proc/self', '/proc/nowhere', '/proc/nowhere/deep'])(
    'where nothing can be made, %s, the start is refused rather than hung',
    async unwritable => {
      const attempt = readOrCreateSecret({
        folder: unwritable,
        name: 'secret',
        create: () => 'x',
        read: text => text,
        warn: () => undefined,
      })
      await expect(attempt).rejects.toThrow(/^\/proc\/[a-z/]+\/secret cannot be read or created \(E[A-Z]+\)\.$/)
    },
  )
}
