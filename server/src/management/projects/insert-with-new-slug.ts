// Inserts a project with a slug that no project has or ever had.

import type { Insertable, Transaction } from 'kysely'
import type { Schema } from '../../storage/schema.ts'

type NewProject = Omit<Insertable<Schema['projects']>, 'slug'>

/** Draws slugs until one is free. No slug is used twice: the slug of a deleted project stays in `retired_slugs`. */
export async function insertWithNewSlug(trx: Transaction<Schema>, drawSlug: () => string, project: NewProject) {
  for (let attempt = 0; attempt < 20; attempt++) {
    const slug = drawSlug()
    const inserted = await trx
      .insertInto('projects')
      .values({ ...project, slug })
      .onConflict(conflict => conflict.column('slug').doNothing())
      .returning(['id', 'tenant_id', 'name', 'slug'])
      .executeTakeFirst()
    if (inserted === undefined) continue
    // Checked after the insert, which waits for a concurrent transaction that erases the slug's last project.
    const retired = await trx.selectFrom('retired_slugs').select('slug').where('slug', '=', slug).executeTakeFirst()
    if (retired === undefined) return inserted
    await trx.deleteFrom('projects').where('id', '=', inserted.id).execute()
  }
  throw new Error('no free slug found')
}
