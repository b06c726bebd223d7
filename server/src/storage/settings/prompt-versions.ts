// Reads the prompts of old deployments. A deployment never changes, so what was read stays right; memory is bounded by
// the characters of the prompts.

import type { Kysely } from 'kysely'
import type { NamedTemplate } from '../../domain/prompts/template.ts'
import { parseSnapshot } from '../../domain/settings/snapshot.ts'
import type { Schema } from '../schema.ts'

interface Known {
  prompts: readonly NamedTemplate[]
  characters: number
}

const maxCharacters = 16_000_000
/** What an entry takes besides its prompts. */
const baseCharacters = 200

/** Null if the project has no such deployment. */
export function createPromptVersions(sql: Kysely<Schema>, max = maxCharacters) {
  /** The one that was used last is at the end. */
  const known = new Map<string, Known>()
  const reading = new Map<string, Promise<readonly NamedTemplate[] | null>>()
  let characters = 0

  function keep(key: string, prompts: readonly NamedTemplate[]): void {
    const entry = { prompts, characters: baseCharacters + JSON.stringify(prompts).length }
    known.set(key, entry)
    characters += entry.characters
    for (const [oldest, { characters: freed }] of known) {
      if (characters <= max) break
      known.delete(oldest)
      characters -= freed
    }
  }

  async function read(key: string, projectId: string, number: number): Promise<readonly NamedTemplate[] | null> {
    try {
      const prompts = await readPrompts(sql, projectId, number)
      if (prompts !== null) keep(key, prompts)
      return prompts
    } finally {
      reading.delete(key)
    }
  }

  return (projectId: string, number: number): Promise<readonly NamedTemplate[] | null> => {
    const key = `${projectId} ${number}`
    const found = known.get(key)
    if (found !== undefined) {
      known.delete(key)
      known.set(key, found)
      return Promise.resolve(found.prompts)
    }
    const underway = reading.get(key)
    if (underway !== undefined) return underway
    const started = read(key, projectId, number)
    reading.set(key, started)
    return started
  }
}

async function readPrompts(sql: Kysely<Schema>, projectId: string, number: number): Promise<NamedTemplate[] | null> {
  const row = await sql
    .selectFrom('deployments')
    .select('snapshot')
    .where('project_id', '=', projectId)
    .where('number', '=', number)
    .executeTakeFirst()
  if (row === undefined) return null
  const snapshot = parseSnapshot(row.snapshot)
  if (snapshot === null) throw new Error('a deployment snapshot is corrupt')
  return snapshot.prompts
}
