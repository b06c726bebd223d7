// What the file of a day in SQLite gets that an earlier version began, before anything else uses it. PostgreSQL's
// tables get it by migrations.
import { typesIn } from './column-types.ts'
import { addEarlierSums, earlierSums } from './sums/earlier-sums.ts'
import { createSums } from './sums/sum-columns.ts'

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

/** Of a day with a million rows of a hundred projects. Without them SQLite prefers the primary key to every index. */
const statisticsOf = {
  requests: '1000000 10000 1',
  requests_by_uid: '1000000 10000 20 1',
  requests_by_thread: '300000 3000 5 1',
  requests_by_agent_session: '300000 3000 50 1',
  requests_by_error: '50000 500 100 1',
}
const lines = Object.entries(statisticsOf).map(([index, numbers]) => `('requests', '${index}', '${numbers}')`)

export const statistics: readonly string[] = [
  // Creates their table, and reads few rows for that.
  'analyze waiting_rows',
  "delete from sqlite_stat1 where tbl = 'requests'",
  `insert into sqlite_stat1 (tbl, idx, stat) values ${lines.join(', ')}`,
  // Loads them.
  'analyze sqlite_schema',
]

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
    ],
  },
  {
    find: `select 1 from sqlite_master where name = 'requests'
      and not exists (select 1 from pragma_table_info('requests') where name = 'first_token_range')`,
    statements: [`alter table requests add column first_token_range ${int}`],
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
  {
    find: `select 1 from sqlite_master where name = 'requests'
      and not exists (select 1 from sqlite_master where name = 'request_hours')`,
    statements: [createSums('sqlite')],
  },
  {
    find: `select 1 from sqlite_master where name = 'waiting_rows'
      and not exists (select 1 from sqlite_master where name = 'sqlite_stat1')`,
    statements: statistics,
  },
  ...earlierSums.map(sums => ({
    find: `select 1 from sqlite_master where name = '${sums.table}'`,
    statements: [addEarlierSums(sums, sums.table, 'sqlite'), `drop table ${sums.table}`],
  })),
]
