// What the file of a day in SQLite gets that an earlier version began, before anything else uses it. PostgreSQL's
// tables get it by migrations.
import { typesIn } from './column-types.ts'
import { createSumTables } from './sum-columns.ts'

/** The thread that runs them does not know them. */
export interface FileUpgrade {
  /** Returns a row if the file needs the statements. */
  find: string
  statements: readonly string[]
}

const { text, int } = typesIn.sqlite

/** Most requests are of no agent. */
export const agentIndex = `create index if not exists requests_by_agent_session
  on requests (project_id, agent_session_id, id) where agent_session_id is not null`

export const fileUpgrades: readonly FileUpgrade[] = [
  {
    // It added each row to the sums, to which the thread adds them now.
    find: "select 1 from sqlite_master where name = 'sum_requests'",
    statements: ['drop trigger sum_requests'],
  },
  {
    find: `select 1 from sqlite_master where name = 'requests'
      and not exists (select 1 from pragma_table_info('requests') where name = 'prompt_version')`,
    statements: [
      `alter table requests add column prompt ${text}`,
      `alter table requests add column prompt_version ${int}`,
      ...createSumTables('sqlite'),
    ],
  },
  {
    find: `select 1 from sqlite_master where name = 'requests'
      and not exists (select 1 from pragma_table_info('requests') where name = 'first_token_range')`,
    statements: [`alter table requests add column first_token_range ${int}`, ...createSumTables('sqlite')],
  },
  {
    find: `select 1 from sqlite_master where name = 'requests'
      and not exists (select 1 from pragma_table_info('requests') where name = 'agent_id')`,
    statements: [
      `alter table requests add column agent_session_id ${text}`,
      `alter table requests add column agent_id ${text}`,
      agentIndex,
    ],
  },
  {
    find: `select 1 from sqlite_master where name = 'requests'
      and not exists (select 1 from pragma_table_info('requests') where name = 'budget_period')`,
    statements: [
      `alter table requests add column budget_level ${text}`,
      `alter table requests add column budget_period ${text}`,
    ],
  },
]
