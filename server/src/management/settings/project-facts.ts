// What a file of a project says beside its draft: it applies at once, and no deployment holds it.

import type { Kysely, Transaction } from 'kysely'
import type { Permission } from '../../domain/access/permissions.ts'
import type { SettingChange } from '../../domain/settings/snapshot.ts'
import type { Schema } from '../../storage/schema.ts'

export interface ProjectFacts {
  name: string
  managed_by: 'file' | null
}

/** What is missing stays as it is. */
export type GivenFacts = { [Fact in keyof ProjectFacts]?: ProjectFacts[Fact] | undefined }

export async function readFacts(sql: Pick<Kysely<Schema>, 'selectFrom'>, projectId: string): Promise<ProjectFacts> {
  return await sql
    .selectFrom('projects')
    .select(['name', 'managed_by'])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow()
}

export function mergeFacts(facts: ProjectFacts, given: GivenFacts): ProjectFacts {
  const { name = facts.name, managed_by = facts.managed_by } = given
  return { name, managed_by }
}

/** In the order of a file. */
export function factChanges(before: ProjectFacts, after: ProjectFacts): SettingChange[] {
  const fields = ['name', 'managed_by'] as const
  return fields.flatMap(field =>
    before[field] === after[field] ? [] : [{ field, from: before[field], to: after[field] }],
  )
}

export async function writeFacts(trx: Transaction<Schema>, projectId: string, facts: ProjectFacts): Promise<void> {
  await trx.updateTable('projects').set(facts).where('id', '=', projectId).execute()
}

/** What a change needs besides the permission to write settings. */
export function permissionFor({ field }: Pick<SettingChange, 'field'>): Permission[] {
  if (field === 'name') return ['project:write']
  return field.startsWith('prompts.') ? ['prompts:write'] : []
}
