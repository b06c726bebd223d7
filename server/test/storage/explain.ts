// How a database goes about the statements of a function.
import { randomUUID } from 'node:crypto'
import { CompiledQuery, type KyselyPlugin, type RootOperationNode } from 'kysely'
import type { Database } from '../../src/storage/open-database.ts'

/** The statements that `run` sends, and how the database would go about them. */
export async function explain(
  { sql, dialect }: Database,
  run: (given: Database['sql']) => Promise<unknown>,
): Promise<string> {
  const nodes: RootOperationNode[] = []
  const keep: KyselyPlugin = {
    transformQuery({ node }) {
      nodes.push(node)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await run(sql.withoutPlugins().withPlugin(keep))
  const plans: string[] = []
  for (const node of nodes) {
    const compiled = sql.getExecutor().compileQuery(node, { queryId: randomUUID() })
    const prefix = dialect === 'postgres' ? 'explain' : 'explain query plan'
    const { rows } = await sql.executeQuery(CompiledQuery.raw(`${prefix} ${compiled.sql}`, [...compiled.parameters]))
    plans.push(rows.map(row => JSON.stringify(row)).join('\n'))
  }
  return plans.join('\n')
}
