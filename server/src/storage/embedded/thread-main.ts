// The thread that uses the file of the embedded database: runs what it is sent, in order, and replies in that order.
import { parentPort, workerData } from 'node:worker_threads'
import { carryError } from '../carried/carried-error.ts'
import type { CarriedResult } from '../carried/carried-result.ts'
import { carryRow, uncarry } from '../carried/carried-values.ts'
import { DatabaseFile, findCorruption, openDurably } from './database-file.ts'
import { DayFileCache } from './day-files.ts'
import {
  type Command,
  hasLongText,
  joinMessages,
  readMessage,
  type ThreadData,
  type ThreadMessage,
  type ThreadReply,
} from './thread-messages.ts'

/** SQLite's code for a corrupt file, for damage that the check finds. */
const corrupt = 11

/** The result of commands that are no statements. */
const nothing: CarriedResult = { rows: [], affected: null }

let file: DatabaseFile | null = null
let days: DayFileCache | null = null

function open({ file: path, daysFolder, statements, isSuspect }: ThreadData): CarriedResult {
  const db = openDurably(path)
  const damage = isSuspect ? findCorruption(db, 'quick_check') : null
  if (damage !== null) {
    db.close()
    throw Object.assign(new Error(damage), { errcode: corrupt })
  }
  file = new DatabaseFile(db)
  days = new DayFileCache(daysFolder, statements)
  return nothing
}

interface Opened {
  file: DatabaseFile
  days: DayFileCache
}

function execute({ file, days }: Opened, command: Command): CarriedResult {
  const fileOf = (day: string | null) => (day === null ? file : days.open(day))
  switch (command[0]) {
    case 'run': {
      const { rows, affected } = fileOf(command[3]).run(command[1], command[2].map(uncarry))
      return { rows: rows.map(carryRow), affected }
    }
    case 'close':
      days.close()
      file.close()
      return nothing
    case 'dropDay':
      days.drop(command[1])
      return nothing
    default:
      fileOf(command[1])[command[0]]()
      return nothing
  }
}

/** A result that is too long for a text is a failure too. */
function replyTo(action: () => CarriedResult): ThreadMessage<ThreadReply> {
  try {
    const done = action()
    const isLong = done.rows.some(row => hasLongText(Object.values(row)))
    return isLong ? [{ done }] : JSON.stringify({ done } satisfies ThreadReply)
  } catch (error) {
    return JSON.stringify({ failure: carryError(error) } satisfies ThreadReply)
  }
}

function reply(replies: readonly ThreadMessage<ThreadReply>[]): void {
  for (const message of joinMessages(replies)) parentPort?.postMessage(message)
}

parentPort?.on('message', (message: ThreadMessage<Command>) => {
  const commands = readMessage(message)
  if (file !== null && days !== null) {
    const opened = { file, days }
    reply(commands.map(command => replyTo(() => execute(opened, command))))
  }
  if (commands.at(-1)?.[0] === 'close') parentPort?.close()
})
reply([replyTo(() => open(workerData as ThreadData))])
