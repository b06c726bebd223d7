// Inserts a project under a slug that no project has or ever had. Knows no rule of what a slug is.

import type { Insertable, Transaction } from 'kysely'
import type { Schema } from '../../storage/schema.ts'

type NewProject = Omit<Insertable<Schema['projects']>, 'slug'>

/** Draws slugs until one is free. None is given out twice: those of deleted projects are retired before their row goes. */
export async function insertUnderNewSlug(trx: Transaction<Schema>, drawSlug: () => string, project: NewProject) {
  for (let attempt = 0; attempt < 20; attempt++) {
    const slug = drawSlug()
    const inserted = await trx
      .insertInto('projects')
      .values({ ...project, slug })
      .onConflict(conflict => conflict.column('slug').doNothing())
      .returning(['id', 'tenant_id', 'name', 'slug'])
      .executeTakeFirst()
    if (inserted === undefined) continue
    // Asked after the insert: it waited for the transaction that took the slug's last project away.
    const retired = await trx.selectFrom('retired_slugs').select('slug').where('slug', '=', slug).executeTakeFirst()
    if (retired === undefined) return inserted
    await trx.deleteFrom('projects').where('id', '=', inserted.id).execute()
  }
  throw new Error('no free slug found')
}
