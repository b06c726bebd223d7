// The entry point of `npm run db:backup -- FILE` and `npm run db:restore -- FILE`.
import { resolve } from 'node:path'
import { loadConfig } from '../config/config.ts'
import { StartupProblem } from '../domain/startup-problem.ts'
import { createLog } from '../log/log.ts'
import { BackupProblem, backUp } from '../storage/backup.ts'
import { restore } from '../storage/restore.ts'

const usage = `Usage:
  npm run db:backup -- FILE    copies the embedded database to FILE, also while the server runs
  npm run db:restore -- FILE   puts FILE in the place of the embedded database; the server must be stopped
Outside a clone: sallyport db:backup FILE, sallyport db:restore FILE`

process.exitCode = main(process.argv.slice(2))

function main(args: readonly string[]): number {
  if (args.includes('--help')) {
    process.stdout.write(`${usage}\n`)
    return 0
  }
  const [command, file] = args
  // A file of such a name is hardly meant; `./-x` names it.
  const isUsed = (command === 'backup' || command === 'restore') && file !== undefined && args.length === 2
  if (!isUsed || file.startsWith('-')) {
    process.stderr.write(`${usage}\n`)
    return 2
  }
  try {
    process.stdout.write(`${run(command, resolve(file))}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof BackupProblem || error instanceof StartupProblem)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}

function run(command: 'backup' | 'restore', file: string): string {
  const { databaseUrl, dataDir } = loadConfig()
  if (databaseUrl !== null) {
    throw new BackupProblem('The database is PostgreSQL: use pg_dump and pg_restore.')
  }
  if (command === 'backup') {
    backUp({ dataDir, file })
    return `The database is backed up to ${file}. The secrets in ${dataDir} are not in it: keep a copy of them too.`
  }
  const kept = restore({ dataDir, file, now: Date.now, log: createLog({ level: 'warn' }) })
  return `The database is restored from ${file}.${kept === null ? '' : ` The one it replaced is kept as ${kept}.`}`
}
