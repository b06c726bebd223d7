// Opens the embedded database of another process of this machine as if it were this one's own.
import { Kysely, sql as text } from 'kysely'
import type { Link } from '../../sockets/link.ts'
import type { Database } from '../open-database.ts'
import { fileDays } from '../request-log/file-days.ts'
import { contentDays, rowDays } from '../request-log/request-tables.ts'
import type { Schema } from '../schema.ts'
import { outerQueryGuard } from '../transact.ts'
import { remoteDayFiles, remoteDialect } from './remote-dialect.ts'

/** The owner of the database measures the statements. */
export function openRemoteDatabase(link: Link): Database {
  const sql = new Kysely<Schema>({ dialect: remoteDialect(link), plugins: [outerQueryGuard] })
  return {
    sql,
    requestDays: fileDays(remoteDayFiles(link), rowDays),
    contentDays: fileDays(remoteDayFiles(link), contentDays),
    dialect: 'sqlite',
    async ping() {
      await text`select 1`.execute(sql)
    },
    close: () => sql.destroy(),
  }
}
