// The prompts of old deployments: read once, kept within bounds, and never those of another project.
import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import type { Schema } from '../../../src/storage/schema.ts'
import { createPromptVersions } from '../../../src/storage/settings/prompt-versions.ts'
import { openMigrated, sampleRows } from '../fixtures.ts'

const settings = defaultSettings('http://localhost')
const promptOf = (content: string) => ({
  name: 'greeting',
  messages: [{ role: 'user' as const, content }],
  variables: {},
  model: null,
  params: {},
})

async function openDeployments(texts: readonly string[]): Promise<{ sql: Kysely<Schema>; reads: () => number }> {
  const { sql } = await openMigrated()
  await sql.insertInto('tenants').values(sampleRows.tenants[0]).execute()
  await sql.insertInto('projects').values(sampleRows.projects[0]).execute()
  for (const [index, text] of texts.entries()) {
    const snapshot = JSON.stringify({ settings, tiers: [], prompts: [promptOf(text)] })
    const row = { project_id: 'p1', number: index + 1, snapshot, changes: '[]', deployed_at: 1, deployed_by: 'u' }
    await sql.insertInto('deployments').values(row).execute()
  }
  let count = 0
  const counted = new Proxy(sql, {
    get(target, name) {
      if (name === 'selectFrom') count++
      const value: unknown = Reflect.get(target, name)
      // It has private fields, which a proxy has not.
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { sql: counted, reads: () => count }
}

test('a deployment is read once, also for requests at the same time', async () => {
  const { sql, reads } = await openDeployments(['one', 'two'])
  const find = createPromptVersions(sql)
  const found = await Promise.all([find('p1', 1), find('p1', 1), find('p1', 2)])
  expect(found).toEqual([[promptOf('one')], [promptOf('one')], [promptOf('two')]])
  expect(await find('p1', 1)).toEqual([promptOf('one')])
  expect(reads()).toBe(2)
})

test('a deployment that does not exist, or is of another project, is null, and may come later', async () => {
  const { sql } = await openDeployments(['one'])
  const find = createPromptVersions(sql)
  expect([await find('p1', 2), await find('p2', 1)]).toEqual([null, null])
  const snapshot = JSON.stringify({ settings, tiers: [] })
  const row = { project_id: 'p1', number: 2, snapshot, changes: '[]', deployed_at: 1, deployed_by: 'u' }
  await sql.insertInto('deployments').values(row).execute()
  expect(await find('p1', 2)).toEqual([])
})

test('what was not used for longest is forgotten beyond the bound', async () => {
  const { sql, reads } = await openDeployments(['a', 'b', 'c'].map(letter => letter.repeat(1_000)))
  const find = createPromptVersions(sql, 3_000)
  for (const number of [1, 2, 1, 3]) await find('p1', number)
  expect(reads()).toBe(3)
  await find('p1', 1)
  expect(reads()).toBe(3)
  await find('p1', 2)
  expect(reads()).toBe(4)
})

test('a corrupt snapshot is an error each time', async () => {
  const { sql } = await openDeployments(['one'])
  await sql.updateTable('deployments').set({ snapshot: '{}' }).execute()
  const find = createPromptVersions(sql)
  await expect(find('p1', 1)).rejects.toThrow('corrupt')
  await expect(find('p1', 1)).rejects.toThrow('corrupt')
})
